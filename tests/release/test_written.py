"""A released file has one valid form, and a forger who finds another form does not pass.

The forger knows the program, and makes all fingerprints in the certificate again, in the right
form. Roadstead reads the same contents as before, and every requirement is met. But another program
reads something else, or text is hidden between the cells.
"""

from __future__ import annotations

import gzip
import json
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from commands import run, undrawn
from pyarrow import parquet
from signed_releases import keys
from small_tables import PATIENTS, patients, read_csv, write_csv

import roadstead as rs
from roadstead.errors import VerificationError
from roadstead.release.documents import fingerprint, json_text
from roadstead.tables import sinks
from roadstead.tables.source import Parquet

ROLES: dict[str, Any] = {
    "quasi": ["age", "sex", "zip"],
    "identifiers": ["name", "record"],
    "unchanged": ["diagnosis"],
    "suppression": 0.03,
}
RARE = [(f"Rare{i}", f"R{i}", str(20 + 5 * i), "X", f"0213{i}", "flu") for i in range(8)]
UNREAD = "the table can be read"
ROWS = [*patients(400), *RARE]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same release as a text file, as a gzipped one, as Parquet, and one without a header."""
    folder = tmp_path_factory.mktemp("originals")
    write_csv(folder / "plain.csv", PATIENTS, ROWS)
    write_csv(folder / "zipped.csv.gz", PATIENTS, ROWS, gzipped=True)
    write_csv(folder / "bare.csv", None, ROWS)
    columns = dict(zip(PATIENTS, map(list, zip(*ROWS, strict=True)), strict=True))
    costs = np.array([float("nan"), -0.0, 0.0, 1.5] * (len(ROWS) // 4))
    parquet.write_table(pa.table({**columns, "cost": costs}), folder / "columns.parquet")
    numbered = dict(zip([f"column_{i}" for i in range(1, 7)], PATIENTS, strict=True))
    bare = {
        key: [next(own for own, name in numbered.items() if name == one) for one in ROLES[key]]
        for key in ("quasi", "identifiers", "unchanged")
    }
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        for name, more in (
            ("plain.csv", {}),
            ("zipped.csv.gz", {}),
            ("columns.parquet", {"unchanged": ["diagnosis", "cost"]}),
            ("bare.csv", bare),
        ):
            rs.anonymize(folder / name, **ROLES | more).write(folder / name.split(".")[0])
    return folder


def certificate(release: Path) -> dict[str, Any]:
    """Read the certificate as JSON."""
    found: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return found


def certify(release: Path, **form: Any) -> None:  # noqa: ANN401 - entries of JSON
    """Write a certificate that fits the files as they are now, with another form of the table."""
    document = certificate(release)
    document["format"] |= form
    document["table"] = vars(fingerprint(release / document["table"]["name"]))
    (release / "certificate.json").write_text(json_text(document), "utf-8")


def why(release: Path) -> str:
    """Say what the check of the file found, or why the file could not be read."""
    names = {
        f"{certificate(release)['table']['name']} has the format that Roadstead writes",
        UNREAD,
    }
    (check,) = [one for one in rs.verify(release).failed if one.check in names]
    return check.detail


def test_releases_pass_as_they_were_written_and_say_how_they_were_read(originals: Path) -> None:
    """One line names the form and the number of columns."""
    for name, read in {
        "plain": "comma-separated, UTF-8, header, 4 columns",
        "zipped": "comma-separated, UTF-8, header, gzipped, 4 columns",
        "bare": "comma-separated, UTF-8, header, 4 columns",  # the source's had none
        "columns": "Parquet, 5 columns",
    }.items():
        found = rs.verify(originals / name)
        assert found.passed, found.failed
        table = certificate(originals / name)["table"]["name"]
        (check,) = [one for one in found.checks if one.check.startswith(f"{table} has the format")]
        assert check.detail == f"read as {read}"


Bytes = Callable[[bytes], bytes]


def encoded(name: str) -> Bytes:
    """Write a text in another encoding."""
    return lambda content: content.decode().encode(name)


def last_row_first(content: bytes) -> bytes:
    """Let two records change places."""
    head, first, *rest, last, end = content.split(b"\n")
    assert first != last
    return b"\n".join([head, last, *rest, first, end])


BYTES = "its bytes differ from the bytes that Roadstead writes for these cells"
OTHER = "other programs read the file differently"
TEXTS: dict[str, tuple[Bytes, dict[str, Any], str]] = {
    "UTF-7": (lambda content: content.replace(b"F,", b"+AEY-,"), {"encoding": "utf-7"}, OTHER),
    "Shift JIS": (encoded("shift_jis"), {"encoding": "shift_jis"}, OTHER),
    "ISO-2022": (encoded("iso2022_jp"), {"encoding": "iso2022_jp"}, OTHER),
    "EBCDIC": (encoded("cp500"), {"encoding": "cp500"}, OTHER),
    "UTF-16": (encoded("utf-16"), {"encoding": "utf-16"}, OTHER),
    "cp1252": (bytes, {"encoding": "cp1252"}, OTHER),
    "another quote": (
        lambda content: content.replace(b",F,", b",'F',"),
        {"quote": "'"},
        OTHER,
    ),
    "names over names": (
        bytes,
        {"columns": ["age", "sex", "zip", "diagnosis"]},
        "names the columns, but the file has its own",
    ),
    "a header that is a record": (
        bytes,
        {"header": False, "columns": ["age", "sex", "zip", "diagnosis"]},
        "the first record looks like a header",
    ),
    "a delimiter that is not the file's": (
        bytes,
        {"delimiter": ";"},
        "a column name contains a comma",
    ),
    "no newline said": (bytes, {"newline": "\r\n"}, "does not describe the format"),
    "no compression said": (bytes, {"compressed": None}, "does not describe the format"),
    "a mark before the text": (
        lambda content: b"\xef\xbb\xbf" + content,
        {},
        "read in another way",
    ),
    "quotes that are not needed": (lambda content: content.replace(b",F,", b',"F",'), {}, BYTES),
    "a blank line at the end": (lambda content: content + b"\n", {}, BYTES),
    "a blank line between": (lambda content: content.replace(b"\n", b"\n\n", 2), {}, BYTES),
    "no line break at the end": (lambda content: content.rstrip(b"\n"), {}, BYTES),
    "lines as in DOS": (lambda content: content.replace(b"\n", b"\r\n"), {}, BYTES),
    "one line as in DOS": (lambda content: content.replace(b"\n", b"\r\n", 1), {}, BYTES),
    "another order": (last_row_first, {}, "its records are in a different order"),
}


@pytest.mark.quick(10)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_file_that_reads_otherwise_does_not_pass(
    originals: Path, tmp_path: Path, kind: str
) -> None:
    """Though all that the certified reading shows keeps the promise."""
    change, form, reason = TEXTS[kind]
    release = Path(shutil.copytree(originals / "plain", tmp_path / "release"))
    path = release / "plain.csv"
    path.write_bytes(change(path.read_bytes()))
    certify(release, **form)
    assert reason in why(release)


def with_header(flags: int, more: bytes = b"", mtime: int = 0) -> Bytes:
    """Write the header of a gzip file again, with more in it."""

    def change(content: bytes) -> bytes:
        head = struct.pack("<2sBBIBB", b"\x1f\x8b", 8, flags, mtime, 0, 255)
        return head + more + content[10:]

    return change


def in_two_members(content: bytes) -> bytes:
    """Divide what is compressed."""
    plain = gzip.decompress(content)
    return gzip.compress(plain[:99], mtime=0) + gzip.compress(plain[99:], mtime=0)


def with_empty_blocks(content: bytes) -> bytes:
    """Put blocks without content between those of the stream."""
    plain = gzip.decompress(content)
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    parts = [
        packer.compress(plain[:99]),
        packer.flush(zlib.Z_FULL_FLUSH),
        packer.compress(plain[99:]),
    ]
    return b"".join([*parts, packer.flush()])


ZIPPED: dict[str, Bytes] = {
    "a file name": with_header(8, b"Jane Doe\0"),
    "a comment": with_header(16, b"Jane Doe, HIV\0"),
    "an extra field": with_header(4, struct.pack("<H", 8) + b"Jane Doe"),
    "a time": with_header(0, mtime=1_700_000_000),
    "two members": in_two_members,
    "an empty member at the end": lambda content: content + gzip.compress(b"", mtime=0),
    "another level": lambda content: gzip.compress(gzip.decompress(content), 1, mtime=0),
    "empty blocks": with_empty_blocks,
}


@pytest.mark.parametrize("kind", ZIPPED)
def test_a_gzip_file_that_holds_more_does_not_pass(
    originals: Path, tmp_path: Path, kind: str
) -> None:
    """Though it unpacks to the same text."""
    release = Path(shutil.copytree(originals / "zipped", tmp_path / "release"))
    path = release / "zipped.csv.gz"
    before = path.read_bytes()
    path.write_bytes(ZIPPED[kind](before))
    assert gzip.decompress(path.read_bytes()) == gzip.decompress(before)
    assert path.read_bytes() != before
    certify(release)
    assert BYTES in why(release)


def with_metadata(path: Path) -> None:
    """Add an entry that programs do not show."""
    table = parquet.read_table(path)
    parquet.write_table(table.replace_schema_metadata({"note": "Jane Doe"}), path)


def with_metadata_of_a_column(path: Path) -> None:
    """Add one to a column."""
    table = parquet.read_table(path)
    fields = [field.with_metadata({"note": "Jane Doe"}) for field in table.schema]
    parquet.write_table(table.cast(pa.schema(fields)), path)


def before_the_footer(path: Path) -> None:
    """Put bytes between the last row group and the footer, which nothing refers to."""
    content = path.read_bytes()
    size = int.from_bytes(content[-8:-4], "little") + 8
    path.write_bytes(content[:-size] + b"Jane Doe, HIV" + content[-size:])


def with_unused_value(path: Path) -> None:
    """Let the dictionary of a column list a value that no record has."""
    table = parquet.read_table(path)
    values = table["diagnosis"].to_pylist()
    known = [*sorted(set(values)), "Jane Doe"]
    coded = pa.DictionaryArray.from_arrays([known.index(one) for one in values], known)
    at = table.schema.get_field_index("diagnosis")
    parquet.write_table(table.set_column(at, "diagnosis", coded), path, store_schema=False)


def in_two_groups(path: Path) -> None:
    """Divide the rows otherwise."""
    parquet.write_table(parquet.read_table(path), path, row_group_size=100)


def other_bits(path: Path) -> None:
    """Write other bits of the same number, by the hand that writes releases."""
    table = parquet.read_table(path)
    cost = table["cost"].to_numpy().copy()
    cost.view(np.uint64)[np.isnan(cost)] = 0x7FF8_4A61_6E65_0000
    at = table.schema.get_field_index("cost")
    changed = table.set_column(at, "cost", pa.array(cost, from_pandas=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sinks, "_one_spelling", lambda rows, _: rows)
        sinks.write(changed.to_reader(), path, Parquet())


def negative_zeros(path: Path) -> None:
    """Let some zeros be negative, by the same hand."""
    table = parquet.read_table(path)
    cost = table["cost"].to_numpy().copy()
    cost[np.flatnonzero(cost == 0)[:3]] = -0.0
    at = table.schema.get_field_index("cost")
    changed = table.set_column(at, "cost", pa.array(cost, from_pandas=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sinks, "_one_spelling", lambda rows, _: rows)
        sinks.write(changed.to_reader(), path, Parquet())


@pytest.mark.parametrize(
    "change",
    [
        with_metadata,
        with_metadata_of_a_column,
        before_the_footer,
        with_unused_value,
        in_two_groups,
        other_bits,
        negative_zeros,
    ],
)
def test_a_parquet_file_that_holds_more_does_not_pass(
    originals: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    """Though each record reads the same."""
    release = Path(shutil.copytree(originals / "columns", tmp_path / "release"))
    path = release / "columns.parquet"
    before = parquet.read_table(path)
    change(path)
    now = parquet.read_table(path).cast(before.schema)
    assert str(now.to_pylist()).replace("-0.0", "0.0") == str(before.to_pylist())
    certify(release)
    assert BYTES in why(release)


def test_a_parquet_file_of_another_version_of_the_engine_says_which(
    originals: Path, tmp_path: Path
) -> None:
    """It cannot be compared, so it fails, and the reason says what to install."""
    release = Path(shutil.copytree(originals / "columns", tmp_path / "release"))
    path = release / "columns.parquet"
    made = parquet.read_metadata(path).created_by
    version = made.split()[2].removeprefix("v")
    other = version[:-1] + str((int(version[-1]) + 1) % 10)
    path.write_bytes(
        path.read_bytes().replace(made.encode(), made.replace(version, other).encode())
    )
    certify(release)
    assert f"install duckdb=={other} and verify again" in why(release)


def test_neither_sign_nor_gate_takes_a_file_that_reads_otherwise(
    originals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below k to a program that reads UTF-8: sixteen spellings of the one class."""
    monkeypatch.chdir(tmp_path)
    release = Path(shutil.copytree(originals / "plain", tmp_path / "release"))
    path = release / "plain.csv"
    head, *rows = path.read_bytes().decode().splitlines()
    spelled = [row.replace("F", "+AEY-") if at % 2 else row for at, row in enumerate(rows)]
    path.write_text("\n".join([head, *spelled, ""]), "utf-8")
    certify(release, encoding="utf-7")
    assert not rs.verify(release).passed
    keys(tmp_path, "officer")
    with pytest.raises(VerificationError, match="has the format that Roadstead writes"):
        rs.sign(release, key="officer", name="Ana Ruiz")
    Path("gate.toml").write_text("[promise]\nk = 5\n", "utf-8")
    found = rs.gate(release, rules="gate.toml")
    assert not found.passed
    assert "has the format that Roadstead writes" in found.rules[0].detail


@pytest.mark.parametrize(
    ("form", "options", "said"),
    [
        ({"encoding": "cp1252"}, ["--encoding", "cp1252"], "UTF-8, header. t.csv is comma"),
        ({"encoding": "utf-16"}, [], "comma-separated, UTF-8"),
        ({"delimiter": "~"}, ["--delimiter", "~"], "comma-separated"),
    ],
)
def test_a_source_of_another_form_is_released_in_utf8_and_that_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: dict[str, Any],
    options: list[str],
    said: str,
) -> None:
    """Fault class: the release takes over a form that its readers do not expect."""
    monkeypatch.chdir(tmp_path)
    rows = [(str(30 + i % 2), ("Köln", "Łódź")[i % 2].replace("Łódź", "Bön")) for i in range(40)]
    write_csv(tmp_path / "t.csv", ("age", "ort"), rows, **form)
    ran = run("anonymize", "t.csv", "--quasi", "age,ort", "--out", "release", *options)
    assert ran.code == 0, ran
    assert "The files of the release are" in ran.out
    assert said in ran.out
    assert {row[1] for row in read_csv(tmp_path / "release" / "t.csv")[1:]} == {"Köln", "Bön"}
    assert rs.verify("release").passed


def test_names_that_split_otherwise_are_quoted(tmp_path: Path) -> None:
    """A file with semicolons whose column name holds a comma is released with commas."""
    rows = [(str(30 + i % 2), "x") for i in range(40)]
    write_csv(tmp_path / "t.csv", ("age, years", "ward"), rows, delimiter=";")
    out = tmp_path / "release"
    rs.anonymize(tmp_path / "t.csv", quasi=["age, years"], unchanged=["ward"]).write(out)
    assert (out / "t.csv").read_text("utf-8").startswith('"age, years",ward\n')
    assert rs.verify(out).passed


def test_a_release_without_a_header_gets_one_if_its_first_record_reads_as_one(
    tmp_path: Path,
) -> None:
    """Fault class: a program takes the first record for names, and loses it."""
    write_csv(tmp_path / "t.csv", None, [("FM"[i % 2], ("flu", "cold")[i % 2]) for i in range(40)])
    source = rs.read(tmp_path / "t.csv", header=False)
    out = tmp_path / "release"
    rs.anonymize(source, quasi=["column_1"], unchanged=["column_2"]).write(out)
    assert read_csv(out / "t.csv")[0] == ("column_1", "column_2")
    assert len(read_csv(out / "t.csv")) == 41
    assert rs.verify(out).passed
