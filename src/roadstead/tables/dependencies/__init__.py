"""What columns reveal about each other: values that one column gives away of another.

`found` puts together what the other files look for: a column that determines another, columns that
do so together, numbers that are linear in one another, text that holds the value of another column,
a date in three columns, codes of persons under any header, and values that are person IDs.
"""
