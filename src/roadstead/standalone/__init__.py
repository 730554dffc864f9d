"""Programs that work without Roadstead: one page and two files, to check a release or a proof.

The programs are a second opinion: they are written from the documentation of the files, do not
share code with the rest of the package, and do not import Roadstead.
"""
