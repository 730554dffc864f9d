"""The results in paper 000.

Xia, Heatherly, Ding, Li, and Malin 2013, "Efficient discovery of de-identification policies through
a risk-utility frontier", CODASPY 2013, 59-70, doi:10.1145/2435349.2435357, section 4.2.
"""

from __future__ import annotations

REFERENCE = (
    "Xia W, Heatherly R, Ding X, Li J, Malin B. Efficient discovery of de-identification policies "
    "through a risk-utility frontier. CODASPY 2013; 59-70. doi:10.1145/2435349.2435357"
)

BUDGET = 14_780
"""The number of policies that a search may evaluate: 20 chains of 739 policies each."""
RUNS = 20
BOUNDARIES = 738
STEP = 100
"""The number of policies between two checkpoints of figure 5."""

IMPROVEMENT_AT_100 = 0.28
"""The relative difference between the mean areas of RCS and SHS after 100 policies."""

SUBLATTICES = 24_240
CORRELATION = 0.8643536
"""Pearson's r of H and E (figure 6)."""

MEMBERS = 796
"""The number of policies on the frontier of one run of SHS (figure 7)."""
POINTS = 750
"""The approximate number of distinct pairs of risk and loss among these policies."""

BETTER_THAN_SAFE_HARBOR = 24
"""The number of members of the frontier that strictly dominate Safe Harbor (figure 8)."""
DISTANCE = 0.025
"""The mean Euclidean distance between these members and Safe Harbor."""
ON_ONE_CHAIN = 23
ALTERNATIVES = 500
"""The number of policies that bisecting search finds."""
DOMINATED = 0.98
"""The share of the bisecting search's policies that the 24 members dominate."""

CLAIMS = (
    "Published (section 4.2): SHS is 28% better after 100 policies and always dominates; the "
    "mean share of updates rises with H. Figures 5 and 6 are not available as numbers."
)
