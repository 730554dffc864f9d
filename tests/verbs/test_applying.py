"""A policy applied again: to the same table, to next month's, and to an unsuitable one."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from commands import Ran, listing, run, without_charts
from small_tables import PATIENTS, QUASI, Row, patients, read_csv, write_csv

import roadstead as rs
from roadstead.errors import PolicyError, Refusal, RoleError, SettingError

ROLES = ("--quasi", QUASI, "--identifiers", "name,record", "--unchanged", "diagnosis")
RARE = [(f"Rare{i}", f"R{i}", str(20 + 5 * i), "X", f"0213{i}", "flu") for i in range(8)]
JANUARY = [*patients(400), *RARE]
FEBRUARY = patients(380, seed=2)


@pytest.fixture(scope="module")
def january(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with January's patients and their release, of which eight records are masked."""
    folder = tmp_path_factory.mktemp("january")
    data = write_csv(folder / "january.csv", PATIENTS, JANUARY)
    (folder / "levels").mkdir()
    (folder / "levels" / "sex.csv").write_text("F;*\nM;*\nX;*\n")
    where = ("--hierarchies", folder / "levels", "--out", folder / "release")
    ran = run("anonymize", data, *ROLES, *where, "--suppression", "0.03", "--json")
    assert (ran.code, ran.json["masked"]) == (0, 8)
    return folder


@pytest.fixture(autouse=True)
def place(january: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of January's folder to work in."""
    without_charts(monkeypatch)
    monkeypatch.chdir(shutil.copytree(january, tmp_path / "work"))
    return tmp_path / "work"


def apply(data: str, *more: str) -> Ran:
    """Apply January's policy."""
    return run("apply", "release/policy.json", data, "--out", "again", *more)


def test_the_same_table_gives_the_same_bytes(place: Path) -> None:
    """And the same policy, counts and risk in the certificate."""
    assert apply("january.csv").code == 0
    for name in ("january.csv", "policy.json"):
        assert (place / "again" / name).read_bytes() == (place / "release" / name).read_bytes()
    first, second = (
        json.loads((place / out / "certificate.json").read_text("utf-8"))
        for out in ("release", "again")
    )
    for key in ("table", "policy", "counts", "risk", "format"):
        assert first[key] == second[key]
    assert (second["loss"], second["search"]) == (None, None)
    assert run("verify", "again").code == 0


def test_next_month_s_table_is_generalized_the_same_way(place: Path) -> None:
    """Columns in another order make no difference to the rows."""
    order = (5, 2, 4, 3, 1, 0)
    rows = [tuple(row[i] for i in order) for row in FEBRUARY]
    write_csv(place / "february.csv", [PATIENTS[i] for i in order], rows)
    ran = apply("february.csv", "--json")
    assert ran.code == 0, ran
    assert ran.json["unseen_values"] == {}
    head, *found = read_csv(place / "again" / "february.csv")
    assert head == ("diagnosis", "age", "zip", "sex")
    expected = Counter(
        (row[5], f"{row[2][0]}0-{row[2][0]}9", row[4][:4] + "*", row[3]) for row in FEBRUARY
    )
    assert ran.json["suppressed"] == 0
    assert Counter(found) == expected
    assert run("verify", "again").code == 0


def test_a_value_never_seen_is_refused_unless_it_is_to_be_suppressed(place: Path) -> None:
    """Then its records are, and the values are counted by attribute, not shown."""
    strange = [("N", "M", "41", "Z", "02139", "flu")] * 6 + [("N", "M", "41", "F", "1", "flu")]
    write_csv(place / "february.csv", PATIENTS, [*FEBRUARY, *strange])
    before = listing(place)
    ran = apply("february.csv")
    assert ran.code == 2
    assert "'Z'" not in ran.out
    assert "february.csv: the policy does not cover the value 'Z' of 'sex'" in ran.error
    assert listing(place) == before

    ran = apply("february.csv", "--unseen", "suppress", "--json")
    assert ran.code == 0, ran
    assert ran.json["unseen_values"] == {"sex": 1, "zip": 1}
    assert (ran.json["suppressed"], ran.json["masked"]) == (7, 7)
    cells = {cell for row in read_csv(place / "again" / "february.csv") for cell in row}
    assert "Z" not in cells
    assert "1" not in cells
    assert run("verify", "again").code == 0
    settings = json.loads((place / "again" / "certificate.json").read_text("utf-8"))["settings"]
    assert settings["unseen_values"] == {"sex": 1, "zip": 1}


@pytest.mark.parametrize("every", [True, False])
def test_codes_that_lost_their_leading_zeros_are_named(place: Path, *, every: bool) -> None:
    """Fault class: after a spreadsheet, the advice was to anonymize the table again."""
    zipped = [(*row[:4], row[4].lstrip("0"), row[5]) for row in FEBRUARY]
    assert zipped != FEBRUARY
    rows = zipped if every else [*FEBRUARY, *zipped[:9]]
    write_csv(place / "february.csv", PATIENTS, rows)
    ran = apply("february.csv")
    assert ran.code == 2
    assert "lost their leading zeros; store the column as text" in ran.error


def test_more_suppression_than_the_policy_allows_is_refused(place: Path) -> None:
    """With both numbers; nothing is written."""
    scattered = [("N", "M", str(20 + 2 * i), "X", f"021{3 + i % 2}0", "flu") for i in range(39)]
    write_csv(place / "february.csv", PATIENTS, [*FEBRUARY[:361], *scattered])
    before = listing(place)
    ran = apply("february.csv")
    assert ran.code == 1
    assert "--suppression" not in ran.error
    assert "february.csv: the policy would suppress " in ran.error
    assert "of 400 records, but its limit is 12" in ran.error
    assert listing(place) == before


def test_a_column_that_is_missing_is_refused_and_one_too_many_is_not_released(place: Path) -> None:
    """Columns that the policy removes may be missing; unknown columns are reported."""
    write_csv(place / "february.csv", PATIENTS[:5], [row[:5] for row in FEBRUARY])
    ran = apply("february.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "'diagnosis'" in ran.error
    assert not (place / "again").exists()

    header = (*PATIENTS[2:], "remark")
    write_csv(place / "february.csv", header, [(*row[2:], "new") for row in FEBRUARY])
    ran = apply("february.csv")
    assert ran.code == 0, ran
    assert "Withheld: 1 column that you did not name for release." in ran.out
    assert ran.out.splitlines()[-1] == "To release columns unchanged: --unchanged remark"
    assert read_csv(place / "again" / "february.csv")[0] == PATIENTS[2:]


def test_fewer_than_k_suppressed_records_are_left_out(place: Path) -> None:
    """They would be conspicuous among the records with ``*``."""
    write_csv(place / "february.csv", PATIENTS, [*FEBRUARY, *RARE[:4]])
    ran = apply("february.csv", "--json")
    assert ran.code == 0, ran
    assert (ran.json["suppressed"], ran.json["masked"], ran.json["dropped"]) == (4, 0, 4)
    assert ran.json["released"] == 380


@pytest.mark.nightly
def test_a_policy_is_applied_from_python(place: Path) -> None:
    """As a path or as a policy, to a file or a table in memory."""
    columns = dict(zip(PATIENTS, map(list, zip(*FEBRUARY, strict=True)), strict=True))
    policy = rs.read_policy(Path("release/policy.json"))
    write_csv(place / "february.csv", PATIENTS, FEBRUARY)
    results = [rs.apply(policy, columns), rs.apply("release/policy.json", "february.csv")]
    for number, result in enumerate(results):
        assert result.write(place / f"out{number}").passed
        assert "380 records" in str(result)
        assert result.policy == policy
    alone, beside_certificate = (result.to_dict() for result in results)
    assert alone["drift"].pop("suppressed_share_then") is None
    assert beside_certificate["drift"].pop("suppressed_share_then") == pytest.approx(8 / 408)
    assert alone == beside_certificate


def test_python_gets_the_same_refusals(place: Path) -> None:
    """As errors of the package."""
    rows: list[Row] = [*FEBRUARY, ("N", "M", "many", "F", "02139", "flu")]
    write_csv(place / "february.csv", PATIENTS, rows)
    policy = rs.read_policy(Path("release/policy.json"))
    with pytest.raises(PolicyError, match="'many' of 'age'"):
        rs.apply(policy, "february.csv")
    with pytest.raises(SettingError, match="unseen: "):
        rs.apply(policy, "february.csv", unseen="ignore")  # type: ignore[arg-type] # on purpose
    with pytest.raises(RoleError, match="'age'"):
        rs.apply(policy, {"sex": ["F"]})
    few = dict(zip(PATIENTS, map(list, zip(*FEBRUARY[:4], strict=True)), strict=True))
    with pytest.raises(Refusal, match="would suppress 4 of 4 records, but its limit is 0"):
        rs.apply(policy, few)


SCATTERED = [("N", "M", str(20 + 2 * i), "X", f"021{3 + i % 2}0", "flu") for i in range(39)]


def drifted(place: Path) -> None:
    """Write a February that suits January's policy less."""
    strange = [("N", "M", "41", "Z", "02139", "flu")] * 6 + [("N", "M", "41", "Y", "1", "flu")]
    write_csv(place / "february.csv", PATIENTS, [*FEBRUARY[:361], *SCATTERED, *strange])


def test_a_refusal_tells_what_drifted_and_what_would_do(place: Path) -> None:
    """By attribute; and what it names does, a little less does not.

    Fault class: a refusal without a way on.
    """
    drifted(place)
    ran = apply("february.csv", "--json")
    assert ran.code == 2
    drift = ran.json["drift"]
    by_name = {one["name"]: one for one in drift["attributes"]}
    assert (by_name["sex"]["unseen_values"], by_name["sex"]["unseen_records"]) == (2, 7)
    assert (by_name["zip"]["unseen_values"], by_name["zip"]["unseen_records"]) == (1, 1)
    assert (by_name["age"]["unseen_values"], drift["unseen_records"]) == (0, 7)
    assert drift["suppressed_share_then"] == pytest.approx(8 / 408)
    limit = drift["limit_that_would_do"]
    assert limit > drift["limit"] == 0.03

    told = apply("february.csv", "--unseen", "suppress")
    assert told.code == 1
    assert "The policy does not fit this table: use --suppression " in told.out
    assert "or anonymize the table again." in told.out
    assert "including 7 records with a value that the policy does not cover" in told.out
    assert not (place / "again").exists()
    less = ("--unseen", "suppress", "--suppression", str(limit - 0.003))
    assert apply("february.csv", *less).code == 1
    done = apply("february.csv", "--unseen", "suppress", "--suppression", str(limit), "--json")
    assert done.code == 0, done
    assert done.json["drift"]["attributes"] == drift["attributes"]


def test_leaving_a_column_out_suppresses_what_is_told(place: Path) -> None:
    """The count next to each attribute is that of the same policy with ``*`` in the column."""
    drifted(place)
    rows = [*FEBRUARY[:361], *SCATTERED]
    write_csv(place / "february.csv", PATIENTS, rows)
    drift = apply("february.csv", "--json").json["drift"]
    told = {one["name"]: one["suppressed_without"] for one in drift["attributes"]}
    labels = {"age": [row[2][0] for row in rows], "sex": [row[3] for row in rows]}
    labels["zip"] = [row[4][:4] for row in rows]
    for name, number in told.items():
        left = [column for other, column in labels.items() if other != name]
        keys = list(zip(*left, strict=True))
        sizes = Counter(keys)
        assert number == sum(sizes[key] < 5 for key in keys)


@pytest.mark.nightly
def test_another_limit_is_said_in_certificate_and_report(place: Path) -> None:
    """Both limits; the policy that was given is not changed.

    Fault class: a promise loosened in silence.
    """
    drifted(place)
    given = (place / "release" / "policy.json").read_bytes()
    ran = apply("february.csv", "--unseen", "suppress", "--suppression", "0.4")
    assert ran.code == 0, ran
    assert "limit 40%" in ran.out
    assert "the policy file allows 3%" in ran.out
    assert run("verify", "again").code == 0
    settings = json.loads((place / "again" / "certificate.json").read_text("utf-8"))["settings"]
    assert (settings["suppression"], settings["suppression_of_policy"]) == (0.4, 0.03)
    assert (place / "release" / "policy.json").read_bytes() == given

    result = rs.apply("release/policy.json", "february.csv", unseen="suppress", suppression=0.4)
    notes = result.content.notes
    assert any("at most 40%" in note and "allows 3%" in note for note in notes)


@pytest.mark.nightly
def test_drift_is_told_in_python(place: Path) -> None:
    """On the error, and on the result; no value is in it."""
    drifted(place)
    with pytest.raises(Refusal) as caught:
        rs.apply("release/policy.json", "february.csv", unseen="suppress")
    drift = caught.value.drift
    assert str(drift).endswith("or anonymize the table again.")
    assert "'Z'" not in str(drift)
    done = rs.apply(
        "release/policy.json", "february.csv", unseen="suppress", suppression=drift.fits
    )
    assert done.drift.attributes == drift.attributes
    with pytest.raises(PolicyError) as refused:
        rs.apply("release/policy.json", "february.csv")
    assert refused.value.drift == drift


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("release", "it is a folder); use the policy file in this folder, release/policy.json"),
        (".", "it is a folder); use a policy.json that Roadstead wrote"),
        (
            "january.csv",
            "the JSON is not valid at line 1, column 1; use a policy.json that Roadstead wrote",
        ),
    ],
)
def test_what_is_no_policy_is_told_with_what_to_name(place: Path, policy: str, says: str) -> None:
    """Fault class: an error that leaves open what to do."""
    del place
    ran = run("apply", policy, "january.csv")
    assert ran.code == 2
    assert says in ran.error


def test_a_key_that_nothing_is_done_with_is_refused_in_terms_of_apply(place: Path) -> None:
    """Apply has no option for pseudonyms; the policy has the setting."""
    del place
    ran = apply("january.csv", "--key", "custodian.key")
    assert ran.code == 2
    assert "--link" not in ran.error
    assert ran.error.strip().endswith("so nothing uses the key; leave --key out")


def test_where_nothing_can_be_released_no_limit_is_offered(place: Path) -> None:
    """Four people are too few for any."""
    write_csv(place / "february.csv", PATIENTS, FEBRUARY[:4])
    ran = apply("february.csv")
    assert ran.code == 1
    assert "The policy does not fit this table: " in ran.out
    write_csv(place / "february.csv", PATIENTS, [("N", "M", "many", "F", "02139", "flu")])
    ran = apply("february.csv")
    assert ran.code == 2
    assert "The policy does not fit this table: " in ran.out
    assert ran.error.strip().endswith("'many' of 'age'; anonymize the new table again")
