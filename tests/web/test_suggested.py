"""A setting that a sentence names becomes a button, unless the user must write a value."""

from __future__ import annotations

import re
from html import unescape
from importlib.resources import files
from pathlib import Path

import pytest
from workbench import served

from roadstead.requests.fields import options_of
from roadstead.verbs.attack.request import AttackRequest
from roadstead.web.pages import STEPS
from roadstead.web.steps.columns.roles import ROLE_WORDS
from roadstead.web.suggested import suggestions
from roadstead.web.words import LABELS


@pytest.mark.parametrize(
    ("key", "value", "offered"),
    [
        ("missing", "age=999", True),
        ("missing", "Birth Date=VALUE", False),
        ("skip_rows", "2-3", True),
        ("skip_rows", "ROWS", False),
    ],
)
def test_a_placeholder_is_not_offered_as_a_button(key: str, value: str, *, offered: bool) -> None:
    """A button would store the placeholder as a code, and change nothing."""
    found = suggestions(f"If so, use {LABELS[key]}: {value}.")
    assert [(one.key, one.value) for one in found] == ([(key, value)] if offered else [])


def test_one_row_and_several_rows_have_their_own_words() -> None:
    label = LABELS["skip_rows"]
    assert [suggestions(f"{label}: {rows}.")[0].label for rows in ("403", "2-3")] == [
        "Leave out row 403",
        "Leave out rows 2-3",
    ]


def test_the_lines_above_the_header_are_the_first_button(tmp_path: Path) -> None:
    """Fault class: a title, the header, and the footer became records with the first button."""
    rows = "".join(f"{at},f,{20 + at}\n" for at in range(30))
    (tmp_path / "cases.csv").write_text(f"Registry,,\n,,\nid,sex,age\n{rows}Total,30,\n")
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        bench.post(f"{piece}/data/open", kind="path", value=str(tmp_path / "cases.csv"))
        assert bench.wait(piece, "scan")["state"] == "failed"
        found = re.findall(r"<button>(.*?)</button>", bench.get(f"{piece}/data").text)
        assert found[:2] == ["Leave out rows 1-2", "The first row has a record"]


def test_codes_have_buttons_in_every_column_and_are_counted(tmp_path: Path) -> None:
    """Fault class: a word or a shared code without a button, and no count after a click."""
    rows = [f"{60 + at * 7 % 40},{at % 3}" for at in range(200)]
    rows += ["-999,-999"] * 6 + ["80,NA"] * 7
    (tmp_path / "visits.csv").write_text("\n".join(["weight,smoking", *rows, ""]))
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        bench.open(piece, str(tmp_path / "visits.csv"))
        shown = bench.get(f"{piece}/columns").text
        codes = ("weight=-999", "smoking=-999", "smoking=NA")
        for code in codes:
            assert shown.count(f"Treat {code} as missing") == 1
        assert "declared as missing" not in bench.get(f"{piece}/data").text
        bench.post(f"{piece}/data/suggestion", key="missing", value=", ".join(codes))
        assert bench.wait(piece, "scan")["state"] == "done"
        said = unescape(bench.get(f"{piece}/data").text)
        counts = "6 in weight, 13 in smoking (-999: 6, NA: 7)"
        assert f"Values that you declared as missing: {counts}." in said
        assert "as missing</button>" not in bench.get(f"{piece}/columns").text


def test_a_message_names_fields_as_the_page_does() -> None:
    """Fault class: advice to use "min level", which the page calls "Lowest level allowed"."""
    folder = files("roadstead.web") / "templates"
    shown = "".join(one.read_text("utf-8") for one in Path(str(folder)).rglob("*.html"))
    shown += "".join(one.title for one in (*ROLE_WORDS, *STEPS))
    shown += options_of(AttackRequest)["certify"].help
    quoted = {one for label in LABELS.values() for one in re.findall("“(.+?)”", label)}
    assert [one for one in quoted if one not in shown] == []
