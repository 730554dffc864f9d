"""Determine."""
