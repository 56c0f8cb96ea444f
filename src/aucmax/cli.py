"""Words on a command line, turned into calls."""
