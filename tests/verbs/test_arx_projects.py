"""Projects of ARX: what becomes of each setting, and the release that follows."""

from __future__ import annotations

import csv
import io
import stat
import tomllib
import zipfile
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from arx_projects import (
    IDENTIFYING,
    INSENSITIVE,
    QUASI,
    SENSITIVE,
    Attribute,
    Project,
    row_set,
)
from commands import run

import roadstead as rs
from roadstead.errors import OutputError, RoadsteadError, SourceError
from roadstead.reports.scan.lines import proposal_lines
from roadstead.requests.project import read_project
from roadstead.tables.arx_selection import selection_in
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.synthesize.request import SynthesizeRequest

OF = " for attribute 'finding'"
HEAD = ("name", "sex", "score", "finding", "grade", "note")
SCORES = [f"{number},5" for number in range(10, 30)]
FINDINGS = ("flu", "hernia", "asthma")
ROWS = [
    (
        f"P{at}",
        "FM"[at % 2],
        SCORES[at * at % 20],
        FINDINGS[at % 3],
        ("low", "high")[at % 7 % 2],
        "x",
    )
    for at in range(240)
]
ATTRIBUTES = {
    "name": Attribute(IDENTIFYING),
    "sex": Attribute(QUASI, [("F", "*"), ("M", "*")]),
    "score": Attribute(
        QUASI,
        [(one, "[10, 20[" if one < "20" else "[20, 30[") for one in SCORES],
        "Decimal",
        {"format": "#,##0.0", "locale": "DE"},
    ),
    "finding": Attribute(SENSITIVE, [(one, one[0], "*") for one in FINDINGS]),
    "grade": Attribute(SENSITIVE, (), "Ordinal", {"format": "low\nmid\nhigh"}),
    "note": Attribute(INSENSITIVE),
}
PLAIN = Project(HEAD, ROWS, ATTRIBUTES)
THIRD = [at % 3 == 0 for at in range(240)]


def read(folder: Path, project: Project) -> tuple[dict[str, Any], list[str]]:
    """Scan a project, and return its project file with what was said."""
    proposal = rs.scan(project.write(folder / "study.deid"))
    proposal.write(folder / "study.toml")
    return tomllib.loads((folder / "study.toml").read_text("utf-8")), proposal_lines(proposal)


TWELVE: dict[str, tuple[tuple[str, ...], list[dict[str, Any]], int]] = {
    "k-anonymity": (("7-anonymity",), [], 7),
    "l-diversity": (
        ("distinct-3-diversity" + OF, "recursive-(4.0,2)-diversity for attribute 'grade'"),
        [
            {"kind": "distinct-l-diversity", "l": 3, "column": "finding"},
            {"kind": "recursive-cl-diversity", "c": 4.0, "l": 2, "column": "grade"},
        ],
        1,
    ),
    "entropy": (
        ("grassberger-entropy-2.0-diversity" + OF, "shannon-entropy-1.5-diversity" + OF),
        [
            {"kind": "grassberger-l-diversity", "l": 2, "column": "finding"},
            {"kind": "entropy-l-diversity", "l": 1.5, "column": "finding"},
        ],
        1,
    ),
    "t-closeness": (
        (
            "0.3-closeness with equal ground-distance" + OF,
            "0.4-closeness with hierarchical ground-distance" + OF,
            "0.5-closeness with ordered distance for attribute 'grade'",
        ),
        [
            {"kind": "t-closeness", "t": 0.3, "column": "finding", "distance": "equal"},
            {"kind": "t-closeness", "t": 0.4, "column": "finding", "distance": "hierarchical"},
            {
                "kind": "t-closeness",
                "t": 0.5,
                "column": "grade",
                "distance": "ordered",
                "order": ["low", "mid", "high"],
            },
        ],
        1,
    ),
    "likeness": (
        ("3.0-disclosure privacy" + OF, "basic-1.5-likeness" + OF, "enhanced-2.0-likeness" + OF),
        [
            {"kind": "delta-disclosure", "delta": 3.0, "column": "finding", "every_value": False},
            {"kind": "beta-likeness", "beta": 1.5, "column": "finding", "enhanced": False},
            {"kind": "beta-likeness", "beta": 2.0, "column": "finding", "enhanced": True},
        ],
        1,
    ),
    "presence": (
        ("(0.0,0.6)-presence",),
        [{"kind": "delta-presence", "minimum": 0.0, "maximum": 0.6}],
        1,
    ),
    "k-map": (("(6)-map", "2-anonymity"), [{"kind": "k-map", "k": 6}], 2),
    "estimated": (("(6)-map estimated as (3)-anonymity (Poisson)",), [], 3),
    "risks": (
        (
            "(0.01)-sample-uniqueness",
            "(0.05, 0.25 (0.3), 0.0)-avg-reidentification-risk",
            "(0.05, 0.25 (0.3), 0.1)-avg-reidentification-risk",
            "(0.2)-avg-reidentification-risk",
            "(1.0E-4)-population-uniqueness (pitman)",
        ),
        [
            {"kind": "sample-uniqueness", "maximum": 0.01},
            {"kind": "strict-average-risk", "average": 0.05, "maximum": 0.3},
            {"kind": "records-at-risk", "average": 0.05, "maximum": 0.3, "at_risk": 0.1},
            {"kind": "average-risk", "average": 0.2},
            {"kind": "population-uniqueness", "maximum": 0.0001, "estimator": "pitman"},
        ],
        1,
    ),
    "private": (("(2.0,1.0E-6)-DP",), [], 5),
    "profit": (
        (
            "no-attack-profitability (prosecutor)[benefit=1.0, loss=2.0, gain=300.0, cost=4.0]",
            "profitability (journalist)[benefit=1200.0, loss=300.0, gain=300.0, cost=4.0]",
        ),
        [
            {"kind": "no-attack", "gain": 300.0, "cost": 4.0},
            {
                "kind": "profitability-journalist",
                "benefit": 1200.0,
                "loss": 300.0,
                "gain": 300.0,
                "cost": 4.0,
            },
        ],
        1,
    ),
    "unknown": (("3-anonymity", "0.9-novelty"), [{"kind": "0.9-novelty"}], 3),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", TWELVE)
def test_the_privacy_models_of_twelve_projects(name: str, tmp_path: Path) -> None:
    """Each text of ARX becomes the settings of the same model, in a file that can be read."""
    criteria, models, k = TWELVE[name]
    selected = THIRD if name in ("presence", "k-map") else ()
    found, _ = read(tmp_path, replace(PLAIN, criteria=criteria, selected=selected))
    assert found["privacy"].get("models", []) == models
    assert found["privacy"]["k"] == k
    assert found["privacy"]["suppression"] == 0.1
    assert found["roles"]["quasi"] == ["sex", "score"]
    assert found["roles"]["sensitive"] == ["finding", "grade"]
    assert found["roles"]["identifiers"] == ["name"]
    read_project(tmp_path / "study.toml", [AnonymizeRequest, SynthesizeRequest])
    assert found.get("synthesis") == (
        {"epsilon": 2.0, "delta": 1e-6, "for": "sample"} if name == "private" else None
    )


def test_a_release_has_the_levels_and_the_loss_that_brute_force_finds(tmp_path: Path) -> None:
    """Decimal commas match, `*` that ARX does not have is not used, and the loss is the least."""
    found, _ = read(tmp_path, PLAIN)
    assert found["levels"]["max"] == {"score": 1}
    ran = run("anonymize", "--project", tmp_path / "study.toml", "--out", tmp_path / "r", "--json")
    assert ran.code == 0, ran.err
    least = min(
        (loss, levels)
        for levels in product((0, 1), (0, 1))
        if (loss := _loss(levels, k=5, limit=24)) is not None
    )
    assert tuple(ran.json["levels"].values()) == least[1]
    assert ran.json["loss"] == pytest.approx(least[0], abs=1e-6)
    assert rs.verify(tmp_path / "r").passed


def _loss(levels: tuple[int, int], k: int, limit: int) -> float | None:
    """Return the geometric loss of a policy by definition; None if it suppresses too much."""
    chosen: list[dict[Any, Any]] = [
        {row[0]: row[1] for row in ATTRIBUTES[name].hierarchy} for name in ("sex", "score")
    ]
    labels = [
        tuple(
            one[value] if level else value
            for one, value, level in zip(chosen, row[1:3], levels, strict=True)
        )
        for row in ROWS
    ]
    sizes = Counter(labels)
    gone = sum(size for size in sizes.values() if size < k)
    if gone > limit:
        return None
    losses = []
    for at, one in enumerate(chosen):
        widths = Counter(one.values()) if levels[at] else dict.fromkeys(one, 1)
        shares = [(widths[row[at]] - 1) / (len(one) - 1) for row in labels if sizes[row] >= k]
        losses.append((gone + sum(shares)) / len(ROWS))
    return float(((1 + losses[0]) * (1 + losses[1])) ** 0.5 - 1)


@pytest.mark.nightly
def test_selected_rows_are_released_against_the_whole_table(tmp_path: Path) -> None:
    """The rows are copied privately, and the table is their population."""
    criteria = ("(0.0,0.6)-presence", "2-anonymity")
    found, said = read(tmp_path, replace(PLAIN, criteria=criteria, selected=THIRD))
    copy = tmp_path / str(found["data"])
    with copy.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file, delimiter=";")
    assert tuple(head) == HEAD
    assert [tuple(row) for row in rows] == ROWS[::3]
    assert found["population"] == "study.deid"
    assert "ARX releases 80 selected rows of 240" in "\n".join(said)
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    ran = run("anonymize", "--project", tmp_path / "study.toml", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["records"] == 80
    with pytest.raises(OutputError, match="already exists"):
        rs.scan(tmp_path / "study.deid").write(tmp_path / "study.toml")
    (tmp_path / "study.toml").unlink()
    with pytest.raises(OutputError, match="already exists"):
        rs.scan(tmp_path / "study.deid").write(tmp_path / "study.toml")


def test_a_selection_is_used_only_if_its_bits_fit() -> None:
    """A set of another size, of all rows, or cut short is no selection."""
    chosen = [at % 3 == 0 for at in range(131)]
    content = row_set(chosen)
    assert selection_in(b"..." + content) == chosen
    assert selection_in(row_set([True] * 131)) is None
    assert selection_in(content[:-12]) is None
    assert selection_in(content.replace(b"\0\0\0\x83\0\0\0\x2c", b"\0\0\0\x83\0\0\0\x2b")) is None
    assert selection_in(b"") is None


def test_what_has_no_counterpart_is_named(tmp_path: Path) -> None:
    """Means of groups, missing hierarchies, hidden values, weights, and a foreign quality model."""
    mean = {"microaggregationFunction": "Geometric mean"}
    attributes = {
        **ATTRIBUTES,
        "sex": replace(ATTRIBUTES["sex"], hierarchy=()),
        "score": replace(ATTRIBUTES["score"], more=mean),
    }
    project = replace(
        PLAIN,
        attributes=attributes,
        criteria=("(1.0E-4)-population-uniqueness (dankar)", "0.9-novelty"),
        metric="Height",
        suppressed=(QUASI, SENSITIVE),
    )
    found, said = read(tmp_path, project)
    text = "\n".join(said)
    for sentence in (
        "In some columns (score), ARX replaces the values of a group with one value",
        "never generalized: sex",
        "quality model Height, so Roadstead minimizes its usual loss",
        "Roadstead leaves these records out",
        "add `people`",
        "does not have the privacy model 0.9-novelty. `anonymize` stops",
        "local recoding",
    ):
        assert sentence in text, sentence
        assert sentence in (tmp_path / "study.toml").read_text("utf-8")
    assert found["privacy"]["suppressed"] == "drop"
    assert found["levels"]["max"]["sex"] == 0
    ran = run("anonymize", "--project", tmp_path / "study.toml")
    assert ran.code == 2
    assert "parameter 'people' of population-uniqueness is missing" in ran.err
    content = (tmp_path / "study.toml").read_text("utf-8")
    (tmp_path / "study.toml").write_text(content.replace('"dankar"', '"dankar"\npeople = 9000'))
    assert (
        "there is no privacy model '0.9-novelty'"
        in run("anonymize", "--project", tmp_path / "study.toml").err
    )


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("metric", "quality"),
    [
        ("Loss (0.5/1.0/1.0)", None),
        ("Loss (0.007/1.0/0.014)", {"quality": "loss", "gs_factor": 0.007, "gs_formula": "arx"}),
        ("Monotonic precision", {"quality": "precision", "monotone": True}),
        ("Normalized non-uniform entropy", {"quality": "entropy"}),
        ("EntropyBasedInformationLoss", {"quality": "bits"}),
        ("PublisherBenefit (Journalist)", {"quality": "payout", "attacker": "journalist"}),
        ("Classification accuracy", {"quality": "classification", "target": "finding"}),
    ],
)
def test_quality_models(metric: str, quality: object, tmp_path: Path) -> None:
    """Each measure of ARX becomes the same measure here."""
    finding = replace(ATTRIBUTES["finding"], more={"response": "true"})
    project = replace(PLAIN, metric=metric, attributes={**ATTRIBUTES, "finding": finding})
    assert read(tmp_path, project)[0].get("quality") == quality


def test_weights_and_limits_of_levels(tmp_path: Path) -> None:
    """They keep their numbers; equal weights say nothing."""
    limits = {"min": "1", "max": "All"}
    sex = replace(ATTRIBUTES["sex"], more=limits)
    project = replace(
        PLAIN,
        attributes={**ATTRIBUTES, "sex": sex},
        metric="Non-monotonic precision",
        weights={"sex": 0.9},
    )
    found, said = read(tmp_path, project)
    assert found["levels"] == {"min": {"sex": 1}, "max": {"score": 1}}
    assert found["quality"] == {"quality": "precision", "weights": {"sex": 0.9, "score": 0.5}}
    assert "it multiplies the loss of an attribute by its weight" in "\n".join(said)


def test_the_scan_withholds_what_only_arx_calls_insensitive(tmp_path: Path) -> None:
    """ARX may propose this type itself, so it does not release a name."""
    attributes = {**ATTRIBUTES, "name": Attribute(INSENSITIVE), "sex": Attribute(INSENSITIVE)}
    found, _ = read(tmp_path, replace(PLAIN, attributes=attributes))
    assert found["roles"]["undecided"] == ["name", "sex"]
    assert found["roles"]["unchanged"] == ["note"]


ENTITY = b'<!DOCTYPE c [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><config>&b;</config>'


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"input/config.xml": ENTITY}, "the XML declares entities"),
        ({"input/config.xml": b"<config><k>"}, "the XML is damaged at line 1"),
        ({"input/definition.xml": "<definition>M\xfc".encode("cp1252")}, "the XML is damaged"),
        ({"input/config.xml": b"<a>" * 300}, "nested too deeply"),
        ({"input/definition.xml": b"<d><assigment/></d>"}, "an attribute does not have a name"),
        ({"input/hierarchies/sex.csv": b"F;*\nM\n"}, "a hierarchy of the ARX project is damaged"),
        (
            {"input/hierarchies/sex.csv": b'"F;*\nM;*\n'},
            "a hierarchy of the ARX project is damaged",
        ),
        ({"input/hierarchies/sex.csv": b"x;*\n" * 17_000_000}, "larger than 64 MiB"),
        ({"input/config.xml": b"<c><relativeMaxOutliers>a</relativeMaxOutliers></c>"}, "damaged"),
        ({"data/input.csv": b""}, "empty"),
    ],
)
def test_a_hostile_project_is_an_error_of_one_line(
    extra: dict[str, bytes], message: str, tmp_path: Path
) -> None:
    """Nothing is written, and no text of the project is shown."""
    PLAIN.write(tmp_path / "study.deid", extra)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(RoadsteadError, match=message) as error:
        read_again(tmp_path)
    assert "\n" not in str(error.value)
    assert sorted(tmp_path.iterdir()) == before


def read_again(folder: Path) -> None:
    """Scan the project of a folder."""
    rs.scan(folder / "study.deid").write(folder / "study.toml")


def test_names_in_the_archive_lead_nowhere(tmp_path: Path) -> None:
    """A hierarchy is stored under a name of ours, whatever its attribute is called."""
    name = "../../up\n/\u202egnp"
    hierarchy = Attribute(QUASI, [("F", "*"), ("M", "*")])
    project = Project((name, "note"), [("FM"[at % 2], "x") for at in range(40)], {name: hierarchy})
    inner = tmp_path / "in"
    inner.mkdir()
    found, _ = read(inner, replace(project, criteria=("5-anonymity",)))
    (declared,) = found["hierarchies"].values()
    assert (inner / declared["path"]).resolve().parent == (inner / "study_files").resolve()
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_other_archives_and_cut_files(tmp_path: Path) -> None:
    """A cut project is damaged, and an archive with a table of this name is no project."""
    whole = PLAIN.write(tmp_path / "study.deid").read_bytes()
    (tmp_path / "study.deid").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match="damaged"):
        read_again(tmp_path)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("data/input.csv", "sex,age\nf,1\nm,2\n")
    (tmp_path / "study.deid").write_bytes(content.getvalue())
    assert rs.scan(tmp_path / "study.deid").hierarchy_files == {}
