"""Paper 002: differentially private release of relational and set-valued data, reproduced.

Each module is one experiment: `accuracies` reproduces figure 4, `comparison` figure 5A, `scaling`
figure 5B, and `heterogeneous` figure 3 on other data. `steps` measures the differences between our
mechanism and the paper's, and `choosing` tests the private choice of the number of specializations.
`ways` defines how a release is made, and `runs` defines how a release is evaluated.
"""
