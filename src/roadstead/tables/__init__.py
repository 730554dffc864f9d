"""Reading tables through Ibis, and turning them into frequency tables.

:func:`roadstead.tables.reading.read` opens a file, a data frame or an Ibis table as a
:class:`roadstead.tables.source.Source`; :mod:`roadstead.tables.roles` says what its columns are;
:func:`roadstead.tables.frequency.summarize` asks its engine one question and returns the frequency
table that everything else works on; :mod:`roadstead.tables.profile` describes columns in counts;
:mod:`roadstead.tables.sinks` streams a table to a file, :mod:`roadstead.tables.stores` to a
database.
"""
