"""The workbench: a local page on which a custodian checks a table, compares, and releases.

A project file keeps the choices. Each job is a request of `roadstead.verbs`, in a separate process.
`roadstead.reports` writes the results.
"""
