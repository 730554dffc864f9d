"""Odd but valid tables: each is released and verified, and keeps its form.

Every combination of quasi-identifiers occurs often enough, so the best policy changes nothing. The
release must therefore hold exactly the rows of the original, whatever they look like.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Ran, listing, run, without_charts
from patience import ticking
from small_tables import Row, read_csv, write_csv

TIMES = 6
"""How often each row occurs: more than k."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Odd:
    """A table with something odd about it."""

    header: Row
    rows: tuple[Row, ...]
    quasi: str
    name: str = "table.csv"
    form: dict[str, Any] = field(default_factory=dict)
    options: tuple[str, ...] = ()


PLAIN = (("a", "02139", "x"), ("b", "02138", "y"), ("b", "10001", ""))
TABLES = {
    "carriage returns": Odd(("c", "zip", "n"), PLAIN, "c,zip", form={"newline": "\r\n"}),
    "semicolons": Odd(("c", "zip", "n"), PLAIN, "c,zip", form={"delimiter": ";"}),
    "tabs": Odd(("c", "zip", "n"), PLAIN, "c,zip", "table.tsv", {"delimiter": "\t"}),
    "bars": Odd(("c", "zip", "n"), PLAIN, "c,zip", "table.txt", {"delimiter": "|"}),
    "gzip": Odd(("c", "zip", "n"), PLAIN, "c,zip", "table.csv.gz", {"gzipped": True}),
    "UTF-16": Odd(("c", "zip", "n"), PLAIN, "c,zip", form={"encoding": "utf-16"}),
    "a byte-order mark": Odd(("c", "zip", "n"), PLAIN, "c,zip", form={"encoding": "utf-8-sig"}),
    "Latin-1": Odd(
        ("größe", "stadt", "n"),
        (("groß", "Köln", "é"), ("klein", "Zürich", "è")),
        "größe,stadt",
        form={"encoding": "latin-1", "delimiter": ";"},
        options=("--encoding", "latin-1"),
    ),
    "missing values": Odd(
        ("c", "zip", "n"), (("", "", ""), ("a", "", "x"), ("", "02139", "y")), "c,zip"
    ),
    "SQL in the names": Odd(
        ("select", "group by", "a.b", "drop table x;--", "count(*)"),
        (("a", "b", "c", "d", "e"), ("f", "g", "h", "i", "j")),
        "select,group by,a.b",
    ),
    "quotes in the names": Odd(
        ('na"me', "it's", "x,y", "[z]", " padded "),
        (("a", "b", "c", "d", "e"), ("f", "g", "h", "i", "j")),
        '"na""me",it\'s,"x,y"',
    ),
    "names in other scripts": Odd(
        ("年齢", "пол", "😀"), (("老", "ж", "1"), ("若", "м", "2")), "年齢,пол,😀"
    ),
    "names like those of the engine": Odd(
        ("value_0", "label_0", "released", "code_0", "records"),
        (("a", "b", "c", "d", "e"), ("f", "g", "h", "i", "j")),
        "value_0,label_0,released",
    ),
    "text with everything": Odd(
        ("c", "note"),
        (
            ("a", "one,two"),
            ("a", "line\nbreak"),
            ("b", 'say "so"'),
            ("b", "'single'"),
            ("a", "; | \t"),
            ("b", " spaces "),
            ("a", '"'),
            ("b", "=1+1"),
            ("a", "ünï©ode ☃"),
        ),
        "c,note",
    ),
    "stars in a sensitive column": Odd(
        ("c", "note"), (("a", "*"), ("a", "**"), ("b", "*x*"), ("b", "")), "c"
    ),
    "numbers written in several ways": Odd(
        ("c", "n"), (("1", "x"), ("1.0", "y"), ("01", "z"), ("1e0", "x"), ("-0", "y")), "c"
    ),
    "one column": Odd(("c",), (("a",), ("b",), ("",)), "c"),
    "a file called like the policy": Odd(("c", "n"), (("a", "x"), ("b", "y")), "c", "policy.json"),
    "a name with pattern characters": Odd(
        ("c", "n"), (("a", "x"), ("b", "y")), "c", "it's [1]*? 100%.csv"
    ),
}


def anonymize(data: str, quasi: str, *more: str) -> Ran:
    """Release a table, verify it with the command, and give the JSON."""
    asked = ("--quasi", quasi, "--undecided", "release", "--out", "release", "--json")
    ran = run("anonymize", data, *asked, *more)
    if ran.code == 0:
        assert run("verify", "release").code == 0
    return ran


def released(place: Path) -> Path:
    """The released table."""
    certificate = json.loads((place / "release" / "certificate.json").read_text("utf-8"))
    return place / "release" / str(certificate["table"]["name"])


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", TABLES)
def test_an_odd_table_comes_out_as_it_went_in(place: Path, kind: str) -> None:
    """The same cells, columns, delimiter, compression, and byte-order mark, always in UTF-8."""
    odd = TABLES[kind]
    write_csv(place / odd.name, odd.header, odd.rows * TIMES, **odd.form)
    ran = anonymize(odd.name, odd.quasi, *odd.options)
    assert ran.code == 0, ran
    assert (ran.json["loss"], ran.json["suppressed"]) == (0.0, 0)
    form = {key: odd.form[key] for key in ("delimiter",) if key in odd.form}
    marked = odd.form.get("encoding") == "utf-8-sig"
    form |= {"encoding": "utf-8-sig"} if marked else {}
    head, *rows = read_csv(released(place), **form)
    assert head == odd.header
    assert Counter(rows) == Counter(odd.rows * TIMES)
    assert released(place).read_bytes().startswith(codecs.BOM_UTF8) == marked
    assert released(place).read_bytes().startswith(b"\x1f\x8b") == odd.form.get("gzipped", False)


def test_a_quasi_identifier_of_stars_is_a_value_and_not_a_suppressed_record(place: Path) -> None:
    """A recipient cannot distinguish masked records from records that were ``*`` from the start.

    So the table is refused until ``*`` is declared as missing.
    """
    rows = [("M", "a")] * 200 + [("*", "*")] * 10 + [("X", "a")] * 3 + [("Y", "a")] * 4
    write_csv(place / "stars.csv", ("sex", "race"), rows)
    ran = anonymize("stars.csv", "sex,race")
    assert ran.code == 1
    assert "10 records have * in every quasi-identifier" in ran.err
    ran = anonymize("stars.csv", "sex,race", "--missing", "*")
    assert ran.code == 0, ran
    assert (ran.json["suppressed"], ran.json["masked"]) == (7, 7)
    assert ran.json["risk"]["maximum"] == 1 / 10
    _, *found = read_csv(released(place))
    assert Counter(found) == {("M", "a"): 200, ("", ""): 10, ("*", "*"): 7}


def test_a_single_quasi_identifier_of_stars_is_released_as_missing(place: Path) -> None:
    """One more suppressed record is dropped, because it would be conspicuous among so few."""
    write_csv(place / "stars.csv", ("sex",), [("M",)] * 40 + [("*",)] * 10 + [("X",)])
    assert "use --missing" not in anonymize("stars.csv", "sex").out
    ran = anonymize("stars.csv", "sex", "--missing", "*")
    assert ran.code == 0, ran
    assert (ran.json["masked"], ran.json["dropped"]) == (0, 1)
    assert Counter(read_csv(released(place))[1:]) == {("M",): 40, ("",): 10}


@pytest.mark.quick(1)
@pytest.mark.parametrize("identifiers", ["column_1", "column_2", "column_4"])
def test_a_table_without_header_keeps_its_columns_apart(place: Path, identifiers: str) -> None:
    """Though the release has fewer columns, and again no names for them."""
    rows = [("a", str(i), "02139", f"n{i % 2}") for i in range(40)]
    write_csv(place / "bare.csv", None, rows)
    at = int(identifiers[-1]) - 1
    others = [f"column_{i}" for i in (1, 2, 3, 4) if i != at + 1]
    options = ("--no-header", "--identifiers", identifiers, "--unchanged", ",".join(others[1:]))
    ran = anonymize("bare.csv", others[0], *options, "--suppression", "1", "--k", "2")
    assert ran.code == 0, ran
    found = [row[1:] for row in read_csv(released(place))]
    expected = [tuple(cell for i, cell in enumerate(row) if i != at)[1:] for row in rows]
    assert Counter(found) == Counter(expected)


def test_a_zip_code_keeps_its_zero_when_it_is_generalized(place: Path) -> None:
    """It is text from end to end."""
    rows = [(f"02{ten}{i}",) for ten in (13, 14) for i in range(6)] * 3
    write_csv(place / "zips.csv", ("zip",), rows)
    ran = anonymize("zips.csv", "zip")
    assert ran.code == 0, ran
    assert Counter(read_csv(released(place))[1:]) == {("0213*",): 18, ("0214*",): 18}


def test_one_row_cannot_hide(place: Path) -> None:
    """Whatever k is."""
    write_csv(place / "one.csv", ("age", "sex"), [("40", "M")])
    before = listing(place)
    ran = run("anonymize", "one.csv", "--quasi", "age,sex", "--k", "2", "--out", "release")
    assert (ran.code, ran.out) == (2, "")
    assert "one.csv has only 1 record" in ran.error
    assert listing(place) == before


def test_identical_rows_are_released_as_they_are(place: Path) -> None:
    """They hide each other."""
    write_csv(place / "same.csv", ("age", "sex"), [("40", "M")] * 5)
    ran = anonymize("same.csv", "age,sex")
    assert (ran.code, ran.json["loss"]) == (0, 0.0)
    assert Counter(read_csv(released(place))[1:]) == {("40", "M"): 5}


def test_rows_that_have_nothing_in_common_lose_everything(place: Path) -> None:
    """Where nothing may be suppressed and nothing can be merged but into one."""
    write_csv(place / "unique.csv", ("a", "b"), [(f"a{i}", f"b{i}") for i in range(30)])
    ran = anonymize("unique.csv", "a,b", "--suppression", "0")
    assert (ran.code, ran.json["loss"], ran.json["suppressed"]) == (0, 1.0, 0)
    assert Counter(read_csv(released(place))[1:]) == {("*", "*"): 30}


def test_a_release_of_no_record_is_none(place: Path) -> None:
    """If all may be suppressed, and suppressed records are left out, a release can fail."""
    write_csv(place / "unique.csv", ("a",), [(f"a{i}",) for i in range(30)])
    options = ("--suppression", "1", "--suppressed", "drop", "--out", "release")
    ran = run("anonymize", "unique.csv", "--quasi", "a", *options)
    assert (ran.code, ran.out) == (1, "")
    assert "so nothing would be released" in ran.error
    assert [path.name for path in place.iterdir()] == ["unique.csv"]


def test_every_column_may_be_a_quasi_identifier(place: Path) -> None:
    """Then nothing else is released."""
    rows = [(str(20 + i % 10), "MF"[i % 2], f"0213{i % 3}") for i in range(60)]
    write_csv(place / "all.csv", ("age", "sex", "zip"), rows)
    ran = anonymize("all.csv", "zip,sex,age")
    assert ran.code == 0, ran
    head, *found = read_csv(released(place))
    assert head == ("age", "sex", "zip")
    assert len(found) == 60
    assert min(Counter(found).values()) >= 5


def test_many_quasi_identifiers_end_in_time_with_the_gap_stated(place: Path) -> None:
    """25 of them span more policies than can be looked at; the best so far is released.

    The clock is the test's own: two seconds are so many steps of the search, on any machine.
    """
    chance = np.random.default_rng(5)
    center = chance.random((1500, 1))
    cells = np.clip(100 * (center + chance.normal(0, 0.15, (1500, 25))), 0, 99).astype(int)
    names = [f"q{i}" for i in range(25)]
    write_csv(place / "wide.csv", names, [tuple(map(str, row)) for row in cells.tolist()])
    with ticking(1e-3):
        ran = anonymize("wide.csv", ",".join(names), "--time-limit", "2")
    assert ran.code == 0, ran
    found = ran.json
    assert (found["optimal"], found["ending"]) == (False, "time limit")
    assert 0 < found["lower_bound"] < found["loss"] < 1
    assert found["gap"] == pytest.approx(1 - found["lower_bound"] / found["loss"])
    assert found["lattice_size"] > 10**18
