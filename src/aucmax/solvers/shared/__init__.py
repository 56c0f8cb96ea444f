"""Parts that several solvers share."""
