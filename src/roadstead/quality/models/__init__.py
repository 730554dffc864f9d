"""The quality models, one per file. A file has the name of its model, with ``_`` for ``-``."""
