"""Two releases of the same people, compared with counts by hand."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path
from shutil import copytree

import pytest
from commands import without_charts
from planted import QUASI, SENSITIVE, Attacked, one_extract_after_another, two_policies

import roadstead as rs
from roadstead.attacks.attacked_release import opened_release
from roadstead.errors import VerificationError
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.release.certificate import CERTIFICATE, read_certificate

Row = dict[str, str]


def rows_of(path: Path) -> list[Row]:
    """Read a table."""
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def released(folder: Path) -> dict[tuple[str, ...], Counter[str]]:
    """Count sensitive values by class, without the suppressed."""
    (table,) = folder.glob("*.csv")
    found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in rows_of(table):
        labels = tuple(row[name] for name in QUASI)
        if set(labels) != {SUPPRESSED}:
            found[labels][row[SENSITIVE]] += 1
    return found


def labels_by(policy: Policy, row: Row) -> tuple[str, ...]:
    """Give what a row becomes."""
    return tuple(str(own.rule.label(row[own.name])) for own in policy.attributes)


@pytest.fixture(name="months", scope="module")
def months_of(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    """Give two extracts."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        without_charts(monkeypatch)
        return one_extract_after_another(tmp_path_factory.mktemp("months"))


@pytest.fixture(name="both", scope="module")
def both_of(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    """Give one table under two policies."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        without_charts(monkeypatch)
        return two_policies(tmp_path_factory.mktemp("both"))


def test_differencing_counts_what_only_one_has(months: Attacked) -> None:
    """Records and classes are those that a subtraction of counters leaves; one in n is right."""
    assert months.second is not None
    later, earlier = released(months.release), released(months.second)
    new = Counter({labels: (own - earlier[labels]).total() for labels, own in later.items()})
    new = +new
    guessing = sum(n / later[labels].total() for labels, n in new.items())
    found = next(
        one
        for one in months.attacked(["differencing"]).found
        if one.knowledge["only_in"] == "first" and "looks_for" not in one.knowledge
    )
    assert (found.attempts, found.successes) == (new.total(), len(new))
    assert found.base_successes == pytest.approx(guessing, abs=1e-6)
    assert found.counted


def test_an_average_does_not_hide_a_small_group(tmp_path: Path) -> None:
    """One record comes to a group and 40 to another: the average is small, and one is found."""
    rows = [(sex, "flu") for sex in "FM" for _ in range(40)]
    data = [rows, [*rows, ("F", "flu"), *[("M", "flu")] * 40]]
    for name, own in zip(("first", "second"), data, strict=True):
        with (tmp_path / f"{name}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([("sex", "drug"), *own])
    rs.anonymize(tmp_path / "first.csv", quasi=["sex"], k=5, out=tmp_path / "first")
    policy = tmp_path / "first" / "policy.json"
    rs.apply(policy, tmp_path / "second.csv", out=tmp_path / "second")
    found = Attacked(
        "few", tmp_path / "second", tmp_path / "second.csv", second=tmp_path / "first"
    ).attacked(["differencing"])
    small, average = found.found
    assert (small.knowledge["least"], small.successes, small.attempts) == (5, 1, 2)
    assert small.convicted
    assert average.success == pytest.approx(2 / 41)
    assert not average.convicted


@pytest.mark.nightly
def test_the_same_release_twice_says_nothing(months: Attacked) -> None:
    """No record is only in one of them."""
    same = Attacked("same", months.release, months.original, second=months.release)
    found = same.attacked(["differencing"])
    assert not found.found
    assert "same records" in found.untried[0].why


def test_intersection_counts_who_is_left(both: Attacked) -> None:
    """In the class of one release, one is picked among those with values of the other class."""
    assert both.second is not None
    policies = [read_certificate(f / CERTIFICATE)[1] for f in (both.release, both.second)]
    classes = [released(folder) for folder in (both.release, both.second)]
    right = guessing = number = 0.0
    for row in rows_of(both.original):
        mine, theirs = (
            own.get(labels_by(policy, row)) for own, policy in zip(classes, policies, strict=True)
        )
        if mine is None or theirs is None:
            continue
        number += 1
        guessing += 1 / mine.total()
        if row[SENSITIVE] in theirs:
            right += 1 / (mine & theirs).total()
    found = next(
        one for one in both.attacked(["intersection"]).found if one.knowledge["goal"] == "record"
    )
    assert found.attempts == number
    assert found.successes == pytest.approx(right)
    assert found.base_successes == pytest.approx(guessing)


def test_different_policies_are_not_subtracted(both: Attacked) -> None:
    """Classes of different cells cannot be compared one by one."""
    found = both.attacked(["differencing"])
    assert not found.found
    assert "different policies" in found.untried[0].why


def test_a_changed_second_release_is_refused(months: Attacked, tmp_path: Path) -> None:
    """A file that differs from its certificate is not compared with anything."""
    assert months.second is not None
    changed = tmp_path / "changed"
    copytree(months.second, changed)
    (table,) = changed.glob("*.csv")
    table.write_text(table.read_text("utf-8") + "1,F,1,flu\n", "utf-8")
    with (
        pytest.raises(VerificationError, match="differs from the certified"),
        opened_release(changed),
    ):
        pass
