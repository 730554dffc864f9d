"""Searches for the best policy, all with the same protocol."""
