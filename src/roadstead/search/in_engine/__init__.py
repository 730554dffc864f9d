"""Exact search if the combinations do not fit in memory: queries evaluate policies."""
