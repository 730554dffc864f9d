"""Find dependencies between columns: values of one column that reveal values of another column.

The module `found` combines the results of the other modules.
"""
