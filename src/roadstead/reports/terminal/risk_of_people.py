"""Describe an assessment of people in words, for the terminal and for notebooks."""

from __future__ import annotations

from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import PersonFacts, RiskFacts
from roadstead.reports.terminal.risk_rows import (
    before_and_after,
    contribution_lines,
    risk_rows,
    spans,
    uniques_lines,
)
from roadstead.reports.wording import counted, first_few, format_count, in_columns
from roadstead.risk.persons.assessment import PersonAssessment
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS
from roadstead.risk.persons.unicity import Share, Singled
from roadstead.risk.prosecutor import ProsecutorRisk

_SHOWN = 5


def summary_of_persons(found: RiskFacts, persons: PersonFacts) -> list[str]:
    """Describe the results for people."""
    quasi = counted(len(found.quasi), "quasi-identifier")
    lines = [
        f"{found.source}: {counted(found.records, 'record')} of "
        f"{counted(persons.persons, 'person', 'people')}, in "
        f"{counted(persons.before.classes, 'group')} by {quasi} ({first_few(found.quasi)}).",
        f"{found.counted.sentence} The figures assume that an attacker knows the "
        f"quasi-identifiers in {ROWS_IN_WORDS[persons.knows]} of a person.",
        f"Population: {found.population.label}.",
    ]
    if persons.after is not None:
        after = persons.after
        lines.append(
            f"Under {found.policy}: {counted(after.prosecutor.persons, 'person', 'people')} with "
            f"{counted(after.records, 'record')} in {counted(after.classes, 'group')}; "
            f"{counted(after.persons_left_out, 'person', 'people')} and "
            f"{counted(after.records_left_out, 'record')} are left out."
        )
    lines += ["", *_risks(found, persons), *persons_below_k(found, persons), ""]
    lines += [*_fitting(persons), "", *_curve(persons), *_uniques(found, persons)]
    return [*lines, *_contributions(persons)]


def persons_below_k(found: RiskFacts, persons: PersonFacts) -> list[str]:
    """Say how many people match fewer than k people in the population, before and after."""
    lines = []
    for table, of in ((persons.before, "of the table"), (persons.after, f"under {found.policy}")):
        if table is None or table.below_k is None:
            continue
        below = table.below_k
        lines.append(
            f"For {format_count(below.records)} of the "
            f"{counted(below.released, 'person', 'people')} {of} ({percent(below.share)}), the "
            f"values that an attacker knows match fewer than {format_count(below.k)} people in "
            "the population."
        )
    return lines


def _risks(found: RiskFacts, persons: PersonFacts) -> list[str]:
    rows = risk_rows("Risk per person", found.threshold, _tables(persons))
    rows += [
        _of_records(when, table.prosecutor)
        for when, table in before_and_after(found.before, found.after)
    ]
    return in_columns(rows)


def _of_records(when: str, risk: ProsecutorRisk) -> tuple[str, str, str, str]:
    """Describe the risk if records are counted. It can be lower than the risk of people."""
    return (
        f"counting records{when}",
        percent(risk.maximum, bound="upper"),
        percent(risk.average),
        "",
    )


def _fitting(persons: PersonFacts) -> list[str]:
    """Count people by the number of their matches, in ranges."""
    tables = _tables(persons)
    heads = [head for when, _ in tables for head in (f"persons{when}", "share")]
    rows = [("People who match", *heads)]
    for name, span in spans(max(table.prosecutor.largest for _, table in tables)):
        cells: list[str] = []
        for _, table in tables:
            risk = table.prosecutor
            within = sum(number for size, number in risk.sizes if size in span)
            cells += [format_count(within), percent(within / max(risk.persons, 1))]
        if any(cell != "0" for cell in cells[::2]):
            rows.append((name, *cells))
    return in_columns(rows)


def _curve(persons: PersonFacts) -> list[str]:
    """Say how many people an attacker singles out, for each number of rows that are known."""
    tables = _tables(persons)
    heads = [head for when, _ in tables for head in (f"below {persons.k}{when}", f"alone{when}")]
    curves = [{one.known: one for one in table.unicity} for _, table in tables]
    rows = [("Rows known, at random", *heads)]
    for known in dict.fromkeys(one for curve in curves for one in curve):
        name = "all" if known is None else str(known)
        rows.append((name, *(cell for curve in curves for cell in _shares(curve.get(known)))))
    lines = in_columns(rows)
    points = (one for curve in curves for one in curve.values())
    if not all(one.below_k.exact and one.alone.exact for one in points):
        lines.append("  Figures with a 95% interval are sampled; the others are exact.")
    return lines


def _shares(one: Singled | None) -> tuple[str, str]:
    if one is None:
        return "", ""
    return _with_interval(one.below_k), _with_interval(one.alone)


def _with_interval(share: Share) -> str:
    if share.exact:
        return percent(share.share)
    low, high = percent(share.low, bound="lower"), percent(share.high, bound="upper")
    return f"{percent(share.share)} ({low.removesuffix(' %')} to {high})"


def _uniques(found: RiskFacts, persons: PersonFacts) -> list[str]:
    lines = [
        f"Unique{when}: {counted(table.prosecutor.uniques, 'person', 'people')} "
        f"({percent(table.prosecutor.uniques / max(table.prosecutor.persons, 1))})."
        for when, table in _tables(persons)
    ]
    return ["", *lines, *uniques_lines("persons", found.population.people, _tables(persons))]


def _contributions(persons: PersonFacts) -> list[str]:
    """Say which attributes form combinations that only one person has."""
    before = persons.before
    if not any(one.keys for one in before.contributions):
        return []
    return [
        *contribution_lines("Columns that single people out", before.contributions),
        *(
            f"  {' and '.join(one.attributes)}: {counted(one.records, 'combination')} that only "
            "one person has"
            for one in before.combinations[:_SHOWN]
        ),
    ]


def _tables(persons: PersonFacts) -> tuple[tuple[str, PersonAssessment], ...]:
    return before_and_after(persons.before, persons.after)
