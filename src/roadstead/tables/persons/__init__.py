"""Handle the people of a table: their rows, their dates, and columns that link rows."""
