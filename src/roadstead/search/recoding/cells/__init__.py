"""Cell suppression: one vector of levels, and some attributes at the highest in single classes."""
