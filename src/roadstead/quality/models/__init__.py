"""The quality models, one per file. Each file is named after its model, with ``_`` for ``-``."""
