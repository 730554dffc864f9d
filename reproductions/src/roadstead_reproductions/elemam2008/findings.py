"""The statements in the Results section of paper 001, compared with our samples.

The paper's curves are pictures. So each statement becomes a number that can be computed from our
samples, and a test of this number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from roadstead_reproductions.elemam2008.populations import Population
from roadstead_reproductions.elemam2008.published import MOST_SUPPRESSED, PHYSICIANS, RELATIVE_LOSS
from roadstead_reproductions.elemam2008.rules import ESTIMATED
from roadstead_reproductions.elemam2008.simulation import Series
from roadstead_reproductions.elemam2008.summaries import Summaries, Summary
from roadstead_reproductions.tables import Column, ResultTable, Row

_EXACT = 1e-9
"""The tolerance for rounding errors in means."""


@dataclass(frozen=True)
class Curves:
    """The summaries for one series and one k, by rule and fraction."""

    found: Summaries
    series: Series
    k: int

    def of(self, rule: str) -> list[Summary]:
        """Return the summaries of a rule, in ascending order of fraction."""
        fractions = sorted(self.series.fractions)
        return [self.found[self.series.name, fraction, self.k, rule] for fraction in fractions]

    def risks(self, rule: str) -> list[float]:
        """Return the risks of a rule, divided by the threshold."""
        return [one.risk * self.k for one in self.of(rule)]

    def above_up_to(self, rule: str) -> float:
        """Return the largest fraction whose risk is above the threshold, or 0."""
        over = [one.fraction for one in self.of(rule) if one.risk * self.k > 1.0 + _EXACT]
        return max(over, default=0.0)

    def in_order(self) -> float:
        """Return the share of fractions at which the losses ascend in the order D2, D3, D4, D1."""
        losses = [[one.relative_loss for one in self.of(rule)] for rule in ESTIMATED]
        rows = list(zip(*losses, [1.0] * len(losses[0]), strict=True))
        kept = sum(all(a <= b + _EXACT for a, b in pairwise(row)) for row in rows)
        return kept / len(rows)


@dataclass(frozen=True)
class Statement:
    """A statement of the paper, as a number.

    `ours` computes the number from our samples. `test` describes in words when the statement is
    true, and `holds` tests it.
    """

    what: str
    ours: Callable[[Curves], float]
    published: str
    test: str
    holds: Callable[[float], bool]


STATEMENTS = (
    Statement(
        "risk of D1 at the smallest fraction, as a share of the threshold",
        lambda own: own.risks("D1")[0],
        "quite low, a wide gap",
        "below 0.5",
        lambda value: value < 0.5,  # noqa: PLR2004 - the test
    ),
    Statement(
        "the same at the largest",
        lambda own: own.risks("D1")[-1],
        "converges to the threshold",
        "0.9 to 1",
        lambda value: 0.9 <= value <= 1.0 + _EXACT,  # noqa: PLR2004 - the test
    ),
    Statement(
        "largest fraction at which D2 is above the threshold",
        lambda own: own.above_up_to("D2"),
        "as high as 0.6",
        "0.6 or more",
        lambda value: value >= 0.6 - _EXACT,
    ),
    Statement(
        "largest fraction at which D3 is above the threshold",
        lambda own: own.above_up_to("D3"),
        "0.3",
        "0.3 or more",
        lambda value: value >= 0.3 - _EXACT,
    ),
    Statement(
        "highest risk of D4, as a share of the threshold",
        lambda own: max(own.risks("D4")),
        "closest to it, below or very close",
        "at most 1.1",
        lambda value: value <= 1.1,  # noqa: PLR2004 - the test
    ),
    Statement(
        "share of fractions at which D4's risk is D1's or more",
        lambda own: _share_at_least(own.risks("D4"), own.risks("D1")),
        "all",
        "1",
        lambda value: value == 1.0,
    ),
    Statement(
        "discernibility of D4 at the smallest fraction, relative to D1",
        lambda own: own.of("D4")[0].relative_loss,
        "significantly less",
        "at most 0.8",
        lambda value: value <= 0.8,  # noqa: PLR2004 - the test
    ),
    Statement(
        "share of fractions at which discernibility rises from D2 to D3, D4, and D1",
        lambda own: own.in_order(),
        "all",
        "1",
        lambda value: value == 1.0,
    ),
    Statement(
        "largest share of records suppressed by D1",
        lambda own: max(one.suppressed for one in own.of("D1")),
        f"{MOST_SUPPRESSED:g} in some cases",
        "0.3 or more",
        lambda value: value >= 0.3,  # noqa: PLR2004 - the test
    ),
    Statement(
        "the same for D4, as a share of D1's, at the smallest fraction",
        lambda own: _ratio(own.of("D4")[0].suppressed, own.of("D1")[0].suppressed),
        "considerably less",
        "below 0.8",
        lambda value: value < 0.8,  # noqa: PLR2004 - the test
    ),
)
LIKE_THE_REGISTER = Statement(
    "discernibility of D4 at the smallest fraction, relative to D1",
    STATEMENTS[6].ours,
    f"{RELATIVE_LOSS} (k = 5)",
    "0.35 to 0.55",
    lambda value: abs(value - RELATIVE_LOSS) <= 0.1,  # noqa: PLR2004 - the test
)
"""The statement on the physicians, for whom the paper reports the number."""


def findings_table(
    pairs: Sequence[tuple[Population, Series]],
    found: Summaries,
    sizes: Sequence[int],
    notes: Sequence[str],
) -> ResultTable:
    """Return every statement with our results, for every k.

    `notes` gives the reasons for differences.
    """
    rows = [
        _row(_told(statement, population), series, found, sizes)
        for statement in STATEMENTS
        for population, series in pairs
    ]
    columns = (
        Column("what", "statement", "text"),
        Column("population", "population", "text"),
        *(Column(f"k{k}", f"k = {k}", "times") for k in sizes),
        Column("published", "published", "text"),
        Column("test", "criterion", "text"),
        Column("holds", "holds", "text"),
    )
    title = "The paper's findings compared with ours (Results)"
    return ResultTable("findings", title, columns, tuple(rows), tuple(notes))


def _told(statement: Statement, population: Population) -> Statement:
    physicians = population.stands_for == PHYSICIANS
    is_loss = statement.ours is LIKE_THE_REGISTER.ours
    return LIKE_THE_REGISTER if physicians and is_loss else statement


def _row(statement: Statement, series: Series, found: Summaries, sizes: Sequence[int]) -> Row:
    ours = {k: statement.ours(Curves(found, series, k)) for k in sizes}
    answers = ["yes" if statement.holds(value) else "no" for value in ours.values()]
    return {
        "what": statement.what,
        "population": series.name,
        **{f"k{k}": value for k, value in ours.items()},
        "published": statement.published,
        "test": statement.test,
        "holds": answers[0] if len(set(answers)) == 1 else ", ".join(answers),
    }


def _share_at_least(values: Sequence[float], others: Sequence[float]) -> float:
    pairs = list(zip(values, others, strict=True))
    return sum(a >= b - _EXACT for a, b in pairs) / len(pairs)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 1.0
