"""Tools for AI agents, which can work on a health table without seeing its cells.

An agent gets column names, counts, risks, policies, and proofs. Each answer has a type (`answers`),
so only the fields of that type can leave. The agent does not get the text of an error, because it
may quote a cell (`refusals`). The server opens only files in folders that were allowed at the start
(`tables`).
"""
