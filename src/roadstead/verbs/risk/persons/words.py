"""An assessment of persons in words, for the terminal and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import MODELS, PersonFacts, RiskFacts
from roadstead.reports.wording import counted, first_few, in_columns, whole
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.assessment import PersonAssessment
from roadstead.risk.persons.prosecutor import ROWS_IN_WORDS, PersonRisk
from roadstead.risk.persons.unicity import Share, Singled
from roadstead.risk.prosecutor import ProsecutorRisk

_EDGES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1_000)
_SHOWN = 5


def summary_of_persons(found: RiskFacts, persons: PersonFacts) -> list[str]:
    """Say what was found of persons."""
    quasi = counted(len(found.quasi), "quasi-identifier")
    lines = [
        f"{counted(found.records, 'record')} of {counted(persons.persons, 'person')} of "
        f"{found.source} in {counted(persons.before.classes, 'class', 'classes')} by {quasi}: "
        f"{first_few(found.quasi)}.",
        f"{found.counted.sentence} Somebody may know the quasi-identifiers of "
        f"{ROWS_IN_WORDS[persons.knows]} of a person.",
        f"The population: {found.population.label}.",
    ]
    if persons.after is not None:
        after = persons.after
        lines.append(
            f"Under {found.policy}: {counted(after.prosecutor.persons, 'person')} with "
            f"{counted(after.records, 'record')} in "
            f"{counted(after.classes, 'class', 'classes')}; left out are "
            f"{counted(after.persons_left_out, 'person')} and "
            f"{counted(after.records_left_out, 'record')}."
        )
    lines += ["", *_risks(found, persons), *persons_below_k(found, persons), ""]
    lines += [*_fitting(persons), "", *_curve(persons), *_uniques(found, persons)]
    return [*lines, *_contributions(persons)]


def persons_below_k(found: RiskFacts, persons: PersonFacts) -> list[str]:
    """Say how many persons fit fewer than k people of the population, before and after."""
    lines = []
    for table, of in ((persons.before, "of the table"), (persons.after, f"under {found.policy}")):
        if table is None or table.below_k is None:
            continue
        below = table.below_k
        lines.append(
            f"Of the {counted(below.released, 'person')} {of}, {whole(below.records)} "
            f"({percent(below.share)}) may be known by what fits fewer than {whole(below.k)} "
            "people of the population."
        )
    return lines


def _risks(found: RiskFacts, persons: PersonFacts) -> list[str]:
    rows = [("Risk of persons", "highest", "average", f"above {found.threshold:g}")]
    tables = tuple(_tables(persons))
    rows += [_row(f"prosecutor{when}", table.prosecutor) for when, table in tables]
    for when, table in tables:
        if table.journalist is not None:
            kind = ", estimated" if table.journalist.estimated else ""
            rows.append(_row(f"journalist{kind}{when}", table.journalist))
    rows += [
        (f"marketer{when}", "", percent((table.journalist or table.prosecutor).average), "")
        for when, table in tables
    ]
    if found.after is None:
        rows.append(_of_records("", found.before.prosecutor))
    else:
        rows.append(_of_records(" before", found.before.prosecutor))
        rows.append(_of_records(" after", found.after.prosecutor))
    return in_columns(rows)


def _row(name: str, risk: PersonRisk | JournalistRisk) -> tuple[str, str, str, str]:
    return (
        name,
        percent(risk.maximum, bound="upper"),
        percent(risk.average),
        percent(risk.share_above_threshold),
    )


def _of_records(when: str, risk: ProsecutorRisk) -> tuple[str, str, str, str]:
    """Give what counting records would have told, which is less than there is."""
    return (
        f"counting records{when}",
        percent(risk.maximum, bound="upper"),
        percent(risk.average),
        "",
    )


def _fitting(persons: PersonFacts) -> list[str]:
    """List of how many persons what may be known fits so many."""
    tables = tuple(_tables(persons))
    heads = [head for when, _ in tables for head in (f"persons{when}", "share")]
    rows = [("Persons who fit", *heads)]
    largest = max(table.prosecutor.largest for _, table in tables)
    starts = [edge for edge in _EDGES if edge <= largest]
    for start, end in zip(starts, [*(edge - 1 for edge in starts[1:]), largest], strict=True):
        cells: list[str] = []
        for _, table in tables:
            risk = table.prosecutor
            within = sum(number for size, number in risk.sizes if start <= size <= end)
            cells += [whole(within), percent(within / max(risk.persons, 1))]
        if any(cell != "0" for cell in cells[::2]):
            span = whole(start) if start == end else f"{whole(start)} to {whole(end)}"
            rows.append((span, *cells))
    return in_columns(rows)


def _curve(persons: PersonFacts) -> list[str]:
    """Say how many persons so many of their rows, taken at random, single out."""
    tables = tuple(_tables(persons))
    heads = [head for when, _ in tables for head in (f"below {persons.k}{when}", f"alone{when}")]
    curves = [{one.known: one for one in table.unicity} for _, table in tables]
    rows = [("Rows known, at random", *heads)]
    for known in dict.fromkeys(one for curve in curves for one in curve):
        name = "all" if known is None else str(known)
        rows.append((name, *(cell for curve in curves for cell in _shares(curve.get(known)))))
    lines = in_columns(rows)
    if any(one.known not in {1, None} for curve in curves for one in curve.values()):
        lines.append("  1 and all are counted; the others are drawn, with intervals of 95 %.")
    return lines


def _shares(one: Singled | None) -> tuple[str, str]:
    if one is None:
        return "", ""
    shares = (one.below_k, one.alone)
    drawn = one.known not in {1, None}
    below, alone = (_with_interval(share) if drawn else percent(share.share) for share in shares)
    return below, alone


def _with_interval(share: Share) -> str:
    low, high = percent(share.low, bound="lower"), percent(share.high, bound="upper")
    return f"{percent(share.share)} ({low.removesuffix(' %')} to {high})"


def _uniques(found: RiskFacts, persons: PersonFacts) -> list[str]:
    lines = [
        f"Unique{when}: {counted(table.prosecutor.uniques, 'person')} "
        f"({percent(table.prosecutor.uniques / max(table.prosecutor.persons, 1))})."
        for when, table in _tables(persons)
    ]
    rows = [
        (
            f"{MODELS[one.model][0]}{when}",
            "no answer" if one.uniques is None else whole(round(one.uniques)),
            "" if one.share is None else percent(one.share),
            f"takes {MODELS[one.takes][0]}" if one.takes is not None else one.reason,
        )
        for when, table in _tables(persons)
        for one in table.population_uniques
    ]
    if rows:
        people = found.population.people or 0
        head = ("Population uniques", f"persons of {whole(people)}", "share", "")
        lines += in_columns([head, *rows])
    return ["", *lines]


def _contributions(persons: PersonFacts) -> list[str]:
    """Say which attributes make combinations that one person alone has."""
    before = persons.before
    if not any(one.keys for one in before.contributions):
        return []
    rows: list[Sequence[str]] = [
        ("What singles persons out", "contribution", "separation", "unique without it")
    ]
    for one in before.contributions:
        shares = percent(one.contribution), percent(one.separation)
        rows.append((one.attribute, *shares, whole(one.uniques_without)))
    return [
        "",
        *in_columns(rows),
        *(
            f"  {' and '.join(one.attributes)}: "
            f"{counted(one.records, 'combination')} that one person alone has"
            for one in before.combinations[:_SHOWN]
        ),
    ]


def _tables(persons: PersonFacts) -> Iterable[tuple[str, PersonAssessment]]:
    if persons.after is None:
        return (("", persons.before),)
    return ((" before", persons.before), (" after", persons.after))
