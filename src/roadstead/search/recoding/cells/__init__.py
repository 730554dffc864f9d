"""Cell suppression: one vector of levels, and in single classes some attributes at the highest."""
