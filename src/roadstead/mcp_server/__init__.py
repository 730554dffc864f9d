"""Tools with which AI agents can work on a health table without seeing any cells.

An agent gets column names, counts, risks, policies, and proofs. Each answer has a type (`answers`),
and contains only the fields of this type. The agent does not get the text of an error, because the
text may quote a cell (`refusals`). The server opens only files in folders that were allowed at the
start (`tables`).
"""
