"""Paper 000 (Xia, Heatherly, Ding, Li and Malin 2013), its experiments run on our engine.

Each module is one experiment: `efficiency` figure 5, `readings` what the paper leaves open about
it, `heuristic` figure 6, `spans` which sublattices would give both, `quality` figures 7 to 9, and
`beyond` what our own searches find.
"""
