"""Assess a table by persons."""
