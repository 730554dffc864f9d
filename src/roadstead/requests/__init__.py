"""What can be asked for: fields declared once, project files, and requests in writing."""
