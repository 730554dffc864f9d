"""Declared missing codes stay in recodings, partitions, and frontiers if enough records have them.

In the survey, 12 men and 12 women refused to tell their age. Six men and one woman were not asked,
so this code must be generalized for the woman. Two men have a rare code.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from commands import run
from numpy.typing import NDArray

import roadstead as rs
from roadstead.hierarchies.rules import MISSING
from roadstead.policies.axes import axis
from roadstead.policies.encoding import encode
from roadstead.policies.recodings.from_search import recoding_of
from roadstead.release.documents import fingerprint
from roadstead.search.frontiers.frontier import Member
from roadstead.standalone import roadstead_verify
from roadstead.tables.frequency import FrequencyTable
from roadstead.verbs.defaults import default_hierarchy
from roadstead.verbs.hierarchies import cut_at, ordered_with_codes

pyreadstat = pytest.importorskip("pyreadstat")
pandas = pytest.importorskip("pandas")

REFUSED, NOT_ASKED, ILL = -9.0, -8.0, -7.0
LETTERS = {REFUSED: "a", NOT_ASKED: "b", ILL: "c"}
NAMES = {REFUSED: "refused", NOT_ASKED: "not asked", ILL: "Mr. Holm is ill"}
K = 5
KINDS = ("cells", "local", "intervals", "k-optimize")


def rows(*, people: bool = False) -> list[tuple[float | None, float, float]]:
    """Return the age, the sex, and the person of each record."""
    men = [REFUSED] * 12 + [NOT_ASKED] * 6 + [ILL] * 2 + [None] * 7
    women = [REFUSED] * 12 + [NOT_ASKED] + [None] * 7
    ages = [20.0 + at // 6 for at in range(36)]
    both = [(1.0, one) for one in (*men, *ages)] + [(2.0, one) for one in (*women, *ages)]
    found = [(age, sex, float(at)) for at, (sex, age) in enumerate(both)]
    if people:  # every visit occurs twice, and one woman has all records of "not asked"
        found += [(age, sex, who) for age, sex, who in found]
        found += [(NOT_ASKED, 2.0, 999.0)] * 20
    return found


def survey(path: Path, *, people: bool = False) -> Path:
    """Write the survey in the format of SPSS or Stata."""
    codes = LETTERS if path.suffix == ".dta" else {}
    records = rows(people=people)
    ages = [None if age is None else codes.get(age, age) for age, _, _ in records]
    columns: dict[str, Any] = {
        "age": pandas.Series(ages, dtype=object if codes else float),
        "sex": [sex for _, sex, _ in records],
    }
    if people:
        columns["pid"] = [who for *_, who in records]
    labels: dict[str, Any] = {
        "age": {codes.get(code, code): name for code, name in NAMES.items()},
        "sex": {1: "male", 2: "female"},
    }
    frame = pandas.DataFrame(columns)
    if codes:
        pyreadstat.write_dta(
            frame,
            str(path),
            variable_value_labels=labels,
            missing_user_values={"age": [*codes.values()]},
        )
    else:
        missing: dict[str, list[Any]] = {"age": [{"lo": -9, "hi": -7}]}
        pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, missing_ranges=missing)
    return path


def reading(path: Path) -> tuple[Any, Any]:
    """Return the stored codes of a file, and its notes."""
    reader: Any = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    found: tuple[Any, Any] = reader(str(path), user_missing=True)
    return found


def having(path: Path, code: float) -> int:
    """Count the records with a code, without Roadstead."""
    frame, _ = reading(path)
    return int((frame["age"] == (LETTERS[code] if path.suffix == ".dta" else code)).sum())


def smallest_group(path: Path) -> int:
    """Return the size of the smallest group of equal cells, without Roadstead."""
    frame, _ = reading(path)
    return int(frame.astype(str).groupby(["age", "sex"]).size().min())


def in_kind(kind: str) -> tuple[str, ...]:
    """Return the options for a kind of policy."""
    if kind == "k-optimize":
        return ("--search", kind, "--quality", "discernibility")
    return ("--recoding", kind)


def require_agreement(out: Path, source: Path, applied: Path) -> None:
    """Check that verify, repeat, and apply accept or repeat a release."""
    assert run("verify", out).code == 0
    repeated = run("repeat", out, "--original", source)
    assert repeated.code == 0, repeated.error
    ran = run("apply", out / "policy.json", source, "--out", applied)
    assert ran.code == 0, ran.error
    assert (applied / source.name).read_bytes() == (out / source.name).read_bytes()


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
@pytest.mark.parametrize("kind", KINDS)
def test_codes_stay_where_enough_records_have_them(kind: str, name: str, tmp_path: Path) -> None:
    """Fault class: only one level for all records kept codes, so the others lost who refused."""
    source, out = survey(tmp_path / name), tmp_path / "out"
    limit = "0" if kind == "k-optimize" else "0.01"
    args = ("--quasi", "age,sex", "--k", str(K), "--suppression", limit)
    ran = run("anonymize", source, *args, *in_kind(kind), "--out", out)
    assert ran.code == 0, ran.error
    assert "stay separate" in ran.out or "stays a separate value." in ran.out
    joined = "or because the policy joins them with the missing value." in ran.out
    assert joined == (kind == "k-optimize")
    assert smallest_group(out / name) >= K
    assert having(out / name, REFUSED) == 24
    # One woman has this code: she is suppressed, or becomes like those without any age.
    assert having(out / name, NOT_ASKED) == (0 if kind == "k-optimize" else 6)
    assert having(out / name, ILL) == 0
    assert not any(b"Holm" in path.read_bytes() for path in out.iterdir())
    _, notes = reading(out / name)
    if name == "s.sav":
        assert notes.missing_ranges["age"][0]["lo"] == REFUSED
    else:
        assert "a" in notes.missing_user_values["age"]
    require_agreement(out, source, tmp_path / "next")
    rules = tmp_path / "gate.toml"
    rules.write_text("[promise]\nk = 5", encoding="utf-8")
    assert run("gate", out, "--rules", rules).code == 0
    assert run("evaluate", out, "--original", source).code == 0
    attacked = run("attack", out, "--original", source)
    assert attacked.code == 0, attacked.error


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
@pytest.mark.parametrize("search", ["exact", "steepest"])
def test_a_chosen_policy_of_a_frontier_keeps_codes(search: str, name: str, tmp_path: Path) -> None:
    """In levels and in partitions. The search compares policies with the codes."""
    source, out = survey(tmp_path / name), tmp_path / "out"
    args = ("--quasi", "age,sex", "--search", search, "--out", out)
    reason = ("--choose-reason", "this table is a test")
    ran = run("frontier", source, *args, "--risk", "1", *reason)
    assert ran.code == 0, ran.error
    release = out / "release"
    assert having(release / name, REFUSED) == 24
    assert having(release / name, NOT_ASKED) == 7
    assert having(release / name, ILL) == 0
    require_agreement(release, source, tmp_path / "next")


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["s.sav", "s.dta"])
def test_a_partition_of_a_frontier_joins_codes_with_missing_values(
    name: str, tmp_path: Path
) -> None:
    """The rarest code first. Groups that the search found are those of the release."""
    source, out = survey(tmp_path / name), tmp_path / "out"
    found = rs.frontier(source, quasi=["age", "sex"], search="closure")
    for at in range(len(found.members)):  # each is counted again if it has fewer codes
        found.choose(at, reason="this table is a test")
    space: Any = found.study.space
    assert space.ordered.values[0][:4] == ("refused", "not asked", "missing", "20")
    domains = space.ordered.cells.domains
    firsts = np.array([0, 1, *range(3, domains.sizes[0])])
    policy = domains.with_firsts(domains.most_specific, 0, firsts)
    assert space.representable(policy) == policy
    risk, loss = space.problem.point(policy)
    member = Member(risk, loss, policy)
    release = found.study.release(member, 1.0, found)
    assert release.policy.attributes[0].missing_codes == ("refused",)
    release.write(out)
    assert having(out / name, REFUSED) == 24
    assert having(out / name, NOT_ASKED) == 0
    require_agreement(out, source, tmp_path / "next")


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS[:3])
def test_people_are_counted_for_the_codes_of_groups(kind: str, tmp_path: Path) -> None:
    """Twenty records of one woman do not make a code frequent."""
    source, out = survey(tmp_path / "s.sav", people=True), tmp_path / "out"
    args = ("--person", "pid", "--quasi", "age,sex", "--k", str(K), "--suppression", "0.1")
    ran = run("anonymize", source, *args, "--recoding", kind, "--out", out)
    assert ran.code == 0, ran.error
    # This search for intervals does not anneal if people are counted, so it joins more codes.
    assert having(out / "s.sav", REFUSED) == (24 if kind == "intervals" else 48)
    assert having(out / "s.sav", NOT_ASKED) == 12
    require_agreement(out, source, tmp_path / "next")


@pytest.mark.quick(1)
@pytest.mark.parametrize(("index", "refused"), [(1, 0), (2, 48)])
def test_a_chosen_policy_for_people_counts_the_codes_again(
    index: int, refused: int, tmp_path: Path
) -> None:
    """The policy with the least risk promises 57 people, so no code is frequent enough."""
    source, out = survey(tmp_path / "s.dta", people=True), tmp_path / "out"
    args = ("--person", "pid", "--quasi", "age,sex", "--choose", str(index))
    reason = ("--choose-reason", "this table is a test")
    ran = run("frontier", source, *args, *reason, "--out", out)
    assert ran.code == 0, ran.error
    assert having(out / "release" / "s.dta", REFUSED) == refused
    require_agreement(out / "release", source, tmp_path / "next")


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS[:3])
def test_a_recoding_with_codes_fits_a_text_file_with_their_labels(
    kind: str, tmp_path: Path
) -> None:
    """The program without Roadstead accepts the labels, and SQL keeps them."""
    source, out, text = survey(tmp_path / "s.sav"), tmp_path / "out", tmp_path / "s.csv"
    args = ("--quasi", "age,sex", "--k", str(K), "--suppression", "0.01")
    assert run("anonymize", source, *args, *in_kind(kind), "--out", out).code == 0
    frame = reading(source)[0]
    shown = {1.0: "male", 2.0: "female"}
    frame["sex"] = frame["sex"].map(shown)
    words = {**NAMES, ILL: ""}
    frame["age"] = [
        "" if np.isnan(one) else words.get(one) if one in words else str(int(one))
        for one in frame["age"]
    ]
    frame.to_csv(text, index=False)
    ran = run("apply", out / "policy.json", text, "--out", tmp_path / "next")
    assert ran.code == 0, ran.error
    released = pandas.read_csv(tmp_path / "next" / "s.csv", dtype=str, keep_default_na=False)
    assert (released["age"] == "refused").sum() == 24
    assert (released["age"] == "not asked").sum() == 6
    assert roadstead_verify.main([str(tmp_path / "next")]) == 0
    made = run("apply", out / "policy.json", text, "--sql", "--dialect", "duckdb")
    assert made.code == 0, made.error
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE s AS FROM read_csv('{text}', all_varchar = true)")
        in_sql = con.sql(made.out).df().fillna("")
    assert sorted(in_sql["age"]) == sorted(released["age"])
    # A forger shows one more rare code, and writes new fingerprints.
    path = tmp_path / "next" / "s.csv"
    before = path.read_text("utf-8")
    forged = before.replace(",female\n", ",female\nnot asked,female\n", 1)
    path.write_text(forged, encoding="utf-8")
    certified = json.loads((tmp_path / "next" / "certificate.json").read_text("utf-8"))
    own, old = fingerprint(path), certified["table"]
    written = (tmp_path / "next" / "certificate.json").read_text("utf-8")
    written = written.replace(old["sha256"], own.sha256)
    written = written.replace(f'"bytes": {old["bytes"]}', f'"bytes": {own.bytes}')
    (tmp_path / "next" / "certificate.json").write_text(written, encoding="utf-8")
    assert run("verify", tmp_path / "next").code != 0
    assert roadstead_verify.main([str(tmp_path / "next")]) != 0


@pytest.mark.parametrize("kind", KINDS[:3])
def test_a_forged_file_that_keeps_a_rare_code_is_refused(kind: str, tmp_path: Path) -> None:
    """The forger shows the code of the woman who was not asked, and writes new fingerprints."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    args = ("--quasi", "age,sex", "--k", str(K), "--suppression", "0.01")
    assert run("anonymize", source, *args, *in_kind(kind), "--out", out).code == 0
    frame, notes = reading(out / "s.sav")
    woman = int(np.flatnonzero((frame["sex"] == 2) & (frame["age"] == 20))[0])
    frame.loc[woman, "age"] = NOT_ASKED
    pyreadstat.write_sav(
        frame,
        str(out / "s.sav"),
        variable_value_labels=notes.variable_value_labels,
        missing_ranges=notes.missing_ranges,
        variable_measure=notes.variable_measure,
        variable_format=notes.original_variable_types,
    )
    path = out / "certificate.json"
    old, own = json.loads(path.read_text("utf-8"))["table"], fingerprint(out / "s.sav")
    written = path.read_text("utf-8").replace(old["sha256"], own.sha256)
    written = written.replace(f'"bytes": {old["bytes"]}', f'"bytes": {own.bytes}')
    path.write_text(written, encoding="utf-8")
    ran = run("verify", out)
    assert ran.code != 0
    assert "5-anonymity" in ran.out


def test_codes_of_a_removed_column_count_before_the_release(tmp_path: Path) -> None:
    """Every group shows ``*``, and the risk before the release is that of the codes."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    top = ("--min-level", "age=2", "--recoding", "local")
    ran = run("anonymize", source, "--quasi", "age,sex", *top, "--k", str(K), "--out", out)
    assert ran.code == 0, ran.error
    frame, notes = reading(out / "s.sav")
    assert {*notes.variable_value_labels["age"].values()} == {"*"}
    assert frame["age"].nunique() == 1
    require_agreement(out, source, tmp_path / "next")


def test_two_columns_per_interval_have_plain_missing_values(tmp_path: Path) -> None:
    """Two columns of numbers cannot show a code."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    args = ("--quasi", "age,sex", "--recoding", "intervals", "--intervals", "columns")
    ran = run("anonymize", source, *args, "--out", out)
    assert ran.code == 0, ran.error
    assert "age: the codes -9 to -7 (declared as missing) become plain missing values" in ran.out
    frame, _ = reading(out / "s.sav")
    assert not (frame[["age_low", "age_high"]] < 0).any().any()
    assert run("verify", out).code == 0


def test_a_population_is_compared_without_codes(tmp_path: Path) -> None:
    """Fault class: no one in the population had the code, so the table was refused."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    survey(tmp_path / "everyone.sav", people=True)
    people = ("--population", tmp_path / "everyone.sav")
    ran = run(
        *("anonymize", source, "--quasi", "age,sex", "--privacy", "k-map:k=5", *people),
        *("--suppression", "0.1", "--out", out),
    )
    assert ran.code == 0, ran.error
    assert having(out / "s.sav", REFUSED) == 0
    for search in ("exact", "steepest"):
        found = run("frontier", source, "--quasi", "age,sex", "--search", search, *people)
        assert found.code == 0, found.error


def counted(values: list[str], counts: list[int]) -> FrequencyTable:
    """Return a table with one column."""
    domain = tuple(sorted(values))
    codes = np.arange(len(domain), dtype=np.int32)
    of_value = dict(zip(values, counts, strict=True))
    return FrequencyTable(
        ("age",), (domain,), (codes,), np.array([of_value[v] for v in domain], np.int64)
    )


@pytest.mark.parametrize("codes", [["refused"], ["8"], ["refused", "8"], ["c", "a", "b"]])
@pytest.mark.parametrize("values", [["20"], ["20", "21", "23"], ["", "20", "21"], ["", "x"], [""]])
def test_every_partition_with_codes_is_that_of_its_policy(
    codes: list[str], values: list[str]
) -> None:
    """For each division into intervals, read as `apply` reads: other codes are missing values."""
    known = [*values, *codes]
    table = counted(known, [9] * len(values) + [9 - at for at in range(len(codes))])
    hierarchy = default_hierarchy("age", tuple(sorted(values)), None, None).keeping(codes)
    domain = ordered_with_codes(table, hierarchy)
    assert domain.codes == tuple(codes)
    assert domain.size == len(known)
    for bits in product([False, True], repeat=domain.size - 1):
        firsts = [0, *(at for at, bit in enumerate(bits, 1) if bit)]
        made, policy = domain.representable(firsts), cut_at(domain, firsts)
        assert {*made} <= {*firsts}
        assert domain.representable(made) == made
        assert cut_at(domain, made) == policy
        dropped = {*codes} - {*policy.missing_codes}
        labels = [policy.label(MISSING if own[0] in dropped else own[0]) for own in domain.places]
        assert None not in labels
        begins = [0, *(at for at in range(1, domain.size) if labels[at] != labels[at - 1])]
        assert begins == made


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("codes", [["refused"], ["8"], ["refused", "8"], ["c", "a", "b"]])
@pytest.mark.parametrize(
    "values", [["20"], ["20", "21", "23"], ["", "20", "21"], ["", "x"], ["", "2020-01-01"], [""]]
)
def test_every_interval_with_codes_is_that_of_its_document(
    codes: list[str], values: list[str], *, rare: bool
) -> None:
    """The document contains the same values as the search, and each label has one meaning."""
    known = [*values, *codes]
    table = counted(known, [1 if rare else 9] * len(values) + [9] * len(codes))
    hierarchy = default_hierarchy("age", tuple(sorted(values)), None, None).keeping(codes)
    encoding = encode(table, (hierarchy,))
    counts = table.counts

    def enough(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.bincount(groups, counts, minlength=int(groups.max()) + 1) >= K

    own = axis(hierarchy, table.domains[0], enough if rare else None)
    low, high = np.array(
        [(a, b) for a in range(own.size) for b in range(a, own.size)], dtype=np.int32
    ).T
    first, last = own.around(low, high)
    assert ((first <= low) & (last >= high)).all()
    again = own.around(first, last)
    assert np.array_equal(again[0], first)
    assert np.array_equal(again[1], last)
    pairs = np.unique(np.stack([first, last], axis=1), axis=0).astype(np.int32)
    assert (own.losses(pairs) >= -1e-12).all()
    assert (own.losses(pairs) <= 1 + 1e-12).all()
    recoding = recoding_of("intervals", encoding, pairs[:, None, :], (own,))
    assert recoding.wrong is None
    (parts,) = recoding.attributes
    shown = parts.shows(table.domains[0])[:, recoding.array[:, 0]]
    places = own.places[:, None]
    assert np.array_equal(shown, (pairs[:, 0] <= places) & (places <= pairs[:, 1]))
