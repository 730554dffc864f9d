"""Define the pages of the workbench: the list of work, and one module per step.

Each module defines `ROUTES`. For each address, a function reads the form, starts the work, and
shows the page again.
"""
