"""Requests: fields declared once, project files, and requests in writing."""
