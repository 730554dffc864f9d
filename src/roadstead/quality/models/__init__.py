"""The quality models, a file each: the file is named as the model is, with ``_`` for ``-``."""
