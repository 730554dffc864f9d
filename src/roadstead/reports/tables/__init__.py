"""Describe a released set of tables in sentences and as a page."""
