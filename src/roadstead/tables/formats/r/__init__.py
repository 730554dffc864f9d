"""Read and write R data files with pyreadr (the library librdata)."""
