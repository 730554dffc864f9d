"""Describe a differentially private release: its facts, in words, as JSON, and as a page."""
