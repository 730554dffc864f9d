"""Define requests, their fields, and project files."""
