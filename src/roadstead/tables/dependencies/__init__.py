"""Find dependencies of columns: values in one column that reveal values of another column.

`found` combines the results of the other modules.
"""
