"""Show determinations as pages, as PDF, and as lines in the terminal."""
