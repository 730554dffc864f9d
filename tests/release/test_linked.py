"""Releases with and without a pseudonym that links the rows of a person.

Plain Python reads the written files again, and counts people by the definition.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
import pytest
from person_tables import fewest_fitting, read_visits, rows_of, visits, write_visits
from promises import promise_in

from roadstead import Anonymization, anonymize, apply, verify
from roadstead.errors import InputError, PolicyError, SettingError
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.persons.linking import pairs_of, renamed_in
from roadstead.release.persons.pseudonyms import Pseudonyms, read_key, write_key
from roadstead.requests.fields import options_of
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.key.request import KeyRequest

QUASI = ("age", "sex", "ward")
K = 4


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits of 500 people."""
    return write_visits(tmp_path_factory.mktemp("visits") / "visits.csv", visits(500))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A key of the custodian's."""
    path = tmp_path / "custodian" / "key"
    path.parent.mkdir()
    write_key(path)
    return path


def linked(table: object, **more: Any) -> Anonymization:  # noqa: ANN401 - fields of a request
    """Link the rows of a person, with some people left out."""
    given = {"k": K, "suppression": 0.5, "link": "pseudonym", **more}
    return anonymize(table, quasi=QUASI, person="patient", **given)


def failures(release: Path) -> set[str]:
    """Names of the checks that fail."""
    return {check.check for check in verify(release).failed}


def forged(release: Path, table: list[dict[str, str]], **certified: int) -> Path:
    """Write another table, and correct the certificate for it."""
    with (release / "visits.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    path = release / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    found = fingerprint(release / "visits.csv")
    document["table"] = {"name": found.name, "sha256": found.sha256, "bytes": found.bytes}
    for name, value in certified.items():
        document["counts" if name in document["counts"] else "persons"][name] = value
    path.write_text(json_text(document), encoding="utf-8")
    return release


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", ["2", "3", "all"])
def test_what_is_known_of_a_person_fits_k_of_those_in_the_file(
    table: Path, tmp_path: Path, knows: str
) -> None:
    """Counted in plain Python, by pseudonym; every person in the release keeps all rows."""
    result = linked(table, knows=knows)
    assert result.write(tmp_path / "release").passed
    released = rows_of(read_visits(tmp_path / "release" / "visits.csv"), "patient", QUASI)
    original = rows_of(read_visits(table), "patient", QUASI)
    assert fewest_fitting(released, knows) >= K
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text("utf-8"))
    persons, risk = certificate["persons"], certificate["risk"]
    assert persons["released"] == len(released) == len(original) - persons["left_out"]
    assert str(persons["knows"]) == knows
    assert 0 < persons["left_out"] < len(original)
    assert risk["smallest_class"] == fewest_fitting(released, knows)
    assert risk["maximum"] == 1 / risk["smallest_class"]
    assert not set(released) & set(original)


def test_without_links_a_class_has_k_persons(table: Path, tmp_path: Path) -> None:
    """By the rows of the source, whose place in the release is that of their content."""
    result = anonymize(
        table,
        quasi=QUASI,
        person="patient",
        k=K,
        suppression=0.5,
        max_level=dict.fromkeys(QUASI, 0),
    )
    verification = result.write(tmp_path / "release")
    assert verification.passed
    released = {tuple(row.values()) for row in read_visits(tmp_path / "release" / "visits.csv")}
    original = read_visits(table)
    for row in original:  # all ages over 89 are one band
        row["age"] = "90+" if int(row["age"]) >= 90 else row["age"]
    whose = {
        row: {one["patient"] for one in original if tuple(one[name] for name in QUASI) == row}
        for row in {tuple(one[name] for name in QUASI) for one in original}
    }
    assert released == {row for row, persons in whose.items() if len(persons) >= K} != set(whose)
    assert any("different people each group has" in one for one in verification.unchecked)
    assert "certified number of different people in each group" in verification.promise_rests_on


@pytest.mark.nightly
def test_a_promise_says_whose_the_records_are(table: Path, tmp_path: Path) -> None:
    """Without people, each record counts as another person."""
    linked(table).write(tmp_path / "linked")
    anonymize(table, quasi=QUASI, person="patient").write(tmp_path / "unlinked")
    anonymize(table, quasi=QUASI, identifiers=["patient"]).write(tmp_path / "records")
    said = {
        path.name: json.loads((path / "certificate.json").read_text(encoding="utf-8"))
        for path in tmp_path.iterdir()
    }
    taken = "Each record is assumed to belong to a different person."
    assert {name for name in said if taken in promise_in(tmp_path / name)} == {"records"}
    assert "persons" not in said["records"]
    assert said["linked"]["persons"]["linkage"] == "pseudonym"
    assert said["unlinked"]["persons"]["linkage"] == "none"
    assert "pseudonym" in promise_in(tmp_path / "linked")


def test_releases_agree_by_the_key_alone(table: Path, tmp_path: Path, key: Path) -> None:
    """Anonymized and applied with the key, people have one pseudonym; without it, others."""
    first = linked(table, key=key)
    first.write(tmp_path / "first")
    policy = tmp_path / "first" / "policy.json"
    again = apply(policy, table, key=key)
    again.write(tmp_path / "again")
    apply(policy, table).write(tmp_path / "other")
    linked(table).write(tmp_path / "another")
    persons = [
        set(rows_of(read_visits(tmp_path / name / "visits.csv"), "patient", QUASI))
        for name in ("first", "again", "other", "another")
    ]
    assert persons[0] == persons[1]
    assert not persons[0] & persons[2]
    assert not persons[0] & persons[3]
    assert not persons[2] & persons[3]
    made = {
        name: json.loads((tmp_path / name / "certificate.json").read_text("utf-8"))["persons"]
        for name in ("again", "other")
    }
    assert [one["pseudonyms"] for one in made.values()] == ["keyed", "forgotten"]


def test_listing_every_record_number_finds_nobody(table: Path, tmp_path: Path, key: Path) -> None:
    """No plain hash of a record number, in whatever writing, is in the release."""
    linked(table, key=key).write(tmp_path / "release")
    released = set(rows_of(read_visits(tmp_path / "release" / "visits.csv"), "patient", QUASI))
    for number in range(1000):
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b"):
            digest = hashlib.new(name, f"P{number:05}".encode()).digest()
            assert not {digest.hex(), digest.hex()[:26], digest.hex()[:32]} & released
    assert not {"hash", "salt", "digest"} & set(options_of(AnonymizeRequest))


def test_the_order_of_a_release_is_not_that_of_the_source(tmp_path: Path) -> None:
    """People in order in the source are unordered by pseudonym, and in the file."""
    rows = [(f"P{at:05}", "30", "F", "A") for at in range(400)]
    path = write_visits(tmp_path / "visits.csv", rows)
    # A column that is another for each person shows who is who to this test alone.
    own = write_visits(
        tmp_path / "own.csv",
        [(*row, f"n{at}") for at, row in enumerate(rows)],
        ("patient", "age", "sex", "ward", "note"),
    )
    result = anonymize(
        own, quasi=QUASI, person="patient", link="pseudonym", unchanged=["note"]
    ).to_arrow()
    for ordered in (result, result.sort_by("patient")):
        places = [int(note[1:]) for note in ordered.column("note").to_pylist()]
        ascending = sum(a < b for a, b in pairwise(places))
        assert 130 < ascending < 270
    assert linked(path).to_arrow().num_rows == len(rows)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["memory", "duckdb", "ibis"])
def test_every_engine_links_alike(table: Path, tmp_path: Path, key: Path, kind: str) -> None:
    """A file, a database and a table in memory give the same release."""
    expected = linked(table, key=key).to_arrow().to_pylist()
    source: Any = pa.Table.from_pylist(read_visits(table))
    if kind == "duckdb":
        path = tmp_path / "visits.duckdb"
        with duckdb.connect(path) as con:
            con.execute(f"CREATE TABLE visits AS FROM read_csv('{table}', all_varchar = true)")
        source = f"duckdb://{path}?table=visits"
    elif kind == "ibis":
        source = ibis.memtable(source)
    result = linked(source, key=key)
    assert result.to_arrow().to_pylist() == expected
    assert result.table().to_pyarrow().to_pylist() == expected
    if kind == "duckdb":
        into = f"duckdb://{tmp_path / 'out.duckdb'}?table=released"
        assert result.write(tmp_path / "release", into=into).passed
        assert verify(tmp_path / "release", table=into).passed


@pytest.mark.nightly
def test_whole_numbers_name_persons_too(tmp_path: Path, key: Path) -> None:
    """A person's number is the same as a number and as a text."""
    rows = [(str(int(row[0][1:])), *row[1:]) for row in visits(300)]
    path = write_visits(tmp_path / "visits.csv", rows)
    numbers = pa.Table.from_pylist(
        [{**row, "patient": int(row["patient"])} for row in read_visits(path)]
    )
    as_numbers, as_texts = (linked(one, key=key).to_arrow() for one in (numbers, path))
    assert set(as_numbers.column("patient").to_pylist()) == set(
        as_texts.column("patient").to_pylist()
    )


def test_a_linked_release_that_was_tampered_with_fails(table: Path, tmp_path: Path) -> None:
    """Even by a forger who puts the new fingerprint into the certificate."""
    linked(table, key=None).write(tmp_path / "original")
    rows = read_visits(tmp_path / "original" / "visits.csv")
    by_person = rows_of(rows, "patient", QUASI)
    several = next(name for name, own in by_person.items() if len(set(own)) > 1)
    other = next(name for name in by_person if name != several)

    def copy(name: str) -> Path:
        return Path(shutil.copytree(tmp_path / "original", tmp_path / name))

    # One row gets a pseudonym of its own: there is a person too many.
    split = [dict(row) for row in rows]
    next(row for row in split if row["patient"] == several)["patient"] = "a" * 26
    assert "the number of people matches the certificate" in failures(forged(copy("split"), split))
    # Two people become one: one is missing, and their joined rows may be unique.
    joined = [{**row, "patient": several} if row["patient"] == other else row for row in rows]
    assert "the number of people matches the certificate" in failures(
        forged(copy("joined"), joined)
    )
    # A row of a person is left out, or put in twice: rows are not as many as certified.
    assert "the number of records matches the certificate" in failures(
        forged(copy("fewer"), rows[1:])
    )
    twice = forged(copy("twice"), [*rows, rows[0]])
    assert "the number of records matches the certificate" in failures(twice)
    # A person with unique rows; the certificate counts it.
    certificate = json.loads((tmp_path / "original" / "certificate.json").read_text("utf-8"))
    released, persons = certificate["counts"]["released"], certificate["persons"]["released"]
    new = [{**rows[0], "patient": "b" * 26} for _ in range(9)]
    alone = forged(
        copy("alone"),
        [*rows, *new],
        released=released + 9,
        records=certificate["counts"]["records"] + 9,
        persons=certificate["persons"]["persons"] + 1,
    )
    assert "the number of people matches the certificate" in failures(alone)
    counted = copy("counted")
    path = (
        forged(
            counted,
            [*rows, *new],
            released=released + 9,
            records=certificate["counts"]["records"] + 9,
        )
        / "certificate.json"
    )
    document = json.loads(path.read_text(encoding="utf-8"))
    document["persons"] |= {
        "released": persons + 1,
        "persons": certificate["persons"]["persons"] + 1,
    }
    path.write_text(json_text(document), encoding="utf-8")
    failed = failures(counted)
    assert "the number of people matches the certificate" not in failed
    assert any("anonymity of people" in name for name in failed) == (
        fewest_fitting(rows_of([*rows, *new], "patient", QUASI), 2) < K
    )


def test_a_record_number_is_no_pseudonym(table: Path, tmp_path: Path) -> None:
    """The original person ID column is found, although all counts are right."""
    linked(table).write(tmp_path / "release")
    rows = read_visits(tmp_path / "release" / "visits.csv")
    numbers = {name: f"P{at:05}" for at, name in enumerate({row["patient"] for row in rows})}
    as_it_was = [{**row, "patient": numbers[row["patient"]]} for row in rows]
    order = {"visits.csv has the format that Roadstead writes"}  # other names sort in another way
    found = failures(forged(tmp_path / "release", as_it_was))
    assert found - order == {"every person has a pseudonym"}
    hidden = [{**row, "patient": row["patient"] + numbers[row["patient"]]} for row in rows]
    found = failures(forged(tmp_path / "release", hidden))
    assert found - order == {"every person has a pseudonym"}


def test_what_is_said_of_persons_must_be_what_the_policy_says(table: Path, tmp_path: Path) -> None:
    """The section of people cannot be removed or give another number of known rows."""
    linked(table).write(tmp_path / "release")
    path = tmp_path / "release" / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    whose = "the policy and the certificate agree on the person ID"
    certified_words = {"knows", "column", "linkage", "pseudonyms"}
    for change in (
        {"knows": "all"},
        {"column": "ward"},
        {"linkage": "none"},
        {"pseudonyms": None},
        {"left_out": document["persons"]["left_out"] + 1},
        {"in_part": 1},  # if people are left out whole, no person is in part
    ):
        changed = {**document, "persons": {**document["persons"], **change}}
        path.write_text(json_text(changed), encoding="utf-8")
        failed = failures(tmp_path / "release")
        expected = (
            whose if change.keys() & certified_words else "the certified numbers of people add up"
        )
        assert expected in failed
    del document["persons"]
    path.write_text(json_text(document), encoding="utf-8")
    assert whose in failures(tmp_path / "release")


def test_what_makes_no_sense_is_refused(table: Path, tmp_path: Path, key: Path) -> None:
    """With the reason."""
    with pytest.raises(
        SettingError, match="an attacker who knows two rows can single the person out"
    ):
        linked(table, knows="1")
    with pytest.raises(SettingError, match="nothing uses the key"):
        linked(table, link="none", key=key)
    with pytest.raises(SettingError, match="this setting requires a person ID column"):
        anonymize(table, quasi=QUASI, link="pseudonym")
    with pytest.raises(SettingError, match="single rows cannot be left out"):
        linked(table, leave_out="rows")
    with pytest.raises(SettingError, match="counting people requires k-anonymity"):
        anonymize(
            table,
            quasi=QUASI[:2],
            sensitive=["ward"],
            person="patient",
            link="pseudonym",
            knows="all",
            k=1,
            privacy=[{"kind": "distinct-l-diversity", "column": "ward", "l": 2}],
        )
    result = linked(table)
    result.write(tmp_path / "release")
    document = json.loads((tmp_path / "release" / "policy.json").read_text(encoding="utf-8"))
    document["privacy"][0] |= {"knows": 1}
    (tmp_path / "weak.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(PolicyError, match="only against an attacker who knows one row"):
        apply(tmp_path / "weak.json", table)
    document["persons"]["link"] = "none"
    document["columns"]["removed"] = ["patient"]
    (tmp_path / "unlinked.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SettingError, match="nothing uses the key"):
        apply(tmp_path / "unlinked.json", table, key=key)


def test_a_key_is_never_in_a_release(table: Path, tmp_path: Path, key: Path) -> None:
    """Neither where one is, nor where one will be, nor below; nor is one made there."""
    linked(table, key=key).write(tmp_path / "release")
    written = b"".join(path.read_bytes() for path in (tmp_path / "release").iterdir())
    secret = key.read_text(encoding="ascii").split()[-1]
    assert secret.encode() not in written
    assert bytes.fromhex(secret) not in written
    for inside in (tmp_path / "release" / "key", tmp_path / "release" / "private" / "key"):
        inside.parent.mkdir(exist_ok=True)
        shutil.copy(key, inside)
        with pytest.raises(SettingError, match="folder of a release"):
            linked(table, key=inside)
        with pytest.raises(SettingError, match="folder of a release"):
            KeyRequest(inside.with_name("new")).run()
        inside.unlink()
    with pytest.raises(SettingError, match="folder of a release"):
        AnonymizeRequest(
            table,
            quasi=QUASI,
            person="patient",
            link="pseudonym",
            key=tmp_path / "next" / "key",
            out=tmp_path / "next",
        ).run()


def test_only_what_was_drawn_is_a_key(table: Path, tmp_path: Path) -> None:
    """Not an empty file, a short one, a password, nor 64 zeros with the right first word."""
    for content in ("", "secret", "roadstead-key-1 ab", f"roadstead-key-1 {'00' * 32}"):
        path = tmp_path / "key"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(content, encoding="ascii")
        with pytest.raises(InputError, match="not a key of Roadstead"):
            linked(table, key=path)


def test_a_table_is_checked_by_the_persons_that_it_names(table: Path) -> None:
    """Without a certificate; two rows are known where nothing is said, for it links rows."""
    rows = rows_of(read_visits(table), "patient", ["sex", "ward"])
    for knows in ("1", "2", "3", "all"):
        fewest = fewest_fitting(rows, knows)
        found = verify(
            table, quasi=["sex", "ward"], k=max(2, fewest), person="patient", knows=knows
        )
        assert found.passed == (fewest >= 2)
        assert not verify(
            table, quasi=["sex", "ward"], k=fewest + 1, person="patient", knows=knows
        ).passed
    by_default = verify(table, quasi=["sex", "ward"], k=2, person="patient")
    assert "two rows known" in by_default.checks[0].check


def test_tables_of_one_release_name_a_person_alike(key: Path) -> None:
    """Whatever table a person is in; of whom no pseudonym was made is left out of all."""
    for made in (Pseudonyms(read_key(key), keyed=True), Pseudonyms.forgotten()):
        pairs = ibis.memtable(pairs_of(["7", "8"], made))
        stays = pa.table({"person_id": [7, 8, 9], "stay": ["a", "b", "c"]})
        drugs = pa.table({"drug": ["x", "y"], "person_id": ["8", "9"]})
        first, second = (
            renamed_in(ibis.memtable(one), "person_id", pairs).to_pyarrow().to_pylist()
            for one in (stays, drugs)
        )
        named = {row["stay"]: row["person_id"] for row in first}
        assert set(named) == {"a", "b"}
        assert second == [{"drug": "x", "person_id": named["b"]}]


def test_values_are_counted_in_persons_where_rows_are_linked(table: Path, tmp_path: Path) -> None:
    """Among the people with the same rows there are two wards; a forger's third fails."""
    asked: dict[str, Any] = {
        "quasi": QUASI[:2],
        "sensitive": ["ward"],
        "person": "patient",
        "k": K,
        "suppression": 0.6,
        "knows": "all",
        "privacy": [{"kind": "distinct-l-diversity", "column": "ward", "l": 2}],
    }
    result = anonymize(table, link="pseudonym", **asked)
    verification = result.write(tmp_path / "release")
    model = "distinct 2-diversity of ward, counting people"
    assert verification.passed
    assert model in [check.check for check in verification.checks]
    rows = read_visits(tmp_path / "release" / "visits.csv")
    wards: dict[object, set[str]] = {}
    alike = {name: tuple(sorted(own)) for name, own in rows_of(rows, "patient", QUASI[:2]).items()}
    for row in rows:
        wards.setdefault(alike[row["patient"]], set()).add(row["ward"])
    assert min(map(len, wards.values())) >= 2
    group = next(iter(wards))
    forgery = [{**row, "ward": "A"} if alike[row["patient"]] == group else row for row in rows]
    assert model in failures(forged(tmp_path / "release", forgery))
    unlinked = anonymize(table, link="none", **asked).write(tmp_path / "unlinked")
    assert model not in [check.check for check in unlinked.checks]
    assert model in unlinked.unchecked  # a group of rows proves nothing if all rows are known
