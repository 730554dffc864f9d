"""Anonymize."""
