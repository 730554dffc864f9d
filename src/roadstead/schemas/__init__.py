"""Provide a JSON Schema for each JSON document that Roadstead prints or writes."""
