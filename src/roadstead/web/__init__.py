"""The workbench: a local page where a custodian checks a table, compares, decides, and releases.

The workbench adds no logic of its own. Choices are kept in a project file. Work is a request of
`roadstead.verbs`, run in a process of its own. Results are shown as `roadstead.reports` writes
them.
"""
