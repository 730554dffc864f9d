"""Files of other programs: Excel, SPSS, Stata, SAS, R, and others, one folder or file per format.

A `FileFormat` (:mod:`roadstead.tables.formats.format`) recognizes a file by its content, reads it in
batches, and writes a release. :mod:`roadstead.tables.formats.registry` knows the formats by name.
:mod:`roadstead.tables.formats.reading` turns the batches into a table of the private engine, with
the labels of a codebook in place of codes.
"""
