"""Provide random mechanisms with exact distributions, and their components."""
