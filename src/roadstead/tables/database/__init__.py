"""Sets of tables about the same people: rules for each column, and a common engine."""
