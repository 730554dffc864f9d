"""Exact search for combinations that do not fit in memory: queries evaluate policies."""
