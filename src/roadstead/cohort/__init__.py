"""A synthetic cohort of hospital patients, for the demonstration, the documentation, and the tests.

The patients are not real people. Every distribution comes from published marginal figures, cited
next to the numbers, so that the table resembles a real extract.
"""

from __future__ import annotations

from roadstead.cohort.generate import generate, write_csv

__all__ = ["generate", "write_csv"]
