"""Provide randomness: mechanisms with an exact distribution, and their components."""
