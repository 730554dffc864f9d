"""Determinations, as pages, as PDF and as lines of the terminal."""
