"""The store for PostgreSQL."""
