"""Searches from the literature, which Roadstead finds by their entry points."""
