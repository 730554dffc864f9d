"""Find unusual values in columns, and describe them in sentences."""
