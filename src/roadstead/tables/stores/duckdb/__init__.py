"""DuckDB: the private engine that reads files, and tables in DuckDB files."""
