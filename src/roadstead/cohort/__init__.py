"""A synthetic cohort of hospital patients, for the demonstration, the documentation, and the tests.

None of the patients exists. Every distribution is assembled from published marginal figures, cited
next to the numbers, so that the table behaves like a real extract. Ages, sexes, races, ZIP codes,
and diagnoses depend on each other, most combinations of them are rare, and a few values are
missing.
"""

from __future__ import annotations

from roadstead.cohort.generate import generate, write_csv

__all__ = ["generate", "write_csv"]
