"""Provide mechanisms with exact distributions, and their components."""
