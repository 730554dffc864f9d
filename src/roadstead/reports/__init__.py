"""Reports: what was done to a table, what risk is left and what was lost, for those who decide."""
