"""Provide the workbench, a local page on which a custodian checks and releases a table.

On the page, the custodian can also compare possible releases. A project file stores the choices.
Each job is a request from `roadstead.verbs` that runs in a separate process. `roadstead.reports`
writes the results.
"""
