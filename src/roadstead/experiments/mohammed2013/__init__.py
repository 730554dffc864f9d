"""Paper 002: differentially private release of relational and set-valued data, reproduced."""
