"""Paper 000 (Xia, Heatherly, Ding, Li, and Malin 2013), with its experiments run on our engine.

Each module is one experiment: `efficiency` reproduces figure 5, `heuristic` figure 6, and `quality`
figures 7 to 9. `readings` tests details that the paper does not specify about figure 5, `spans`
looks for sublattices that would give figures 5 and 6, and `beyond` runs our own searches.
"""
