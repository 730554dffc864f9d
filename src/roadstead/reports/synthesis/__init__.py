"""Describe a differentially private release in words, as JSON, and as a page."""
