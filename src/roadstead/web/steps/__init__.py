"""The addresses of the workbench: the list of work, and a file for each of the five steps.

Each has `ROUTES`. An address is answered by a function of its own, which reads the form, has one
thing done, and shows the page again.
"""
