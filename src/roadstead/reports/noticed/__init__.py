"""Find conspicuous values in columns, and describe them in sentences."""
