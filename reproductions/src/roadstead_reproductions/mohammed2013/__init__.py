"""Paper 002: differentially private release of relational and set-valued data, reproduced.

Each module is one experiment: `accuracies` figure 4, `steps` the differences between our mechanism
and the paper's, `comparison` figure 5A, `heterogeneous` figure 3 on other data, `scaling` figure
5B, `choosing` the private choice of the number of specializations. `ways` defines how a release is
made, and `runs` how it is evaluated.
"""
