"""Paper 000 (Xia, Heatherly, Ding, Li, and Malin 2013), with its experiments run on our engine.

Each module is one experiment: `efficiency` figure 5, `readings` details that the paper does not
specify about figure 5, `heuristic` figure 6, `spans` the sublattices that would give figures 5 and
6, `quality` figures 7 to 9, and `beyond` our own searches.
"""
