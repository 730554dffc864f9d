"""The workbench: a local page on which a custodian checks a table, compares, and releases.

The workbench does not add any logic to the rest of Roadstead. A project file keeps the choices.
Work is a request of `roadstead.verbs`, which runs in its own process. Results are shown in the form
that `roadstead.reports` writes.
"""
