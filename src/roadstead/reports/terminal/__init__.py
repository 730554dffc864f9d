"""Show results as lines, for the terminal and for notebooks."""
