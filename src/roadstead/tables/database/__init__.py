"""Sets of tables about the same persons: what each column is, and the tables opened as one."""
