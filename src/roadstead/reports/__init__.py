"""Write reports for the people who decide about a release.

A report describes the treatment of columns, the risk, and the detail that is lost.
"""
