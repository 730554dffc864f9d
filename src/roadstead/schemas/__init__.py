"""A JSON Schema for each JSON document that is printed or written."""
