"""A blank in a sensitive column is not a value, unless a request says so: in every place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from commands import run
from promises import promise_in
from small_tables import read_csv, write_csv

import roadstead as rs
from roadstead.release.documents import json_text

SAID = "Empty cells in test do not count as a value."
MODELS = (
    "distinct-l-diversity:column=test,l=2",
    "entropy-l-diversity:column=test,l=1.5",
    "grassberger-l-diversity:column=test,l=1.5",
    "recursive-cl-diversity:column=test,c=4,l=2",
)


def _table(path: Path, blank: str = "") -> Path:
    """Six people of the north with one result and two without any; both results in the south."""
    north = [("F", "north", "positive")] * 6 + [("F", "north", blank)] * 2
    south = [("FM"[at % 2], "south", ("positive", "negative")[at // 2 % 2]) for at in range(40)]
    rows = [(f"p{at}", *row) for at, row in enumerate([*north, *south])]
    return write_csv(path / "people.csv", ("pid", "sex", "region", "test"), rows)


def _asked(table: Path, model: str, *more: str, out: str = "release") -> list[str | Path]:
    roles = ("--quasi", "sex,region", "--sensitive", "test", "--identifiers", "pid", "--k", "3")
    limits = ("--suppression", "0.5", "--max-level", "sex=0", "--max-level", "region=0")
    asked = [*roles, *limits, "--privacy", model, *more]
    return ["anonymize", table, *asked, "--out", table.parent / out]


def _northern(folder: Path) -> int:
    return sum("north" in row for row in read_csv(folder / "people.csv")[1:])


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", MODELS)
def test_blanks_are_no_second_value(model: str, tmp_path: Path) -> None:
    """The north is suppressed, and every place says why a blank did not help."""
    table = _table(tmp_path)
    ran = run(*_asked(table, model))
    assert ran.code == 0, ran.err
    assert SAID in ran.out
    assert _northern(tmp_path / "release") == 0
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    assert certificate["policy"]["privacy"][1]["blank"] == "no-value"
    assert SAID in promise_in(tmp_path / "release")
    assert SAID in (tmp_path / "release" / "report.html").read_text()
    verified = run("verify", tmp_path / "release")
    assert (verified.code, SAID.rstrip(".") in verified.out) == (0, True)


def test_a_request_may_count_blanks(tmp_path: Path) -> None:
    """Then the north stays, and name, promise and verification say so."""
    table = _table(tmp_path)
    ran = run(*_asked(table, f"{MODELS[0]},blank=value"))
    assert "Empty cells in test count as a value." in ran.out
    assert _northern(tmp_path / "release") == 8
    verified = run("verify", tmp_path / "release")
    assert verified.code == 0
    assert "distinct 2-diversity of test, empty cells counted" in verified.out
    wrong = run(*_asked(table, f"{MODELS[0]},blank=maybe", "--force"))
    assert "must be 'no-value' or 'value'".replace("'", "") in wrong.error.replace("'", "")


@pytest.mark.quick(1)
@pytest.mark.parametrize("blank", ["9", " \u00a0 "])
def test_declared_texts_and_white_space_are_blanks(blank: str, tmp_path: Path) -> None:
    """A text that marks a missing value, and a text without visible characters."""
    table = _table(tmp_path, blank)
    ran = run(*_asked(table, MODELS[0], "--missing", "9"))
    assert ran.code == 0, ran.err
    assert _northern(tmp_path / "release") == 0


@pytest.mark.nightly
def test_a_policy_from_before_is_applied_without_blanks(tmp_path: Path) -> None:
    """It does not say whether blanks count, so they do not; a certificate is read the same way."""
    table = _table(tmp_path)
    assert run(*_asked(table, f"{MODELS[0]},blank=value")).code == 0
    policy = json.loads((tmp_path / "release" / "policy.json").read_text())
    del policy["privacy"][1]["blank"]
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    ran = run("apply", tmp_path / "policy.json", table, "--out", tmp_path / "applied")
    assert ran.code == 0, ran.err
    assert SAID in ran.out
    assert _northern(tmp_path / "applied") == 0


@pytest.mark.nightly
def test_a_certificate_from_before_passes_if_its_release_needs_no_blank(tmp_path: Path) -> None:
    """Its promise has no sentence of blanks, and says nothing else than it did."""
    table = _table(tmp_path)
    assert run(*_asked(table, MODELS[0])).code == 0
    release = tmp_path / "release"
    for name in ("policy.json", "certificate.json"):
        text = (release / name).read_text()
        text = text.replace(f" {SAID}", "")
        document = json.loads(text)
        for settings in (document, document.get("policy", {}), document.get("settings", {})):
            for one in settings.get("privacy", ()):
                one.pop("blank", None)
        (release / name).write_text(json_text(document))
    ran = run("verify", release)
    # policy.json was rewritten, so its fingerprint differs; its requirements are unchanged.
    failed = [line for line in ran.out.splitlines() if line.startswith("  FAIL")]
    assert [line.partition(":")[0] for line in failed] == [
        "  FAIL  policy.json matches the certificate"
    ]
    assert "ok    the privacy requirements match the policy" in ran.out


def test_a_gate_that_requires_values_does_not_take_blanks_for_one(tmp_path: Path) -> None:
    """A release that counts blanks promises fewer values than its l."""
    table = _table(tmp_path)
    rules = tmp_path / "gate.toml"
    rules.write_text("[promise]\nl = 2\n")
    for model, code in ((MODELS[0], 0), (f"{MODELS[0]},blank=value", 1)):
        assert run(*_asked(table, model, "--force")).code == 0
        assert run("gate", tmp_path / "release", "--rules", rules).code == code


def test_people_are_counted_without_blanks(tmp_path: Path) -> None:
    """Each person has two rows: a person's blank is not a value of the person's group."""
    table = _table(tmp_path)
    header, *rows = read_csv(table)
    write_csv(table, tuple(header), [tuple(row) for row in rows for _ in range(2)])
    asked = [one for one in _asked(table, MODELS[0]) if one not in ("--identifiers", "pid")]
    ran = run(*asked, "--person", "pid")
    assert ran.code == 0, ran.err
    assert SAID in ran.out
    assert _northern(tmp_path / "release") == 0


@pytest.mark.quick(2)
@pytest.mark.parametrize("recoding", ["cells", "local", "intervals"])
def test_classes_of_every_recoding_are_judged_without_blanks(recoding: str, tmp_path: Path) -> None:
    """No class of the release has one result and blanks."""
    table = _table(tmp_path)
    roles: dict[str, Any] = {
        "quasi": ["sex", "region"],
        "sensitive": ["test"],
        "recoding": recoding,
    }
    model = {"kind": "distinct-l-diversity", "column": "test", "l": 2}
    out = tmp_path / "release"
    rs.anonymize(table, **roles, k=3, privacy=[model], suppression=0.5, out=out)
    classes: dict[tuple[str, ...], set[str]] = {}
    for sex, region, test in read_csv(out / "people.csv")[1:]:
        classes.setdefault((sex, region), set()).add(test)
    assert all(len(found - {""}) >= 2 for found in classes.values())


@pytest.mark.nightly
def test_a_database_is_judged_the_same_way(tmp_path: Path) -> None:
    """NULL and an empty text are blanks there as well."""
    table = _table(tmp_path)
    source = tmp_path / "people.duckdb"
    with duckdb.connect(str(source)) as connection:
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{table}', nullstr = '')")
        connection.execute("UPDATE people SET test = '' WHERE pid = 'p7'")
    asked = _asked(table, MODELS[0])
    asked[1] = f"duckdb://{source}?table=people"
    ran = run(*asked)
    assert ran.code == 0, ran.err
    assert SAID in ran.out
    assert "(8 of " in ran.out
