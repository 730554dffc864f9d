"""Dependencies of columns: values in one column that reveal values of another.

`found` combines the results of the other files: a column that determines another, columns that do
so together, numbers that are linear in one another, text that holds the value of another column, a
date in three columns, codes of people under any header, and values that are person IDs.
"""
