"""Find columns that look like one of the eighteen identifiers of HIPAA Safe Harbor.

Safe Harbor (45 CFR 164.514(b)(2)(i); paper 004, appendix A) lists eighteen kinds of identifiers
that must not be in a release. The name of a column and a sample of its values suggest whether the
column contains an identifier. This evidence helps a person who knows the table, but is not a proof.
"""
