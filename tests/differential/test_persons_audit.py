"""Whether a release for people is as private as it claims, on tables that differ by one person.

The audit is that of DiffGen (`audit`), from outside: a claim fails if any event is too much more
probable with the person than without. A release without any one part of the protection of people
must fail. Otherwise, the audit is worthless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from seeded_mechanisms import SeededMechanisms

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.chance import mechanisms as exact
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CategoricalDomain
from roadstead.differential.persons.one_record import OneValue
from roadstead.differential.persons.person_rows import (
    PersonRows,
    PersonTally,
    counted,
    without_person,
)
from roadstead.differential.private_table import within
from roadstead.hierarchies.taxonomy import from_branches
from roadstead.tables.frequency import FrequencyTable
from roadstead.verbs.synthesize.gathering import Gathering
from roadstead.verbs.synthesize.persons import PersonRecords
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import drawn

Row = tuple[str, str, str]
"""A person, a sex and a class."""

SEXES = CategoricalDomain(from_branches("sex", "*", ("F", "M"), origin="test"))
CLASSES = ("no", "yes")
COLUMNS = ("sex", "died", "who")
OTHERS: tuple[Row, ...] = tuple((f"p{at}", "F", "no") for at in range(3))
MANY_ROWS: tuple[Row, ...] = (("x", "F", "yes"),) * 7
ALL_KINDS: tuple[Row, ...] = tuple(
    ("x", sex, died) for sex in "FM" for died in CLASSES for _ in range(2)
)


def table_of(rows: Sequence[Row]) -> FrequencyTable:
    """Count rows by sex, class and person."""
    found = Counter((sex, died, who) for who, sex, died in rows)
    domains = tuple(tuple(sorted({entry[at] for entry in found})) for at in range(3))
    codes = [
        np.array([domains[at].index(entry[at]) for entry in found], dtype=np.int32)
        for at in range(3)
    ]
    return counted(COLUMNS, domains, codes, np.array(list(found.values()), dtype=np.int64))


def bounded(rows: int) -> Gathering:
    """Use at most so many rows of each person."""
    return Gathering(COLUMNS, PersonRecords("who", rows))


GATHERED = Gathering(
    COLUMNS, PersonRecords("who"), {"sex": OneValue("most"), "died": OneValue("most")}
)
"""One record of each person."""


def released(
    table: FrequencyTable, how: Gathering, steps: int, mechanisms: Mechanisms
) -> tuple[Hashable, ...]:
    """Release at epsilon 1 by the verb's own steps; piece by piece, and all of it."""
    settings = settings_of(1, "died", CLASSES, steps, "max", "leave-out")
    records = how.gathered(table)[0]
    of_one = 1 if how.persons is None else how.persons.rows or 1
    private = within(records, [SEXES], "died", CLASSES, of_one)
    found, counts = drawn(private, settings, mechanisms)
    assert sum(one.epsilon for one in found.ledger) == 1
    pieces = (found.steps, found.groups.records, tuple(counts.sum(axis=0).tolist()))
    return (*pieces, (pieces, counts.tobytes(), found.groups.counts.tobytes()))


def loss_seen(
    tables: tuple[Sequence[Row], Sequence[Row]],
    how: Gathering,
    runs: int,
    steps: int = 0,
    chance: Callable[[int], Mechanisms] = SeededMechanisms,
) -> float:
    """Bound the epsilon of releases at epsilon 1 from below, confidently enough for a failure."""
    pieces = []
    for which, table in enumerate(map(table_of, tables)):
        outcomes = [released(table, how, steps, chance(2 * at + which)) for at in range(runs)]
        pieces.append(list(zip(*outcomes, strict=True)))
    return max(audited_epsilon(these, those, 0.999) for these, those in zip(*pieces, strict=True))


@pytest.mark.quick(2)
@pytest.mark.parametrize("person", [MANY_ROWS, ALL_KINDS], ids=["rows alike", "rows of all kinds"])
@pytest.mark.parametrize("how", [bounded(1), bounded(3), GATHERED], ids=["1", "3", "record"])
@pytest.mark.parametrize("steps", [0, 1])
def test_a_person_with_all_rows_is_not_seen_beyond_epsilon(
    person: tuple[Row, ...], how: Gathering, steps: int
) -> None:
    """However many rows the person has."""
    assert loss_seen((OTHERS, (*OTHERS, *person)), how, 500, steps) <= 1


@pytest.mark.parametrize("how", [bounded(3), GATHERED], ids=["3", "record"])
def test_nor_with_the_exact_mechanisms(how: Gathering) -> None:
    """A few runs, with the chance of real releases."""
    pytest.importorskip("opendp")
    tables = OTHERS, (*OTHERS, *MANY_ROWS)
    assert loss_seen(tables, how, 80, 1, lambda _: Mechanisms()) <= 1


def test_an_accountant_that_forgets_the_rows_is_convicted() -> None:
    """Three rows at the price of one: epsilon is 3, as if people were not protected."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Grant, "each", property(lambda grant: grant.epsilon))
        assert loss_seen((OTHERS, (*OTHERS, *MANY_ROWS)), bounded(3), 500) > 1


class RowsAsTheyAre(Gathering):
    """Neither gathers rows nor limits them."""

    def gathered(self, table: FrequencyTable) -> tuple[FrequencyTable, PersonTally | None]:
        """Keep all rows."""
        return without_person(table, "who", table.counts), None


def test_rows_as_they_are_are_convicted() -> None:
    """Protection of records does not protect people: 7 rows, epsilon 7."""
    assert loss_seen((OTHERS, (*OTHERS, *MANY_ROWS)), RowsAsTheyAre(COLUMNS), 300) > 1


class MostFrequentFirst(Gathering):
    """Chooses the rows of a person by how frequent their kind is in the whole table."""

    def gathered(self, table: FrequencyTable) -> tuple[FrequencyTable, PersonTally | None]:
        """Keep one row of each person."""
        rows = PersonRows.of(table, "who")
        contents = list(zip(table.codes[0].tolist(), table.codes[1].tolist(), strict=True))
        often: Counter[tuple[int, int]] = Counter()
        for content, count in zip(contents, table.counts.tolist(), strict=True):
            often[content] += count
        kept = np.zeros_like(table.counts)
        for owner in range(len(rows.names)):
            own = np.flatnonzero(rows.owner == owner).tolist()
            kept[max(own, key=lambda at: (often[contents[at]], contents[at]))] = 1
        return without_person(table, "who", kept), None


def test_a_choice_that_others_influence_is_convicted() -> None:
    """One person more turns the choice for twelve, though each has one row in the release."""
    others = [(f"p{at}", "F", died) for at in range(12) for died in CLASSES]
    tipped = [*others, ("x", "F", "no")]
    most_frequent = MostFrequentFirst(COLUMNS, PersonRecords("who", 1))
    assert loss_seen((others, tipped), most_frequent, 300) > 1
    assert loss_seen((others, tipped), bounded(1), 500) <= 1


def test_every_mechanism_spends_what_one_record_may_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grant of 3 for up to three records is a grant of 1 for each, for any use."""
    spent: list[Any] = []

    def noted(name: str) -> Callable[..., Any]:
        kept = getattr(exact, name)

        def noting(*given: Any, **more: Any) -> Any:  # noqa: ANN401 - of any mechanism
            spent.append(next(one for one in given if isinstance(one, Fraction)))
            return kept(*given, **more)

        return noting

    for name in ("_laplace_measurement", "_maximum_measurement", "choose_weighted"):
        monkeypatch.setattr(exact, name, noted(name))
    for name in ("exceeding_cells", "expected_exceeding"):
        monkeypatch.setattr(exact, name, noted(name))
    grant, numbers = Grant(BudgetStep("groups"), Fraction(3), 3), np.arange(4, dtype=np.int64)
    chance = Mechanisms()
    pytest.importorskip("opendp")
    chance.count(grant, numbers)
    chance.choose(grant, [1, 2], 1, monotonic=True)
    chance.choose_interval(grant, numbers, numbers, 1, monotonic=True)
    chance.exceeding(grant, 10, 3)
    assert len(spent) >= 5
    assert all(0.999 <= one <= 1 for one in spent)


def test_the_accountant_gives_each_grant_its_rows() -> None:
    """A table says how many of its records can be of one person, and the ledger sums to epsilon."""
    private = within(bounded(4).gathered(table_of(OTHERS))[0], [SEXES], "died", CLASSES, of_one=4)
    settings = settings_of("1/3", "died", CLASSES, "auto", "max", "leave-out")
    found, _ = drawn(private, settings, SeededMechanisms(1))
    assert {one.records for one in found.ledger} == {4}
    assert sum(one.epsilon for one in found.ledger) == Fraction(1, 3)
    assert sum(one.each for one in found.ledger) == Fraction(1, 12)
