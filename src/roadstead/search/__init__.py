"""Searches, all behind the same small protocol."""
