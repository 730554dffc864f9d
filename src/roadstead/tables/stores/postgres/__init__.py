"""Provide the store for PostgreSQL."""
