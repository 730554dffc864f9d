"""Columns that are microaggregated or rounded, from a request to a release that others check."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from commands import run, without_charts
from promises import promise_in
from small_tables import read_csv, write_csv
from treated_tables import anonymized, released, stays, written

import roadstead
from roadstead.errors import PolicyError, RoadsteadError, RoleError, SettingError, SourceError
from roadstead.policies.document import from_json, to_json
from roadstead.release.documents import fingerprint, json_text, write_json
from roadstead.release.treatments.columns import numbers_of
from roadstead.verbs.apply.as_sql import as_sql
from roadstead.verbs.ledger import LedgerUse


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    without_charts(monkeypatch)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with each kind of treatment."""
    made = tmp_path_factory.mktemp("treated")
    with pytest.MonkeyPatch.context() as patch:
        without_charts(patch)
        anonymized(
            written(made, stays(200)),
            [
                {"kind": "microaggregation", "column": "glucose", "function": "interval", "k": 9},
                {"kind": "rounding", "column": "stay", "base": 3, "high": 9},
                {"kind": "microaggregation", "column": "bmi", "within": "classes"},
            ],
        ).write(made / "out")
    return made


def forged(folder: Path, column: str, cell: str, tmp_path: Path) -> set[str]:
    """Change one cell, certify the table again, and name the failed checks."""
    made = tmp_path / "forged"
    made.mkdir()
    for file in (folder / "out").iterdir():
        (made / file.name).write_bytes(file.read_bytes())
    header, *rows = read_csv(made / "stays.csv")
    last = list(rows[-1])
    last[header.index(column)] = cell
    write_csv(made / "stays.csv", header, [*rows[:-1], tuple(last)])
    document = json.loads((made / "certificate.json").read_text("utf-8"))
    document["table"] = vars(fingerprint(made / "stays.csv"))
    (made / "certificate.json").write_text(json_text(document), "utf-8")
    return {one.check for one in roadstead.verify(made).failed}


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("column", "cell", "failing"),
    [
        (
            "glucose",
            "<1",
            {"every value of glucose is shared by 9", "glucose shows intervals of the policy"},
        ),
        ("stay", "4", {"stay is rounded to its base"}),
        ("stay", "12", {"stay is rounded to its base"}),
        ("stay", "many", {"stay is rounded to its base"}),
        ("bmi", "31.4159", {"every value of bmi is shared by 4 in its group"}),
    ],
)
def test_a_changed_cell_is_found(
    folder: Path, column: str, cell: str, failing: set[str], tmp_path: Path
) -> None:
    """From the released folder alone; the ticket keeps the added risk unchanged."""
    assert failing <= forged(folder, column, cell, tmp_path)


def test_the_certificate_says_what_was_treated(folder: Path) -> None:
    """The promise and the policy; of the loss a step alone."""
    document = json.loads((folder / "out" / "certificate.json").read_text("utf-8"))
    promise = promise_in(folder / "out")
    assert "Each value shown in bmi is shared by at least 4 records of the same group." in promise
    assert "Each value shown in glucose is shared by at least 9 records." in promise
    assert "rounded to multiples of 3, at most 9" in promise
    lost = document["loss"]["variance_lost"]
    assert set(lost) == {"glucose", "stay", "bmi"}
    assert all(f"{one:.0e}"[0] in "12589" for one in lost.values())
    assert from_json(document["policy"], where="").treated.keys() == set(lost)


def test_a_rule_is_applied_to_the_next_table(tmp_path: Path) -> None:
    """Rounding and intervals of one column: the same cuts, and what too few share is left out."""
    table = written(tmp_path, stays(200))
    treat: list[dict[str, Any]] = [
        {"kind": "microaggregation", "column": "glucose", "function": "interval", "k": 9},
        {"kind": "rounding", "column": "stay", "base": 3},
    ]
    policy = anonymized(table, treat).policy
    (own, _) = policy.treatments
    write_json(to_json(policy), tmp_path / "policy.json")
    following = written(tmp_path, stays(90, 8), "next.csv")
    result = roadstead.apply(
        tmp_path / "policy.json", following, suppression=0.9, unseen="suppress"
    )
    assert result.policy.treatments == policy.treatments
    assert result.write(tmp_path / "out").passed
    rows = released(tmp_path / "out", "next.csv")
    sizes = Counter(row["glucose"] for row in rows if row["glucose"])
    assert set(sizes) <= own.ends[0].all_labels(single=True)
    assert min(sizes.values()) >= 9
    loss = next(one for each in result.generalized.treated for one in each.losses)
    assert loss.emptied == sum(not row["glucose"] for row in rows) > 0
    assert "left out, because too few records share" in str(result)


def test_groups_are_not_formed_of_the_next_table(folder: Path, tmp_path: Path) -> None:
    """Means of nearly the same records would reveal the records that are in one release only."""
    with pytest.raises(PolicyError, match="would change the groups"):
        roadstead.apply(folder / "out" / "policy.json", folder / "stays.csv")
    ran = run("apply", folder / "out" / "policy.json", folder / "stays.csv")
    assert ran.code == 2
    assert "function=interval" in ran.error
    with pytest.raises(PolicyError, match="a single SQL statement cannot do"):
        as_sql(folder / "out" / "policy.json", table="t")
    table = written(tmp_path, stays(100))
    result = anonymized(table, [{"kind": "microaggregation", "column": "bmi"}])
    (tmp_path / "ledger").mkdir()
    with pytest.raises(SettingError, match="a ledger cannot determine"):
        result.write(tmp_path / "out", ledger=LedgerUse(tmp_path / "ledger"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("10,0", 'if the comma is the decimal mark, add decimal="comma"'),
        ("100 mg/dL", "remove the unit"),
        ("<5", 'if the value means missing, add missing="<5"'),
    ],
)
def test_a_cell_that_is_not_a_number_is_not_blanked_by_the_advice(cell: str, said: str) -> None:
    """Fault class: the advice was to treat a measured value as missing, for a comma or a unit."""
    with pytest.raises(SourceError) as caught:
        numbers_of("stay", ["7", cell])
    assert said in str(caught.value.fix)


@pytest.mark.quick(1)
@pytest.mark.parametrize("base", [1, 100_000])
def test_numbers_that_are_rounded_to_few_values_are_not_ids(tmp_path: Path, base: int) -> None:
    """Fault class: a column rounded to six values was refused, because its numbers were codes."""
    chance = random.Random(2)  # noqa: S311 - a made-up table
    numbers = [str(chance.randrange(10**6)) for _ in range(200)]
    rows = [("FM"[at % 2], str(20 + at % 9), chance.choice(numbers)) for at in range(3_000)]
    table = write_csv(tmp_path / "table.csv", ("sex", "age", "lab"), rows)
    rounding = {"kind": "rounding", "column": "lab", "base": base, "low": 0, "high": 10**6}
    asked: dict[str, Any] = {"quasi": ["sex", "age"], "k": 5, "treat": [rounding]}
    if base == 1:
        with pytest.raises(RoleError, match="repeat like IDs"):
            roadstead.anonymize(table, **asked)
        return
    roadstead.anonymize(table, **asked, out=tmp_path / "release")
    policy = tmp_path / "release" / "policy.json"
    roadstead.apply(policy, table, out=tmp_path / "again")
    lab = {row[-1] for row in read_csv(tmp_path / "again" / "table.csv")[1:]}
    assert len(lab) == 11


@pytest.mark.quick(9)
@pytest.mark.parametrize(
    ("treat", "said"),
    [
        ({"kind": "pram", "column": "stay"}, "at random without a privacy budget"),
        ({"kind": "post-randomization", "column": "stay"}, "roadstead synthesize"),
        ({"kind": "hashing", "column": "stay"}, "there is no treatment 'hashing'"),
        ({"kind": "microaggregation", "column": "age"}, "is a quasi-identifier"),
        ({"kind": "microaggregation", "column": "who"}, "is not released"),
        ({"kind": "microaggregation", "column": "nothing"}, "no such column"),
        ({"kind": "microaggregation", "column": "stay", "k": 2}, "the smallest k is 3"),
        ({"kind": "microaggregation", "column": "stay", "groups": "whole"}, "within=classes"),
        ({"kind": "microaggregation", "column": "stay", "size": 3}, "its parameters are column"),
        ({"kind": "microaggregation"}, "columns is missing"),
        ({"kind": "rounding", "column": "stay"}, "base is missing"),
        ({"kind": "rounding", "column": "stay", "base": 0}, "above zero"),
        ({"kind": "rounding", "column": "outcome", "base": 5}, "is not a number"),
        ({"kind": "microaggregation", "column": "outcome"}, "is not a number"),
        (
            {"kind": "microaggregation", "column": "stay", "k": 500},
            "fewer than 500 records have a value",
        ),
        (
            {
                "kind": "microaggregation",
                "column": "ticket",
                "within": "classes",
                "groups": "whole",
                "function": "mode",
            },
            "looks like an identifier",
        ),
    ],
)
def test_what_cannot_be_is_refused(treat: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Each with a reason, and nothing is written."""
    with pytest.raises(RoadsteadError) as error:
        anonymized(written(tmp_path, stays(80)), [treat], release_anyway=[])
    assert said in error.value.message
    assert isinstance(error.value, SettingError | SourceError) or "column" in error.value.message


def test_a_column_is_treated_once_and_by_no_model(tmp_path: Path) -> None:
    """A model would promise something of values that are not released."""
    table = written(tmp_path, stays(80))
    twice = [{"kind": "rounding", "column": "stay", "base": 2}] * 2
    with pytest.raises(SettingError, match="has two treatments"):
        anonymized(table, twice)
    with pytest.raises(SettingError, match="uses the original values of 'stay'"):
        anonymized(
            table,
            twice[:1],
            sensitive=["stay"],
            privacy=[{"kind": "distinct-l-diversity", "column": "stay", "l": 2}],
        )


@pytest.mark.nightly
def test_it_is_asked_for_alike_everywhere(tmp_path: Path) -> None:
    """On the command line, in a project file, and in Python; the report says what was done."""
    table = written(tmp_path, stays(150))
    project = tmp_path / "stays.toml"
    project.write_text(
        'data = "stays.csv"\n[roles]\nquasi = ["age", "sex"]\nidentifiers = ["who"]\n'
        'sensitive = ["outcome"]\nrelease_anyway = ["ticket"]\n'
        "[privacy]\nk = 4\nsuppression = 0.3\n"
        '[[treatments]]\nkind = "microaggregation"\ncolumns = ["glucose", "bmi"]\n'
        'within = "classes"\n[[treatments]]\nkind = "rounding"\ncolumn = "stay"\nbase = 2.5\n',
        "utf-8",
    )
    by_file = run("anonymize", "--project", project, "--json")
    assert by_file.code == 0, by_file.err
    by_command = run(
        *("anonymize", table, "--quasi", "age,sex", "--identifiers", "who", "--k", "4"),
        *("--sensitive", "outcome", "--release-anyway", "ticket", "--suppression", "0.3"),
        *("--treat", "microaggregation:columns=glucose+bmi,within=classes"),
        *("--treat", "rounding:column=stay,base=2.5", "--json"),
    )
    assert by_command.code == 0, by_command.err
    treat: list[dict[str, Any]] = [
        {"kind": "microaggregation", "columns": ["glucose", "bmi"], "within": "classes"},
        {"kind": "rounding", "column": "stay", "base": 2.5},
    ]
    own = anonymized(table, treat)
    for ran in (by_file, by_command):
        assert ran.json["policy"] == to_json(own.policy)
        assert ran.json["treated"] == own.to_dict()["treated"]
        assert ran.json["treated"]["stay"]["groups"] is None
    assert "Treated before release: bmi, microaggregated: the mean of its group" in str(own)
    told = own.content
    assert [name for name, _ in told.columns.treated] == ["glucose", "bmi", "stay"]
    assert not {"glucose", "bmi", "stay"} & {*told.columns.unchanged, *told.columns.sensitive}


def test_other_verbs_know_of_it(folder: Path) -> None:
    """Attacks say what they leave out; an evaluation says what is kept, and predicts by others."""
    out, table = folder / "out", folder / "stays.csv"
    found = roadstead.attack(out, original=table, attacks=["linkage", "singling-out"], attempts=50)
    untried = [one["why"] for one in found.to_dict()["untried"]]
    assert any("glucose, stay and bmi" in why for why in untried)
    facts = roadstead.evaluate(out, original=table).to_dict()
    kept = [note for note in facts["notes"] if note.startswith("out: bmi is microaggregated")]
    assert "of the original variance" in kept[0]
    with pytest.raises(SettingError, match="was microaggregated or rounded"):
        roadstead.evaluate(out, original=table, formula="outcome ~ bmi + age")
