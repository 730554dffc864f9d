"""The quality models, one file each; the file name is the model's name with ``_`` for ``-``."""
