"""Exact search where the combinations do not fit in memory: policies are evaluated by queries."""
