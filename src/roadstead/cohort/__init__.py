"""A synthetic cohort of hospital patients for the demonstration, documentation, and tests.

The patients are not real people. Every distribution comes from published marginal figures, so that
the table resembles a real extract. The sources are cited next to the numbers.
"""

from __future__ import annotations

from roadstead.cohort.generate import generate, write_csv

__all__ = ["generate", "write_csv"]
