"""Paper 004 (Benitez, Loukides, and Malin 2010), with its experiments run on our engine.

The threshold is Safe Harbor's risk, and the searches find policies at the edge of the acceptable
policies. `cases` has the data, and `runs` the searches. `efficiency` is table 2 and figures 6 and
7, `nodes` figure 9, `diversity` figure 8, and `alternatives` table 3. `variations` has other
domains, other exponents of the risk, and k-anonymity.
"""
