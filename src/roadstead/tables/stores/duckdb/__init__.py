"""DuckDB: the private engine that reads files, and tables in files of its own."""
