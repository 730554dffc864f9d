"""Reading tables through Ibis, and turning them into frequency tables.

`reading` opens a file, a data frame, or an Ibis table as a `source`; `roles` describes the roles of
its columns; `frequency` sends one query to its engine for the table on which everything else works;
`sinks` streams a table to a file, `stores` to a database.
"""
