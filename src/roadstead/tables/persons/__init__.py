"""People of a table: their rows, their dates, and columns that link rows."""
