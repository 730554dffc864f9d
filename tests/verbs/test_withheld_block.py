"""A column without a role is withheld, and the output ends with the text that releases it."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from commands import run, undrawn

import roadstead as rs
from roadstead.front_end import naming
from roadstead.policies.document import to_json
from roadstead.release.documents import json_text
from roadstead.reports.release.columns import WithheldColumn
from roadstead.reports.terminal.withheld import withheld_block
from roadstead.requests.writing import CommandNaming
from roadstead.tables.roles import Roles

QUASI = ["age", "sex"]
RECORDS = 600
ODD = 'score, "west" $HOME'
"""A name with a comma, a quote and a sign that a shell reads."""


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    undrawn(monkeypatch)


def visits() -> pd.DataFrame:
    """Make visits with two harmless columns, a diagnosis, a date, and a record number."""
    chance = random.Random(30)  # noqa: S311 - no secret
    return pd.DataFrame(
        {
            "age": [chance.randint(20, 60) for _ in range(RECORDS)],
            "sex": [chance.choice("FM") for _ in range(RECORDS)],
            "stay": [chance.randint(1, 9) for _ in range(RECORDS)],
            ODD: [chance.choice("xyz") for _ in range(RECORDS)],
            "diagnosis": [chance.choice(("flu", "cold", "asthma")) for _ in range(RECORDS)],
            "seen_on": [f"2024-0{i % 9 + 1}-1{i % 9}" for i in range(RECORDS)],
            "mrn": [f"{700000 + 37 * i}" for i in range(RECORDS)],
        }
    )


def place_of(kind: str, folder: Path) -> Any:  # noqa: ANN401 - whatever can be anonymized
    """Put the visits in a file, a database, or a data frame."""
    table = visits()
    if kind == "frame":
        return table
    if kind == "file":
        table.to_csv(folder / "visits.csv", index=False)
        return folder / "visits.csv"
    with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    return f"duckdb://{folder / 'clinic.duckdb'}?table=visits"


def released_in(folder: Path) -> pd.DataFrame:
    """Read the table of a release."""
    return pd.read_csv(next(folder.glob("*.csv")))


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ["file", "database", "frame"])
def test_only_what_was_named_leaves(kind: str, tmp_path: Path) -> None:
    """From every kind of table, and the block is the end. Fault class: a forgotten column."""
    result = rs.anonymize(place_of(kind, tmp_path), quasi=QUASI, sensitive=["diagnosis"])
    out = tmp_path / "release"
    assert result.write(out).passed
    assert list(result.to_arrow().column_names) == ["age", "sex", "diagnosis"]
    lines = str(result).splitlines()
    at = lines.index("Withheld: 4 columns that you did not name for release.")
    assert f"  stay, {ODD}: it has no role" in lines[at:]
    assert lines[at + 4 :] == [
        'To generalize and release columns that an attacker may know: quasi=["age", "sex", '
        '"seen_on"]',
        'To release columns unchanged: unchanged=["stay", "score, \\"west\\" $HOME"]',
        'To release columns even though they may identify a person: release_anyway=["mrn"]',
    ]
    assert "release_anyway=[&#34;mrn&#34;]</pre></div>" in result._repr_html_()
    policy = json.loads((out / "policy.json").read_text("utf-8"))
    assert policy["columns"]["undecided"] == []


def test_what_is_pasted_releases_the_columns(tmp_path: Path) -> None:
    """Each line works in a shell, whatever the names hold. Fault class: a name that is cut."""
    path = place_of("file", tmp_path)
    asked: tuple[str | Path, ...] = ("anonymize", path, "--quasi", "age,sex")
    done = run(*asked, "--out", tmp_path / "first")
    assert done.code == 0
    head = "To release columns unchanged: "
    (line,) = (one for one in done.out.splitlines() if one.startswith(head))
    again = run(*asked, *shlex.split(line.removeprefix(head)), "--out", tmp_path / "second")
    assert again.code == 0
    released = released_in(tmp_path / "second")
    assert list(released.columns) == ["age", "sex", "stay", ODD]
    told = run(*asked, "--json").json
    assert list(told)[-1] == "columns_withheld"
    assert told["columns_withheld"]["release_with"] == {
        "quasi": ["seen_on"],
        "unchanged": ["stay", ODD],
        "sensitive": ["diagnosis"],
        "release_anyway": ["mrn"],
    }
    for lines in told["columns_withheld"]["text"].values():
        asked = (*asked, *shlex.split(" ".join(lines).replace("\\ ", "")))
    everything = run(*asked, "--suppression", "1", "--out", tmp_path / "third")
    assert everything.code == 0
    assert "Withheld" not in everything.out


def withheld(names: Sequence[str]) -> list[WithheldColumn]:
    """Withhold columns for as many different reasons."""
    return [WithheldColumn(name, "rare", f"{at} of them", 0.5) for at, name in enumerate(names)]


def test_many_columns_are_listed_in_few_short_lines() -> None:
    """Reasons by kind, and options that a shell joins again."""
    names = [f"question {at:03d}" for at in range(200)]
    with naming(CommandNaming({})):
        lines = withheld_block(withheld(names), Roles(("age",)))
    assert lines[1].endswith("and 194 more: too many of its values are rare")
    assert len(lines) < 45
    assert max(map(len, lines)) <= 140
    typed = shlex.split(" ".join(line.removesuffix("\\") for line in lines[3:]))
    assert typed[::2] == ["--unchanged"] * (len(typed) // 2)
    assert ",".join(typed[1::2]).split(",") == names


@pytest.mark.nightly
def test_a_release_that_is_judged_says_so_everywhere(tmp_path: Path) -> None:
    """First lines, policy, report, and the check of a stranger."""
    result = rs.anonymize(visits(), quasi=QUASI, undecided="release")
    assert result.decided.unnamed == ("stay", ODD)
    assert str(result).startswith(
        'Warning: these columns are released without a role, because undecided="release" '
        "was given: stay, "
    )
    verification = result.write(tmp_path / "release")
    (check,) = (one for one in verification.checks if "a decision is recorded" in one.check)
    assert check.passed
    assert "2 columns were released without a decision" in check.detail
    page = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "No role, released without a decision" in page


def changed(folder: Path, columns: dict[str, Any], *, without: Sequence[str] = ()) -> None:
    """Change the columns of the policy in a release, and certify the policy again."""
    from roadstead.release.documents import fingerprint  # noqa: PLC0415 - of this forger alone

    policy = json.loads((folder / "policy.json").read_text("utf-8"))
    policy["columns"] |= columns
    for key in without:
        del policy["columns"][key]
    (folder / "policy.json").write_text(json_text(policy), encoding="utf-8")
    certificate = json.loads((folder / "certificate.json").read_text("utf-8"))
    certificate["policy"] = policy
    mark = fingerprint(folder / "policy.json")
    for file in certificate["files"]:
        if file["name"] == "policy.json":
            file |= {"bytes": mark.bytes, "sha256": mark.sha256}
    (folder / "certificate.json").write_text(json_text(certificate), encoding="utf-8")


def test_a_release_without_recorded_decisions_is_refused(tmp_path: Path) -> None:
    """A policy that does not say who named a column, or contradicts itself, is not read.

    Fault class: a forgotten column that a certificate covers up.
    """
    release = tmp_path / "release"
    rs.anonymize(visits(), quasi=QUASI, unchanged=["stay"], out=release)
    assert rs.verify(release).passed
    changed(release, {}, without=["undecided"])
    with pytest.raises(rs.VerificationError, match=r"columns\.undecided: field required"):
        rs.verify(release)
    changed(release, {"undecided": ["age"]})
    with pytest.raises(rs.VerificationError, match="so it must also be listed as unchanged"):
        rs.verify(release)


def test_a_new_column_is_withheld_when_a_policy_is_applied(tmp_path: Path) -> None:
    """Named in the same block; refused or released where the request says so."""
    policy = rs.anonymize(visits(), quasi=QUASI, sensitive=["diagnosis"], out=tmp_path / "p").policy
    later = visits().assign(
        shift=["night", "day"] * (RECORDS // 2),
        sent_on=visits()["seen_on"],
        income_group=[f"group {i % 3}" for i in range(RECORDS)],
        ssn=visits()["mrn"],
    )
    path = tmp_path / "later.csv"
    later.to_csv(path, index=False)
    asked = ("apply", tmp_path / "p" / "policy.json", path)
    done = run(*asked, "--out", tmp_path / "a")
    assert done.code == 0
    lines = done.out.splitlines()
    at = lines.index("Withheld: 4 columns that you did not name for release.")
    assert "  shift: the policy does not record who decided to release this column" in lines[at:]
    assert lines[-2:] == [
        "To release columns unchanged: --unchanged shift,income_group",
        "To release columns even though they may identify a person: --release-anyway sent_on,ssn",
    ]
    refused = run(*asked, "--undecided", "refuse")
    assert refused.code == 2
    assert "the policy does not record who decided to release shift, " in refused.err
    pasted = ("--unchanged", "shift,income_group", "--release-anyway", "sent_on,ssn")
    named = run(*asked, *pasted, "--out", tmp_path / "b")
    assert named.code == 0
    assert "Withheld" not in named.out
    released = released_in(tmp_path / "b")
    assert set(released.columns) == set(later.columns) - {"stay", ODD, "seen_on", "mrn"}
    assert run("apply", policy_file(policy, tmp_path), path, "--unchanged", "ssn").code == 2
    assert run(*asked, "--unchanged", "diagnosis").code == 2


def policy_file(policy: rs.Policy, folder: Path) -> Path:
    """Write a policy."""
    path = folder / "again.json"
    path.write_text(json.dumps(to_json(policy)))
    return path


@pytest.mark.nightly
def test_a_choice_on_a_frontier_ends_with_the_block(tmp_path: Path) -> None:
    """The files of a chosen policy have the quasi-identifiers and the named columns."""
    path = place_of("file", tmp_path)
    out = tmp_path / "out"
    asked = ("frontier", path, "--quasi", "age,sex", "--search", "steepest", "--choose", "0")
    done = run(*asked, "--unchanged", "stay", "--out", out)
    assert done.code == 0
    columns = released_in(out / "release").columns
    assert list(columns) == ["age", "sex", "stay"]
    assert done.out.splitlines()[-1].endswith("--release-anyway mrn")
    assert list(run(*asked, "--out", tmp_path / "json", "--json").json["release"])[-1] == (
        "columns_withheld"
    )


def test_the_word_of_earlier_versions_is_refused() -> None:
    """With the word that does the same."""
    with pytest.raises(rs.SettingError, match=r"earlier version; write undecided=.release"):
        rs.anonymize(visits(), quasi=QUASI, undecided="judge")  # type: ignore[arg-type] # on purpose
    with pytest.raises(rs.RoleError, match=r"'stay'.* have no role"):
        rs.anonymize(visits(), quasi=QUASI, undecided="refuse")


def test_pasted_lists_repeat_those_of_the_project_file_that_they_replace(tmp_path: Path) -> None:
    """No listed column is lost, none is listed twice, and no listed identifier is offered.

    Fault class: advice that withholds, or releases, more than it says.
    """
    place_of("file", tmp_path)
    project = tmp_path / "visits.toml"
    project.write_text(
        'data = "visits.csv"\n[roles]\nquasi = ["age", "sex"]\nunchanged = ["stay"]\n'
        'identifiers = ["mrn", "seen_on"]\n',
        "utf-8",
    )
    lines = run("anonymize", "--project", project).out.splitlines()
    assert any(
        line.startswith("To release columns unchanged: --unchanged 'stay,") for line in lines
    )
    # An option replaces the file's list of identifiers: they are withheld, and not offered.
    said = run("anonymize", "--project", project, "--identifiers", "diagnosis").out
    assert "mrn" in said
    assert "--release-anyway" not in said
    again = run("anonymize", "--project", project, "--quasi", "age")
    lost = "--quasi replaces roles.quasi in visits.toml: sex no longer has this role."
    assert again.err.splitlines()[0] == lost
    assert 'quasi = ["age", "sex"]' in again.out
    # A column that gets another role is not lost.
    moved = run("anonymize", "--project", project, "--quasi", "age", "--sensitive", "sex")
    assert "replaces" not in moved.err
    text = project.read_text("utf-8").replace(
        '"mrn", "seen_on"]', '"mrn", "seen_on"]\nsensitive = ["diagnosis"]'
    )
    model = '{kind = "distinct-l-diversity", column = "diagnosis", l = 2}'
    project.write_text(f"{text}[privacy]\nmodels = [{model}]\n", "utf-8")
    other = run("anonymize", "--project", project, "--privacy", "t-closeness:t=0.5")
    assert "--privacy replaces privacy.models in visits.toml: 1 entry of the file" in other.err


def test_a_column_of_rare_values_is_not_offered_unchanged(tmp_path: Path) -> None:
    """The output, the JSON document, and the advice say how to make it coarser instead.

    Fault class: advice that singles out nearly every record.
    """
    table = visits().assign(lab=[f"{40 + i / 7:.3f}" for i in range(RECORDS)])
    path = tmp_path / "visits.csv"
    table.to_csv(path, index=False)
    asked = ("anonymize", path, "--quasi", "age,sex", "--undecided", "release")
    lines = run(*asked).out.splitlines()
    (offered,) = (line for line in lines if line.startswith("Roadstead does not suggest"))
    assert offered.startswith(
        "Roadstead does not suggest releasing this column unchanged: lab. Nearly"
    )
    assert "generalize it with --quasi" in offered
    assert not any("--unchanged" in line and "lab" in line for line in lines)
    told = run(*asked, "--json").json
    assert not any("lab" in names for names in told["columns_withheld"]["release_with"].values())
    decide = told["withheld_because"]["lab"]["decide"]
    assert decide == "use --quasi lab to generalize it, or --identifiers lab to leave it out"
    named = run(*asked, "--unchanged", "lab", "--out", tmp_path / "named")
    assert named.code == 0
    policy = tmp_path / "named" / "policy.json"
    later = tmp_path / "later.csv"
    table.assign(score=[f"{40 + i / 7:.3f}" for i in range(RECORDS)]).to_csv(later, index=False)
    again = run("apply", policy, later).out.splitlines()[-1]
    assert "score" in again
    assert "run anonymize again, and generalize it with --quasi" in again
