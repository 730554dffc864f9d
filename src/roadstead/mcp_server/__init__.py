"""Tools for agents: what may be known of a table without seeing one of its cells.

An agent works on a health table without reading it. It gets names of columns, counts, risks, points
and proofs, each in an answer that has a type (`answers`), so that what has no field there has no
way out. Words of errors are not handed on, because some quote a cell (`refusals`), and only files
in folders that were allowed at the start are opened (`tables`).
"""
