"""Requests about dates of a person: which count, which are refused, and what a policy repeats."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import PolicyError, RoadsteadError, RoleError, SettingError
from roadstead.policies.document import from_json, read_policy, to_json
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.persons.pseudonyms import write_key
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.released import ReleaseResult

START = date(2020, 1, 1)
PERSONS = 60


def extract(persons: int = PERSONS, days: int = 2_000) -> pa.Table:
    """Make three stays of each person, of which the second and third come 10 and 40 days later."""
    rows = []
    for person in range(persons):
        first = START + timedelta((person * 37) % (days - 50))
        born = date(1930 + person % 60, 1 + person % 12, 5)
        for later, length in ((0, 2), (10, 1 + person % 2), (40, 5)):
            seen = first + timedelta(later)
            rows.append((f"p{person}", "FM"[person % 2], born, seen, seen + timedelta(length)))
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(("who", "sex", "born", "seen", "gone"), columns, strict=True)))


ASKED: dict[str, Any] = {
    "person": "who",
    "quasi": ["sex", "seen", "gone"],
    "identifiers": ["born"],
    "k": 3,
    "suppression": 0.5,
    "suppressed": "drop",
}
INTERVALS = {"seen": "interval:first", "gone": "interval:seen"}
SHIFTED = {**ASKED, "dates": {**INTERVALS, "seen": "shift:first"}, "link": "pseudonym"}


def released(found: ReleaseResult, folder: Path) -> list[dict[str, Any]]:
    """Write a release and read it again."""
    found.write(folder)
    return rows_in(folder)


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """Read a release."""
    (path,) = (one for one in folder.iterdir() if one.suffix == ".csv")
    rows: list[dict[str, Any]] = pyarrow.csv.read_csv(
        path,
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={"seen": pa.string(), "gone": pa.string(), "anchor_date": pa.date32()}
        ),
    ).to_pylist()
    return rows


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An extract in a file."""
    path = tmp_path_factory.mktemp("extract") / "stays.csv"
    pyarrow.csv.write_csv(extract(), path)
    return path


@pytest.fixture(scope="module")
def intervals(table: Path) -> tuple[Anonymization, Path]:
    """A release with intervals, and its folder."""
    folder = table.parent / "intervals"
    return rs.anonymize(table, **ASKED, dates=INTERVALS, out=folder), folder


@pytest.fixture(scope="module")
def shifted(table: Path) -> tuple[Anonymization, Path]:
    """A release with a shifted date, and its folder."""
    folder = table.parent / "shifted"
    return rs.anonymize(table, **SHIFTED, out=folder), folder


def test_intervals_count_like_any_quasi_identifier(intervals: tuple[Anonymization, Path]) -> None:
    """Each group has three people or more, and the days are those computed by hand."""
    _, out = intervals
    rows = rows_in(out)
    classes = Counter((row["sex"], row["seen"], row["gone"]) for row in rows)
    assert min(classes.values()) >= 3
    # Bands of a week hold all there is: 0, 10 and 40 days, and what comes of them.
    assert {row["seen"] for row in rows} <= {"0", "10", "40", "0-6", "7-13", "35-41"}
    policy = read_policy(out / "policy.json")
    assert policy.persons is not None
    assert [(one.column, one.form, one.anchor) for one in policy.persons.dates] == [
        ("seen", "interval", None),
        ("gone", "interval", "seen"),
    ]
    assert from_json(to_json(policy), where="") == policy


def test_the_shifted_anchor_and_the_intervals_give_back_days_that_are_moved_alike(
    table: Path, tmp_path: Path
) -> None:
    """All rows of a person have one anchor, and it is moved by at most what was said."""
    found = rs.anonymize(
        table, **SHIFTED, shift_days=100, min_level={"seen": 0}, max_level={"seen": 0}
    )
    rows = released(found, tmp_path / "out")
    anchors: dict[str, set[date]] = {}
    for row in rows:
        anchors.setdefault(row["who"], set()).add(row["anchor_date"])
    assert all(len(own) == 1 for own in anchors.values())
    days = [START + timedelta((person * 37) % 1950) for person in range(PERSONS)]
    for (anchor,) in anchors.values():
        nearest = min(
            abs((anchor - timedelta(later) - day).days) for day in days for later in (0, 10, 40)
        )
        assert nearest <= 100
    first, last = min(days) + timedelta(100), max(days) + timedelta(40 - 100)
    for row in rows:
        assert first <= row["anchor_date"] + timedelta(int(row["seen"])) <= last
    text = str(found)
    assert "by the same number of days, at most 100 days earlier or later" in text
    assert "Before counting, Roadstead left out" in text
    assert found.dates.records_left_out == 3 * PERSONS - found.records > 0
    assert f"{found.records:,} of {3 * PERSONS:,} records, of " in text


def test_a_policy_repeats_shifts_with_the_key_alone(table: Path, tmp_path: Path) -> None:
    """The next extract has the old people with the same anchors; no document has the key."""
    key = tmp_path / "key"
    write_key(key)
    first = tmp_path / "first"
    before = released(rs.anonymize(table, **SHIFTED, shift_days=100, key=key), first)
    more = tmp_path / "more.csv"
    pyarrow.csv.write_csv(extract(PERSONS + 20), more)
    after = released(
        rs.apply(first / "policy.json", more, key=key, suppression=0.9), tmp_path / "second"
    )
    then = {row["who"]: row["anchor_date"] for row in before}
    now = {row["who"]: row["anchor_date"] for row in after}
    common = then.keys() & now.keys()
    assert len(common) > 20
    # If the first stay near an end is lost, it is still lost, or both have it.
    assert all(then[who] == now[who] for who in common)
    for file in ("policy.json", "certificate.json"):
        text = (first / file).read_text()
        assert key.read_text().split()[1] not in text
    with pytest.raises(SettingError, match="custodian's key"):
        rs.apply(first / "policy.json", more, suppression=0.9)


def test_without_a_key_two_releases_do_not_agree(table: Path) -> None:
    """The shifts are not kept, so an attacker cannot subtract one release from the other."""
    asked = {**ASKED, "quasi": ["sex", "seen"], "identifiers": ["born", "gone"]}
    shifted = {**asked, "dates": {"seen": "shift:first"}, "link": "pseudonym", "shift_days": 100}
    one, two = (
        sorted(rs.anonymize(table, **shifted).to_arrow()["anchor_date"].to_pylist())
        for _ in range(2)
    )
    assert one != two


@pytest.mark.nightly
def test_a_length_of_stay_is_counted_within_its_record(table: Path, tmp_path: Path) -> None:
    """Also where the dates are shifted, which changes no interval."""
    dates = {"seen": "shift:first", "gone": "since:seen"}
    exact: dict[str, Any] = {
        "min_level": {"seen": 0, "gone": 0},
        "max_level": {"seen": 0, "gone": 0},
    }
    found = rs.anonymize(table, **{**SHIFTED, "dates": dates}, shift_days=50, **exact)
    rows = released(found, tmp_path / "out")
    assert {row["gone"] for row in rows} <= {"1", "2", "5"}
    assert all((row["gone"] == "5") == (row["seen"] == "40") for row in rows if row["seen"] > "3")


@pytest.mark.quick(12)
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"person": None, "dates": INTERVALS}, "this setting requires a person ID column"),
        ({"person": None, "shift_days": 3}, "this setting requires a person ID column"),
        ({"dates": {"seen": "shift"}}, "cannot be a quasi-identifier"),
        ({"dates": {"seen": "shift-time"}}, "cannot be a quasi-identifier"),
        ({"dates": {"born": "shift"}, "identifiers": []}, "exact number of days between"),
        ({"dates": {"born": "shift-time"}, "identifiers": []}, "exact number of days between"),
        ({"dates": {"seen": "shift-time:first"}}, "not an allowed rule for dates"),
        ({"dates": {"seen": "shift:"}}, "not an allowed rule for dates"),
        ({"dates": {"born": "interval:first"}}, "is not a quasi-identifier"),
        ({"dates": {"seen": "since"}}, "not an allowed rule for dates"),
        ({"dates": {"seen": "since:seen"}}, "requires the date in another column"),
        ({"dates": {"seen": "age:seen"}}, "requires the date in another column"),
        ({"dates": {"seen": "age"}}, "not an allowed rule for dates"),
        ({"dates": {"born": "age:seen"}, "identifiers": []}, "may know the person's age"),
        ({"dates": {"seen": "interval"}}, "not an allowed rule for dates"),
        ({"dates": {"seen": "forget"}}, "not an allowed rule for dates"),
        (
            {"dates": {"seen": "interval:who"}},
            "this is the person ID column, not a column of dates",
        ),
        ({"dates": {"seen": "interval:nobody"}}, "nobody"),
        ({"dates": {"seen": "shift:first"}}, "links these rows"),
        (
            {"dates": {"seen": "shift:first", "gone": "shift:first"}, "link": "pseudonym"},
            "two anchor dates",
        ),
        ({"dates": {"seen": "shift:first"}, "link": "pseudonym"}, "not shifted, but other dates"),
        ({"dates": INTERVALS, "shift_days": 7}, "no date is shifted"),
        ({"dates": INTERVALS, "shift_weeks": True}, "no date is shifted"),
        ({**SHIFTED, "shift_days": 6, "shift_weeks": True}, "does not include a whole week"),
        ({**SHIFTED, "shift_days": 0}, "cannot be shifted by up to 0 days"),
        ({**SHIFTED, "shift_days": 5_000}, "twice the longest shift"),
    ],
)
def test_what_protects_nobody_is_refused(
    table: Path, changed: dict[str, Any], message: str
) -> None:
    """With the reason, before anything is written."""
    with pytest.raises(RoadsteadError, match=message):
        rs.anonymize(table, **{**ASKED, **changed})


def test_a_column_called_first_is_not_taken_for_the_first_date(tmp_path: Path) -> None:
    """The meaning would be ambiguous."""
    path = tmp_path / "stays.csv"
    found = extract()
    pyarrow.csv.write_csv(found.append_column("first", found["seen"]), path)
    with pytest.raises(SettingError, match="called first"):
        rs.anonymize(path, **{**ASKED, "identifiers": ["born", "first"]}, dates=INTERVALS)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("name", "refused"), [("visit_year", True), ("birth_year", False), ("year", True)]
)
def test_the_year_of_a_visit_next_to_a_shifted_date_is_refused(
    name: str,
    refused: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    """It reveals whether the shift crossed the end of the year; a year of birth does not."""
    path = tmp_path / f"{name}.csv"
    years = [1970 + at % 3 if name == "birth_year" else 2020 + at % 3 for at in range(180)]
    pyarrow.csv.write_csv(extract().append_column(name, pa.array(years)), path)
    asked = {**SHIFTED, "shift_days": 50, "release_anyway": [name]}
    if refused:
        with pytest.raises(RoadsteadError, match="not shifted, but other dates"):
            rs.anonymize(path, **asked)
    else:
        rs.anonymize(path, **asked)


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", ["interval", "age", "since"])
def test_dates_that_a_policy_presents_as_numbers_are_found_out(
    table: Path, tmp_path: Path, form: str
) -> None:
    """The cells must be values that the rule produces; real dates are neither days nor ages."""
    out = tmp_path / "out"
    asked = {**ASKED, "quasi": ["sex"], "release_anyway": ["seen"], "link": "pseudonym", "k": 2}
    asked["identifiers"] = ["born", "gone"]
    rs.anonymize(table, **asked, dates={"seen": "shift"}, shift_days=30).write(out)
    name = "seen follows its date rule"
    assert [one.passed for one in rs.verify(out).checks if one.check == name] == [True]
    document = json.loads((out / "certificate.json").read_text())
    anchor = None if form == "interval" else "gone"
    persons = document["policy"]["persons"]
    persons.update(dates=[{"column": "seen", "form": form, "anchor": anchor}], shift=None)
    (out / "policy.json").write_text(json_text(document["policy"]))
    document["files"] = [vars(fingerprint(out / one["name"])) for one in document["files"]]
    (out / "certificate.json").write_text(json_text(document))
    assert [one.check for one in rs.verify(out).failed] == [name]


def test_a_policy_that_contradicts_itself_is_refused(intervals: tuple[Anonymization, Path]) -> None:
    """A stranger may have written it."""
    _, out = intervals
    document = json.loads((out / "policy.json").read_text())
    changes: tuple[dict[str, Any], ...] = (
        {"shift": {"days": 30, "weeks": False, "keyed": False}},
        {"dates": [*document["persons"]["dates"], document["persons"]["dates"][0]]},
        {"dates": [{"column": "seen", "form": "shift", "anchor": None}]},
        {"dates": [{"column": "born", "form": "interval", "anchor": None}]},
        {"dates": [{"column": "gone", "form": "since", "anchor": None}]},
        {"dates": [{"column": "gone", "form": "age", "anchor": None}]},
        {
            "dates": [{"column": "seen", "form": "shifted-anchor", "anchor": None}],
            "shift": {"days": 30, "weeks": False, "keyed": False},
        },
        *(
            {
                "dates": [{"column": "seen", "form": form, "anchor": None}],
                "shift": {"days": 30, "weeks": False, "keyed": False},
            }
            for form in ("shift", "shift-time")
        ),
        {"dates": [{"column": "who", "form": "interval", "anchor": None}]},
    )
    for change in changes:
        wrong = {**document, "persons": {**document["persons"], **change}}
        with pytest.raises(PolicyError):
            from_json(wrong, where="policy.json")


def test_a_policy_without_dates_has_no_word_of_them(table: Path) -> None:
    """As policies were before there were rules of dates."""
    found = rs.anonymize(
        table, **{**ASKED, "quasi": ["sex"], "identifiers": ["born", "seen", "gone"]}
    )
    assert to_json(found.policy)["persons"] == {"column": "who", "link": "none"}


@pytest.mark.nightly
def test_as_sql_says_that_it_makes_no_intervals(table: Path) -> None:
    """It would release dates as if they were days."""
    found = rs.anonymize(table, **ASKED, dates=INTERVALS)
    with pytest.raises(PolicyError, match="which a single SQL statement cannot do"):
        rs.as_sql(found.policy, table="stays")


@pytest.mark.nightly
def test_the_command_line_and_a_project_file_say_the_same(table: Path, tmp_path: Path) -> None:
    """Both lead to the policy that Python does."""
    expected = to_json(rs.anonymize(table, **ASKED, dates=INTERVALS).policy)
    project = tmp_path / "project.toml"
    project.write_text(
        'data = "stays.csv"\n[roles]\nperson = "who"\nquasi = ["sex", "seen", "gone"]\n'
        'identifiers = ["born"]\n[privacy]\nk = 3\nsuppression = 0.5\n'
        '[persons.dates]\nseen = "interval:first"\ngone = "interval:seen"\n'
    )
    typed = ["--person", "who", "--quasi", "sex,seen,gone", "--identifiers", "born", "--k", "3"]
    typed += [
        "--suppression",
        "0.5",
        "--date",
        "seen=interval:first",
        "--date",
        "gone=interval:seen",
    ]
    for at, words in enumerate(([str(table), *typed], ["--project", str(project)])):
        out = tmp_path / f"out{at}"
        ended = run("anonymize", *words, "--out", str(out))
        assert ended.code == 0, ended.err
        assert "seen: days since the person's earliest seen." in ended.out
        assert json.loads((out / "policy.json").read_text()) == expected


@pytest.mark.parametrize(
    ("dates", "where"),
    [
        ({"sen": "shift"}, "column 'sen': the table has no such column"),
        ({"seen": "interval:brn"}, "column 'brn': the table has no such column"),
        (
            {"seen": "interval:who"},
            "column 'who': this is the person ID column, not a column of dates",
        ),
    ],
)
def test_a_date_that_is_none_is_named_itself(dates: dict[str, str], where: str) -> None:
    """Fault class: advice to release by name a column that the table does not have."""
    with pytest.raises(RoleError) as caught:
        rs.anonymize(extract(), **ASKED, dates=dates)
    assert caught.value.message.startswith(where)


def test_ages_over_89_do_not_reveal_a_shift(tmp_path: Path) -> None:
    """They stand in the same item of Safe Harbor as dates, but are no dates."""
    rows = extract()
    ages = [str(36 + int(one[1:])) for one in rows["who"].to_pylist()]  # up to 95
    made = rs.anonymize(
        rows.append_column("age", pa.array(ages)),
        **{**SHIFTED, "quasi": ["sex", "seen", "gone", "age"]},
    )
    assert made.write(tmp_path / "release").passed
    assert any(one.name == "age" for one in made.policy.attributes)


def test_no_page_calls_a_shifted_date_or_a_pseudonym_unchanged(tmp_path: Path) -> None:
    """The report, the determination, and the terminal say what replaces them."""
    pa.csv.write_csv(extract(), tmp_path / "stays.csv")
    roles = ("--quasi", "sex", "--identifiers", "born,gone", "--release-anyway", "seen")
    people = ("--person", "who", "--link", "pseudonym", "--knows", "2", "--date", "seen=shift")
    made = ("anonymize", tmp_path / "stays.csv", *roles, *people, "--k", "3")
    said = run(*made, "--suppression", "0.5", "--out", tmp_path / "release")
    assert (said.code, "Released anyway: seen" in said.out) == (0, False)
    report = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "seen: released unchanged" not in report
    assert "who: released unchanged" not in report
    for does in ("a pseudonym for each person", "the day, shifted, without a time of day"):
        assert report.count(does) >= 2
    policy = read_policy(tmp_path / "release" / "policy.json")
    assert set(policy.changed) == {"who", "seen"}
    answers = tmp_path / "answers.toml"
    assert run("determine", tmp_path / "release", "--dialect", "hipaa", "--new", answers).code == 0
    told = ("--answers", answers, "--out", tmp_path / "told")
    assert run("determine", tmp_path / "release", "--dialect", "hipaa", *told).code == 0
    assert ">released unchanged<" not in (tmp_path / "told" / "hipaa.html").read_text("utf-8")


def test_the_shifted_date_is_not_called_a_column_of_the_table(
    table: Path, shifted: tuple[Anonymization, Path]
) -> None:
    """The advice names a setting that leaves the date out, and that works."""
    found, out = shifted
    advice = "write interval instead of shift in dates"
    text = " ".join((out / "report.html").read_text("utf-8").split())
    for said in (str(found), str(rs.apply(found.policy, table)), text):
        assert advice in said
        assert "anchor_date adds most: add it" not in said
    without = rs.anonymize(table, **{**SHIFTED, "dates": INTERVALS})
    assert "anchor_date" not in str(without)


def test_a_gate_limits_what_is_left_out_in_the_units_that_are_named(
    table: Path, intervals: tuple[Anonymization, Path], tmp_path: Path
) -> None:
    """People, if they lose all records; and the records that a shift leaves out."""
    out, rules = tmp_path / "out", tmp_path / "gate.toml"
    found = rs.anonymize(table, **SHIFTED, knows="all", shift_days=100, out=out)
    people, cut = found.draft.persons, found.dates.records_left_out
    assert people is not None
    assert cut
    of_people, of_records = people.left_out / people.persons, cut / (3 * PERSONS)
    for less in (0, 1e-9):
        limits = (
            f"suppression = {max(of_people - less, 0)}\nleft_out_by_shift = {of_records - less}"
        )
        rules.write_text(f"[measured]\n{limits}")
        ran = run("gate", out, "--rules", rules, "--json")
        document = ran.json
        assert not document["requires_signature"]
        wrong = sum(not one["passed"] for one in document["rules"])
        assert wrong == (0 if not less else 1 + bool(people.left_out))
        text = ran.out
        assert f"({people.left_out:,} of {people.persons:,} people)" in text
        assert f"({cut:,} of {3 * PERSONS:,} records)" in text
    without, whole = intervals
    assert without.dates.records_left_out == 0
    rules.write_text("[measured]\nleft_out_by_shift = 0.0")
    assert rs.gate(whole, rules=rules).passed


def test_a_missing_column_is_sought_in_the_table_as_it_was_given(
    shifted: tuple[Anonymization, Path],
) -> None:
    """The shifted date is added later, and is no column of the table."""
    policy = shifted[0].policy
    with pytest.raises(RoleError, match=r"its columns are who, born, seen, gone$"):
        rs.apply(policy, extract().drop_columns(["sex"]))


def test_a_shared_placeholder_is_named_to_the_custodian_only(tmp_path: Path) -> None:
    """Fault class: the placeholder was the last day, so the true last dates were released."""
    days = [date(2020, 1, 1) + timedelta(7 * at % 401) for at in range(1200)]
    seen = [*map(str, days[:-9]), *["2999-12-31"] * 9]
    table = {"who": list(range(1200)), "seen": seen, "sex": ["f", "m"] * 600}
    asked: dict[str, Any] = {"person": "who", "quasi": ["sex"], "dates": {"seen": "shift"}}
    asked |= {"release_anyway": ["seen"], "shift_days": 60}
    made = rs.anonymize(table, k=3, link="pseudonym", **asked)
    made.write(tmp_path / "release")
    released = made.to_pandas()["seen"].astype(str)
    first, last = min(days) + timedelta(60), max(days) - timedelta(60)
    assert str(first) <= released.min()
    assert released.max() <= str(last)
    again = rs.apply(tmp_path / "release" / "policy.json", table)
    for found in (made, again):
        assert (
            "far from all other dates (2999-12-31). The records with these dates are among"
            in str(found)
        )
        assert "of the first or last date in the table, or beyond these dates" in str(found)
        assert any("2999-12-31" in one for one in found.noticed)
    assert "2999" not in (tmp_path / "release" / "report.html").read_text("utf-8")
