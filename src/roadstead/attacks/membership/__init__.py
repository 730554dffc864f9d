"""Whether a person is in a release at all: scores, and audits that run a mechanism many times."""
