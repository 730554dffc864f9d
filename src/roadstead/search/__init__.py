"""Searches for the best policy; all of them follow the same protocol."""
