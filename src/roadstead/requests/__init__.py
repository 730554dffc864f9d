"""Requests, with fields that are declared once, project files, and requests as text."""
