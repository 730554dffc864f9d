"""Data frames that R itself wrote have the same types and cells in a release."""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import lzma
import struct
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import roadstead as rs
from roadstead.errors import SourceError
from roadstead.tables.formats.r.serialized import RObject, read_objects
from roadstead.tables.reading import read

WRITTEN_BY_R = """
/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4BWhAvFdACwCfBn5r/QdO56YNX7q0PQhTbNFUsa9mj0Wq+lMIGK089ecFeYVz4wd
to8DytY3YuDGfpUIJjG4V4UmP9Q49cmxv+lXdQpEbSRB0JS1uqceEEE1YqcQcfB6HN5vSrZJjZRkWoqjHrRrP7uixhDJ1MNY
dn8digWsIRoxy8Qng+dX+kkNyQxJWv96pHTw2F5OuWCmBi+yi0+YwBegnjbFK0KQjYoeoYVnV6FXo6kgrdYuAzCJpJM0DUrn
WeD+d8PR6GPMc8sKQh3HRDOlFNJr3CtILKATsjR//PwBzX20429TGq0DA7TdQPPJf6HBK8RGkIrgirEfNfVa1tNDwGS/vt24
x/+kShmZ5ALBPulJ4WkmfcvRDiKZ5EWUpYDPb+JOOrVcsHqYwdIBSdn5Ke4m6/zhd5+glhlEW0l2ZA13XP6bge69ElkNVBxV
Q/wLie2NduqR++Zqf/rxy+qBJymdKrvfsMRO9TMQVZ9EeN8D2QYLChkNdiG/UD+RNDfLM4hIiyXe7JOPmhRyqr5mxI7XIcHP
huCTmmncETevseHSXsLzaIIG+fmNrmkD1T9CujvHCuFQus4Jm5sNJu5gzf3CEdS8xOmPt9qcFNtU6UGfgqhChmSOY+2pz/3m
LSkRSgr6e9jiX9bguR+q0fNQU3ok2w+8gxSLZGveYD/QCSt+y2bNrmNYJG79Ycw4WZWUct/rKv/Pri8I4IdldfS8DYbrWSZY
hW7CAVJmyvYbbIrs8BotLAnxb2phPdhsbqzBNdagX518E0BiumKd7adUgIK5mULQ3lcuUlXxg8h47NPkcQh36vz60ZhVZbg0
IEoxYihByFzMjIl4Rj39KO/LReFpNYG5q7Qy9yc/k2oc6ik6FvusPFZzsOO8Xe3Wumxu+7Cr5znV6JVQ4ydUfHDb5SeftZQl
t2fCpEDy6qsqzYopcVxVp/sHDnJMy8fd55GKQRse56835c5MyZKOm6QO4SGsT5TY2almf9tNNMIuGx01XEDjIgAAAAAf+luj
AAGJBqIrAADiHNCmPjANiwIAAAAAAVla
"""
"""Forty records that R 4.2 wrote. The file has compact vectors, an environment, and a formula.

The columns have the types that their names suggest: days, times in Zurich, times without a zone, an
ordered factor, whole numbers of 64 bits, durations, truth values, and codes of the package haven.
"""
ARRAY = """
/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4ABpAEFdACwCfBn5r/QdO56YNX7q0PQhTbNFTPhki0GAumfRaNw8eeQIkPQfzDIa
99Fur4ZAmlm3FsvjNXU7g6lY6LNaSnkAAAAAALCuquwAAVlqcNuY5pBCmQ0BAAAAAAFZWg==
"""
LISTS = """
/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AENAIBdACwCfBn5r/QdO56YNX7q0PQhTbNFUsa9mj0ULtgQ3geZ0G8klvwj9MXl
HN9gyntrYruFYuWrbyALRaDbkI4cb8+9a/6ryRoOtQEWYmcyjoaa1z9CxO6J38dNWzRAKvIcaW8HJeSt7RBGpR/kVBMkNcCs
Cs4tmXCYy6ioCq/PaLAAAN+y9uYAAZgBjgIAACV8AgE+MA2LAgAAAAABWVo=
"""
UNCHANGED = (
    "size",
    "row",
    "day",
    "stored",
    "stage",
    "large",
    "time",
    "well",
    "town",
    "name",
    "score",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file that R wrote."""
    made = tmp_path / "trial.rds"
    made.write_bytes(base64.b64decode(WRITTEN_BY_R))
    return made


def columns_of(path: Path) -> dict[str, RObject]:
    """Return the columns of a file as R has them."""
    (frame,) = read_objects(path).values()
    return dict(zip(frame.texts("names"), frame.values, strict=True))


def test_each_type_of_r_is_read(path: Path) -> None:
    """Fault class: times with fractions were a bug of ours, and 64-bit numbers were wrong."""
    with read(path) as source:
        said, rows = source.format.describe(), source.table.to_pyarrow().to_pylist()
    first, second, _, fourth = rows[:4]
    assert "value labels in 1 column, times without a zone in 1 column read in UTC" in said
    assert [first["row"], first["name"], first["number"]] == [1, "1", "1"]
    assert [one["size"] for one in rows[:4]] == [0.1 + 0.2, -1e300, None, 2.0**53]
    assert [first["day"], fourth["day"]] == [dt.date(1958, 11, 27), None]
    assert first["seen"].astimezone(ZoneInfo("Europe/Zurich")).date() == dt.date(1980, 5, 5)
    assert fourth["stored"] == dt.datetime(2001, 2, 3, 4, 5, 6, 373_457)  # noqa: DTZ001 - as R
    assert [one["stage"] for one in rows[:4]] == ["low", "mid", "high", None]
    assert [first["large"], second["large"]] == [1, 2]
    assert [one["well"] for one in rows[:3]] == [True, None, False]
    assert [one["score"] for one in rows[:4]] == [1, 2, None, None]  # -9 and NA(a) are missing
    assert first["town"] == "Zürich"


def test_unchanged_columns_are_the_same_to_the_last_bit(path: Path, tmp_path: Path) -> None:
    """Fault class: dates were texts, NA was NaN, and whole numbers were doubles."""
    out = tmp_path / "out"
    made = rs.anonymize(path, quasi=["sex", "place"], release_anyway=[*UNCHANGED, "seen"], k=5)
    made.write(out)
    assert rs.verify(out).passed
    before, after = columns_of(path), columns_of(out / "trial.rds")
    for name in (*UNCHANGED, "seen"):
        own, new = before[name], after[name]
        assert new.kind == own.kind, name
        for attribute in ("class", "units", "label"):
            assert new.texts(attribute) == own.texts(attribute), (name, attribute)
        cells = [sorted(map(repr, [*one.values])) for one in (own, new)]
        if name != "stored":  # a time is rounded to microseconds
            assert cells[0] == cells[1], name
    for attribute in ("labels", "na_values"):
        own, new = (one["score"].attributes[attribute] for one in (before, after))
        assert [*new.values] == [*own.values]
        assert new.texts("names") == own.texts("names")
    letters = [one["score"].values.tobytes().count(b"a\0\0\x07\xa2") for one in (before, after)]
    assert letters == [10, 10]  # of NA(a)
    assert after["seen"].texts("tzone") == ["Europe/Zurich"]
    assert after["stored"].texts("tzone") == [""]
    assert after["stage"].texts("levels") == ["low", "mid", "high"]
    assert after["place"].kind == before["place"].kind


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (base64.b64decode(ARRAY), "it has no data frame"),
        (base64.b64decode(LISTS), "column 'm': contains lists"),
        (gzip.compress(b"X\n\0\0\0\3" + bytes(9)), "the file is damaged, or has objects"),
    ],
    ids=["array", "lists", "damaged"],
)
def test_other_objects_of_r_are_refused(content: bytes, said: str, tmp_path: Path) -> None:
    """In one line, without a cell."""
    (tmp_path / "v.rds").write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read(tmp_path / "v.rds")


@pytest.mark.quick(1)
@pytest.mark.parametrize("zone", ["Mars/Crater", "EST5EDT", "GMT"])
def test_the_zone_of_times_stays_in_a_release(zone: str, path: Path, tmp_path: Path) -> None:
    """Fault class: a zone that the library does not know was a bug of ours."""
    content = lzma.decompress(path.read_bytes())
    size = len("Europe/Zurich").to_bytes(4, "big")
    written = len(zone).to_bytes(4, "big") + zone.encode()
    path.write_bytes(content.replace(size + b"Europe/Zurich", written))
    out = tmp_path / "out"
    rs.anonymize(path, quasi=["sex"], release_anyway=["seen"], k=5).write(out)
    released = columns_of(out / "trial.rds")["seen"]
    assert released.texts("tzone") == [zone]
    assert sorted(released.values) == sorted(columns_of(path)["seen"].values)


def test_a_compact_sequence_without_end_is_refused(tmp_path: Path) -> None:
    """Fault class: a file of 100 bytes that asks for a million gigabytes."""
    pair, text, real = b"\0\0\0\2", b"\0\0\0\x09", b"\0\0\0\x0e"
    name = b"\0\0\0\x10" + (1).to_bytes(4, "big") + text
    name += len(b"compact_realseq").to_bytes(4, "big") + b"compact_realseq"
    info = pair + name + b"\0\0\0\xfe"
    state = real + (3).to_bytes(4, "big") + struct.pack(">3d", 1e15, 1.0, 1.0)
    content = b"X\n\0\0\0\2" + bytes(8) + b"\0\0\0\xee" + info + state + b"\0\0\0\xfe"
    (tmp_path / "long.rds").write_bytes(gzip.compress(content))
    with pytest.raises(SourceError, match="damaged"):
        read(tmp_path / "long.rds")
