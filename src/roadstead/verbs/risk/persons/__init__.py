"""Assess a table by people."""
