"""Limit the rows of each person to the rows of one unit of privacy: few rows, or one record."""
