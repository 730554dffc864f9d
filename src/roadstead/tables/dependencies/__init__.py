"""Find dependencies between columns, which are values that reveal values of another column.

The module `found` combines the results of the other modules.
"""
