"""Releases of whole databases: one set of people, new keys, shifted dates, generalized codes."""
