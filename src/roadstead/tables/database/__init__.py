"""Sets of tables about the same people: the use of each column, and the tables opened as one."""
