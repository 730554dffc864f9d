"""A gate: what a release must show before a pipeline passes it on."""
