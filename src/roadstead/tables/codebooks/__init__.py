"""Codebooks: separate files that describe the columns of a table, one module per format.

The content of a file decides which module reads it (:mod:`reading`). Each module returns the same
facts (:mod:`described`): labels, missing codes, types, and roles. A codebook may come from an
unknown source, so its texts are only data. They are cleaned (:mod:`document`) and shown, and never
executed.
"""
