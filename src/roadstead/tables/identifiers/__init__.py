"""The eighteen identifiers of HIPAA's Safe Harbor, and columns of a table that look like one.

Safe Harbor (45 CFR 164.514(b)(2)(i); paper 004, appendix A) names eighteen kinds of identifiers
that must not be in a release. The name of a column, and a sample of its values, show whether it
holds an identifier. This helps a person who knows the table; it is not a proof.
"""
