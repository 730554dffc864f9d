"""Limit the rows of a person to what one unit of privacy may have: few rows, or one record."""
