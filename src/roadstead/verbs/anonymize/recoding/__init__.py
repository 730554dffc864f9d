"""Releases whose classes show different levels of detail: what is refused, and how one is found."""
