"""Searches for the best policy, which all follow the same protocol."""
