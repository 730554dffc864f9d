"""Whether a person is in a release at all: scores, and audits of a mechanism run many times."""
