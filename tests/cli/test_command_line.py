"""The command line's guarantees: help, JSON, streams, exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run, run_apart, without_charts
from patience import PATIENCE
from small_tables import PATIENTS, QUASI, patients, write_csv

from roadstead.cli.run import run as command

COMMANDS = ("scan", "anonymize", "apply", "verify", "demo")
ROLES = ("--quasi", QUASI, "--identifiers", "name,record", "--unchanged", "diagnosis")
PROMISED = {
    "policy": dict,
    "levels": dict,
    "loss": float,
    "loss_by_attribute": dict,
    "suppressed": int,
    "records": int,
    "evaluated": int,
    "lattice_size": int,
    "optimal": bool,
    "lower_bound": float,
    "seconds": float,
}
"""Minimum contents of the JSON of ``anonymize``."""

HEAVY = (
    "altair duckdb ibis jinja2 matplotlib numba numpy opendp pandas polars pyarrow "
    "pyspark scipy sklearn sqlglot tomlkit vl_convert"
)
"""Libraries that take a large part of a second each, or are large."""
LISTING = f"""
import sys
from roadstead.cli.run import run
code = run(sys.argv[1:])
heavy = set({HEAVY!r}.split()) & set(sys.modules)
print("imported:", *sorted(heavy), file=sys.stderr)
sys.exit(code)
"""
"""The command, which says at its end what of them it has imported."""
HELPING = f"""
import sys
from roadstead.cli.run import run
codes = [run([*command, "--help"]) for command in ((), *((name,) for name in {COMMANDS!r}))]
heavy = set({HEAVY!r}.split()) & set(sys.modules)
print("imported:", *sorted(heavy), file=sys.stderr)
sys.exit(any(codes))
"""
"""The help of all commands, and what of them was imported for it."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table of patients."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients())
    return tmp_path


def test_help_explains_every_command_at_once(place: Path) -> None:
    """Because nothing heavy is imported for it; how long it takes, a benchmark measures.

    Fault class: a promise of speed that is tested by the clock, and so on one machine only.
    """
    ran = run_apart(folder=place, program=("-c", HELPING))
    assert (ran.code, ran.err) == (0, "imported:\n")
    told = [run(*command, "-h").out for command in ((), *((name,) for name in COMMANDS))]
    assert all("Usage: roadstead" in one for one in told)
    assert ran.out == "".join(told)


@pytest.mark.nightly
def test_a_heavy_import_would_be_seen(place: Path) -> None:
    """The witness itself: a command that reads a table imports what reads it."""
    ran = run_apart("scan", "patients.csv", folder=place, program=("-c", LISTING))
    assert ran.code == 0
    assert "duckdb" in ran.err.splitlines()[-1]


def test_a_small_text_file_is_released_without_the_largest_libraries(place: Path) -> None:
    """Ibis and pandas take longer to import than all queries of a small table."""
    roles = ("--quasi", "age,sex", "--k", "2", "--out", "out")
    ran = run_apart("anonymize", "patients.csv", *roles, folder=place, program=("-c", LISTING))
    assert ran.code == 0, ran.err
    assert not {"ibis", "pandas", "sqlglot"} & set(ran.err.splitlines()[-1].split())


def test_no_arguments_show_the_help(place: Path) -> None:
    """All commands are in it."""
    ran = run_apart(folder=place)
    assert ran.code == 0
    assert all(command in ran.out for command in COMMANDS)


def test_the_version_is_that_of_the_package() -> None:
    """On standard output."""
    from roadstead import __version__  # noqa: PLC0415 - read when asked

    assert run("--version").out == f"roadstead {__version__}\n"


def test_help_names_every_option_that_the_interface_promises() -> None:
    """The test uses the command with most options."""
    promised = (
        "--quasi --sensitive --identifiers --hierarchies --k --suppression --quality --aggregate "
        "--search --time-limit --seed --out --json --project --force"
    )
    text = run("anonymize", "--help-all").out
    assert [option for option in promised.split() if option not in text] == []


def test_the_json_of_anonymize_holds_what_is_promised() -> None:
    """One object on standard output and nothing else there, with a release and without."""
    for more in ((), ("--out", "release")):
        ran = run("anonymize", "patients.csv", *ROLES, "--json", *more)
        assert ran.code == 0
        assert ran.out.count("\n") == 1
        found = ran.json
        assert {key: type(found[key]) for key in PROMISED} == PROMISED
        assert set(found["levels"]) == set(found["loss_by_attribute"]) == {"age", "sex", "zip"}
        assert found["records"] == 200
    assert found["verified"] is True


def test_the_json_of_verify_holds_what_is_promised() -> None:
    """For a release and for a table, passed or not."""
    assert run("anonymize", "patients.csv", *ROLES, "--out", "release").code == 0
    for arguments, code in (
        (("release",), 0),
        (("patients.csv", "--quasi", "sex", "--k", "5"), 0),
        (("patients.csv", "--quasi", QUASI, "--k", "5"), 1),
    ):
        ran = run("verify", *arguments, "--json")
        assert (ran.code, ran.err) == (code, "")
        assert ran.out.count("\n") == 1
        of_which = {"counted"} if len(arguments) > 1 else {"signature"}
        expected = {
            "passed",
            "checks",
            "unchecked",
            "promise_rests_on",
            "promised",
            "promise",
            "highest_risk",
            "reassures",
        }
        assert set(ran.json) == expected | of_which
        assert ran.json["passed"] is (code == 0)
        for check in ran.json["checks"]:
            assert {key: type(value) for key, value in check.items()} == {
                "check": str,
                "passed": bool,
                "detail": str,
            }


def test_the_json_of_every_command_is_one_object() -> None:
    """Progress and messages go to standard error."""
    assert run("anonymize", "patients.csv", *ROLES, "--out", "release").code == 0
    for arguments in (
        ("scan", "patients.csv"),
        ("apply", "release/policy.json", "patients.csv", "--out", "again"),
        ("demo", "--patients", "400", "--out", "demo"),
    ):
        ran = run(*arguments, "--json")
        assert ran.code == 0, ran
        assert isinstance(json.loads(ran.out), dict)
        assert ran.out.count("\n") == 1


def test_a_table_is_verified_in_one_line() -> None:
    """With an exit code that a script can use; another line says what was counted."""
    good = run("verify", "patients.csv", "--quasi", "sex", "--k", "5")
    assert (good.code, good.err, good.out.count("\n")) == (0, "", 2)
    counted, verdict = good.out.splitlines()
    assert counted.startswith("This counts records, not people.")
    assert verdict.startswith("Passed: 5-anonymity of sex: 2 groups")
    bad = run("verify", "patients.csv", "--quasi", QUASI, "--k", "5")
    assert (bad.code, bad.err, bad.out.count("\n")) == (1, "", 2)
    assert f"\nFAILED: 5-anonymity of {QUASI.replace(',', ', ')}: " in bad.out


def test_the_result_is_told_in_lines_that_name_every_attribute() -> None:
    """What was done, suppressed, left as risk and lost, and that it is optimal."""
    ran = run("anonymize", "patients.csv", *ROLES, "--out", "release")
    assert ran.err == "patients.csv: comma-separated, UTF-8, header, 6 columns\n"
    for word in (
        "age",
        "sex",
        "zip",
        "Suppressed:",
        "Re-identification risk:",
        "Detail lost:",
        "optimal",
    ):
        assert word in ran.out
    for word in (
        "Direct identifiers, not released: name, record",
        "verify release",
        "release/report.html",
    ):
        assert word in ran.out


def test_one_of_anything_is_told_as_one(place: Path) -> None:
    """One attribute, one combination, one policy, one record, one check."""
    write_csv(place / "wards.csv", ("ward", "bed"), [("north", "1")] * 6)
    told = run("anonymize", "wards.csv", "--quasi", "ward", "--max-level", "ward=0").out
    for said in (
        "Read 6 records of wards.csv, with 1 distinct combination of 1 quasi-identifier.",
        "(level 0 of 0-1, ",
        "(1 of 1 policy evaluated)",
    ):
        assert said in told
    told = run("anonymize", "patients.csv", *ROLES).out
    assert "distinct combinations of 3 quasi-identifiers." in told
    assert " policies evaluated)" in told


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (("report.html",), "FAILED: 1 check\n"),
        (("policy.json",), "FAILED: 2 checks\n"),
        (("report.html", "policy.json"), "FAILED: 3 checks\n"),
    ],
)
def test_failed_checks_are_counted(place: Path, spoil: tuple[str, ...], told: str) -> None:
    """On the last line. A policy fails twice: its bytes, and how it is written."""
    assert run("anonymize", "patients.csv", *ROLES, "--out", "release").code == 0
    for name in spoil:
        with (place / "release" / name).open("a") as stream:
            stream.write("\n")
    ran = run("verify", "release")
    assert ran.code == 1
    assert ran.out.endswith(told)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("scan", "Replace an existing project file."),
        ("demo", "Replace an earlier demonstration."),
        ("anonymize", "Replace an existing release."),
        ("apply", "Replace an existing release."),
    ],
)
def test_what_force_replaces_is_said(command: str, what: str) -> None:
    """It is another thing for every command."""
    assert what in " ".join(run(command, "--help").out.split())


def test_without_an_output_nothing_is_written_and_that_is_said(place: Path) -> None:
    """On standard error, so that the result can be piped."""
    ran = run("anonymize", "patients.csv", *ROLES)
    assert ran.code == 0
    assert "--out" in ran.err
    assert [path.name for path in place.iterdir()] == ["patients.csv"]


@pytest.mark.quick(1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_standard_output_that_is_full_is_said_in_one_line(
    place: Path, json: tuple[str, ...]
) -> None:
    """The requested work is done nevertheless."""
    command = [sys.executable, "-m", "roadstead", "anonymize", "patients.csv", *ROLES, *json]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*command, "--out", "release"],
            cwd=place,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    *_, last = ran.stderr.splitlines()
    assert last.startswith(
        "roadstead: standard output: the output cannot be written (No space left"
    )
    assert ran.returncode == 2
    assert run("verify", "release").code == 0


def test_a_reader_that_leaves_ends_the_command_without_a_word(place: Path) -> None:
    """As for any command in a pipe; the release remains."""
    command = [sys.executable, "-m", "roadstead", "anonymize", "patients.csv", *ROLES]
    process = subprocess.Popen(
        [*command, "--out", "release"],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    messages = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) == 141
    assert messages == "patients.csv: comma-separated, UTF-8, header, 6 columns\n"
    assert run("verify", "release").code == 0


def test_an_output_that_speaks_only_ascii_gets_what_it_can_show(place: Path) -> None:
    """Column names may be in any script."""
    write_csv(place / "cities.csv", ("größe", "пол"), [("1", "м")] * 6)
    how = {"environment": {"PYTHONIOENCODING": "ascii"}}
    plain = run_apart("anonymize", "cities.csv", "--quasi", "größe,пол", folder=place, **how)
    assert plain.code == 0
    assert "gr\\xf6\\xdfe" in plain.out
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert command(["anonymize", "cities.csv", "--quasi", "größe,пол", "--json"]) == 0
    out.seek(0)
    assert json.loads(out.read())["levels"] == {"größe": 0, "пол": 0}


def test_the_help_names_other_options_as_they_are_typed() -> None:
    """And not as Python does."""
    assert "(with --values)" in " ".join(run("synthesize", "--help").out.split())
    assert "documents are written to --out" in " ".join(run("anonymize", "--help-all").out.split())
