"""Read and write the files of other programs, such as Excel, SPSS, Stata, SAS, and R.

Each program has a folder or a module. A `FileFormat` (:mod:`roadstead.tables.formats.format`) reads
a file in batches and writes a release. :mod:`roadstead.tables.formats.recognition` determines the
format of a file by its content, and :mod:`roadstead.tables.formats.registry` returns a format by
its name. :mod:`roadstead.tables.formats.reading` converts the batches to a table of the private
engine, with the labels of a codebook in place of codes.
"""
