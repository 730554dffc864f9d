"""The quality models, one file each: a file has the name of its model, with ``_`` for ``-``."""
