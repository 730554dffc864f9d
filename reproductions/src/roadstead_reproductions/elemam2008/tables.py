"""The tables for paper 001: populations, minimum class sizes, and three figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roadstead_reproductions.elemam2008.populations import Population
from roadstead_reproductions.elemam2008.published import POPULATIONS
from roadstead_reproductions.elemam2008.rules import BASELINE, ESTIMATED, RULES, smallest
from roadstead_reproductions.elemam2008.simulation import Series
from roadstead_reproductions.elemam2008.summaries import Summaries
from roadstead_reproductions.tables import Column, ResultTable, Row


@dataclass(frozen=True)
class Measure:
    """The content of a figure.

    `name` is an attribute of a summary. `table` is the name of tables and pictures in files,
    without k.
    """

    name: str
    table: str
    title: str
    axis: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Panels:
    """Series that are drawn next to each other, each in its own panel.

    `suffix` is added to the names of files, and `told` to titles.
    """

    series: tuple[Series, ...]
    suffix: str = ""
    told: str = ""


RISK = Measure(
    "risk", "risk", "Actual risk by sampling fraction (Results, first graphs)", "actual risk", RULES
)
LOSS = Measure(
    "relative_loss",
    "discernibility",
    "Information loss by sampling fraction (Results, second graphs)",
    "discernibility relative to D1",
    tuple(ESTIMATED),
)
SUPPRESSION = Measure(
    "suppressed",
    "suppression",
    "Suppression by sampling fraction (Results, third graphs)",
    "records suppressed",
    RULES,
)
MEASURES = (RISK, LOSS, SUPPRESSION)


def populations_table(populations: Sequence[Population]) -> ResultTable:
    """Return the table of the populations."""
    rows: list[Row] = [
        {
            "population": one.name,
            "people": one.people,
            "values": ", ".join(f"{name} {count:,}" for name, count in one.values.items()),
            "policies": len(one.lattice.policies),
            "instead_of": one.stands_for,
            "people_published": POPULATIONS[one.stands_for].people,
            "values_published": POPULATIONS[one.stands_for].values,
        }
        for one in populations
    ]
    columns = (
        Column("population", "population", "text"),
        Column("instead_of", "replaces", "text"),
        Column("people", "people", "count", beside="people_published"),
        Column("values", "values of", "text"),
        Column("values_published", "published", "text"),
        Column("policies", "policies", "count"),
    )
    notes = tuple(note for one in populations for note in one.notes)
    title = "Populations (Methods, Data Sets)"
    return ResultTable("populations", title, columns, tuple(rows), notes)


def sizes_table(sizes: Sequence[int], fractions: Sequence[float]) -> ResultTable:
    """Return the minimum class size of every rule, which is all that distinguishes the rules."""
    rows: list[Row] = [
        {"k": k, "fraction": fraction, **{rule: smallest(rule, k, fraction) for rule in RULES}}
        for k in sizes
        for fraction in fractions
    ]
    columns = (
        Column("k", "k", "count"),
        Column("fraction", "fraction", "share"),
        *(Column(rule, rule, "count") for rule in RULES),
    )
    return ResultTable(
        "smallest-classes",
        "Records that a class needs under each rule",
        columns,
        tuple(rows),
        ("With one fraction for all records, every rule is a smallest class size of at most k.",),
    )


def figure_table(
    measure: Measure, k: int, panels: Panels, found: Summaries, *, drawn: bool
) -> ResultTable:
    """Return the means of a figure for one k."""
    rows = tuple(_figure_rows(measure, k, panels.series, found))
    columns = (
        Column("population", "population", "text"),
        Column("fraction", "fraction", "share"),
        *(Column(rule, rule, "quality" if measure is RISK else "share") for rule in RULES),
        *(Column(f"{rule}_above", f"{rule} above 1/k", "share") for rule in RULES),
    )
    shown = columns if measure is RISK else columns[: 2 + len(RULES)]
    notes = (
        (
            "Means of the samples; next to them the share of samples with a risk above the "
            f"threshold of 1/{k}."
            if measure is RISK
            else "Means of the samples."
        ),
    )
    name = f"{measure.table}-k{k}{panels.suffix}"
    return ResultTable(name, f"{measure.title}, k = {k}{panels.told}", shown, rows, notes, drawn)


def _figure_rows(
    measure: Measure, k: int, all_series: Sequence[Series], found: Summaries
) -> Iterator[Row]:
    for series in all_series:
        for fraction in series.fractions:
            own = {rule: found[series.name, fraction, k, rule] for rule in RULES}
            yield {
                "population": series.name,
                "fraction": fraction,
                **{rule: getattr(one, measure.name) for rule, one in own.items()},
                **{f"{rule}_above": one.above for rule, one in own.items()},
            }


def all_figures_table(all_series: Sequence[Series], found: Summaries) -> ResultTable:
    """Return a table of every summary, which is written to a file."""
    names = {series.name for series in all_series}
    rows: list[Row] = [
        {**vars(one), "population": one.series, "policy": " ".join(map(str, one.levels))}
        for one in found.values()
        if one.series in names
    ]
    columns = (
        Column("population", "population", "text"),
        Column("fraction", "fraction", "share"),
        Column("k", "k", "count"),
        Column("rule", "rule", "text"),
        Column("smallest", "smallest class", "count"),
        Column("risk", "risk", "quality"),
        Column("deviation", "deviation", "quality"),
        Column("above", "above 1/k", "share"),
        Column("relative_loss", f"relative to {BASELINE}", "share"),
        Column("suppressed", "suppressed", "share"),
        Column("classes", "classes", "times"),
        Column("rare", "classes of fewer than k people", "times"),
        Column("policy", "policy chosen most often", "text"),
    )
    title = "All figures, with deviations, classes, and policies"
    return ResultTable("all-figures", title, columns, tuple(rows), drawn=True)
