"""Define the addresses of the workbench: the list of work, and one file per step.

Each file has `ROUTES`. For each address, a function reads the form, starts the work, and shows the
page again.
"""
