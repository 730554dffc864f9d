"""Codebooks: separate files that describe the columns of a table, one module per format.

The content of a file decides which module reads it (:mod:`reading`). Each module returns the same
facts (:mod:`described`): labels, missing codes, types, and roles. A codebook comes from elsewhere,
so its texts are only data: they are cleaned (:mod:`document`), shown, and never executed.
"""
