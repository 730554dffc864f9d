"""Paper 002: differentially private release of relational and set-valued data, reproduced.

Each module is one experiment: `accuracies` figure 4, `steps` what makes our mechanism differ from
the paper's, `comparison` figure 5A, `heterogeneous` figure 3 on other data, `scaling` figure 5B,
`choosing` the number of specializations chosen privately. `ways` says how releases are made, and
`runs` how one is judged.
"""
