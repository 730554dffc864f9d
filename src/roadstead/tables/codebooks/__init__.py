"""Codebooks: separate files that describe the columns of a table, one module per format.

The content of a file decides which module reads it (:mod:`reading`). Each module returns the same
information (:mod:`described`). A codebook may come from an unknown source, so its texts are cleaned
(:mod:`document`) and never executed.
"""
