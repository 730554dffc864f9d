"""The workbench: a local page on which a custodian sees, compares, decides and releases.

It adds no logic of its own. What was chosen is a project file; what is done is a request of
`roadstead.verbs`, run in a process of its own; what is shown was made by `roadstead.reports`.
"""
