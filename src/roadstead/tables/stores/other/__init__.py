"""The store for all other Ibis databases, with the default functions for every store."""
