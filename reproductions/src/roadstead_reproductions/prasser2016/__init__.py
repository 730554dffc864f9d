"""Paper 003 (Prasser, Kohlmayer, and Kuhn 2016), with its experiments run on our engine.

Each module is one experiment: `structures` reproduces table 1, `statistics` table 2, `memory`
figure 5, `convergence` figure 7, and `heuristics` table 5. `lattices` compares the explicit and the
implicit lattice.
"""
