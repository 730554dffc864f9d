"""Data files of R, read and written by pyreadr (the library librdata)."""
