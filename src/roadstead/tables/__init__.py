"""Reading tables through Ibis, and turning them into frequency tables.

`reading` opens a file, a data frame or an Ibis table as a `source`; `roles` say what its columns
are; `frequency` asks its engine one question for the table that everything else works on; `sinks`
stream a table to a file, `stores` to a database.
"""
