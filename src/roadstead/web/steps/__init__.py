"""The addresses of the workbench: the list of work, and a file for each of the five steps.

Each file has `ROUTES`. One function per address reads the form, has one thing done, and shows the
page again.
"""
