"""Read tables through Ibis, and convert them to frequency tables.

`reading` opens a file, a data frame, or an Ibis table as a `source`. `roles` describes the roles of
the columns. `frequency` sends one query to the engine of the source, and returns the frequency
table. All other steps use this table. `sinks` streams a table to a file, and `stores` streams a
table to a database.
"""
