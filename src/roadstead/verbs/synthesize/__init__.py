"""Synthesize."""
