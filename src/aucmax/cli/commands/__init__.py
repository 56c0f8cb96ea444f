"""The commands, one a file of its name: each parses its arguments, calls the library and prints the result."""
