"""The store for DuckDB: tables in DuckDB files, and in the private engine."""
