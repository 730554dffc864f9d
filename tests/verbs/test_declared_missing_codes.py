"""Codes that a file declares as missing stay separate values if enough records have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from commands import run

import roadstead as rs
from roadstead.policies.document import read_policy
from roadstead.standalone import roadstead_verify
from roadstead.tables.reading import read
from roadstead.verbs.declared_codes import keeping_codes_of

pyreadstat = pytest.importorskip("pyreadstat")
pandas = pytest.importorskip("pandas")

QUASI = ("--quasi", "sex", "--sensitive", "income,hiv,status", "--unchanged", "score")


def survey(path: Path) -> Path:
    """Write respondents with missing codes that have labels, have none, or do not occur."""
    frame = pandas.DataFrame(
        {
            "sex": [1.0 + at % 2 for at in range(200)],
            "income": [[-9.0, -8.0, 1.0, 2.0, 3.0][at % 5] for at in range(200)],
            "hiv": [[-9.0, 0.0, 1.0][at % 3] for at in range(200)],
            "status": [[1.0, 2.0, 8.0][at % 3] for at in range(200)],
            "score": [float(at % 7) for at in range(200)],
        }
    )
    labels: dict[str, dict[Any, str]] = {
        "sex": {1: "male", 2: "female"},
        "income": {-9: "refused", -8: "don't know"},
        "hiv": {-9: "refused", 0: "negative", 1: "positive"},
        "status": {1: "alive", 2: "dead"},
        "score": {-9: "refused"},
    }
    missing: dict[str, list[Any]] = {
        "income": [{"lo": -9, "hi": -8}],
        "hiv": [-9],
        "status": [8],
        "score": [-9],
    }
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, missing_ranges=missing)
    return path


def reading(path: Path) -> tuple[Any, Any]:
    """Return the stored codes of a file, and its notes."""
    reader: Any = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    found: tuple[Any, Any] = reader(str(path), user_missing=True)
    return found


def test_frequent_codes_stay_in_columns_without_labels_for_all_values(tmp_path: Path) -> None:
    """Fault class: refused and don't know were both released as empty cells."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    ran = run("anonymize", source, *QUASI, "--out", out)
    assert ran.code == 0, ran.error
    assert "income: the codes refused and don't know (declared as missing) stay" in ran.out
    assert "status: the code 8 (declared as missing) stays a separate value." in ran.out
    assert "hiv: the code" not in ran.out
    assert "score: the code" not in ran.out
    frame, notes = reading(out / "s.sav")
    assert frame["income"].value_counts().to_dict() == dict.fromkeys([-9, -8, 1, 2, 3], 40)
    assert notes.missing_ranges["income"] == [{"lo": -9.0, "hi": -8.0}]
    assert notes.variable_value_labels["income"] == {-9: "refused", -8: "don't know"}
    assert (frame["status"] == 8).sum() == 66
    assert notes.missing_ranges["status"] == [{"lo": 8.0, "hi": 8.0}]
    assert notes.missing_ranges["hiv"] == [{"lo": -9.0, "hi": -9.0}]
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0
    applied = run("apply", out / "policy.json", source, "--out", tmp_path / "next")
    assert "income: the codes" in applied.out
    assert (tmp_path / "next" / "s.sav").read_bytes() == (out / "s.sav").read_bytes()


def test_a_model_of_one_column_leaves_the_codes_of_the_others(tmp_path: Path) -> None:
    """Only the column that the model uses has plain missing values, also when applied again."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    model = ("--privacy", "distinct-l-diversity:column=hiv,l=2")
    assert run("anonymize", source, *QUASI, *model, "--out", out).code == 0
    assert run("apply", out / "policy.json", source, "--out", tmp_path / "again").code == 0
    for folder in (out, tmp_path / "again"):
        frame, _ = reading(folder / "s.sav")
        assert (frame["hiv"].isna().sum(), (frame["hiv"] == -9).sum()) == (67, 0)
        assert (frame["income"] == -9).sum() == (frame["income"] == -8).sum() == 40
        assert (frame["status"] == 8).sum() == 66


def ages(path: Path, *, extra: int = 0) -> Path:
    """Write ages with two frequent missing codes, and one code that three records have."""
    codes = {-9.0: "a", -8.0: "b", -7.0: "c"} if path.suffix == ".dta" else {}
    values = [[-9.0, -8.0, *(20.0 + at for at in range(30))][at % 32] for at in range(640)]
    values += [-7.0] * 3 + [25.0] * extra
    frame = pandas.DataFrame(
        {
            "age": pandas.Series([codes.get(one, one) for one in values], dtype=object)
            if codes
            else values,
            "sex": [1 + at // 32 % 2 for at in range(len(values))],
        }
    )
    named: dict[Any, str] = {codes.get(-9.0, -9): "refused", codes.get(-8.0, -8): "not asked"}
    if codes:
        pyreadstat.write_dta(
            frame,
            str(path),
            variable_value_labels={"age": named},
            missing_user_values={"age": [*codes.values()]},
        )
    else:
        ranges: dict[str, list[Any]] = {"age": [{"lo": -9, "hi": -7}]}
        pyreadstat.write_sav(
            frame, str(path), variable_value_labels={"age": named}, missing_ranges=ranges
        )
    return path


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
@pytest.mark.parametrize("level", [0, 2])
def test_codes_stay_at_every_level_below_the_top(name: str, level: int, tmp_path: Path) -> None:
    """Rare codes become plain missing values, and the largest level removes all of them."""
    source, out = ages(tmp_path / name, extra=1), tmp_path / "out"
    levels = ("--min-level", f"age={level}", "--max-level", f"age={level}", "--k", "4")
    args = ("--quasi", "age,sex", *levels, "--suppression", "0.05")
    ran = run("anonymize", source, *args, "--out", out)
    assert ran.code == 0, ran.error
    assert "age: its other codes that were declared as missing become plain missing" in ran.out
    assert "fewer than 4 records" in ran.out
    frame, notes = reading(out / name)
    labels = notes.variable_value_labels["age"]
    refused, asked = ("a", "b") if name == "s.dta" else (-9.0, -8.0)
    assert labels[refused] == "refused"
    assert labels[asked] == "not asked"
    if name == "s.sav":  # the file does not declare the rare code, -7
        assert notes.missing_ranges["age"][0] == {"lo": -9.0, "hi": -8.0}
    assert (frame["age"] == refused).sum() == (frame["age"] == asked).sum() == 20
    if level == 0:  # numbers stay numbers without labels
        assert sum(frame["age"] == 25.0) == 21
        assert {*labels} == {refused, asked}
    else:
        assert {"20-29", "30-39", "40-49"} < {*labels.values()}
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0
    assert run("evaluate", out, "--original", source).code == 0
    attacked = run("attack", out, "--original", source)
    assert attacked.code == 0, attacked.error
    document = json.loads((out / "policy.json").read_text("utf-8"))
    assert document["attributes"][0]["missing_codes"] == ["refused", "not asked"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
def test_the_top_level_removes_the_codes(name: str, tmp_path: Path) -> None:
    """A suppressed column does not show who refused, and its code does not enter a mean."""
    source, out = ages(tmp_path / name), tmp_path / "out"
    levels = ("--min-level", "age=3", "--max-level", "age=3")
    ran = run("anonymize", source, "--quasi", "age,sex", *levels, "--out", out)
    assert ran.code == 0, ran.error
    assert "(declared as missing)" not in ran.out + (out / "report.html").read_text("utf-8")
    assert "age: its other" not in ran.out
    frame, notes = reading(out / name)
    (code,) = frame["age"].unique()
    assert notes.variable_value_labels["age"] == {code: "*"}
    if name == "s.sav":
        assert notes.missing_ranges["age"] == [{"lo": code, "hi": code}]
        assert pyreadstat.read_sav(str(out / name))[0]["age"].isna().all()
    else:
        assert code == "s"
    assert "missing_codes" not in (out / "policy.json").read_text("utf-8")
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
def test_a_rare_code_does_not_stay_among_labels(name: str, tmp_path: Path) -> None:
    """Fault class: its label became its code, but the code and its declaration stayed."""
    rare, common = ("b", "a") if name == "s.dta" else (-8.0, -9.0)
    values = [[common, 1.0, 2.0][at % 3] for at in range(200)]
    values[1] = values[2] = rare
    columns = {"status": pandas.Series(values, dtype=object if name == "s.dta" else float)}
    columns["other"] = columns["status"].where(columns["status"] != common, 1.0)
    frame = pandas.DataFrame({"sex": [1.0 + at % 2 for at in range(200)], **columns})
    labels: dict[str, dict[Any, str]] = {"sex": {1: "male", 2: "female"}}
    for column in columns:
        labels[column] = {common: "refused", rare: "ill, Mr. Holm", 1: "no", 2: "yes"}
    missing: dict[str, list[Any]] = {column: [common, rare] for column in columns}
    source, out = tmp_path / name, tmp_path / "out"
    if name == "s.dta":
        pyreadstat.write_dta(
            frame, str(source), variable_value_labels=labels, missing_user_values=missing
        )
    else:
        pyreadstat.write_sav(
            frame, str(source), variable_value_labels=labels, missing_ranges=missing
        )
    roles = ("--quasi", "sex", "--sensitive", "status", "--unchanged", "other")
    ran = run("anonymize", source, *roles, "--k", "3", "--out", out)
    assert ran.code == 0, ran.error
    for column in columns:
        said = "its rare codes that were declared as missing become plain missing values, because"
        assert f"{column}: {said} fewer than 3 records have each code." in ran.out
    released, notes = reading(out / name)
    for column in columns:
        assert released[column].isna().sum() == 2
        assert not (released[column] == rare).any()
        assert rare not in notes.variable_value_labels[column]
    assert (released["status"] == common).sum() == 67
    if name == "s.sav":
        assert notes.missing_ranges == {"status": [{"lo": -9.0, "hi": -9.0}]}
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0
    next_out = tmp_path / "next"
    assert run("apply", out / "policy.json", source, "--out", next_out).code == 0
    assert (next_out / name).read_bytes() == (out / name).read_bytes()
    assert run("evaluate", out, "--original", source, "--target", "status").code == 0
    # Another release, in which the column is a quasi-identifier, keeps the labels apart.
    quasi = ("--quasi", "sex,status", "--unchanged", "other", "--k", "3", "--suppression", "0.05")
    assert run("anonymize", source, *quasi, "--out", tmp_path / "quasi").code == 0
    both = run("evaluate", out, tmp_path / "quasi", "--original", source)
    assert both.code == 0, both.error


def test_a_code_that_is_rare_next_month_becomes_a_plain_missing_value(tmp_path: Path) -> None:
    """The policy lists the code, but too few of the new records have it."""
    source, out = ages(tmp_path / "s.sav"), tmp_path / "out"
    ran = run("anonymize", source, "--quasi", "age,sex", "--k", "4", "--out", out)
    assert ran.code == 0, ran.error
    frame, notes = reading(source)
    refused = frame.index[frame["age"] == -9][2:]
    fewer = tmp_path / "next.sav"
    pyreadstat.write_sav(
        frame.drop(index=refused),
        str(fewer),
        variable_value_labels=notes.variable_value_labels,
        missing_ranges=notes.missing_ranges,
    )
    applied = run("apply", out / "policy.json", fewer, "--out", tmp_path / "next")
    assert applied.code == 0, applied.error
    released, _ = reading(tmp_path / "next" / "next.sav")
    assert not (released["age"] == -9).any()
    assert (released["age"] == -8).sum() == 20


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("--privacy", "distinct-l-diversity:column=income,l=2"),
        ("--treat", "rounding:column=income,base=2"),
    ],
)
def test_a_column_that_is_judged_or_treated_has_plain_missing_values(
    setting: str, value: str, tmp_path: Path
) -> None:
    """A code must not make a group diverse, and cannot be rounded."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    ran = run("anonymize", source, *QUASI, setting, value, "--out", out)
    assert ran.code == 0, ran.error
    assert "income: the codes -9 to -8 (declared as missing) become plain missing values" in ran.out
    frame, _ = reading(out / "s.sav")
    assert frame["income"].isna().sum() == 80


def test_a_scan_names_them_before_the_roles_are_decided(tmp_path: Path) -> None:
    """Also in the project file that it writes."""
    ran = run("scan", survey(tmp_path / "s.sav"), "--out", tmp_path / "s.toml")
    line = (
        "income: a release keeps the codes -9 to -8 (declared as missing) as separate values if "
        "enough records have each code."
    )
    assert line in ran.out, ran.err
    assert line in (tmp_path / "s.toml").read_text("utf-8")


def test_letters_of_stata_are_named_one_by_one(tmp_path: Path) -> None:
    """All letters can mean missing, but only those that occur are named."""
    dose = [["a", 1, 2, "c", 3][at % 5] for at in range(200)]
    frame = pandas.DataFrame({"sex": [1 + at % 2 for at in range(200)], "dose": dose})
    pyreadstat.write_dta(frame, str(tmp_path / "s.dta"), missing_user_values={"dose": ["a", "c"]})
    ran = run("anonymize", tmp_path / "s.dta", "--quasi", "sex", "--unchanged", "dose")
    assert "dose: the codes .a and .c (declared as missing) stay separate values." in ran.out


def test_a_suppressed_value_is_a_missing_value_in_stata(tmp_path: Path) -> None:
    """Fault class: the code 100 of * entered every mean. The letter s has another meaning here."""
    values: list[Any] = [float(1 + at % 4) for at in range(200)]
    values[:4] = [7.5, 8.5, 9.5, 10.5]
    values[4:30] = ["s"] * 26
    frame = pandas.DataFrame({"dose": pandas.Series(values, dtype=object), "sex": [1.0] * 200})
    source, out = tmp_path / "s.dta", tmp_path / "out"
    pyreadstat.write_dta(
        frame,
        str(source),
        variable_value_labels={"dose": {"s": "stopped"}},
        missing_user_values={"dose": ["s"]},
    )
    args = ("--quasi", "dose,sex", "--k", "3", "--max-level", "dose=0", "--suppression", "0.05")
    ran = run("anonymize", source, *args, "--out", out)
    assert ran.code == 0, ran.error
    released, notes = reading(out / "s.dta")
    assert notes.variable_value_labels["dose"] == {"s": "stopped", "a": "*"}
    assert released["dose"].map(str).value_counts()["a"] == 4
    mean = pyreadstat.read_dta(str(out / "s.dta"))[0]["dose"].mean()
    assert 1 < mean < 4
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0
    assert run("evaluate", out, "--original", source).code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
def test_a_code_that_the_user_lists_becomes_a_plain_missing_value(
    name: str, tmp_path: Path
) -> None:
    """Fault class: the code had no effect by the output, but all codes of the file were lost."""
    source, out = ages(tmp_path / name), tmp_path / "out"
    listed, left = (".a", "b") if name == "s.dta" else ("-9", -8.0)
    levels = ("--min-level", "age=1", "--max-level", "age=1", "--suppression", "0.05")
    missing = ("--missing", f"age={listed}")
    ran = run(
        "anonymize", source, "--quasi", "age,sex", "--k", "4", *levels, *missing, "--out", out
    )
    assert ran.code == 0, ran.error
    assert "Values that you declared as missing: 20 in age." in ran.err
    assert "age: the code not asked (declared as missing) stays a separate value." in ran.out
    frame, notes = reading(out / name)
    assert frame["age"].isna().sum() == 23
    assert (frame["age"] == left).sum() == 20
    assert "refused" not in notes.variable_value_labels["age"].values()
    assert run("repeat", out, "--original", source, *missing).code == 0
    if name == "s.sav":
        ran = run("anonymize", source, "--quasi", "age", "--missing", "age=-9..-8")
        assert "Values that you declared as missing: 40 in age." in ran.err


def test_a_policy_with_codes_fits_a_text_file_with_their_labels(tmp_path: Path) -> None:
    """The program without Roadstead accepts the label, and SQL keeps it."""
    source, out = ages(tmp_path / "s.sav"), tmp_path / "out"
    args = ("--quasi", "age,sex", "--min-level", "age=2", "--max-level", "age=2", "--k", "4")
    assert run("anonymize", source, *args, "--out", out).code == 0
    frame = reading(source)[0].replace({"age": {-9.0: "refused", -8.0: "not asked", -7.0: None}})
    frame["age"] = frame["age"].map(lambda one: int(one) if isinstance(one, float) else one)
    frame.dropna().astype(str).to_csv(tmp_path / "s.csv", index=False)
    applied = run("apply", out / "policy.json", tmp_path / "s.csv", "--out", tmp_path / "next")
    assert applied.code == 0, applied.error
    released = pandas.read_csv(tmp_path / "next" / "s.csv")
    assert {*released["age"]} == {"20-29", "30-39", "40-49", "refused", "not asked"}
    assert roadstead_verify.main([str(tmp_path / "next")]) == 0
    statement = run(
        "apply", out / "policy.json", tmp_path / "s.csv", "--sql", "--dialect", "duckdb"
    )
    assert statement.code == 0, statement.error
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE s AS FROM read_csv('{tmp_path / 's.csv'}', all_varchar = true)")
        ages_in_sql = con.sql(statement.out).df()["age"]
    assert {*ages_in_sql} == {*released["age"]}


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
@pytest.mark.parametrize("recoding", ["global", "local"])
def test_a_regression_leaves_out_records_with_missing_codes(
    name: str, recoding: str, tmp_path: Path
) -> None:
    """Fault class: a kept code made ages text, and a labeled code had its own coefficient."""
    codes: tuple[Any, Any] = ("a", "b") if name == "s.dta" else (-9.0, -8.0)
    values: dict[str, list[Any]] = {
        "age": [codes[0] if at % 11 == 0 else 20.0 + at * 7 % 60 for at in range(600)],
        "smoke": [codes[0] if at % 13 == 0 else at % 3 / 1 for at in range(600)],
        "score": [codes[0] if at % 17 == 0 else at * 5 % 23 / 1 for at in range(600)],
        "group": [codes[0] if at % 19 == 0 else at * 3 % 2 / 1 for at in range(600)],
    }
    values["smoke"][:2] = [codes[1]] * 2
    kind = object if name == "s.dta" else float
    frame = pandas.DataFrame({key: pandas.Series(own, dtype=kind) for key, own in values.items()})
    labels: dict[str, dict[Any, str]] = {
        "age": {codes[0]: "not asked"},
        "smoke": {codes[0]: "refused", codes[1]: "no answer", 0: "never", 1: "once", 2: "now"},
        "group": {codes[0]: "unknown", 0: "control", 1: "treated"},
    }
    missing: dict[str, list[Any]] = {key: [*codes] for key in values}
    source, out = tmp_path / name, tmp_path / "out"
    write = pyreadstat.write_dta if name == "s.dta" else pyreadstat.write_sav
    setting = "missing_user_values" if name == "s.dta" else "missing_ranges"
    write(frame, str(source), variable_value_labels=labels, **{setting: missing})
    levels = ("--max-level", "age=2", "--min-level", "age=1") if recoding == "global" else ()
    roles = ("--quasi", "age,smoke", "--unchanged", "score,group", "--suppression", "0.05")
    given = ("--recoding", recoding, *levels, *roles, "--k", "3", "--time-limit", "10")
    ran = run("anonymize", source, *given, "--out", out)
    assert ran.code == 0, ran.error
    ran = run("evaluate", out, "--original", source, "--formula", "score ~ age + smoke + group")
    assert ran.code == 0, ran.error
    plain = frame[~frame.isin(codes).any(axis=1)].astype(float)
    assert f"with {len(plain):,} records without missing values" in ran.out
    found = rs.evaluate(out, original=source, formula="score ~ age + smoke + group", draws=2)
    document = found.to_dict()["regression"]
    columns = {
        "(intercept)": 1.0,
        "age": plain["age"],
        "smoke: now": plain["smoke"] == 2,
        "smoke: once": plain["smoke"] == 1,
        "group: treated": plain["group"] == 1,
    }
    design = pandas.DataFrame(columns, index=plain.index).astype(float)
    wanted, *_ = np.linalg.lstsq(design.to_numpy(), plain["score"].to_numpy(), rcond=None)
    assert [one["term"] for one in document["coefficients"]] == [*columns]
    estimates = [one["estimate"] for one in document["coefficients"]]
    assert estimates == pytest.approx(wanted.tolist())
    assert run("evaluate", out, "--original", source, "--formula", "group ~ age").code == 0


def visits(path: Path) -> Path:
    """Write rows of 90 people. The twelve rows of one person have codes of their own."""
    people = [0] * 12 + [at for at in range(1, 90) for _ in range(2)]
    frame = pandas.DataFrame(
        {
            "pid": [float(one) for one in people],
            "sex": [1.0 + one % 2 for one in people],
            "age": [-9.0 if one % 3 == 0 else 30.0 + one % 2 for one in people],
            "ward": [9.0 if one == 0 else 1.0 + one // 2 % 2 for one in people],
            "income": [-8.0 if one == 0 else -9.0 if one % 4 == 1 else 50.0 for one in people],
        }
    )
    labels: dict[str, dict[Any, str]] = {
        "sex": {1: "male", 2: "female"},
        "age": {-9: "refused"},
        "ward": {1: "A", 2: "B", 9: "room of Qname"},
        "income": {-9: "refused", -8: "Qname forbids it"},
    }
    missing: dict[str, list[Any]] = {"age": [-9], "income": [{"lo": -9, "hi": -8}]}
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, missing_ranges=missing)
    return path


def test_people_are_counted_for_codes_and_labels(tmp_path: Path) -> None:
    """Fault class: twelve rows of one person counted as twelve, so a name in a label was released.

    Codes of enough people are kept, as in a release that counts records.
    """
    source, out = visits(tmp_path / "v.sav"), tmp_path / "out"
    roles = ("--person", "pid", "--quasi", "sex,age", "--unchanged", "ward,income")
    ran = run("anonymize", source, *roles, "--k", "5", "--out", out)
    assert ran.code == 0, ran.error
    assert "age: the code refused (declared as missing) stays a separate value." in ran.out
    assert "income: the code refused (declared as missing) stays a separate value." in ran.out
    assert "because fewer than 5 people have each code." in ran.out
    assert not any(b"Qname" in path.read_bytes() for path in out.iterdir())
    frame, notes = reading(out / "v.sav")
    assert notes.variable_value_labels["ward"] == {1: "A", 2: "B", 9: "9"}
    assert notes.variable_value_labels["income"] == {-9: "refused"}
    assert (frame["income"] == -9).sum() == 46
    assert frame["income"].isna().sum() == 12
    assert (frame["age"] == -9).sum() == 12 + 29 * 2
    assert run("verify", out).code == 0
    assert run("repeat", out, "--original", source).code == 0
    applied = run("apply", out / "policy.json", source, "--out", tmp_path / "next")
    assert applied.code == 0, applied.error
    assert (tmp_path / "next" / "v.sav").read_bytes() == (out / "v.sav").read_bytes()


def test_codes_next_to_changed_dates_are_the_same_in_the_next_release(tmp_path: Path) -> None:
    """A rule for dates makes the codes plain missing values, also for a policy that is applied."""
    source, out = visits(tmp_path / "v.sav"), tmp_path / "out"
    frame, _ = reading(source)
    frame["seen"] = pandas.to_datetime("2024-03-01") + pandas.to_timedelta(frame.index % 50, "D")
    codes: dict[str, list[Any]] = {"income": [{"lo": -9, "hi": -8}]}
    pyreadstat.write_sav(frame, str(source), missing_ranges=codes)
    roles = (
        "--person",
        "pid",
        "--quasi",
        "sex",
        "--unchanged",
        "income",
        "--identifiers",
        "age,ward",
    )
    dates = ("--date", "seen=interval:first", "--release-anyway", "seen")
    ran = run("anonymize", source, *roles, *dates, "--k", "5", "--out", out)
    assert ran.code == 0, ran.error
    assert reading(out / "v.sav")[0]["income"].isna().sum() == 12 + 46
    assert run("repeat", out, "--original", source).code == 0
    with read(source) as original:
        kept = keeping_codes_of(original, read_policy(out / "policy.json"))
        assert kept.table["income"].type().is_numeric()


def screened(path: Path) -> Path:
    """Write six regions. In region 1, all who were tested have HIV; 9 means not tested."""
    rows = [(1.0, 1.0)] * 18 + [(1.0, 9.0)] * 6
    for region in range(2, 7):
        rows += [(region, 0.0)] * 12 + [(region, 1.0)] * 6 + [(region, 9.0)] * 6
    frame = pandas.DataFrame(rows, columns=["region", "hiv"]).astype(float)
    named: dict[Any, str] = {0: "negative", 1: "positive"}
    if path.suffix == ".dta":
        frame = frame.astype(object).replace({"hiv": {9.0: "a"}})
        labels: dict[str, dict[Any, str]] = {"hiv": {**named, "a": "not tested"}}
        pyreadstat.write_dta(
            frame, str(path), variable_value_labels=labels, missing_user_values={"hiv": ["a"]}
        )
    else:
        labels = {"hiv": {**named, 9: "not tested"}}
        ranges: dict[str, list[Any]] = {"hiv": [9]}
        pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, missing_ranges=ranges)
    return path


DIVERSE = "distinct-l-diversity:column=hiv,l=2"


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
def test_a_labeled_missing_code_does_not_make_a_group_diverse(name: str, tmp_path: Path) -> None:
    """Fault class: the label "not tested" was the second value of a group of positive people."""
    source, out = screened(tmp_path / name), tmp_path / "out"
    args = (source, "--quasi", "region", "--sensitive", "hiv")
    limits = ("--suppression", "0.2", "--privacy", DIVERSE)
    ran = run("anonymize", *args, *limits, "--out", out)
    assert ran.code == 0, ran.error
    assert "(24 of 144 records;" in ran.out
    why = "becomes a plain missing value, because the settings of this release need plain missing"
    assert why in ran.out
    applied = run("apply", out / "policy.json", source, "--out", tmp_path / "next")
    assert "(24 of 144 records;" in applied.out
    assert (tmp_path / "next" / name).read_bytes() == (out / name).read_bytes()
    edge = run("frontier", *args, "--privacy", DIVERSE, "--threshold", "models", "--json")
    assert [one["policy"] for one in edge.json["points"]] == [{"region": "01111"}]


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.dta", "s.sav"])
def test_a_missing_code_is_not_a_second_value_in_warnings_and_attacks(
    name: str, tmp_path: Path
) -> None:
    """Fault class: no warning said that all tested people of a group have the same value."""
    source, out = screened(tmp_path / name), tmp_path / "out"
    ran = run("anonymize", source, "--quasi", "region", "--sensitive", "hiv", "--out", out)
    assert "1 of 6 groups (16.7% of the records: 24 of 144) has only one value of hiv" in ran.out
    assert "apart from empty cells and codes that were declared as missing." in ran.out
    frame, _ = reading(out / name)
    assert (frame["hiv"].isin([9.0, "a"])).sum() == 36
    attacked = run("attack", out, "--original", source, "--json")
    certain = [
        one
        for one in attacked.json["attacks"]
        if one["attack"] == "attribute-inference" and one["knowledge"]["guess"] == "certain"
    ]
    assert [one["successes"] for one in certain] == [18]


def test_codes_without_labels_are_not_a_second_value_in_warnings(tmp_path: Path) -> None:
    """A code that stays a separate value next to numbers also counts as an empty cell."""
    source = tmp_path / "s.sav"
    frame, _ = reading(screened(source))
    pyreadstat.write_sav(frame, str(source), missing_ranges={"hiv": [9]})
    ran = run(
        "anonymize", source, "--quasi", "region", "--sensitive", "hiv", "--out", tmp_path / "o"
    )
    assert "hiv: the code 9 (declared as missing) stays a separate value." in ran.out
    assert "has only one value of hiv" in ran.out


def test_codes_that_the_file_declares_as_missing_are_not_reported_as_possibly_missing(
    tmp_path: Path,
) -> None:
    """Fault class: the output advised --missing for labels that the file declares as missing."""
    source = tmp_path / "s.sav"
    values = [[1.0, 2.0, 3.0, 8.0][at % 4] for at in range(400)]
    frame = pandas.DataFrame({"school": values, "degree": values, "sex": [1.0, 2.0] * 200})
    labels: dict[Any, str] = {1: "no school", 2: "primary", 3: "secondary", 8: "Don't know"}
    pyreadstat.write_sav(
        frame,
        str(source),
        variable_value_labels={"school": labels, "degree": labels},
        missing_ranges={"school": [8]},
    )
    args = (source, "--quasi", "school,degree,sex")
    scan = run("scan", source, "--out", tmp_path / "s.toml").out
    ran = run("anonymize", *args, "--out", tmp_path / "out").out
    for said in (scan, ran, run("risk", *args).out, run("frontier", *args).out):
        assert "values of degree are Don't know" in said
        assert "values of school are" not in said
