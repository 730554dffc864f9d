"""Find dependencies of columns: values in one column that reveal values of another column.

`found` combines the results of the other files: a column that determines another column, columns
that determine a column together, numbers with nearly the same order, text that contains the value
of another column, a date in three columns, codes of people under any header, and values that are
person IDs.
"""
