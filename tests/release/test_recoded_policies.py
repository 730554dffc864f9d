"""Policies whose groups each show their own parts: applied to the next extract, and as SQL."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from commands import run, undrawn
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from recoded_visits import FOREIGN, HEADER, KINDS, QUASI, visits
from recodings_by_hand import apply
from small_tables import Row, read_csv, write_csv

from roadstead.hierarchies.rules import Identity
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, Suppression, read_policy, to_json
from roadstead.policies.recodings.document import IntervalParts, Recoding
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.release.sql.comments import policy_fingerprint
from roadstead.verbs.apply.as_sql import as_sql


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two extracts, and of the first a release of each kind."""
    made = tmp_path_factory.mktemp("recoded")
    write_csv(made / "first.csv", HEADER, visits(300, 1))
    write_csv(made / "next.csv", HEADER, visits(400, 2) + FOREIGN[:3])
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        for kind, search in KINDS.items():
            ran = run(
                *("anonymize", made / "first.csv", "--quasi", QUASI, "--identifiers", "name"),
                *("--unchanged", "diagnosis", "--recoding", kind, "--search", search),
                *("--suppression", "0.1", "--out", made / kind, "--json"),
            )
            assert ran.code == 0, ran.err
    return made


def document(path: Path) -> dict[str, Any]:
    """Read a policy."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS)
def test_every_class_has_k_records_and_the_folder_is_verified(folder: Path, kind: str) -> None:
    """The release is what its policy makes of the table by hand, counted with Python's csv."""
    header, *rows = read_csv(folder / kind / "first.csv")
    assert header == HEADER[1:]
    sizes = Counter(row[:5] for row in rows)
    assert min(sizes.values()) >= 5
    assert sizes[("*",) * 5] <= 30
    assert Counter(rows) == apply(
        document(folder / kind / "policy.json"), HEADER, read_csv(folder / "first.csv")[1:]
    )
    assert run("verify", folder / kind).code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_next_extract_is_released_as_by_hand(
    folder: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records in no class are suppressed, and no class is smaller than k."""
    undrawn(monkeypatch)
    policy = folder / kind / "policy.json"
    ran = run(
        *("apply", policy, folder / "next.csv", "--suppression", "0.9"),
        *("--unseen", "suppress", "--out", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    rows = read_csv(tmp_path / "out" / "next.csv")[1:]
    assert min(Counter(row[:5] for row in rows).values()) >= 5
    assert Counter(rows) == apply(document(policy), HEADER, read_csv(folder / "next.csv")[1:])
    assert run("verify", tmp_path / "out").code == 0


@pytest.mark.parametrize("kind", KINDS)
def test_an_extract_that_no_longer_fits_is_refused(folder: Path, kind: str, tmp_path: Path) -> None:
    """Nothing is written; one line gives the number of suppressed records, and the fix."""
    aged = [(n, str(int(age or 1) + 70), *others) for n, age, *others in visits(100, 3)]
    write_csv(tmp_path / "aged.csv", HEADER, aged)
    policy = folder / kind / "policy.json"
    ran = run("apply", policy, tmp_path / "aged.csv", "--out", tmp_path / "out")
    assert ran.code != 0
    assert "the policy would suppress" in ran.err.splitlines()[-1]
    assert "but its limit is 10" in ran.err.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def released_by_sql(policy: Path, rows: list[Row], *, check: bool = False) -> list[Row]:
    """Run the statement in DuckDB on a table of texts."""
    with duckdb.connect() as engine:
        columns = ", ".join(f'"{name}" TEXT' for name in HEADER)
        engine.execute(f"CREATE TABLE t ({columns})")
        engine.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        said = as_sql(policy, table="t", unseen="suppress", check=check)
        return [tuple("" if c is None else c for c in row) for row in engine.sql(said).fetchall()]


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS)
def test_sql_releases_the_same(folder: Path, kind: str, tmp_path: Path) -> None:
    """Missing values, decimals, dates, digits, and invalid values: as apply, and counted."""
    relaxed = document(folder / kind / "policy.json")
    relaxed["suppression"]["limit"] = 0.9
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps(relaxed))
    header, *rows = read_csv(folder / "next.csv")
    write_csv(tmp_path / "t.csv", header, [*rows, FOREIGN[3]])
    ran = run(
        *("apply", policy, tmp_path / "t.csv", "--unseen", "suppress", "--json"),
        *("--out", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    statement = released_by_sql(policy, [*rows, FOREIGN[3]])
    assert Counter(statement) == Counter(read_csv(tmp_path / "out" / "t.csv")[1:])
    counts = ran.json
    checked = released_by_sql(policy, [*rows, FOREIGN[3]], check=True)[0]
    assert (checked[0], checked[2], checked[-1]) == (
        counts["records"],
        counts["suppressed"],
        "released",
    )


def test_a_value_that_is_not_covered_is_not_released_as_part_of_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apply and SQL agree where a class shows nothing of a column, and a rule does not cover."""
    undrawn(monkeypatch)
    first = [(f"N{n}", *row) for n, row in enumerate([("1", "a"), ("2", "b")] * 10)]
    first += [("N90", "3", "c"), ("N91", "4", "c"), ("N92", "1", "c")] * 2
    header = ("name", "ward", "unit")
    write_csv(tmp_path / "t.csv", header, first)
    write_csv(
        tmp_path / "hierarchies.csv",
        None,
        [(v, "low" if v in "12" else "high", "*") for v in "12345"],
    )
    (tmp_path / "h").mkdir()
    (tmp_path / "hierarchies.csv").rename(tmp_path / "h" / "ward.csv")
    ran = run(
        *("anonymize", tmp_path / "t.csv", "--quasi", "ward,unit", "--identifiers", "name"),
        *(
            "--recoding",
            "local",
            "--search",
            "first-fit",
            "--hierarchies",
            tmp_path / "h",
            "--k",
            "5",
        ),
        *("--out", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    assert ("*", "c") in read_csv(tmp_path / "out" / "t.csv")
    write_csv(tmp_path / "next.csv", header, [*first, *[("Z", "9", "c")] * 6])
    policy = tmp_path / "out" / "policy.json"
    refused = run("apply", policy, tmp_path / "next.csv")
    assert refused.code != 0
    assert "does not cover the value '9' of 'ward'" in refused.err
    ran = run(
        *("apply", policy, tmp_path / "next.csv", "--unseen", "suppress", "--suppression", "0.5"),
        *("--json", "--out", tmp_path / "again"),
    )
    assert ran.code == 0, ran.err
    assert ran.json["suppressed"] == 6


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_is_one_line_of_the_policy(folder: Path, kind: str) -> None:
    """A person reads classes as rows; the file is what is fingerprinted, and reads as before."""
    path = folder / kind / "policy.json"
    policy, lines = document(path), path.read_text().split("\n")
    for one in policy["recoding"]["classes"]:
        assert any(line.strip().removesuffix(",") == json.dumps(list(one)) for line in lines)
    assert policy_fingerprint(read_policy(path)) == hashlib.sha256(path.read_bytes()).hexdigest()
    path_before = folder / f"{kind} before.json"
    path_before.write_text(json.dumps(policy, indent=2))
    assert read_policy(path_before) == read_policy(path)


ORDERED = [
    "",
    "a",
    "A",
    "Z",
    "a ",
    " a",
    "ä",
    "a\u0308",
    "*",
    "'",
    '"',
    "\\",
    "ß",
    "ﬁ",
    "😀",
    "10",
    "9",
]
NUMBERS = ["", "-3", "0", "0.5", "1", "1.0", "01", "1e0", "12", "x", "12.000000001"]


@examples(8)
@given(st.data())
def test_sql_compares_as_apply_does(data: st.DataObject) -> None:
    """Texts by their code points, numbers by size, also those that are written in two ways."""
    attributes = []
    for order, domain in (("texts", ORDERED[1:]), ("numbers", ["-3", "0", "0.5", "1", "12"])):
        ends = st.tuples(st.sampled_from(domain), st.sampled_from(domain))
        drawn = data.draw(st.lists(ends, max_size=4))
        numbers = order == "numbers"
        found = [tuple(sorted(one, key=float if numbers else str)) for one in drawn]
        every = data.draw(st.lists(st.sampled_from([(None, None), ("", "")]), max_size=1))
        parts = tuple(dict.fromkeys((*found, *every, (domain[0], domain[0]))))
        missing = data.draw(st.sets(st.integers(0, len(parts) - 1), max_size=2))
        labels = tuple(f"part {number}" for number in range(len(parts)))
        attributes.append(IntervalParts(order, parts, labels, tuple(sorted(missing))))  # type: ignore[arg-type] # one of the orders
    places = st.tuples(*(st.integers(0, len(own.parts) - 1) for own in attributes))
    classes = data.draw(st.lists(places, min_size=1, max_size=6, unique=True))
    policy = Policy(
        tuple(AttributePolicy(name, 0, 2, Identity()) for name in ("a", "b")),
        (KAnonymity(2).settings(),),
        Suppression(1.0, "mask"),
        PolicyColumns(undecided=()),
        recoding=Recoding("intervals", tuple(attributes), tuple(classes)),
    )
    cells = st.tuples(st.sampled_from(ORDERED), st.sampled_from(NUMBERS))
    rows = data.draw(st.lists(cells, min_size=2, max_size=30))
    said = as_sql(policy, table="t", unseen="suppress")
    with duckdb.connect() as engine:
        engine.execute("CREATE TABLE t (a TEXT, b TEXT)")
        engine.executemany("INSERT INTO t VALUES (?, ?)", rows)
        released = Counter(tuple(c or "" for c in row) for row in engine.sql(said).fetchall())
    # SQL reads no powers of ten, and suppresses what it does not read.
    plain = [row if row[1] != "1e0" else (row[0], "x") for row in rows]
    assert released == apply(to_json(policy), ("a", "b"), plain)
