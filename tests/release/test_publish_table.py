"""A release as a table in a database: table and documents appear together, or neither does."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import ibis
import pytest
from commands import listing, run, undrawn
from small_tables import PATIENTS, QUASI, patients, write_csv

from roadstead import Anonymization, anonymize, apply, read, verify
from roadstead.errors import OutputError, Refusal, SettingError, VerificationError
from roadstead.release import publish, staging
from roadstead.release.certificate import (
    Certificate,
    read_certificate,
    rendered,
)
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.release import verify_release
from roadstead.tables.source import Source
from roadstead.tables.stores.access import sink
from roadstead.tables.stores.staged import Sink

INTO = "duckdb://clinic.duckdb?table=visits_release"
ROLES = (
    "--quasi",
    QUASI,
    "--identifiers",
    "name,record",
    "--unchanged",
    "diagnosis",
    "--suppression",
    "0.3",
)
DOCUMENTS = {"certificate.json", "policy.json", "report.html", "verify.html"}
RAW = "CREATE TABLE visits AS SELECT * FROM read_csv('patients.csv', all_varchar = true)"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table as a file and in a database, where reports have no pictures."""
    monkeypatch.chdir(tmp_path)
    undrawn(monkeypatch)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(300))
    with duckdb.connect(tmp_path / "clinic.duckdb") as made:
        made.execute(RAW)
    return tmp_path


def tables(path: str = "clinic.duckdb") -> list[str]:
    """Name the tables of a file."""
    with duckdb.connect(path, read_only=True) as there:
        return [name for (name,) in there.execute("SHOW TABLES").fetchall()]


def rows(name: str, path: str = "clinic.duckdb") -> list[tuple[object, ...]]:
    """Give the rows of a table in the order that they lie in."""
    with duckdb.connect(path, read_only=True) as there:
        return there.table(f'"{name}"').fetchall()


def change(statement: str) -> None:
    """Change the database."""
    with duckdb.connect("clinic.duckdb") as there:
        there.execute(statement)


def visits(path: str | Source = "duckdb://clinic.duckdb?table=visits") -> Anonymization:
    """Anonymize a table."""
    return anonymize(
        path,
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
        suppression=0.3,
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("data", "into"),
    [
        ("duckdb://clinic.duckdb?table=visits", INTO),
        ("duckdb://clinic.duckdb?table=visits", "duckdb://other.duckdb?table=visits_release"),
        ("patients.csv", INTO),
        ("patients.csv", "duckdb://other.duckdb?table=visits_release"),
    ],
)
def test_the_table_holds_what_the_file_would(data: str, into: str) -> None:
    """In the same order, with the documents in the folder, and both pass a new check."""
    with read(data) as source:
        result = visits(source)
        assert result.write("release", into=into).passed
        released = result.to_arrow()
    path = into.partition("?")[0].removeprefix("duckdb://")
    assert rows("visits_release", path) == [tuple(row.values()) for row in released.to_pylist()]
    assert {path.name for path in Path("release").iterdir()} == DOCUMENTS
    found = verify("release", table=into)
    assert found.passed
    assert "visits_release matches the certificate" in {one.check for one in found.checks}
    with read("duckdb://clinic.duckdb?table=visits") as source:
        assert source.table.count().to_pyarrow().as_py() == 300


def test_the_certificate_names_the_table_and_not_its_place(place: Path) -> None:
    """It pins the content, by which a copy anywhere else is known too."""
    visits().write("release", into=INTO)
    certificate, _ = read_certificate(place / "release" / "certificate.json")
    document = json.loads((place / "release" / "certificate.json").read_text("utf-8"))
    assert set(document["table"]) == {"name", "engine", "records", "content"}
    assert (document["table"]["name"], document["table"]["engine"]) == ("visits_release", "duckdb")
    assert document["table"]["records"] == certificate.counts.released
    assert document["format"]["kind"] == "table"
    assert "clinic" not in (place / "release" / "certificate.json").read_text("utf-8")
    with duckdb.connect("clinic.duckdb") as there:
        there.execute("COPY (FROM visits_release ORDER BY random()) TO 'copy.parquet'")
    assert verify("release", table="copy.parquet").passed


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("statement", "failing"),
    [
        (
            "UPDATE visits_release SET diagnosis = 'other' WHERE rowid = 7",
            "matches the certificate",
        ),
        (
            "DELETE FROM visits_release WHERE rowid = 7",
            "the number of records matches the certificate",
        ),
        ("INSERT INTO visits_release FROM visits_release LIMIT 1", "number of records"),
        ("UPDATE visits_release SET age = '31' WHERE rowid = 7", "age is generalized by its rule"),
        ("ALTER TABLE visits_release ADD COLUMN name TEXT", "no direct identifier is released"),
        ("ALTER TABLE visits_release DROP COLUMN zip", "the columns match the policy"),
        ("ALTER TABLE visits_release ALTER diagnosis TYPE INT USING 1", "matches the certificate"),
    ],
)
def test_whatever_is_done_to_the_table_is_found(statement: str, failing: str) -> None:
    """By its content, and most of it by what is promised of that."""
    visits().write("release", into=INTO)
    change(statement)
    found = verify("release", table=INTO)
    assert not found.passed
    assert any(failing in check.check for check in found.failed)
    ran = run("verify", "release", "--table", INTO)
    assert ran.code == 1
    assert "FAIL  visits_release matches the certificate: the table was changed" in ran.out


class Spoiling(Sink):
    """A sink that lets something happen to what is staged."""

    statement = ""

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Stage, and spoil."""
        found = super().stage(rows)
        backend = found.get_backend()
        there = backend.compile(found).partition(" FROM ")[2].partition(" AS ")[0]
        backend.con.execute(self.statement.replace("{}", there))
        return found


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("statement", "failing"),
    [
        (
            "DELETE FROM {} WHERE rowid = (SELECT max(rowid) FROM {})",
            "the number of records matches the certificate",
        ),
        (
            "UPDATE {} SET age = '31' WHERE rowid = (SELECT max(rowid) FROM {})",
            "age is generalized by its rule",
        ),
        ("UPDATE {} SET age = '90-99' WHERE rowid = (SELECT max(rowid) FROM {})", "5-anonymity"),
    ],
)
@pytest.mark.parametrize("into", [INTO, "duckdb://other.duckdb?table=visits_release"])
def test_a_staged_table_that_fails_its_check_is_not_published(
    place: Path, monkeypatch: pytest.MonkeyPatch, statement: str, failing: str, into: str
) -> None:
    """Neither the table nor the folder appears, and a former table stays."""

    def spoiling(target: str, source: Source, *, force: bool) -> Sink:
        made = sink(target, source, force=force)
        made.__class__ = Spoiling
        return made

    change("CREATE TABLE visits_release AS SELECT 'former' AS x")
    before = {name: content for name, content in listing(place).items() if "duckdb" not in name}
    monkeypatch.setattr(Spoiling, "statement", statement)
    monkeypatch.setattr(publish, "sink", spoiling)
    with pytest.raises(VerificationError, match=f"not published.*{failing}"):
        visits().write("release", into=into, force=True)
    assert rows("visits_release") == [("former",)]
    after = listing(place)
    assert {name: one for name, one in after.items() if "duckdb" not in name} == before
    assert not [name for name in after if "duckdb" in name and name != "clinic.duckdb"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("into", [INTO, "duckdb://other.duckdb?table=visits_release"])
def test_a_table_whose_folder_cannot_appear_is_withdrawn(
    place: Path, monkeypatch: pytest.MonkeyPatch, into: str
) -> None:
    """For example, if another user makes a folder of that name at the last moment."""

    def taken(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(staging, "_replace", taken)
    with pytest.raises(OutputError, match="the disk is full"):
        visits().write("release", into=into)
    assert tables() == ["visits"]
    assert sorted(path.name for path in place.iterdir()) == ["clinic.duckdb", "patients.csv"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["table", "folder"])
def test_a_signal_between_table_and_folder_is_heeded_when_both_are_there(
    monkeypatch: pytest.MonkeyPatch, moment: str, number: signal.Signals
) -> None:
    """Neither a table without its folder nor a folder without its table is left."""

    class Told(BaseException):
        """A handler of the caller's was asked."""

    def tell(*_: object) -> None:
        raise Told

    def struck(opened: Callable[..., Sink]) -> Callable[..., Sink]:
        def strike(*arguments: object, **settings: bool) -> Sink:
            made = opened(*arguments, **settings)
            publish = made.publish

            def struck_after() -> None:
                publish()
                signal.raise_signal(number)

            monkeypatch.setattr(made, "publish", struck_after)
            return made

        return strike

    def replaced(*arguments: object, **settings: object) -> None:
        replace(*arguments, **settings)  # type: ignore[arg-type] # as they came
        signal.raise_signal(number)

    replace = staging._replace
    if moment == "table":
        monkeypatch.setattr(publish, "sink", struck(sink))
    else:
        monkeypatch.setattr(staging, "_replace", replaced)
    former = signal.signal(number, tell)
    try:
        with pytest.raises(Told):
            visits().write("release", into=INTO)
        assert signal.getsignal(number) is tell
    finally:
        signal.signal(number, former)
    assert verify("release", table=INTO).passed


def test_a_former_table_stays_if_its_folder_was_filled_meanwhile(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is looked at once more before the former table is dropped."""

    def filling(*arguments: object, **settings: object) -> Verification:
        (place / "release").mkdir()
        (place / "release" / "letter.txt").write_text("not ours")
        return verified(*arguments, **settings)  # type: ignore[arg-type] # as they came

    verified = verify_release
    change("CREATE TABLE visits_release AS SELECT 'former' AS x")
    monkeypatch.setattr(publish, "verify_release", filling)
    with pytest.raises(OutputError, match=r"letter\.txt"):
        visits().write("release", into=INTO, force=True)
    assert rows("visits_release") == [("former",)]


def test_what_exists_is_replaced_with_force_alone(place: Path) -> None:
    """The table as well as the folder; the former table is there until the new one is."""
    with read("duckdb://clinic.duckdb?table=visits") as source:
        result = visits(source)
        result.write("release", into=INTO)
        former = listing(place)["release/certificate.json"]
        with pytest.raises(OutputError, match=r"release: already exists"):
            result.write("release", into=INTO)
        with pytest.raises(OutputError, match=r"visits_release: it already exists"):
            result.write("another", into=INTO)
        assert listing(place)["release/certificate.json"] == former
        assert not (place / "another").exists()
    change("DELETE FROM visits_release")
    result = visits("patients.csv")
    assert result.write("release", into=INTO, force=True).passed
    assert verify("release", table=INTO).passed
    shutil.rmtree("release")
    assert result.write("release", into=INTO, force=True).passed


def test_a_release_of_no_record_makes_no_table(place: Path) -> None:
    """And no folder."""
    result = anonymize(
        "patients.csv",
        quasi=["record"],
        k=2,
        suppression=1.0,
        suppressed="drop",
        max_level={"record": 0},
    )
    with pytest.raises(Refusal, match="nothing would be released"):
        result.write("release", into=INTO)
    assert tables() == ["visits"]
    assert not (place / "release").exists()


@pytest.mark.nightly
def test_a_policy_is_applied_into_a_table() -> None:
    """As an anonymization is written."""
    with read("duckdb://clinic.duckdb?table=visits") as source:
        visits(source).write("release", into=INTO)
        again = apply("release/policy.json", source)
        assert again.write("again", into="duckdb://clinic.duckdb?table=again").passed
    assert Counter(rows("again")) == Counter(rows("visits_release"))
    assert verify("again", table="duckdb://clinic.duckdb?table=again").passed


def test_the_commands_publish_into_a_table(place: Path) -> None:
    """They say where it is, and how it is checked; in JSON too."""
    ran = run(
        "anonymize", "duckdb://clinic.duckdb?table=visits", *ROLES, "--out", "a", "--into", INTO
    )
    assert ran.code == 0, ran.err
    assert (
        "published to visits_release (table in DuckDB), its documents to a, and verified" in ran.out
    )
    assert f"roadstead verify a --table '{INTO}'" in ran.out
    assert run("verify", "a", "--table", INTO).code == 0
    again = "duckdb://clinic.duckdb?table=main.again"
    ran = run("apply", "a/policy.json", "patients.csv", "--out", "b", "--into", again, "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["out"], ran.json["into"], ran.json["verified"]) == ("b", "main.again", True)
    assert run("verify", "b", "--table", again).code == 0
    assert sorted(tables()) == ["again", "visits", "visits_release"]
    assert (place / "a" / "report.html").exists()


@pytest.mark.nightly
def test_a_project_file_names_the_table(place: Path) -> None:
    """Its path starts at the file's folder, like that of the source; an option overrides it."""
    (place / "study").mkdir()
    (place / "study" / "study.toml").write_text(
        'data = "../patients.csv"\nout = "release"\n'
        'into = "duckdb://../clinic.duckdb?table=visits_release"\n'
        '[roles]\nquasi = ["age", "sex", "zip"]\nidentifiers = ["name", "record"]\n'
        'unchanged = ["diagnosis"]\n'
        "[privacy]\nsuppression = 0.3\n",
        "utf-8",
    )
    ran = run("anonymize", "--project", "study/study.toml", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["into"] == "visits_release"
    assert run("verify", "study/release", "--table", INTO).code == 0
    other = "duckdb://clinic.duckdb?table=other"
    ran = run("anonymize", "--project", "study/study.toml", "--out", "b", "--into", other)
    assert ran.code == 0, ran.err
    assert sorted(tables()) == ["other", "visits", "visits_release"]


@pytest.mark.nightly
def test_a_policy_of_a_frontier_is_published_into_a_table(place: Path) -> None:
    """Page and points are in the folder, and the documents in the folder within it."""
    ran = run(
        *("frontier", "duckdb://clinic.duckdb?table=visits", *ROLES[:4], "--choose", "0"),
        *("--choose-reason", "These are made-up people of a test"),
        *("--evaluations", "20", "--out", "f", "--into", INTO, "--json"),
    )
    assert ran.code == 0, ran.err
    assert (ran.json["out"], ran.json["into"]) == ("f", "visits_release")
    assert {path.name for path in (place / "f" / "release").iterdir()} == DOCUMENTS
    assert run("verify", "f/release", "--table", INTO).code == 0
    ran = run(
        *("frontier", "duckdb://clinic.duckdb?table=visits", *ROLES[:4], "--choose", "0"),
        *("--choose-reason", "These are made-up people of a test"),
        *("--evaluations", "20", "--out", "f", "--into", INTO, "--force"),
    )
    assert ran.code == 0, ran.err
    assert "visits_release (table in DuckDB)" in ran.out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("anonymize", "patients.csv", *ROLES, "--into", INTO),
            "--into: .* are written to a folder",
        ),
        (
            ("anonymize", "patients.csv", *ROLES, "--into", "", "--out", "a"),
            "--into: no address is given",
        ),
        (
            ("apply", "policy.json", "patients.csv", "--into", INTO),
            "--into: .* are written to a folder",
        ),
        (
            ("apply", "policy.json", "--sql", "--table", "t", "--into", INTO),
            "--into: this command only prints a statement",
        ),
        (
            ("frontier", "patients.csv", *ROLES[:2], "--into", INTO),
            "--into: .* are written to a folder",
        ),
        (
            ("frontier", "patients.csv", *ROLES[:2], "--into", INTO, "--out", "f"),
            "works only if you choose a policy",
        ),
        (
            ("anonymize", "patients.csv", *ROLES, "--out", "a", "--into", "x.csv"),
            "is a file, not a table of a database",
        ),
        (
            (
                *(
                    "anonymize",
                    "duckdb://clinic.duckdb?table=visits",
                    *ROLES,
                    "--out",
                    "a",
                    "--force",
                ),
                *("--into", "duckdb://clinic.duckdb?table=visits"),
            ),
            "visits: Roadstead reads its rows from this table",
        ),
        (
            ("verify", "patients.csv", "--table", INTO),
            "--table: this setting is for the folder of a release",
        ),
    ],
)
def test_requests_that_contradict_themselves_are_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], error: str
) -> None:
    """Before any work is done, and nothing is written."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("there was no need to search")

    monkeypatch.setattr("roadstead.verbs.anonymize.run.anonymization_of", never)
    monkeypatch.setattr("roadstead.verbs.apply.run.application_of", never)
    monkeypatch.setattr("roadstead.verbs.frontier.settings.counted_by", never)
    before = listing(place)
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert re.search(error, ran.error), ran.error
    assert {**listing(place), "clinic.duckdb": None} == {**before, "clinic.duckdb": None}


def test_a_release_is_checked_where_its_table_is_and_nowhere_else() -> None:
    """The fix says which option is missing, or one too many."""
    visits().write("release", into=INTO)
    ran = run("verify", "release")
    assert (ran.code, ran.out) == (2, "")
    assert (
        "visits_release, is in a database (duckdb); give the table's address with --table"
        in ran.error
    )
    visits("patients.csv").write("file")
    ran = run("verify", "file", "--table", INTO)
    assert (ran.code, ran.out) == (2, "")
    assert "is a file in the folder; leave --table out" in ran.error
    ran = run("verify", "release", "--table", "duckdb://clinic.duckdb?table=visit_release")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean visits_release?" in ran.error
    with pytest.raises(SettingError, match="table"):
        verify("release")
    with read(INTO) as source:
        assert verify("release", table=source).passed


def test_a_file_is_checked_as_whoever_receives_it_reads_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its certificate: one that says another delimiter than the file has is not published."""

    def wrong(certificate: Certificate) -> bytes:
        form = dataclasses.replace(certificate.format, delimiter=";")
        return rendered(dataclasses.replace(certificate, format=form))

    monkeypatch.setattr(publish, "rendered", wrong)
    result = anonymize("patients.csv", quasi=QUASI.split(","), identifiers=["name", "record"])
    with pytest.raises(VerificationError, match="not published"):
        result.write(place / "release")
    assert not (place / "release").exists()
