"""A gate: the rules that a release must meet before a pipeline forwards the release."""
