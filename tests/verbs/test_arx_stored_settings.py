"""Amounts of money and population sizes of ARX projects, which are in a serialized object."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from arx_projects import QUASI, Attribute, Project
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from java_streams import Constant, Stored, configuration, population, stream_of

from roadstead.verbs.scan.arx.java_objects import java_objects
from roadstead.verbs.scan.arx.stored import StoredSettings, stored_settings

ROWS = [(("female", "male")[at % 2], ("north", "south", "west")[at % 3]) for at in range(240)]
FLAT = {
    "sex": Attribute(QUASI, [("female", "*"), ("male", "*")]),
    "region": Attribute(QUASI, [("north", "*"), ("south", "*"), ("west", "*")]),
}
UNIQUENESS = "(0.01)-population-uniqueness (dankar)"
ESTIMATED = "(5)-map estimated as (unknown)-anonymity (Poisson)"


def scanned(
    folder: Path, criteria: Sequence[str], stream: bytes, metric: str = "Loss (0.5/1.0/1.0)"
) -> tuple[dict[str, Any], str]:
    """Scan a project; return the project file as data, and its sentences."""
    project = Project(("sex", "region"), ROWS, FLAT, criteria, metric=metric)
    path = project.write(folder / "study.deid", {"input/config.dat": stream})
    ran = run("scan", path, "--out", folder / "study.toml")
    assert ran.code == 0, ran.err
    text = (folder / "study.toml").read_text("utf-8")
    return tomllib.loads(text), text


def test_the_amounts_of_a_project_are_those_of_the_release(tmp_path: Path) -> None:
    """Fault class: anonymize asked for amounts that the project has."""
    criteria = ("no-attack-profitability (prosecutor)", "profitability (prosecutor)")
    stream = stream_of(configuration((900.0, 250.0, 120.5, 7.0)))
    found, text = scanned(tmp_path, criteria, stream, "PublisherBenefit (Prosecutor)")
    amounts = {"benefit": 900.0, "loss": 250.0, "gain": 120.5, "cost": 7.0}
    assert found["privacy"]["models"] == [
        {"kind": "no-attack", "gain": 120.5, "cost": 7.0},
        {"kind": "profitability", **amounts},
    ]
    assert found["quality"] == {"quality": "payout", "attacker": "prosecutor", "stakes": amounts}
    assert "in a form that Roadstead does not read. " not in text
    ran = run("anonymize", "--project", tmp_path / "study.toml")
    assert ran.code == 0, ran.err


def test_amounts_in_the_words_of_a_model_count_first(tmp_path: Path) -> None:
    """ARX writes them there when it made a release."""
    criteria = ("no-attack-profitability (prosecutor)[benefit=1.0, loss=2.0, gain=3.0, cost=4.0]",)
    found, _ = scanned(tmp_path, criteria, stream_of(configuration()))
    assert found["privacy"]["models"] == [{"kind": "no-attack", "gain": 3.0, "cost": 4.0}]


def test_the_size_of_the_population_is_that_of_the_model(tmp_path: Path) -> None:
    """Also if an older object in the file has another size; a region has its own."""
    models = [("PopulationUniqueness", population(80_767_000, "GERMANY"))]
    stream = stream_of(population(5), configuration(models=models))
    found, text = scanned(tmp_path, [UNIQUENESS], stream)
    (model,) = found["privacy"]["models"]
    assert model["people"] == 80_767_000
    assert "add `people`" not in text
    ran = run("anonymize", "--project", tmp_path / "study.toml")
    assert ran.code == 0, ran.err


def test_the_share_of_an_estimated_map_follows_from_the_population(tmp_path: Path) -> None:
    """The share of the population that is in the table."""
    stream = stream_of(configuration(models=[("KMap", population(4_800))]))
    found, text = scanned(tmp_path, [ESTIMATED], stream)
    assert found["privacy"]["models"] == [{"kind": "estimated-k-map", "k": 5, "fraction": 0.05}]
    assert "add `fraction`" not in text
    ran = run("anonymize", "--project", tmp_path / "study.toml")
    assert ran.code == 0, ran.err


TWO_SIZES = [("PopulationUniqueness", population(900)), ("PopulationUniqueness", population(800))]


@pytest.mark.parametrize(
    "stream",
    [
        stream_of(configuration(models=TWO_SIZES)),
        stream_of(configuration(models=[("PopulationUniqueness", population(None, "USA"))])),
        stream_of(*[configuration(models=TWO_SIZES[:1]) for _ in range(2)]),
        stream_of(configuration(models=TWO_SIZES[:1]))[:-3],
        b"\xac\xed\x00\x05....",
        b"",
    ],
    ids=["two sizes", "a version without sizes", "two configurations", "cut", "other", "none"],
)
def test_a_size_that_is_not_certain_is_asked_for(stream: bytes, tmp_path: Path) -> None:
    """As if ARX had not stored it."""
    found, text = scanned(tmp_path, [UNIQUENESS], stream)
    assert "people" not in found["privacy"]["models"][0]
    assert "population-uniqueness: add `people`" in text


@examples(60)
@given(st.integers(0, 2_000), st.binary(min_size=1, max_size=9))
def test_a_damaged_stream_is_no_error(place: int, bytes_there: bytes) -> None:
    """Whatever the bytes are: then nothing is read."""
    stream = stream_of(configuration(models=TWO_SIZES))
    place %= len(stream)
    damaged = stream[:place] + bytes_there + stream[place + len(bytes_there) :]
    assert isinstance(stored_settings(damaged), StoredSettings)


def test_objects_in_objects_without_end_are_no_error() -> None:
    """They would exhaust the stack."""
    content = stream_of(Stored("org.example.Node", {"next": None}))
    assert len(java_objects(content)) == 1
    many = content[:-1] + (b"sq\x00\x7e\x00\x00" * 5_000) + b"p"
    assert java_objects(many) == []


def transformed(folder: Path, kind: str) -> tuple[dict[str, Any], str]:
    """Scan a project whose model states how groups are generalized, with seven iterations."""
    model = "org.deidentifier.arx.gui.model."
    stream = stream_of(
        Stored(
            f"{model}Model",
            {
                "localRecodingModel": Stored(
                    f"{model}ModelLocalRecoding", {"gsFactor": 0.05, "numIterations": 7}
                ),
                "anonymizationConfiguration": Stored(
                    f"{model}ModelAnonymizationConfiguration",
                    {
                        "transformationType": Constant(
                            f"{model}ModelAnonymizationConfiguration$TransformationType", kind
                        )
                    },
                ),
            },
        )
    )
    project = Project(("sex", "region"), ROWS, FLAT)
    path = project.write(folder / "study.deid", {"project.dat": stream})
    ran = run("scan", path, "--out", folder / "study.toml")
    assert ran.code == 0, ran.err
    text = (folder / "study.toml").read_text("utf-8")
    return tomllib.loads(text), text


def test_local_recoding_is_requested_from_roadstead(tmp_path: Path) -> None:
    """Fault class: a project of local recoding was released with one level for all records."""
    found, text = transformed(tmp_path, "LOCAL")
    assert found["search"]["recoding"] == "local"
    assert "groups can have different levels (local recoding, 7 iterations)" in text
    assert "are combined, and limits of the search" in text
    ran = run("anonymize", "--project", tmp_path / "study.toml", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    policy = json.loads((tmp_path / "out" / "policy.json").read_text("utf-8"))
    assert policy["recoding"]["kind"] == "local"


@pytest.mark.parametrize("kind", ["GLOBAL", "MONDRIAN"])
def test_a_project_without_local_recoding_has_one_level_per_column(
    kind: str, tmp_path: Path
) -> None:
    """A type that is not known is named as not read."""
    found, text = transformed(tmp_path, kind)
    assert "recoding" not in found.get("search", {})
    assert "groups can have different levels" not in text
    assert ("combined, local recoding, and limits" in text) == (kind == "MONDRIAN")
