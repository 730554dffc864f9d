"""Provide the store for all other Ibis databases, and default functions for every store."""
