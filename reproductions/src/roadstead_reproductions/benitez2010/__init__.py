"""Paper 004 (Benitez, Loukides, and Malin 2010), with its experiments run on our engine.

The threshold is Safe Harbor's risk, and the searches find policies at the edge of the acceptable
policies. `cases` has the data, and `runs` has the searches. `efficiency` reproduces table 2 and
figures 6 and 7, `nodes` reproduces figure 9, `diversity` reproduces figure 8, and `alternatives`
reproduces table 3. `variations` tests other domains, other exponents of the risk, and k-anonymity.
"""
