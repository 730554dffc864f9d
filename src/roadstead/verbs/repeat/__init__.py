"""Repeat."""
