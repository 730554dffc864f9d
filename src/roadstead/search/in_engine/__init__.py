"""Exact search by database queries, for tables that do not fit in memory."""
