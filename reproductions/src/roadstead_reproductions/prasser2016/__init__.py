"""Paper 003 (Prasser, Kohlmayer and Kuhn 2016), its experiments run on our engine.

Each module is one experiment: `structures` table 1, `statistics` table 2, `lattices` the explicit
against the implicit lattice, `memory` figure 5, `convergence` figure 7, `heuristics` table 5.
"""
