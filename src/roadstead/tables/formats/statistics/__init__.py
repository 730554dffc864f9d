"""Files of SPSS, Stata, and SAS, read and written by pyreadstat (the library ReadStat)."""
