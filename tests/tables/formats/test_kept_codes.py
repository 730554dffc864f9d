"""Values that stay as they were keep their codes; only new labels get new codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.tables.formats.codebook import Code, Codebook, ColumnNotes
from roadstead.tables.formats.statistics.clocks import SPSS_CLOCK, STATA_CLOCK
from roadstead.tables.formats.statistics.writing import columns_of

PROVINCES = {"Central": ["2", "3"]}


def pupils() -> pd.DataFrame:
    """Schooling without labels, provinces with labels; eight records are in small groups."""
    frame = pd.DataFrame(
        {
            "school": [float(1 + at % 4) for at in range(200)],
            "province": [float(1 + at // 50) for at in range(200)],
            "sex": [float(1 + at % 2) for at in range(200)],
            "score": [at / 8 for at in range(200)],
        }
    )
    frame.loc[192:, "school"] = [7.0, 8.0] * 4
    return frame


LABELS: dict[str, dict[Any, str]] = {
    "province": {1: "North", 2: "Hills", 3: "Lakes", 4: "South", 6: "Abroad"},
    "sex": {1: "male", 2: "female"},
}


def written(path: Path) -> Path:
    """Write the pupils as SPSS or Stata does."""
    if path.suffix == ".sav":
        pyreadstat.write_sav(
            pupils(), str(path), variable_value_labels=LABELS, missing_ranges={"province": [7]}
        )
    else:
        codes = pupils().astype({"school": int, "province": int, "sex": int})
        pyreadstat.write_dta(codes, str(path), variable_value_labels=LABELS)
    return path


def content(path: Path) -> tuple[pd.DataFrame, dict[str, dict[Any, str]]]:
    """Read the stored codes and the labels of a release."""
    reader: Any = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    frame, notes = reader(str(path), user_missing=True)
    return frame, notes.variable_value_labels


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["p.sav", "p.dta"])
def test_numbers_and_labels_that_stayed_keep_their_codes(name: str, tmp_path: Path) -> None:
    """Fault class: the label * took code 1, and 1, 2, 3 became 2, 3, 4 with the labels 1 (2)."""
    source, out = written(tmp_path / name), tmp_path / "out"
    rs.anonymize(source, quasi=["school", "province", "sex"], k=5, suppression=0.05).write(out)
    frame, labels = content(out / name)
    left, missing = pupils().iloc[:192], [7] if name == "p.sav" else []
    stays = frame["school"].isin([1, 2, 3, 4])
    for column in ("school", "province", "sex"):
        kept = frame[column][stays]
        assert kept.value_counts().to_dict() == left[column].value_counts().to_dict(), column
        (masked,) = {*frame[column]} - {*left[column]}
        assert labels[column][masked] == "*"
        assert masked not in {*pupils()[column], *LABELS.get(column, ()), *missing}
        assert name == "p.sav" or masked == "s"  # a missing value, which a mean does not include
    numbers = {1: "1", 2: "2", 3: "3", 4: "4", 100: "*"}
    assert labels["school"] == (numbers if name == "p.sav" else {"s": "*"})
    assert {code: labels["province"][code] for code in (1, 4)} == {1: "North", 4: "South"}
    assert rs.verify(out).passed
    assert rs.repeat(out, original=source).same
    rs.apply(out / "policy.json", source).write(tmp_path / "again")
    assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()


@pytest.mark.parametrize("name", ["p.sav", "p.dta"])
def test_a_group_of_some_values_leaves_the_codes_of_the_others(name: str, tmp_path: Path) -> None:
    """Also if the group has the name of a number, which is then not a value of the table."""
    source, out = written(tmp_path / name), tmp_path / "out"
    groups = {"1": ["1"], "2-3": ["2", "3"], "4": ["4"], "7-8": ["7", "8"]}
    labeled = {"Central": ["Hills", "Lakes"], "North": ["North"], "South": ["South"]}
    rs.anonymize(
        source,
        quasi=["school", "province"],
        hierarchies={
            "school": {"kind": "mapping", "groups": groups},
            "province": {"kind": "mapping", "groups": labeled},
        },
        min_level={"school": 1, "province": 1},
        max_level={"school": 1, "province": 1},
        k=2,
    ).write(out)
    frame, labels = content(out / name)
    assert labels["school"] == {1: "1", 4: "4", 100: "2-3", 101: "7-8"}
    new = 8 if name == "p.sav" else 7
    assert labels["province"] == {1: "North", 4: "South", new: "Central"}
    assert frame["province"].value_counts().to_dict() == {new: 100, 1: 50, 4: 50}
    assert (frame["school"] == 1).sum() == (pupils()["school"] == 1).sum()
    assert rs.verify(out).passed


def test_fractions_stay_numbers_in_spss_and_become_texts_in_stata() -> None:
    """Labels of Stata are for whole numbers only."""
    table = pa.table({"score": ["0.125", "2.5", "*", None, "3.0"]})
    book = Codebook({"score": ColumnNotes(shown="F8.2")})
    spss = columns_of(table.to_reader(), book, SPSS_CLOCK, labels=True)
    assert spss.labels["score"] == {0.125: "0.125", 2.5: "2.5", 3: "3.0", 100: "*"}
    assert spss.shown["score"] == "F8.2"
    book = Codebook({"score": ColumnNotes(shown="%9.0g")})
    stata = columns_of(table.to_reader(), book, STATA_CLOCK, labels=True, stata=True)
    assert stata.values["score"].tolist() == ["0.125", "2.5", "*", "", "3.0"]
    assert "score" not in stata.labels


def test_numbers_that_all_stayed_stay_numbers_without_labels(tmp_path: Path) -> None:
    """Records that are left out do not turn a column of numbers into codes with labels."""
    source, out = written(tmp_path / "p.sav"), tmp_path / "out"
    left_out = {"suppression": 0.05, "suppressed": "drop"}
    rs.anonymize(source, quasi=["school", "province"], k=5, **left_out).write(out)  # type: ignore[arg-type]
    frame, labels = content(out / "p.sav")
    assert {*frame["school"]} == {1, 2, 3, 4}
    assert "school" not in labels
    assert rs.verify(out).passed


@given(
    numbers=st.sets(st.integers(-50, 5000).map(float) | st.floats(-1e9, 1e9).map(lambda x: x + 0)),
    labels=st.dictionaries(st.sampled_from([-9.0, 3.0, 9.0]), st.sampled_from(["no", "yes"])),
    end=st.sampled_from([9.0, 99.0, 1.7e308]),
    new=st.sets(st.sampled_from(["20-24", "90+", "*", "no"]), min_size=1),
)
def test_a_number_is_its_own_code(
    numbers: set[float], labels: dict[Code, str], end: float, new: set[str]
) -> None:
    """To the last bit; new codes are other codes, with their labels, and are not missing codes."""
    notes = ColumnNotes(labels=labels, missing=((-9.0, -9.0), (9.0, end)), shown="F8.2")
    texts = [*map(repr, sorted(numbers)), *sorted(new)]
    rows = pa.table({"c": pa.array(texts, pa.string())}).to_reader()
    columns = columns_of(rows, Codebook({"c": notes}), SPSS_CLOCK, labels=True)
    codes = columns.values["c"].tolist()
    assert codes[: len(numbers)] == sorted(numbers)
    assert len({*codes}) == len(texts)
    for code, text in zip(codes, texts, strict=True):
        assert columns.labels["c"][code] == text
    for code in codes[len(numbers) :]:
        assert code not in labels
        assert not notes.is_missing(code)


@pytest.mark.nightly
def test_a_code_that_only_the_source_of_apply_has_is_not_a_new_code(tmp_path: Path) -> None:
    """A code without a label is suppressed; the label * does not take its place."""
    first = pupils().iloc[:192]
    labels = {"province": LABELS["province"]}
    pyreadstat.write_sav(first, str(tmp_path / "p.sav"), variable_value_labels=labels)
    second = first.assign(province=first["province"].where(first.index >= 5, 7.0))
    pyreadstat.write_sav(second, str(tmp_path / "q.sav"), variable_value_labels=labels)
    hierarchy = {"kind": "mapping", "groups": {"Edge": ["North", "South"], **PROVINCES}}
    hierarchy["groups"]["Central"] = ["Hills", "Lakes", "Abroad"]  # type: ignore[index] # a mapping
    rs.anonymize(
        tmp_path / "p.sav",
        quasi=["province"],
        hierarchies={"province": hierarchy},
        min_level={"province": 1},
        k=5,
    ).write(tmp_path / "out")
    policy = tmp_path / "out" / "policy.json"
    rs.apply(policy, tmp_path / "q.sav", unseen="suppress").write(tmp_path / "next")
    _, found = content(tmp_path / "next" / "q.sav")
    assert {code: text for code, text in found["province"].items() if text == "*"} == {8: "*"}


def test_suppressed_values_are_missing_in_spss(tmp_path: Path) -> None:
    """The code of ``*`` is declared missing, so that a mean does not include it.

    A declared missing code that no released record has is not declared in the release.
    """
    source = written(tmp_path / "pupils.sav")
    out = tmp_path / "out"
    quasi = ["school", "province", "sex"]
    rs.anonymize(source, quasi=quasi, identifiers=["score"], k=5, out=out)
    frame, notes = pyreadstat.read_sav(str(out / "pupils.sav"), user_missing=True)
    for name in quasi:
        (star,) = (code for code, text in notes.variable_value_labels[name].items() if text == "*")
        assert {"lo": star, "hi": star} in notes.missing_ranges[name]
        assert (frame[name] == star).any()
    assert len(notes.missing_ranges["province"]) == 1
    plain, _ = pyreadstat.read_sav(str(out / "pupils.sav"))
    assert plain["school"].mean() == pytest.approx(pupils()["school"][:192].mean())
    assert rs.verify(out).passed


def test_rare_labels_are_codes_in_a_format_without_labels() -> None:
    """Fault class: a SAS transport file contained labels of rare values as text."""
    notes = ColumnNotes(labels={1: "A", 2: "B", 9: "Qname"}, labeled=True, rare=frozenset({"B"}))
    texts = pa.table({"ward": ["A"] * 5 + ["B"] * 6 + ["Qname"] * 2 + [None]})
    codebook = Codebook({"ward": notes}, fewest=5)
    found = columns_of(texts.to_reader(), codebook, SPSS_CLOCK, labels=False)
    assert [*found.values["ward"]] == ["A"] * 5 + ["2"] * 6 + ["9"] * 2 + [""]


def test_a_suppressed_text_is_missing_in_spss(tmp_path: Path) -> None:
    """SPSS leaves the cells out, also among text codes with labels; Roadstead still shows them."""
    rows = [(f"ward {at % 3}", "fm"[at % 2]) for at in range(60)]
    rows += [(f"ward {at}", "f") for at in range(10, 16)]  # each is rare
    table, out = tmp_path / "t.sav", tmp_path / "out"
    pyreadstat.write_sav(
        pd.DataFrame(rows, columns=["ward", "sex"]), str(table),
        variable_value_labels={"sex": {"f": "female", "m": "male"}},  # type: ignore[dict-item] # text codes
    )  # fmt: skip
    rs.anonymize(table, quasi=["ward", "sex"], k=1, privacy=[{"kind": "k-anonymity", "k": 5}],
                 suppression=0.1, max_level={"ward": 0, "sex": 0}, suppressed="mask",
                 out=out)  # fmt: skip
    _, notes = pyreadstat.read_sav(str(out / "t.sav"), user_missing=True)
    star: Any = [{"lo": "*", "hi": "*"}]
    assert notes.missing_ranges == {"ward": star, "sex": star}
    assert rs.verify(out).passed


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["p.sav", "p.dta"])
@pytest.mark.parametrize("person", [None, "who"])
def test_labels_of_some_values_of_a_column_stay(
    name: str, person: str | None, tmp_path: Path
) -> None:
    """Fault class: a scale with labels at its ends only lost them, because 2 to 4 have none."""
    frame = pupils().assign(scale=pupils()["school"].clip(upper=4), who=pupils().index // 2)
    frame.loc[:7, "scale"] = 9.0
    frame["whole"] = frame["scale"]
    labels: dict[str, dict[Any, str]] = {
        "scale": {1: "not at all", 4: "Rosa Hapgood", 5: "extremely", 9: "moved away"},
        "whole": {1: "one", 2: "two", 3: "three", 4: "four", 9: "nine"},
    }
    if name == "p.dta":
        frame = frame.astype({"scale": int, "whole": int})
        pyreadstat.write_dta(frame, str(tmp_path / name), variable_value_labels=labels)
    else:
        pyreadstat.write_sav(frame, str(tmp_path / name), variable_value_labels=labels)
    settings: dict[str, Any] = {"person": person, "leave_out": "rows"} if person else {}
    out = tmp_path / "out"
    made = rs.anonymize(
        tmp_path / name, quasi=["sex"], release_anyway=["scale", "whole"], k=6, **settings
    )
    made.write(out)
    released, shown = content(out / name)
    assert sorted(released["scale"]) == sorted(frame["scale"])
    few = {} if person else {9: "moved away"}  # 8 records of 4 people have the value 9
    assert shown["scale"] == {1: "not at all", **few}
    assert shown["whole"] == {**labels["whole"], **({9: "9"} if person else {})}
    assert rs.verify(out).passed


def test_texts_keep_the_labels_of_some_values(tmp_path: Path) -> None:
    """Missing codes without a label get no label, and other texts keep theirs."""
    frame = pupils()[["sex"]].assign(town=["L", "P", "F", ""] * 50, score=[1.0, 2.0, -7, -9] * 50)
    labels: dict[str, dict[Any, str]] = {
        "town": {"L": "Lisbon", "Z": "Zebedee"},
        "score": {-9: "refused"},
    }
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        variable_value_labels=labels,
        missing_ranges={"score": [{"lo": -9, "hi": -7}]},
    )
    rs.anonymize(tmp_path / "t.sav", quasi=["sex"], release_anyway=["town", "score"], k=5).write(
        tmp_path / "out"
    )
    released, shown = content(tmp_path / "out" / "t.sav")
    assert sorted(released["score"]) == sorted(frame["score"])
    assert shown == {"town": {"L": "Lisbon"}, "score": {-9: "refused"}}


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["rounded", "generalized"])
def test_a_changed_value_does_not_get_the_label_of_a_code(kind: str, tmp_path: Path) -> None:
    """Fault class: a label that one person has, for all values that are rounded to its code."""
    frame = pupils()[["sex"]].assign(site=[8.0, 8.0, 9.0, 12.0, 13.0] * 40)
    frame.loc[7, "site"] = 10.0
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        variable_value_labels={"site": {10.0: "Okonkwo A.", 8.0: "North"}},
    )
    asked: dict[str, Any] = {"quasi": ["sex"], "unchanged": ["site"]}
    asked |= {"treat": [{"kind": "rounding", "column": "site", "base": 5}]}
    if kind == "generalized":
        levels = {"kind": "mapping", "groups": {"10": ["8", "9", "10"], "12": ["12", "13"]}}
        asked = {"quasi": ["sex", "site"], "declared": {"site": levels}, "min_level": {"site": 1}}
    made = rs.anonymize(tmp_path / "t.sav", k=5, **asked)
    made.write(tmp_path / "out")
    released, shown = content(tmp_path / "out" / "t.sav")
    assert 10.0 in {float(one) for one in released["site"]}
    assert "Okonkwo A." not in str(shown)
