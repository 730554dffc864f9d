"""The eighteen identifiers of HIPAA's Safe Harbor, and what in a table looks like one.

Safe Harbor (45 CFR 164.514(b)(2)(i); paper 004, appendix A) names eighteen kinds of identifiers
that must not be in a release. Whether a column holds one is seen from what the column is called
and from what a sample of its values reads like. `find` says which columns, which identifier, why,
and what to do. It is a help for a person who knows the table; it proves nothing.

`rule` has the eighteen, `traces` how each shows, `column_names` and `contents` the two ways to
look, `findings` what was found; `zip_areas` has the three-digit ZIP areas that few people live in.
"""
