"""Read and write SPSS, Stata, and SAS files with pyreadstat (the library ReadStat)."""
