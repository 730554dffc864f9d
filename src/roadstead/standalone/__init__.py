"""Programs that work without Roadstead: one page and one file check a release, one a proof.

They are a second opinion. They are written from the documentation of the files, and share no code
with the rest of the package. So this room imports nothing of Roadstead.
"""
