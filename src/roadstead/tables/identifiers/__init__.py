"""The eighteen identifiers of HIPAA's Safe Harbor, and what in a table looks like one.

Safe Harbor (45 CFR 164.514(b)(2)(i); paper 004, appendix A) names eighteen kinds of identifiers
that must not be in a release. Whether a column holds one is seen from what it is called and from
what a sample of its values reads like. It is a help for a person who knows the table; it proves
nothing.
"""
