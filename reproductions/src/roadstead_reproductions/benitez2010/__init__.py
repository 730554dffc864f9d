"""Paper 004 (Benitez, Loukides and Malin 2010), its experiments run on our engine.

Safe Harbor's risk is the threshold, and policies at the edge of what is below it are searched for.
`cases` are the data, `runs` the searches. `efficiency` is table 2 and figures 6 and 7, `nodes`
figure 9, `diversity` figure 8, `alternatives` table 3; `variations` asks what other domains, other
exponents of the risk and k-anonymity change.
"""
