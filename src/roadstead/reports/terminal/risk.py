"""Describe an assessment in words, for the terminal and for notebooks."""

from __future__ import annotations

from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import RiskFacts
from roadstead.reports.terminal.release import expected_in_words
from roadstead.reports.terminal.risk_of_people import persons_below_k, summary_of_persons
from roadstead.reports.terminal.risk_rows import (
    before_and_after,
    contribution_lines,
    risk_rows,
    spans,
    uniques_lines,
)
from roadstead.reports.wording import counted, first_few, format_count, in_columns
from roadstead.risk.assessment import Assessment

_SHOWN = 5


def summary(found: RiskFacts) -> list[str]:
    """Describe the results. The first line says whether people or records are counted."""
    if found.by_person is not None:
        return [*summary_of_persons(found, found.by_person), *_noted(found)]
    quasi = counted(len(found.quasi), "quasi-identifier")
    lines = [
        f"{found.source}: {counted(found.records, 'record')} in "
        f"{counted(found.before.prosecutor.classes, 'group')} by {quasi} "
        f"({first_few(found.quasi)}).",
        found.counted.sentence,
        f"Population: {found.population.label}.",
    ]
    if found.after is not None:
        released = found.after.prosecutor
        lines.append(
            f"Under {found.policy}: {counted(released.records, 'record')} in "
            f"{counted(released.classes, 'group')}, "
            f"{counted(found.after.suppressed, 'record')} suppressed."
        )
    lines += ["", *_risks(found), *below_k(found), "", *_sizes(found), "", *_uniques(found)]
    lines += _contributions(found)
    return [*lines, *_noted(found)]


def _noted(found: RiskFacts) -> list[str]:
    return ["", *found.notes] if found.notes else []


def below_k(found: RiskFacts) -> list[str]:
    """Say how many records have fewer than k matching people, before and after."""
    if found.by_person is not None:
        return persons_below_k(found, found.by_person)
    lines = []
    if found.before.below_k is not None:
        lines.append(expected_in_words(found.before.below_k, "of the table"))
    if found.after is not None and found.after.below_k is not None:
        sentence = expected_in_words(found.after.below_k)
        lines.append(f"Under {found.policy}, {sentence[0].lower()}{sentence[1:]}")
    return lines


def _risks(found: RiskFacts) -> list[str]:
    return in_columns(risk_rows("Risk", found.threshold, _tables(found)))


def _sizes(found: RiskFacts) -> list[str]:
    tables = _tables(found)
    heads = [head for when, _ in tables for head in ("groups", f"records{when}", "share")]
    rows = [("Group size", *heads)]
    for name, span in spans(max(table.prosecutor.largest for _, table in tables)):
        cells: list[str] = []
        for _, table in tables:
            within = [(size, number) for size, number in table.sizes if size in span]
            records = sum(size * number for size, number in within)
            share = percent(records / max(table.prosecutor.records, 1))
            cells += [
                format_count(sum(number for _, number in within)),
                format_count(records),
                share,
            ]
        if any(cell != "0" for cell in cells[1::3]):
            rows.append((name, *cells))
    return in_columns(rows)


def _uniques(found: RiskFacts) -> list[str]:
    lines = []
    for when, table in _tables(found):
        risk = table.prosecutor
        lines.append(
            f"Unique in the table{when}: {counted(risk.uniques, 'record')} "
            f"({percent(risk.uniques / max(risk.records, 1))})."
        )
    return lines + uniques_lines("people", found.population.people, _tables(found))


def _contributions(found: RiskFacts) -> list[str]:
    """Say which attributes make records unique, alone and in combination."""
    lines: list[str] = []
    for when, table in _tables(found):
        if not table.contributions or not table.prosecutor.uniques:
            continue
        lines += contribution_lines(f"Columns that make records unique{when}", table.contributions)
        if table.combinations:
            lines.append("Smallest sets of columns that make records unique")
        lines += [
            f"  {' and '.join(one.attributes)}: {counted(one.records, 'record')} with a unique "
            f"{'combination of values' if len(one.attributes) > 1 else 'value'}"
            for one in table.combinations[:_SHOWN]
        ]
    return lines


def _tables(found: RiskFacts) -> tuple[tuple[str, Assessment], ...]:
    return before_and_after(found.before, found.after)
