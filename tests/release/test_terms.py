"""A verdict names the requirements and their columns, and says if they protect no one."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from commands import run

from roadstead.printable import printable
from roadstead.release.verification.checks import Check, Verification
from roadstead.release.verification.terms import NO_TERMS, PromiseTerms, bounds_something
from roadstead.reports.promise import promise_line
from roadstead.reports.verification import held, verdict

GOOD = (Check("all", passed=True, detail="well"),)
FIVE = PromiseTerms(("5-anonymity",), ("age", "sex"), 0.2)
RAW = PromiseTerms(("population risk 0.9",), ("age", "sex"), 1.0)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of sixty people, whose charges are all different."""
    monkeypatch.chdir(tmp_path)
    with Path("t.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("age", "sex", "illness", "charges"))
        for at in range(60):
            rows.writerow((20 + at % 40, "fm"[at % 2], "abc"[at % 3], 100.5 + 37 * at))
    return tmp_path


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (FIVE, "Passed: 5-anonymity of age, sex (1 check could not be made: the noise)."),
        (
            RAW,
            "Checked: population risk 0.9 of age, sex; but the highest risk is 100% for an "
            "attacker who knows age, sex (1 check could not be made: the noise).",
        ),
        (
            PromiseTerms((), ("age",), 1.0),
            "Checked, but no privacy requirement applies: the highest risk is 100% for an attacker "
            "who knows age (1 check could not be made: the noise).",
        ),
        (
            NO_TERMS,
            "Checked, but no privacy requirement applies (1 check could not be made: the noise).",
        ),
        (
            PromiseTerms(("2-anonymity",), ("age",), 0.5, ("5-anonymity",)),
            "Checked: 2-anonymity of age; but 5-anonymity was declared and is not met (1 check "
            "could not be made: the noise).",
        ),
    ],
)
def test_a_verdict_has_its_terms(terms: PromiseTerms, said: str) -> None:
    """It reassures only where something is promised, kept as declared, and no risk is above 1/2."""
    found = Verification(GOOD, ("the noise",), terms=terms)
    assert verdict(found).replace("\xa0", " ") == said
    assert found.reassures == said.startswith("Passed")
    assert held(found).startswith("verified" if found.reassures else "checked")
    assert promise_line(terms).startswith(
        "Privacy requirement: " if terms.promised else "No privacy requirement"
    )
    assert found.passed


@pytest.mark.parametrize(
    ("settings", "binds"),
    [
        ({"kind": "k-anonymity", "k": 1}, False),
        ({"kind": "k-anonymity", "k": 2}, True),
        ({"kind": "distinct-l-diversity", "column": "x", "l": 1}, False),
        ({"kind": "t-closeness", "column": "x", "t": 1.0}, False),
        ({"kind": "t-closeness", "column": "x", "t": 0.3}, True),
        ({"kind": "population-risk", "maximum": 1.0, "gamma": 1.0}, False),
        ({"kind": "beta-likeness", "column": "x", "beta": 2.0}, True),
        ({"kind": "values-of-persons", "model": {"kind": "distinct-l-diversity", "l": 3}}, True),
    ],
)
def test_a_model_without_a_bound_promises_nothing(settings: dict[str, object], binds: bool) -> None:  # noqa: FBT001 - a case
    """Such as k = 1, or a risk of at most 100%."""
    assert bounds_something(settings) is binds


@pytest.mark.usefixtures("place")
def test_verify_names_the_promise_of_each_kind_of_release() -> None:
    """k-anonymity, a model of a sensitive column, and any table with columns that are named."""
    common = ("anonymize", "t.csv", "--quasi", "age,sex", "--identifiers", "charges")
    model = "distinct-l-diversity:column=illness,l=2"
    assert run(*common, "--sensitive", "illness", "--privacy", model, "--out", "one").code == 0
    last = run("verify", "one").out.splitlines()[-1]
    assert last.startswith("Passed: 5-anonymity of age, sex and distinct 2-diversity of illness (")
    document = run("verify", "one", "--json").json
    assert (document["passed"], document["promised"], document["reassures"]) == (True, True, True)
    assert document["promise"] == "5-anonymity of age, sex and distinct 2-diversity of illness"
    assert document["highest_risk"] <= 0.2
    last = run("verify", "t.csv", "--quasi", "sex", "--k", "2").out.splitlines()[-1]
    assert last == "Passed: 2-anonymity of sex: 2 groups; the smallest has 30 records"


FRONTIER = ("frontier", "t.csv", "--quasi", "age,sex", "--identifiers", "charges,illness")
REASON = "The steering board, asked; <b>raw</b> ages"


@pytest.mark.usefixtures("place")
def test_a_point_of_the_frontier_below_the_promise_needs_a_reason() -> None:
    """Which certificate and report keep, and verify, gate and report say what it is."""
    chosen = (*FRONTIER, "--search", "steepest", "--risk", "1", "--out", "raw")
    ran = run(*chosen)
    assert ran.code == 2
    assert "does not meet the declared 5-anonymity" in ran.error
    assert not Path("raw").exists()
    assert run(*chosen, "--choose-reason", "ok").code == 2
    assert run(*chosen, "--choose-reason", "a\x1b[2J reason with marks").code == 2
    assert run(*chosen, "--choose-reason", "word " * 100).code == 2
    ran = run(*chosen, "--choose-reason", REASON)
    assert ran.code == 0, ran.err
    assert "Warning: 5-anonymity was declared, but this release does not meet it." in ran.out
    assert "and verified" not in ran.out
    release = Path("raw/release")
    certificate = json.loads((release / "certificate.json").read_text("utf-8"))
    assert certificate["below_promise"] == {
        "declared": [{"kind": "k-anonymity", "k": 5}],
        "reason": REASON,
    }
    report = (release / "report.html").read_text("utf-8")
    assert "&lt;b&gt;raw&lt;/b&gt; ages" in report
    assert "<b>raw</b>" not in report

    ran = run("verify", release)
    assert ran.code == 0
    assert "Passed" not in ran.out
    last = ran.out.splitlines()[-1]
    assert "but 5-anonymity was declared and is not met, and the highest risk is 100" in last
    document = run("verify", release, "--json").json
    assert (document["passed"], document["reassures"]) == (True, False)

    Path("gate.toml").write_text("[measured]\nsuppression = 0.5\n", encoding="utf-8")
    gate = ("gate", release, "--rules", "gate.toml")
    ran = run(*gate)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "REFUSED: 1 rule")
    # The advice is a better release, not a gate with weaker rules.
    assert "; make a release that meets 5-anonymity" in ran.out
    assert "unprotected" not in ran.out
    rules = '[measured]\nsuppression = 0.5\n[promise]\nunprotected = "pass"\n'
    Path("gate.toml").write_text(rules, encoding="utf-8")
    ran = run(*gate)
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("Accepted: 2 rules, but records are not protect")


@pytest.mark.usefixtures("place")
def test_no_reason_is_kept_where_the_promise_is() -> None:
    """A policy that keeps what was declared needs none; what is declared can be another k."""
    least = (*FRONTIER, "--search", "steepest", "--choose", "0", "--out", "out")
    assert run(*least, "--promise-k", "61").code == 2
    assert run(*least, "--choose-reason", "There is no need for this").code == 0
    assert "below_promise" not in Path("out/release/certificate.json").read_text("utf-8")


@pytest.mark.usefixtures("place")
def test_a_column_released_by_name_may_have_a_reason() -> None:
    """The policy keeps it, so that `apply` does too, and the report shows it as text."""
    Path("e.csv").write_text(
        "email,age,sex\n"
        + "".join(f"p{i}@example.org,{20 + i % 5},{'fm'[i % 2]}\n" for i in range(60)),
        encoding="utf-8",
    )
    named = (
        "anonymize",
        "e.csv",
        "--quasi",
        "age,sex",
        "--release-anyway",
        "email",
        "--out",
        "out",
    )
    assert run(*named, "--reason", "age=No column of the list").code == 2
    ran = run(*named, "--reason", "email=Contact list, agreed <i>in</i> writing")
    assert ran.code == 0, ran.err
    policy = json.loads(Path("out/policy.json").read_text("utf-8"))
    reason = "Contact list, agreed <i>in</i> writing"
    assert policy["columns"]["reasons"] == {"email": reason}
    assert "agreed &lt;i&gt;in&lt;/i&gt; writing" in Path("out/report.html").read_text("utf-8")
    assert "the reasons given for columns released anyway" in run("verify", "out").out
    assert run("apply", "out/policy.json", "e.csv", "--out", "again").code == 0
    again = json.loads(Path("again/policy.json").read_text("utf-8"))
    assert again["columns"]["reasons"] == {"email": reason}
    assert printable(reason) == reason


@pytest.mark.usefixtures("place")
def test_what_released_columns_add_is_a_warning_on_top() -> None:
    """The number and share, the worst column by name, and what to do; in the report, too."""
    columns = ("--quasi", "age,sex", "--sensitive", "illness", "--unchanged", "charges")
    ran = run("anonymize", "t.csv", *columns, "--out", "out")
    assert ran.code == 0, ran.err
    first, each, ways = ran.out.splitlines()[:3]
    assert first.replace("\xa0", " ").startswith(
        "Warning: an attacker who also knows illness and charges can single out 60 of 60 records "
        "(100%). 60 would be in groups smaller than 5."
    )
    assert "charges makes 60 records unique" in each
    assert ways.strip().startswith("charges adds most: add it to --quasi to generalize it")
    report = Path("out/report.html").read_text("utf-8")
    before, _, after = report.partition('id="removed"')
    assert "if an attacker knows every released column" in before
    warned, _, _ = after.partition('id="not-covered"')
    assert (
        "charges adds most. Make it a quasi-identifier, withhold it, or, if it contains numbers, "
        "round it." in warned
    )


@pytest.mark.usefixtures("place")
def test_an_attack_with_exact_charges_is_said_with_what_the_promise_covers() -> None:
    """It does not break k-anonymity of the columns named, and the summary does not hide it."""
    columns = ("--quasi", "age,sex", "--sensitive", "charges", "--identifiers", "illness")
    assert run("anonymize", "t.csv", *columns, "--out", "out").code == 0
    attack = ("attack", "out", "--original", "t.csv", "--attacks", "linkage,singling-out")
    ran = run(*attack)
    assert ran.code == 0
    gist = ran.out.splitlines()[0].replace("\xa0", " ")
    assert "None breaks the privacy requirements (5-anonymity of age, sex)" in gist
    assert "n attacker who knows charges finds about 100% of the records" in gist
    assert "The privacy requirements cover only age and sex" in gist
    assert "None reveals more" not in ran.out
    found = [
        one for one in run(*attack, "--json").json["attacks"] if one["knowledge"].get("beyond")
    ]
    assert found
    assert all(one["against"] == "nothing" and not one["convicted"] for one in found)


@pytest.mark.usefixtures("place")
def test_an_attack_that_finds_nothing_more_names_the_promise() -> None:
    """A summary without the terms would say more than was shown."""
    columns = ("--quasi", "age,sex", "--sensitive", "illness", "--identifiers", "charges")
    assert run("anonymize", "t.csv", *columns, "--out", "out").code == 0
    gist = run("attack", "out", "--original", "t.csv", "--attacks", "linkage").out.splitlines()[0]
    assert "None reveals more" in gist
    assert "(5-anonymity of age, sex)" in gist
