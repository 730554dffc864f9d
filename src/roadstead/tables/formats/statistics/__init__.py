"""Read and write files of SPSS, Stata, and SAS with pyreadstat (the library ReadStat)."""
