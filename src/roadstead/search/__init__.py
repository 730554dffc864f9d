"""Searches: one algorithm a file, all behind the same small protocol."""
