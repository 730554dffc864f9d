"""Releases with a ledger: refusals, warnings, and entries."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import run
from monthly_extracts import COLUMNS, Record, months

import roadstead as rs
from roadstead.errors import Refusal, SettingError
from roadstead.release.ledger.folder import read_entries
from roadstead.standalone import roadstead_verify

SEVEN = [("B", "11", one) for one in ("flu", "cold", "none", "flu", "cold", "flu", "none")]


@pytest.fixture(autouse=True)
def ledger_folder(tmp_path: Path) -> None:
    """Begin a ledger."""
    (tmp_path / "ledger").mkdir()


def written(path: Path, records: Sequence[Record]) -> Path:
    """Write an extract as a file."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([COLUMNS, *records])
    return path


def assert_not_judged(release: Path, rules: Path) -> None:
    """Check that a gate refuses a release that could not be compared with an earlier release."""
    rules.write_text("[promise]\nk = 5\n", "utf-8")
    together = rs.gate(release, rules=rules).rules[1]
    assert not together.passed
    assert together.detail.startswith("cannot be judged: ")


def first(folder: Path, records: Sequence[Record], **more: Any) -> Path:  # noqa: ANN401 - fields
    """Anonymize the first extract, and enter it; give its policy."""
    data = written(folder / "month-0.csv", records)
    asked: dict[str, Any] = {
        "quasi": ["ward", "code"],
        "sensitive": ["diagnosis"],
        "k": 5,
        "ledger": folder / "ledger",
        "out": folder / "release-0",
    }
    rs.anonymize(data, **(asked | more))
    return Path((asked | more)["out"]) / "policy.json"


def test_of_six_months_each_planted_change_is_found_and_no_other(tmp_path: Path) -> None:
    """One who came alone, one who left, and two who came where two left are each refused."""
    extracts = months(6)
    policy = first(tmp_path, extracts[0])
    planted: dict[int, Callable[[list[Record]], list[Record]]] = {
        2: lambda rows: [*rows, ("A", "11", "flu")],
        3: lambda rows: rows[1:],
        4: lambda rows: [*rows[2:], ("A", "11", "measles"), ("A", "11", "measles")],
    }
    for month, rows in enumerate(extracts[1:], 1):
        if month in planted:
            # Compared with the month before alone, which lacks only the planted records.
            changed = planted[month](extracts[month - 1])
            data = written(tmp_path / f"planted-{month}.csv", changed)
            with pytest.raises(Refusal, match=r"1 group shows fewer than 5 added records"):
                rs.apply(policy, data, out=tmp_path / "no", ledger=tmp_path / "ledger")
            assert not (tmp_path / "no").exists()
        data = written(tmp_path / f"month-{month}.csv", rows)
        rs.apply(policy, data, out=tmp_path / f"release-{month}", ledger=tmp_path / "ledger")
        certificate = json.loads((tmp_path / f"release-{month}/certificate.json").read_bytes())
        assert certificate["earlier_releases"]["same_policy"] == month
        assert certificate["earlier_releases"]["findings"] == []
    assert len(read_entries(tmp_path / "ledger")) == len(extracts)


def test_a_warning_stands_in_certificate_and_report(tmp_path: Path) -> None:
    """A user who wants it anyway gets the release, and every reader sees the warning."""
    (rows,) = months(1)
    policy = first(tmp_path, rows)
    data = written(tmp_path / "more.csv", [*rows, ("A", "11", "flu")])
    out = tmp_path / "more"
    rs.apply(policy, data, out=out, ledger=tmp_path / "ledger", ledger_warn=True)
    (found,) = json.loads((out / "certificate.json").read_bytes())["earlier_releases"]["findings"]
    assert (found["kind"], found["classes"], found["least"]) == ("added", 1, 5)
    assert "fewer than 5 added records" in (out / "report.html").read_text("utf-8")
    assert rs.verify(out).passed


def test_another_policy_on_the_same_records_is_refused(tmp_path: Path) -> None:
    """Each release has classes of 5, and both together groups of 1."""
    rows = [("A", "11", "flu")] * 9 + [("A", "12", "flu")] + [("B", "11", "flu")]
    rows += [("B", "12", "flu")] * 9
    first(tmp_path, rows, quasi=["ward"], identifiers=["code"])
    with pytest.raises(Refusal, match=r"2 groups of fewer than 5 records"):
        first(tmp_path, rows, quasi=["code"], identifiers=["ward"], out=tmp_path / "other")
    # Other people are not affected, nor is the same policy in another run.
    first(tmp_path, rows, quasi=["ward"], identifiers=["code"], out=tmp_path / "again")


@pytest.mark.parametrize(
    "levels", [("ward", "code"), pytest.param(("ward",), marks=pytest.mark.nightly)]
)
def test_values_in_another_form_are_not_compared_in_silence(
    levels: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault class: after `F` became `female`, the ledger said that nothing was found.

    The second release has the same or another policy.
    """
    chance = random.Random(3)  # noqa: S311 - test data
    rows = [(chance.choice("AB"), chance.choice(("11", "12")), "flu") for _ in range(200)]
    first(tmp_path, rows)
    renamed = [(f"ward {ward}", code, disease) for ward, code, disease in rows]
    data, out = written(tmp_path / "renamed.csv", renamed), tmp_path / "renamed"
    others = [one for one in ("ward", "code") if one not in levels]
    asked: dict[str, Any] = {"quasi": [*levels], "identifiers": others, "k": 5}
    made = rs.anonymize(data, **asked, sensitive=["diagnosis"])
    made.write(out, ledger=tmp_path / "ledger")
    earlier = json.loads((out / "certificate.json").read_bytes())["earlier_releases"]
    assert [*earlier["unlike"].values()] == ["ward"]
    report = (out / "report.html").read_text("utf-8")
    assert "have no value of" in report
    for said in ("is identical in both", "do not reveal a group", "is the same in every group"):
        assert said not in report
    found = rs.verify(out)
    assert found.passed
    assert not found.reassures
    assert "have no value of" in run("verify", str(out)).out
    assert roadstead_verify.main([str(out)]) == 0
    assert "earlier releases (incomplete)" in capsys.readouterr().out
    assert_not_judged(out, tmp_path / "gate.toml")
    again = rs.anonymize(data, **asked, sensitive=["diagnosis"])
    again.write(tmp_path / "again", ledger=tmp_path / "ledger")
    both = json.loads((tmp_path / "again" / "certificate.json").read_bytes())["earlier_releases"]
    assert len(both["unlike"]) == 1  # the release of the renamed wards is comparable


def test_a_forged_comparison_is_refused(tmp_path: Path) -> None:
    """A comparison names columns of the policy, and releases that were compared."""
    rows = [(ward, code, "flu") for ward in "AB" for code in ("11", "12") for _ in range(10)]
    first(tmp_path, rows)
    renamed = [(f"ward {ward}", code, disease) for ward, code, disease in rows]
    out = tmp_path / "renamed"
    first(tmp_path, renamed, out=out)
    where = out / "certificate.json"
    certificate = where.read_text("utf-8")
    name = next(iter(json.loads(certificate)["earlier_releases"]["unlike"]))
    for forged in (f'"{name}": "town"', f'"{name}": "ward",\n      "other": "ward"'):
        where.write_text(certificate.replace(f'"{name}": "ward"', forged), "utf-8")
        assert "earlier_releases.unlike names" in rs.verify(out).failed[0].detail


def test_releases_of_two_periods_have_different_dates(tmp_path: Path) -> None:
    """A column of months has no value in common, and this is no reason for a warning."""
    first(tmp_path, [(f"2024-0{at % 3 + 1}", "11", "flu") for at in range(60)])
    later = [(f"2024-0{at % 3 + 4}", "11", "flu") for at in range(60)]
    out = tmp_path / "later"
    first(tmp_path, later, out=out)
    earlier = json.loads((out / "certificate.json").read_bytes())["earlier_releases"]
    assert earlier["same_policy"] + earlier["other_policy"] == 1
    assert "unlike" not in earlier


def test_people_with_another_name_are_not_laid_over(tmp_path: Path) -> None:
    """A release is compared only with releases that name the same people."""
    (rows,) = months(1)
    first(tmp_path, rows, ledger_people="north")
    changed = [*rows, ("A", "11", "flu")]
    first(tmp_path, changed, ledger_people="south", out=tmp_path / "south")
    with pytest.raises(Refusal):
        first(tmp_path, rows, ledger_people="south", out=tmp_path / "again")
    with pytest.raises(Refusal):  # without a name of the people, they may be anyone's
        first(tmp_path, [*changed, ("B", "11", "flu")], out=tmp_path / "all")


def test_newcomers_keep_the_values_that_classes_are_promised(tmp_path: Path) -> None:
    """Seven came, all with one diagnosis, where each class is to have two."""
    (rows,) = months(1)
    models = [{"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}]
    policy = first(tmp_path, rows, privacy=models)
    flu = written(tmp_path / "flu.csv", [*rows, *(("B", "11", "flu") for _ in SEVEN)])
    with pytest.raises(Refusal, match="fewer than 2 values of 'diagnosis'"):
        rs.apply(policy, flu, out=tmp_path / "flu", ledger=tmp_path / "ledger")
    mixed = written(tmp_path / "mixed.csv", [*rows, *SEVEN])
    rs.apply(policy, mixed, out=tmp_path / "mixed", ledger=tmp_path / "ledger")


def test_the_ledger_holds_no_value_next_to_the_quasi_identifiers(tmp_path: Path) -> None:
    """Of cells that are released as they are it has fingerprints."""
    (rows,) = months(1)
    first(tmp_path, [(ward, code, f"secret-{x}") for ward, code, x in rows])
    (path,) = (tmp_path / "ledger").glob("*.json")
    assert "secret" not in path.read_text("utf-8")


def test_a_ledger_needs_a_release_and_a_place_of_its_own(tmp_path: Path) -> None:
    """Requests that cannot be entered are refused before any work; the ledger is not released."""
    (rows,) = months(1)
    with pytest.raises(SettingError, match="no output folder is given"):
        first(tmp_path, rows, out=None)
    with pytest.raises(SettingError, match="recipients would get the ledger"):
        first(tmp_path, rows, ledger=tmp_path / "release-0" / "ledger")
    with pytest.raises(SettingError, match="this setting requires a ledger"):
        first(tmp_path, rows, ledger=None, ledger_warn=True)


def test_epsilons_add_up_to_a_limit_that_stays(tmp_path: Path) -> None:
    """The limit of the first release applies to the later ones; nothing is drawn above it."""
    (rows,) = months(1)
    data = written(tmp_path / "data.csv", rows)

    def synthesized(name: str, **more: Any) -> None:  # noqa: ANN401 - fields
        rs.synthesize(
            data,
            epsilon="0.1",
            target="ward",
            classes=["A", "B"],
            values={"diagnosis": ["flu", "cold", "none"]},
            specializations=1,
            out=tmp_path / name,
            ledger=tmp_path / "ledger",
            **more,
        )

    synthesized("one", ledger_epsilon="0.2")
    synthesized("two")  # exactly the limit, which no float would hit
    with pytest.raises(Refusal, match="epsilon would be 3/10"):
        synthesized("three")
    assert not (tmp_path / "three").exists()
    assert [one.epsilon for one in read_entries(tmp_path / "ledger")] == ["1/10", "1/10"]
    synthesized("three", ledger_warn=True)
    report = (tmp_path / "three/report.html").read_text("utf-8")
    assert "more than the budget" in report


@pytest.mark.nightly
def test_a_choice_on_the_frontier_is_laid_over_and_entered(tmp_path: Path) -> None:
    """The entry exists when the whole folder does; a refused one leaves neither."""
    (rows,) = months(1)
    data = written(tmp_path / "data.csv", rows)
    models = [{"kind": "k-anonymity", "k": 5}]
    asked: dict[str, Any] = {"quasi": ["ward", "code"], "threshold": "models", "privacy": models}
    asked |= {"ledger": tmp_path / "ledger", "identifiers": ["diagnosis"]}
    rs.frontier(data, choose=0, out=tmp_path / "one", **asked)
    (entry,) = read_entries(tmp_path / "ledger")
    certificate = (tmp_path / "one/release/certificate.json").read_bytes()
    assert entry.certificate == hashlib.sha256(certificate).hexdigest()
    fewer = written(tmp_path / "fewer.csv", rows[1:])
    with pytest.raises(Refusal, match="fewer than"):
        rs.frontier(fewer, choose=0, out=tmp_path / "two", **asked)
    assert not (tmp_path / "two").exists()
    assert len(read_entries(tmp_path / "ledger")) == 1
    with pytest.raises(SettingError, match="works only if you choose a policy"):
        rs.frontier(data, out=tmp_path / "three", **asked)


@pytest.mark.nightly
def test_a_result_in_python_is_written_with_a_ledger(tmp_path: Path) -> None:
    """By the folder's name, as in a request."""
    (rows,) = months(1)
    ledger = tmp_path / "ledger"

    def found(name: str, own: Sequence[Record]) -> Any:  # noqa: ANN401 - a result
        data = written(tmp_path / f"{name}.csv", own)
        return rs.anonymize(data, quasi=["ward", "code"], sensitive=["diagnosis"], k=5)

    assert found("one", rows).write(tmp_path / "one", ledger=ledger).passed
    more = found("two", [*rows, ("A", "11", "flu")])
    with pytest.raises(Refusal, match="1 group shows fewer than 5 added records"):
        more.write(tmp_path / "two", ledger=ledger)
    assert not (tmp_path / "two").exists()
    more.write(tmp_path / "others", ledger=str(ledger), ledger_people="others", ledger_warn=True)
    assert {one.people for one in read_entries(ledger)} == {"", "others"}
    with pytest.raises(SettingError, match="recipients would get the ledger"):
        more.write(tmp_path / "in", ledger=tmp_path / "in" / "ledger")
    with pytest.raises(SettingError, match="this setting requires a ledger"):
        more.write(tmp_path / "none", ledger_warn=True)


def test_north_and_south_and_then_both_leave_two(tmp_path: Path) -> None:
    """No two of three releases show it."""
    (rows,) = months(1)
    north, south = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    south = [(ward, code, "measles") for ward, code, _ in south]
    north += [("A", "11", "gout")] * 6 + [("B", "11", "gout")] * 6
    policy = first(tmp_path, north)
    # For these people, a diagnosis nearly reveals the ward.
    asked: dict[str, Any] = {"ledger": tmp_path / "ledger", "release_anyway": ["diagnosis"]}
    data = written(tmp_path / "south.csv", [*south, *[("A", "11", "ache")] * 6])
    rs.apply(policy, data, out=tmp_path / "south", suppression=1, **asked)
    both = [*north, *south, *[("A", "11", "ache")] * 6]
    two = written(tmp_path / "two.csv", [*both, ("A", "11", "flu"), ("A", "11", "cold")])
    with pytest.raises(
        Refusal, match=r"in 1 group, .* the sum of the parts is fewer than 5 records"
    ):
        rs.apply(policy, two, out=tmp_path / "two", **asked)
    rs.apply(policy, written(tmp_path / "both.csv", both), out=tmp_path / "b", **asked)


def test_whole_databases_are_refused_with_the_reason(tmp_path: Path) -> None:
    """Not passed over."""
    (rows,) = months(1)
    data = written(tmp_path / "patients.csv", rows)
    with pytest.raises(SettingError, match="describe the same people"):
        rs.anonymize(
            data, tables=[str(data)], k=5, out=tmp_path / "out", ledger=tmp_path / "ledger"
        )


def test_a_mistyped_ledger_is_refused_before_any_work(tmp_path: Path) -> None:
    """And begins no ledger, in which one newcomer would pass."""
    (rows,) = months(1)
    policy = first(tmp_path, rows)
    data = written(tmp_path / "more.csv", [*rows, ("A", "11", "flu")])
    ran = run("apply", policy, data, "--out", tmp_path / "out", "--ledger", tmp_path / "legder")
    assert ran.code == 2
    assert re.search(
        r"--ledger: the folder \S+legder does not exist, .*mkdir -m 700 \S+legder$", ran.err
    )
    with pytest.raises(SettingError, match=r"ledger: the folder .* does not exist"):
        rs.apply(policy, data).write(tmp_path / "out", ledger=tmp_path / "legder")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "legder").exists()


def test_the_summary_says_when_nothing_was_compared(tmp_path: Path) -> None:
    """For a new ledger, and for an unknown name; not if something was compared."""
    (rows,) = months(1)
    data = written(tmp_path / "data.csv", rows)
    policy = first(tmp_path, rows, ledger=None)

    def said(name: str, people: str) -> str:
        book = ("--ledger", tmp_path / "ledger", "--ledger-people", people)
        ran = run("apply", policy, data, "--out", tmp_path / name, *book)
        assert ran.code == 0, ran.err
        return ran.out

    assert "No earlier release was compared: the ledger is new." in said("one", "Nordland")
    assert "the ledger has releases of 'Nordland', but no release of 'Nordlamd'." in said(
        "two", "Nordlamd"
    )
    assert "No earlier release" not in said("three", "Nordland")
    report = (tmp_path / "two" / "report.html").read_text("utf-8")
    assert "Nordla" not in report  # recipients do not learn the names, only the number
    assert "the ledger has 1 release whose group of people has another name, but no" in report
    assert "The comparison does not cover a person who belongs to several groups" in report
    assert (
        "This release was not compared with 1 release in the ledger whose group of people"
        in said("four", "Nordland")
    )
    own = [json.loads((tmp_path / x / "certificate.json").read_bytes()) for x in ("one", "two")]
    assert [one["earlier_releases"].get("apart") for one in own] == [None, 1]
    assert rs.verify(tmp_path / "two").passed


def test_a_refusal_lists_all_findings(tmp_path: Path) -> None:
    """On the terminal, in JSON, and in Python. If records came and went, periods are named."""
    (rows,) = months(1)
    policy = first(tmp_path, rows, ledger_people="2025-01")
    data = written(tmp_path / "next.csv", [*rows[2:], *[("B", "11", "measles")] * 2])
    asked = ("apply", policy, data, "--out", tmp_path / "next", "--ledger", tmp_path / "ledger")
    refused = run(*asked)
    assert refused.code == 1
    head, *lines = refused.out.splitlines()
    assert head == "Found by the ledger:"
    found = run(*asked, "--json").json["earlier_releases"]["findings"]
    kinds = [one["kind"] for one in found]
    assert {"added", "removed"} <= {*kinds}
    assert len(lines) == len(kinds)
    assert f"and {len(kinds) - 1} more such finding" in refused.error
    assert "--ledger-people PERIOD" in refused.error
    with pytest.raises(Refusal) as caught:
        rs.apply(policy, data, out=tmp_path / "next", ledger=tmp_path / "ledger")
    assert caught.value.earlier_releases.to_dict()["findings"] == found
    alone = written(tmp_path / "alone.csv", [*rows, ("A", "11", "flu")])
    added = run(*asked[:2], alone, *asked[3:])
    assert added.code == 1
    assert "PERIOD" not in added.error
    assert run(*asked, "--ledger-people", "2025-02").code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("lost", [0, 2])
def test_a_release_without_a_name_needs_another_ledger(tmp_path: Path, lost: int) -> None:
    """A name for the new release alone would not help; said even if no record is missing."""
    (rows,) = months(1)
    policy = first(tmp_path, rows)
    data = written(tmp_path / "next.csv", [*rows[lost:], *[("B", "11", "measles")] * 2])
    book = ("--ledger", tmp_path / "ledger", "--ledger-people", "2025-02")
    refused = run("apply", policy, data, "--out", tmp_path / "next", *book)
    assert refused.code == 1
    assert "keep a ledger for each period (--ledger DIR), or begin a new ledger" in refused.error
    assert (
        "the earlier release has no name, so Roadstead compares it with every group"
        in refused.error
    )


def test_a_release_without_a_ledger_is_warned(tmp_path: Path) -> None:
    """Whether or not the earlier release has a ledger, until a ledger compares both releases."""
    (rows,) = months(1)
    data, reminder = tmp_path / "month-0.csv", "was not compared with earlier releases"
    policy = first(tmp_path, rows)
    late = rs.apply(policy, data)
    assert reminder in str(late)
    late.write(tmp_path / "late", ledger=tmp_path / "ledger")
    assert reminder not in (tmp_path / "late" / "report.html").read_text("utf-8")
    with_it = run("apply", policy, data, "--out", tmp_path / "b", "--ledger", tmp_path / "ledger")
    assert reminder not in with_it.out
    other = first(tmp_path, rows, ledger=None, out=tmp_path / "other")
    ran = run("apply", other, data, "--out", tmp_path / "without")
    assert f"{reminder} under the same policy. An attacker" in ran.out
    assert "may learn the values of people who are in only one of them" in ran.out
    assert "To compare them, use --ledger DIR." in ran.out
    report = (tmp_path / "without" / "report.html").read_text("utf-8")
    assert reminder in report
    assert "ledger DIR" not in report
    assert reminder in str(run("apply", other, data, "--json").json["noticed"])
    assert reminder in str(rs.apply(rs.read_policy(other), data))


def test_an_earlier_release_is_recorded_afterwards(tmp_path: Path) -> None:
    """As the reminder says: the policy is applied to the earlier table again, with the ledger."""
    (rows,) = months(1)
    policy = first(tmp_path, rows, ledger=None)
    data = written(tmp_path / "fewer.csv", rows[1:])
    assert run("apply", policy, data, "--out", tmp_path / "fewer").code == 0
    (tmp_path / "late").mkdir()
    book = ("--ledger", tmp_path / "late")
    again = run("apply", policy, tmp_path / "month-0.csv", "--out", tmp_path / "again", *book)
    assert again.code == 0
    refused = run("apply", policy, data, "--out", tmp_path / "refused", *book)
    assert refused.code == 1
    assert "fewer than 5 removed records" in refused.error


def test_a_warning_is_seen_by_verify_gate_and_the_expert(tmp_path: Path) -> None:
    """Each says it of the release with the warning, and none of the release before it."""
    (rows,) = months(1)
    policy = first(tmp_path, rows)
    data = written(tmp_path / "more.csv", [*rows, ("A", "11", "flu")])
    book = ("--ledger", tmp_path / "ledger", "--ledger-warn")
    made = run("apply", policy, data, "--out", tmp_path / "more", *book)
    clause, found = "together with earlier releases, it can single out people", "fewer than 5 added"
    assert f"passed, but {clause}" in made.out
    gate, lenient = tmp_path / "gate.toml", tmp_path / "pass.toml"
    gate.write_text("[promise]\nk = 5\n", encoding="utf-8")
    lenient.write_text('[promise]\nk = 5\nearlier_releases = "pass"\n', encoding="utf-8")
    rule = "earlier releases and this release do not single out people"
    for name, warned in (("release-0", False), ("more", True)):
        folder = tmp_path / name
        verified = run("verify", folder)
        assert verified.code == 0
        assert (f"but {clause}" in verified.out) is (found in verified.out) is warned
        assert "the comparison with earlier releases" in verified.out
        assert (roadstead_verify.verify(folder).notes[0][:7] == "Caution") is warned
        gated = run("gate", folder, "--rules", gate)
        assert gated.code == int(warned)
        assert f"{'FAIL' if warned else 'ok  '}  {rule}" in gated.out
        accepted = run("gate", folder, "--rules", lenient)
        assert accepted.code == 0
        assert ("1 group with too few people or values)" in accepted.out) is warned
        asked = run("determine", folder, "--out", tmp_path / f"of-{name}", "--json").json
        assert bool(asked["singled_out"]) is warned
        for one in asked["dialects"]:
            page = (tmp_path / f"of-{name}" / f"{one['dialect']}.html").read_text("utf-8")
            assert ("Together with earlier releases, the release can" in page) is warned
            points = {point["id"]: point for point in one["points"]}
            asks = [point for point in points.values() if "earlier" in point["figures"]]
            assert [point["answered"] for point in asks] == ["part"] * (one["dialect"] != "ema")
            if asks:
                said = "was compared with 1 earlier release" if warned else "the ledger is new"
                assert said in page


def test_a_release_without_a_ledger_has_no_rule_and_no_answer(tmp_path: Path) -> None:
    """What was not compared is not assessed."""
    (rows,) = months(1)
    folder = first(tmp_path, rows, ledger=None).parent
    gate = tmp_path / "gate.toml"
    gate.write_text("[promise]\nk = 5\n", encoding="utf-8")
    assert "earlier release" not in run("gate", folder, "--rules", gate).out
    assert "earlier release" not in run("verify", folder).out
    (hipaa,) = run("determine", folder, "--dialect", "hipaa", "--json").json["dialects"]
    assert {one["id"]: one["answered"] for one in hipaa["points"]}["earlier"] == "nobody"


def test_the_step_that_a_refusal_names_works(tmp_path: Path) -> None:
    """One person left a group, and one joined: the first is kept, and the second is left out."""
    (rows,) = months(1)
    policy, book = first(tmp_path, rows), ("--ledger", tmp_path / "ledger")
    data = written(tmp_path / "next.csv", [*rows[1:], ("B", "11", "measles")])
    refused = run("apply", policy, data, "--out", tmp_path / "next", *book)
    step = "leave out the added records and keep the removed records until there are at least 5"
    assert f"; in each of these groups, {step}; or" in refused.error
    held = written(tmp_path / "held.csv", rows)
    assert run("apply", policy, held, "--out", tmp_path / "next", *book).code == 0


def test_a_larger_k_is_not_proposed_but_coarser_levels_are(tmp_path: Path) -> None:
    """A larger k requires larger common groups. Coarser levels with the same k have them."""
    (rows,) = months(1)
    first(tmp_path, rows)
    data = tmp_path / "month-0.csv"
    own: dict[str, Any] = {"quasi": ["ward", "code"], "sensitive": ["diagnosis"]}
    own["ledger"] = tmp_path / "ledger"
    with pytest.raises(Refusal, match="keep its k and use levels that are at least as coarse") as e:
        rs.anonymize(data, k=60, out=tmp_path / "larger", **own)
    assert "larger k" not in str(e.value)
    assert "if no one has received the earlier release, delete it" in str(e.value)
    rs.anonymize(data, k=5, min_level={"code": 1}, out=tmp_path / "coarser", **own)
    for entry in (tmp_path / "ledger").glob("*.json"):
        entry.unlink()
    rs.anonymize(data, k=60, out=tmp_path / "larger", **own)
