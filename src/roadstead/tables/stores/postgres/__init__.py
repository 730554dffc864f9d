"""The store of PostgreSQL."""
