"""The store of DuckDB: tables in DuckDB files, and in the private engine."""
