"""Read codebooks, which are separate files that describe the columns of a table.

Each format has a module. The content of a file decides which module reads it (:mod:`reading`). All
modules return the same information (:mod:`described`). A codebook may come from an unknown source,
so its strings are cleaned (:mod:`document`) and never executed.
"""
