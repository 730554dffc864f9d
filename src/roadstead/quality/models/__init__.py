"""The quality models, one file each; the file has the model's name, with ``_`` for ``-``."""
