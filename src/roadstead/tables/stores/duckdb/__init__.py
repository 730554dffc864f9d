"""Provide the store for tables in DuckDB files and in the private engine."""
