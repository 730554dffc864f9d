"""Check a release against a gate: the rules that a release must meet in a pipeline."""
