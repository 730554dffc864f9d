"""Exact search for tables that do not fit in memory, where database queries evaluate policies."""
