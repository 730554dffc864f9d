"""Searches of the literature, which Roadstead finds by their entry points."""
