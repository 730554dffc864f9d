"""Releases: a policy is applied to a table, and the application can be proven."""
