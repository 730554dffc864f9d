"""Cell suppression: one vector of levels, with some attributes suppressed in individual classes."""
