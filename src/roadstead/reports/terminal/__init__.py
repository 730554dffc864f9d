"""Results in lines, for the terminal and for notebooks."""
