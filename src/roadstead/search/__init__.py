"""Searches, which all have the same small protocol."""
