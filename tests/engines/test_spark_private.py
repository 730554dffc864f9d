"""With the same chance a synthesis of a table in Spark is that of the same records in a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from seeded_mechanisms import SeededMechanisms
from stores import Files

from roadstead.tables.reading import read_privately
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.sets import item_sets
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spark_tables import Spark

    from roadstead.verbs.synthesize.result import SynthesisFinding

REQUEST = settings_of(3, "died", ("no", "yes"), 5, "max-gain", "leave-out")
CODES = ("a", "b", "c")
DECLARED = Declarations(ranges={"age": "20..79"}, values={"sex": ("F", "M"), "dx": CODES})
COLUMNS = ("age::int", "sex", "codes", "dx1", "dx2", "died")
Row = tuple[str | None, ...]

pytestmark = pytest.mark.nightly  # the contract that Spark keeps is quick


def people() -> list[Row]:
    """Make up people of whom the old and those with the code "a" die; one has no age."""
    rows: list[Row] = []
    for at in range(300):
        codes = [code for bit, code in enumerate(CODES) if at >> bit & 1 and at % 5]
        age = 20 + at * 7 % 60
        rows.append(
            (
                None if at == 7 else str(age),
                "FM"[at % 2],
                ";".join(codes) or None,
                codes[0] if codes else None,
                codes[1] if len(codes) > 1 else None,
                "yes" if age > 55 or "a" in codes else "no",
            )
        )
    return rows


def synthesis(place: str, form: Mapping[str, Any]) -> SynthesisFinding:
    """Synthesize with one kind of set; chance repeats itself."""
    with read_privately(place) as source:
        return synthesized(
            source, REQUEST, replace(DECLARED, sets=item_sets({"dx": form})), SeededMechanisms(5)
        )


@pytest.mark.parametrize(
    "form", [{"column": "codes", "delimiter": ";"}, {"columns": ("dx1", "dx2")}], ids=str
)
def test_a_synthesis_in_spark_is_that_of_a_file(
    spark: Spark, tmp_path: Path, form: dict[str, Any]
) -> None:
    """Every group, every noisy count, and the custodian's information."""
    spark.load("people_of_spark", COLUMNS, people())
    theirs = synthesis(Files(tmp_path).load("people", COLUMNS, people()), form)
    ours = synthesis(spark.address("people_of_spark"), form)
    assert ours.to_arrow().equals(theirs.to_arrow())
    assert ours.facts.counts.tolist() == theirs.facts.counts.tolist()
    assert ours.to_dict()["cut"] == theirs.to_dict()["cut"]
    assert ours.private == theirs.private
    assert "dx" in ours.to_dict()["cut"]
