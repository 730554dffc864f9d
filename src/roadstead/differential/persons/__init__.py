"""Limit the rows of each person to what one unit of privacy may have: few rows, or one record."""
