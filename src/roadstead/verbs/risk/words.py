"""An assessment in words, for the terminal and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable

from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import MODELS, RiskFacts
from roadstead.reports.wording import counted, first_few, in_columns, whole
from roadstead.risk.assessment import Assessment
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.verbs.release_words import expected_in_words
from roadstead.verbs.risk.advice import Advice
from roadstead.verbs.risk.persons.words import persons_below_k, summary_of_persons

_EDGES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1_000)
_SHOWN = 5


def summary(found: RiskFacts) -> list[str]:
    """Say what was found; first of what the figures are, persons or records."""
    if found.by_person is not None:
        return [*summary_of_persons(found, found.by_person), *_noted(found)]
    quasi = counted(len(found.quasi), "quasi-identifier")
    lines = [
        f"{counted(found.records, 'record')} of {found.source} in "
        f"{counted(found.before.prosecutor.classes, 'class', 'classes')} by {quasi}: "
        f"{first_few(found.quasi)}.",
        found.counted.sentence,
        f"The population: {found.population.label}.",
    ]
    if found.after is not None:
        released = found.after.prosecutor
        lines.append(
            f"Under {found.policy}: {counted(released.records, 'record')} in "
            f"{counted(released.classes, 'class', 'classes')}, "
            f"{counted(found.after.suppressed, 'record')} suppressed."
        )
    lines += ["", *_risks(found), *below_k(found), "", *_sizes(found), "", *_uniques(found)]
    lines += _contributions(found)
    return [*lines, *_noted(found)]


def _noted(found: RiskFacts) -> list[str]:
    return ["", *found.notes] if found.notes else []


def below_k(found: RiskFacts) -> list[str]:
    """Say how many records have fewer than k people behind them, before and after."""
    if found.by_person is not None:
        return persons_below_k(found, found.by_person)
    lines = []
    if found.before.below_k is not None:
        lines.append(expected_in_words(found.before.below_k, "of the table"))
    if found.after is not None and found.after.below_k is not None:
        sentence = expected_in_words(found.after.below_k)
        lines.append(f"Under {found.policy}, {sentence[0].lower()}{sentence[1:]}")
    return lines


def advised(advice: Advice, command: str) -> list[str]:
    """Say what was advised, and the command that does it."""
    return [
        f"Protect against the {advice.attacker}: {advice.says}.",
        *(f"  {sentence}" for sentence in advice.statement),
        *(f"  {note}" for note in advice.notes),
        f"To do so: {command}",
    ]


def _risks(found: RiskFacts) -> list[str]:
    rows = [("Risk", "highest", "average", f"above {found.threshold:g}")]
    tables = tuple(_tables(found))
    rows += [_row(f"prosecutor{when}", table.prosecutor) for when, table in tables]
    for when, table in tables:
        if table.journalist is not None:
            kind = ", estimated" if table.journalist.estimated else ""
            rows.append(_row(f"journalist{kind}{when}", table.journalist))
    rows += [
        (f"marketer{when}", "", percent((table.journalist or table.prosecutor).average), "")
        for when, table in tables
    ]
    return in_columns(rows)


def _row(name: str, risk: ProsecutorRisk | JournalistRisk) -> tuple[str, str, str, str]:
    return (
        name,
        percent(risk.maximum, bound="upper"),
        percent(risk.average),
        percent(risk.share_above_threshold),
    )


def _sizes(found: RiskFacts) -> list[str]:
    """List how many records are in classes of which size."""
    tables = tuple(_tables(found))
    heads = [head for when, _ in tables for head in ("classes", f"records{when}", "share")]
    rows = [("Class size", *heads)]
    largest = max(table.prosecutor.largest for _, table in tables)
    starts = [edge for edge in _EDGES if edge <= largest]
    for start, end in zip(starts, [*(edge - 1 for edge in starts[1:]), largest], strict=True):
        cells: list[str] = []
        for _, table in tables:
            within = [(size, number) for size, number in table.sizes if start <= size <= end]
            records = sum(size * number for size, number in within)
            share = percent(records / max(table.prosecutor.records, 1))
            cells += [whole(sum(number for _, number in within)), whole(records), share]
        if any(cell != "0" for cell in cells[1::3]):
            span = whole(start) if start == end else f"{whole(start)} to {whole(end)}"
            rows.append((span, *cells))
    return in_columns(rows)


def _uniques(found: RiskFacts) -> list[str]:
    lines = []
    for when, table in _tables(found):
        risk = table.prosecutor
        lines.append(
            f"Sample uniques{when}: {counted(risk.uniques, 'record')} "
            f"({percent(risk.uniques / max(risk.records, 1))})."
        )
    rows = [
        (
            f"{MODELS[one.model][0]}{when}",
            "no answer" if one.uniques is None else whole(round(one.uniques)),
            "" if one.share is None else percent(one.share),
            f"takes {MODELS[one.takes][0]}" if one.takes is not None else one.reason,
        )
        for when, table in _tables(found)
        for one in table.population_uniques
    ]
    if rows:
        people = found.population.people or 0
        lines += in_columns(
            [("Population uniques", f"people of {whole(people)}", "share", ""), *rows]
        )
    return lines


def _contributions(found: RiskFacts) -> list[str]:
    """Say which attributes make records unique, and in which combinations."""
    lines: list[str] = []
    for when, table in _tables(found):
        if not table.contributions or not table.prosecutor.uniques:
            continue
        rows = [
            (f"What makes records unique{when}", "contribution", "separation", "unique without it")
        ]
        for one in table.contributions:
            shares = percent(one.contribution), percent(one.separation)
            rows.append((one.attribute, *shares, whole(one.uniques_without)))
        lines += ["", *in_columns(rows)]
        lines += [
            f"  {' and '.join(one.attributes)}: {counted(one.records, 'record')} unique by these"
            for one in table.combinations[:_SHOWN]
        ]
    return lines


def _tables(found: RiskFacts) -> Iterable[tuple[str, Assessment]]:
    if found.after is None:
        return (("", found.before),)
    return ((" before", found.before), (" after", found.after))
