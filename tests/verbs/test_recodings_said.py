"""Texts about a release whose groups differ: no more than was proven, and the reason."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from commands import run

from roadstead.verbs.anonymize.recoding import find


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Ages of forty people, in groups of four equal ages, and a person far from all of them."""
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        rows = [(str(20 + at // 8), "uv"[at // 4 % 2]) for at in range(40)]
        csv.writer(file).writerows([("age", "town"), *rows, ("99", "w")])
    return path


def test_a_proof_names_the_levels_that_are_allowed(table: Path, tmp_path: Path) -> None:
    """Releases of other levels may lose less than the bound."""
    out = tmp_path / "out"
    asked = ("anonymize", table, "--quasi", "age,town", "--recoding", "local", "--k", "8")
    all_levels = run(*asked, "--out", out, "--force")
    assert all_levels.code == 0, all_levels.err
    assert "within the allowed levels" not in all_levels.out
    some = run(*asked, "--min-level", "town=1", "--out", out, "--force")
    assert some.code == 0, some.err
    assert "(local, with the allowed levels) has a loss of at least" in some.out
    assert "within the allowed levels" in (out / "report.html").read_text()


def test_a_release_says_that_no_attacks_were_run_without_their_room(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reader must not assume that the choice of groups was tested."""
    monkeypatch.setattr(find, "_ATTACKED", None)
    asked = ("anonymize", table, "--quasi", "age,town", "--recoding", "local", "--k", "4")
    done = run(*asked, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert (
        "were not run, because they are not installed" in (tmp_path / "out/report.html").read_text()
    )


def test_a_record_in_no_class_is_said_to_be_in_none(table: Path, tmp_path: Path) -> None:
    """Its values are known to the policy: it is the combination that no class shows."""
    out = tmp_path / "out"
    asked = ("anonymize", table, "--quasi", "age,town", "--recoding", "local", "--k", "4")
    done = run(*asked, "--out", out)
    assert done.code == 0, done.err
    said = (out / "report.html").read_text()
    assert "because no group of the policy contains its values" in said
    assert "the policy does not cover" not in said


def test_a_column_that_is_alike_in_all_classes_is_said_to_be_so(
    table: Path, tmp_path: Path
) -> None:
    """A value removed from all records does not also count as suppressed."""
    asked = ("anonymize", table, "--quasi", "age,town", "--recoding", "cells", "--k", "4")
    done = run(*asked, "--weight", "town=0", "--min-level", "town=1", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    (town,) = (line for line in done.out.splitlines() if line.startswith("  town"))
    assert town.split("  (")[0].split() == ["town", "removed"]


def test_what_bounds_lose_by_rounding_is_not_said_to_be_avoidable(
    table: Path, tmp_path: Path
) -> None:
    """A share of a billionth is not a useful figure."""
    table.write_text("town\n" + "".join(f"t{at}\n" for at in range(12)))
    asked = ("anonymize", table, "--quasi", "town", "--recoding", "cells", "--k", "4")
    done = run(*asked, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    said = re.search(r"arithmetic mean loss of (\S+) \(geometric mean: \S+\)\. Every", done.out)
    assert said is not None
    assert f"at most 0.001% of the {said[1]} could be avoided" in done.out
    assert f"Detail lost: {said[1]} (arithmetic mean)." in done.out


def test_nothing_lost_is_the_best_there_is(table: Path, tmp_path: Path) -> None:
    """If all records are equal, there is no bound to look for."""
    table.write_text("town\n" + "t\n" * 12)
    asked = ("anonymize", table, "--quasi", "town", "--recoding", "intervals", "--k", "4")
    done = run(*asked, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "geometric mean loss of 0%. No release can have a lower loss" in done.out


def test_there_is_no_level_of_a_column_where_classes_have_their_own(
    table: Path, tmp_path: Path
) -> None:
    """JSON says none, and what share of the records has which level."""
    ran = run(
        *("anonymize", table, "--quasi", "age,town", "--recoding", "local"),
        *("--out", tmp_path / "r", "--json"),
    )
    assert ran.code == 0, ran.err
    assert ran.json["levels"] is None
    shares = ran.json["recoding"]["shown"]
    assert set(shares) == {"age", "town"}
    assert all(sum(own.values()) == pytest.approx(1.0) for own in shares.values())
    ran = run("apply", tmp_path / "r" / "policy.json", table, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["levels"] is None


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["cells", "local", "intervals"])
def test_a_bound_that_looks_at_no_sensitive_column_says_so(
    kind: str, table: Path, tmp_path: Path
) -> None:
    """The cost of protection is not the search's fault, and merged groups are not its best result.

    Fault class: a gap to all releases of a kind read as a gap to those with l-diversity.
    """
    rows = [(str(20 + at // 4), "flu" if at % 9 else "gout") for at in range(40)]
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("age", "ill"), *rows])
    asked = ("anonymize", table, "--quasi", "age", "--sensitive", "ill", "--k", "5")
    out = tmp_path / "out"
    said = "not ill. Therefore, the bound counts loss as avoidable even if this protection needs it"
    own = (*asked, "--recoding", kind, "--out", out, "--force")
    alone = run(*own)
    assert alone.code == 0, alone.err
    assert "considers only the size of groups" not in alone.out
    assert "before groups were merged" not in (out / "report.html").read_text()
    both = run(*own, "--privacy", "distinct-l-diversity:column=ill,l=2")
    assert both.code == 0, both.err
    assert said in both.out
    assert "before groups were merged" in (out / "report.html").read_text()
    assert said in (out / "report.html").read_text()
