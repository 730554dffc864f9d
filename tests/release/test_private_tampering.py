"""Any change in a differentially private release is found from its files alone.

Three kinds of forgers are tested. One changes a byte. One changes a table or the cut, and certifies
it again. One changes the certificate, and seals it again. After the second and the third,
fingerprints and seal are in order, so the contents of the files must reveal the change.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from commands import run
from private_releases import by_hand
from pydantic import TypeAdapter
from small_tables import Row, read_csv, write_csv

from roadstead import verify
from roadstead.errors import SettingError, VerificationError
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.private.certificate import PrivateCertificate, rendered, sealed
from roadstead.release.private.publish import publish_private

ADAPTER = TypeAdapter(PrivateCertificate)
FILES = ("cut.json", "groups.csv", "records.csv", "report.html")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of eight groups, and of all three kinds of attributes."""
    out = tmp_path_factory.mktemp("original") / "release"
    publish_private(by_hand(), out, force=False, report=lambda: "<p>told</p>\n")
    return out


@pytest.fixture
def release(original: Path, tmp_path: Path) -> Path:
    """A copy of the release, to be tampered with."""
    return Path(shutil.copytree(original, tmp_path / "release"))


def failures(release: Path) -> set[str]:
    """Names of the checks that fail; the command's exit code says the same."""
    verification = verify(release)
    assert run("verify", release).code == (0 if verification.passed else 1)
    return {check.check for check in verification.failed}


def certificate(release: Path) -> dict[str, Any]:
    """Read the certificate as JSON."""
    document: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return document


def seal(release: Path, document: dict[str, Any]) -> None:
    """Write a certificate with fingerprints of the files as they are now, and a new seal."""
    document["files"] = [vars(fingerprint(release / file["name"])) for file in document["files"]]
    made = sealed(ADAPTER.validate_python(document))
    (release / "certificate.json").write_bytes(rendered(made))


def test_a_release_passes_as_it_was_written(release: Path) -> None:
    """Also where it was moved to, and sealed again."""
    assert failures(release) == set()
    before = (release / "certificate.json").read_bytes()
    seal(release, certificate(release))
    assert failures(release) == set()
    assert (release / "certificate.json").read_bytes() == before


def test_the_command_shows_the_checks_and_what_it_cannot_check(release: Path) -> None:
    """In words for people, and as JSON of the form that other releases have."""
    ran = run("verify", release)
    assert ran.code == 0
    assert "files cannot show whether the noise was generated as stated" in ran.out
    found = run("verify", release, "--json").json
    assert found.keys() == {
        "passed",
        "checks",
        "unchecked",
        "promise_rests_on",
        "promised",
        "promise",
        "highest_risk",
        "highest_risk_of_masked",
        "masked_records",
        "risk_if_undone",
        "reassures",
        "signature",
    }
    assert {tuple(check) for check in found["checks"]} == {("check", "passed", "detail")}
    assert len(found["checks"]) == 25


def test_options_for_tables_are_refused(release: Path) -> None:
    """A release is checked against its certificate."""
    with pytest.raises(SettingError, match="checked against its certificate"):
        verify(release, quasi=["age"], k=5)


@pytest.mark.parametrize("name", FILES)
def test_one_byte_changed_in_a_file_is_found_out(release: Path, name: str) -> None:
    """The byte may be anywhere."""
    content = (release / name).read_bytes()
    for at in range(0, len(content), max(len(content) // 7, 1)):
        changed = bytearray(content)
        changed[at] ^= 1
        (release / name).write_bytes(bytes(changed))
        assert f"{name} matches the certificate" in {one.check for one in verify(release).failed}


def test_one_byte_changed_in_the_certificate_is_found_out(release: Path) -> None:
    """The byte may be in a number, a word, a space, or in the type of the certificate."""
    path = release / "certificate.json"
    content = path.read_bytes()
    for at in {*range(0, len(content), 97), *range(40)}:
        changed = bytearray(content)
        changed[at] ^= 1
        path.write_bytes(bytes(changed))
        with contextlib.suppress(VerificationError):
            assert not verify(release).passed, at
    for other in (content + b"\n", content.replace(b"  ", b" "), content[:-1]):
        path.write_bytes(other)
        assert not verify(release).passed


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_is_found_out(release: Path, name: str) -> None:
    """A check that cannot be made has failed."""
    (release / name).unlink()
    assert f"{name} matches the certificate" in failures(release)


def test_a_file_added_to_a_release_is_found_out(release: Path) -> None:
    """Certified or not, the file might be the original."""
    (release / "original.csv").write_text("name,age\nA,40\n")
    assert failures(release) == {"the folder contains no other files"}
    document = certificate(release)
    document["files"].append({"name": "original.csv"})
    seal(release, document)
    assert failures(release) == {"the folder contains no other files"}


@pytest.mark.parametrize("name", FILES[:3])
def test_a_file_that_is_no_longer_certified_is_found_out(release: Path, name: str) -> None:
    """Though it is there."""
    document = certificate(release)
    document["files"] = [file for file in document["files"] if file["name"] != name]
    seal(release, document)
    assert failures(release) == {"the folder contains no other files"}


Rows = list[Row]
Change = Callable[[Rows], Rows]
"""From the rows of a table, the header first, to others."""


def at(line: int, column: int, cell: str) -> Change:
    """Put a cell into a line."""

    def change(rows: Rows) -> Rows:
        assert rows[line][column] != cell
        new = (*rows[line][:column], cell, *rows[line][column + 1 :])
        return [*rows[:line], new, *rows[line + 1 :]] if line >= 0 else [*rows[:line], new]

    return change


def more(column: int, by: int) -> Change:
    """Change a number of the first group with such a count."""

    def change(rows: Rows) -> Rows:
        line = next(i for i, row in enumerate(rows) if i and int(row[column]) > 0)
        return at(line, column, str(int(rows[line][column]) + by))(rows)

    return change


def shifted(rows: Rows) -> Rows:
    """Let one group have a record less and the next one more."""
    return more(5, -1)([rows[0], rows[1], *more(5, 1)([rows[0], *rows[2:]])[1:]])


ONE = "each line of groups.csv is a group of the cut"
SAME = "records.csv contains the records of groups.csv"
NUMBER = "the number of records matches the certificate"
ORDER = "the order of the lines reveals nothing"
ONCE = "no group is listed twice"
LEAST = "the listed counts reach the threshold"

GROUPS_CHANGES: dict[str, tuple[Change, str]] = {
    "a group left out": (lambda rows: rows[:-1], "the numbers of groups match the certificate"),
    "a group twice": (lambda rows: [*rows, rows[-1]], ONCE),
    "a group twice with other counts": (
        lambda rows: [*rows, (*rows[-1][:3], "9", "9", "0", "0")],
        ONCE,
    ),
    "two groups swapped": (lambda rows: [rows[0], rows[2], rows[1], *rows[3:]], ORDER),
    "a value outside the cut": (at(1, 0, "15 to 62"), ONE),
    "a leaf below the cut": (at(1, 1, "heart"), ONE),
    "items in another order": (at(2, 2, "other; I10"), ONE),
    "an item outside the cut": (at(2, 2, "J18"), ONE),
    "any set at all": (at(2, 2, "any diagnosis"), ONE),
    "a count below the threshold": (at(1, 3, "1"), LEAST),
    "no listed count": (lambda rows: at(1, 3, "0")(at(1, 4, "0")(rows)), LEAST),
    "a negative count": (at(1, 3, "-5"), ONE),
    "a count in halves": (at(1, 3, "5.5"), ONE),
    "a count with a zero in front": (at(1, 3, "05"), ONE),
    "a count beyond numbers": (at(1, 3, "9" * 19), ONE),
    "a count of digits of another script": (at(1, 3, "\N{ARABIC-INDIC DIGIT FIVE}"), ONE),
    "a missing count": (at(1, 3, ""), ONE),
    "more records": (more(5, 1), NUMBER),
    "very many records": (at(1, 5, str(10**15)), NUMBER),
    "records of another group": (shifted, SAME),
    "a column less": (lambda rows: [row[:-1] for row in rows], ONE),
    "a column more": (lambda rows: [(*row, "1") for row in rows], ONE),
    "another column": (at(0, 0, "Age"), ONE),
    "columns swapped": (lambda rows: [(*row[:5], row[6], row[5]) for row in rows], ONE),
    "no header": (lambda rows: rows[1:], ONE),
    "nothing": (lambda _rows: [], ONE),
    "a ragged line": (lambda rows: [*rows, ("15 to 63",)], ONE),
}

RECORDS_CHANGES: dict[str, tuple[Change, str]] = {
    "a record left out": (lambda rows: rows[:-1], NUMBER),
    "a record more": (lambda rows: [*rows, rows[-1]], NUMBER),
    "another class": (at(1, 3, "yes"), SAME),
    "another group": (at(1, 2, "other"), SAME),
    "a value outside the cut": (at(1, 0, "47"), SAME),
    "a record for another": (lambda rows: [*rows[:-1], rows[1]], SAME),
    "another order": (lambda rows: [rows[0], rows[-1], *rows[2:-1], rows[1]], ORDER),
    "an identifying column": (
        lambda rows: [(*row, "Ann") for row in rows],
        "records.csv can be read",
    ),
    "a column less": (lambda rows: [row[:-1] for row in rows], "records.csv can be read"),
    "a blank line": (lambda rows: [*rows, ()], NUMBER),
    "no record": (lambda rows: rows[:1], NUMBER),
}


@pytest.mark.quick(14)
@pytest.mark.parametrize("kind", GROUPS_CHANGES)
def test_groups_that_were_changed_are_found_out(release: Path, kind: str) -> None:
    """By their fingerprint, and, with a forged fingerprint, by their contents."""
    change, check = GROUPS_CHANGES[kind]
    path = release / "groups.csv"
    write_csv(path, None, change(read_csv(path)))
    assert "groups.csv matches the certificate" in failures(release)
    seal(release, certificate(release))
    found = failures(release)
    assert "groups.csv matches the certificate" not in found
    assert check in found


@pytest.mark.quick(6)
@pytest.mark.parametrize("kind", RECORDS_CHANGES)
def test_records_that_were_changed_are_found_out(release: Path, kind: str) -> None:
    """By their fingerprint; and where that was forged, by the counts."""
    change, check = RECORDS_CHANGES[kind]
    path = release / "records.csv"
    write_csv(path, None, change(read_csv(path)))
    assert "records.csv matches the certificate" in failures(release)
    seal(release, certificate(release))
    found = failures(release)
    assert "records.csv matches the certificate" not in found
    assert check in found


@pytest.mark.parametrize("name", ["groups.csv", "records.csv"])
def test_a_table_that_is_no_text_is_found_out(release: Path, name: str) -> None:
    """The output does not quote its contents."""
    (release / name).write_bytes(b"age\xff\xfe\0,\n")
    seal(release, certificate(release))
    assert failures(release)


def put(*path: str | int, value: object) -> Callable[[Any], None]:
    """Change one entry of a document."""

    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for part in path[:-1]:
            document = document[part]
        assert document[path[-1]] != value
        document[path[-1]] = value

    return change


def swapped(document: dict[str, Any]) -> None:
    """Swap the attributes of the cut."""
    document["attributes"].reverse()


PUBLIC = "the public information matches the certificate"
STEPS = "the specializations match the cut"
CUT_CHANGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a bound": (
        put("attributes", 0, "bounds", 1, value=40),
        "the cut of age covers its domain exactly once",
    ),
    "a wider range": (
        put("attributes", 0, "high", value="95"),
        "the cut of age covers its domain exactly once",
    ),
    "another unit": (
        put("attributes", 0, "step", value="2"),
        "the cut of age covers its domain exactly once",
    ),
    "a node": (
        put("attributes", 1, "nodes", value=[1]),
        "the cut of ward covers its domain exactly once",
    ),
    "a value less": (
        put("attributes", 1, "taxonomy", "labels", 3, value="heart"),
        "the cut of ward covers its domain exactly once",
    ),
    "another origin": (put("attributes", 1, "taxonomy", "origin", value="us"), PUBLIC),
    "a value renamed": (put("attributes", 1, "taxonomy", "labels", 1, value="x"), ""),
    "a kind": (put("attributes", 1, "kind", value="set"), PUBLIC),
    "a group renamed": (put("attributes", 2, "taxonomy", "labels", 1, value="heart"), STEPS),
    "another rule": (put("attributes", 2, "taxonomy", "found_by", value="longest-prefix"), ""),
    "classes swapped": (put("classes", value=["yes", "no"]), ONE),
    "a class twice": (put("classes", value=["no", "no"]), PUBLIC),
    "another target": (put("target", value="lived"), PUBLIC),
    "an attribute called otherwise": (put("attributes", 0, "attribute", value="Age"), PUBLIC),
    "attributes swapped": (swapped, PUBLIC),
    "a version": (put("roadstead_cut", value=1), "cut.json can be read"),
    "an entry more": (put("attributes", 0, "kind", value="shape"), "cut.json can be read"),
}


@pytest.mark.quick(9)
@pytest.mark.parametrize("kind", CUT_CHANGES)
def test_a_cut_that_was_changed_is_found_out(release: Path, kind: str) -> None:
    """By its fingerprint; and where that was forged, by its domains and the tables.

    Not every forged cut is: which rule finds a value cannot be seen from the tables.
    """
    change, check = CUT_CHANGES[kind]
    path = release / "cut.json"
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json_text(document), "utf-8")
    assert "cut.json matches the certificate" in failures(release)
    seal(release, certificate(release))
    found = failures(release)
    assert "cut.json matches the certificate" not in found
    if kind == "another rule":
        assert not found
    else:
        assert check in found or (found and not check)


def test_groups_without_counts_are_found_out(release: Path) -> None:
    """A release without a target has no classes to count, so it has no groups."""
    cut = json.loads((release / "cut.json").read_text("utf-8"))
    cut |= {"target": None, "classes": []}
    (release / "cut.json").write_text(json_text(cut), "utf-8")
    header, *rows = read_csv(release / "groups.csv")
    width = len(cut["attributes"])
    write_csv(release / "groups.csv", header[:width], [row[:width] for row in rows])
    seal(release, certificate(release))
    assert {PUBLIC, ONE} <= failures(release)


LEDGER = "the entries of the ledger add up to epsilon"
GUARANTEE = "the guarantee follows from the numbers"
PAID = "each step fits this kind of release"


def spent_otherwise(document: dict[str, Any]) -> None:
    """Move a part of the budget below 0, with the same sum."""
    document["ledger"][0] |= {"exact": "0", "epsilon": 1e-300}
    document["ledger"][1] |= {"exact": "1/11", "epsilon": 1 / 11}


def doubled(document: dict[str, Any]) -> None:
    """State half of the epsilon everywhere but in the ledger."""
    document |= {"epsilon": 0.5, "exact": "1/2", "spent": "1/2"}


def halved(document: dict[str, Any]) -> None:
    """State half of the epsilon in the ledger, too."""
    doubled(document)
    for one in document["ledger"]:
        number, _, part = one["exact"].partition("/")
        one |= {"epsilon": one["epsilon"] / 2, "exact": f"{number}/{2 * int(part)}"}


EDITS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a smaller epsilon": (put("epsilon", value=0.5), LEDGER),
    "a smaller epsilon, exactly": (put("exact", value="1/2"), LEDGER),
    "half of epsilon": (doubled, LEDGER),
    "half of everything": (halved, GUARANTEE),
    "another way to write one": (put("exact", value="2/2"), LEDGER),
    "an epsilon that is no number": (put("exact", value="1/0"), LEDGER),
    "a step for nothing": (put("ledger", 0, "exact", value="0"), LEDGER),
    "a step that costs nothing, its price moved": (spent_otherwise, LEDGER),
    "a step that costs less": (put("ledger", 0, "exact", value="1/1000"), LEDGER),
    "a number alongside its fraction": (put("ledger", 0, "epsilon", value=0.001), LEDGER),
    "a step less": (lambda document: document["ledger"].pop(), LEDGER),
    "no step": (put("ledger", value=[]), LEDGER),
    "another sum": (put("spent", value="9/10"), LEDGER),
    "another request": (put("settings", "epsilon", value="0.1"), GUARANTEE),
    "a request of words": (put("settings", "epsilon", value="little"), GUARANTEE),
    "a guarantee of another kind": (put("settings", value={"for": "sample"}), GUARANTEE),
    "rows of a record": (put("rows_per_person", value=3), "records are protected"),
    "persons": (put("protects", value="persons"), "people are protected"),
    "another kind of step": (put("ledger", 0, "step", "kind", value="splits"), PAID),
    "a step of another attribute": (put("ledger", 0, "step", "of", value=["ward"]), PAID),
    "a time that is none": (put("created", value="yesterday"), GUARANTEE),
    "another public input": (put("public", 0, "range", value=["0", "94", "1"]), PUBLIC),
    "another specialization": (put("specializations", 0, "node", value=1), STEPS),
    "a specialization less": (lambda document: document["specializations"].pop(), STEPS),
    "another interval": (put("specializations", 1, "end", value=49), STEPS),
    "fewer groups": (
        put("released", "groups", value=1),
        "the numbers of groups match the certificate",
    ),
    "more groups": (
        put("released", "all_groups", value=10**6),
        "the numbers of groups match the certificate",
    ),
    "fewer groups than listed": (
        put("released", "all_groups", value=1),
        "the numbers of groups match the certificate",
    ),
    "fewer records": (put("released", "records", value=1), NUMBER),
    "a higher threshold": (put("released", "least", value=100), LEAST),
    "another target asked for": (put("settings", value={"target": "another"}), PUBLIC),
    "other classes asked for": (put("settings", value={"classes": ["another"]}), PUBLIC),
}


@pytest.mark.quick(16)
@pytest.mark.parametrize("kind", EDITS)
def test_a_certificate_that_was_edited_is_found_out(release: Path, kind: str) -> None:
    """By its seal; and where that was forged, by what the files say."""
    edit, check = EDITS[kind]
    document = certificate(release)
    edit(document)
    (release / "certificate.json").write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    assert "the certificate is unchanged" in failures(release)
    seal(release, document)
    found = failures(release)
    assert "the certificate is unchanged" not in found
    assert check in found


@pytest.mark.parametrize("entry", ["source", "software", "settings"])
def test_what_nobody_can_check_is_under_the_seal(release: Path, entry: str) -> None:
    """So it is not changed by mistake."""
    document = certificate(release)
    document[entry] = {"epsilon": "1"} if entry == "settings" else "another"
    (release / "certificate.json").write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    assert failures(release) == {"the certificate is unchanged"}


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "roadstead_private_certificate": put("roadstead_private_certificate", value="3"),
    "epsilon": put("epsilon", value=0),
    "exact": put("exact", value="one"),
    "ledger.0.exact": put("ledger", 0, "exact", value="-1/2"),
    "ledger.0.epsilon": put("ledger", 0, "epsilon", value=-0.5),
    "released.least": put("released", "least", value=0),
    "released.records": put("released", "records", value=-1),
    "files.0.name": put("files", 0, "name", value="../cut.json"),
    "records": put("ledger", value=[]),
    "ledger.0.step.kind": put("ledger", 0, "step", "kind", value="a sentence"),
    "protects": lambda document: document.pop("protects"),
}


@pytest.mark.parametrize("place", DAMAGES)
def test_a_certificate_that_is_damaged_fails_and_names_the_entry(release: Path, place: str) -> None:
    """It is a release that does not keep its promises, not a wrong request."""
    document = certificate(release)
    DAMAGES[place](document)
    if place == "records":  # an entry that it must not have
        document["records"] = 3000
    (release / "certificate.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(VerificationError, match=f"damaged in the entry {place}"):
        verify(release)
    ran = run("verify", release)
    assert (ran.code, ran.out) == (1, "")


def test_a_certificate_of_another_kind_is_found_out(release: Path) -> None:
    """A forger removes the statement that the release is differentially private."""
    document = certificate(release)
    del document["roadstead_private_certificate"]
    (release / "certificate.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(VerificationError, match="damaged in the entry"):
        verify(release)


WRITTEN: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "lines as in DOS": ("records.csv", lambda content: content.replace(b"\n", b"\r\n")),
    "quotes that are not needed": (
        "groups.csv",
        lambda content: (
            content.replace(b"\n", b'\n"', 1).replace(b",", b'",', 1)
            if content.startswith(b'"')
            else b'"' + content.replace(b",", b'",', 1)
        ),
    ),
    "a blank after the end": ("cut.json", lambda content: content + b" "),
    "blanks between": ("cut.json", lambda content: content.replace(b"\n", b"\n ")),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_file_that_is_written_otherwise_is_found_out(release: Path, kind: str) -> None:
    """The meaning is the same, but the form could hide a message."""
    name, change = WRITTEN[kind]
    before = (release / name).read_bytes()
    (release / name).write_bytes(change(before))
    assert (release / name).read_bytes() != before
    seal(release, certificate(release))
    assert failures(release) == {f"{name} has the format that Roadstead writes"}


@pytest.mark.parametrize("share", ["1/2", "1/10", "3"])
def test_an_epsilon_that_is_understated_everywhere_is_found_out(release: Path, share: str) -> None:
    """The threshold of the listed counts follows from the epsilon of the counts."""
    document, factor = certificate(release), Fraction(share)
    for entry in (document, *document["ledger"]):
        exact = Fraction(entry["exact"]) * factor
        entry["exact"], entry["epsilon"] = str(exact), float(exact)
    document["spent"] = document["settings"]["epsilon"] = document["exact"]
    seal(release, document)
    assert failures(release) == {LEAST}


@pytest.mark.parametrize(
    "change",
    [
        put("settings", "notes", value="age\n40\n"),
        put("settings", "specializations", value="many"),
        put("settings", "per_person", value={"name": "first"}),
        put("created", value="2199-01-01T00:00:00+00:00"),
    ],
)
def test_a_request_that_no_release_can_have_is_found_out(
    release: Path, change: Callable[[Any], None]
) -> None:
    """The settings can contain nothing that no check reads."""
    document = certificate(release)
    document["settings"] |= {"notes": "", "per_person": {}}
    change(document)
    document["settings"] = {key: one for key, one in document["settings"].items() if one}
    seal(release, document)
    assert failures(release)
