"""R data files, which pyreadr (the library librdata) reads and writes."""
