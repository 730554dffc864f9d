# noqa: INP001 - a script, not a package
"""Write `combinations.md` from the components' declarations.

Run ``python docs/make_combinations.py`` after a change of a declaration.
`tests/verbs/test_all_pairs.py` checks the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from roadstead.capabilities import Component, Feature, filled, refusals
from roadstead.front_end import naming
from roadstead.policies.treatments.document import (
    Microaggregation,
    Rounding,
    Treatment,
    treatment_parts,
)
from roadstead.privacy.model_components import model_parts
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS
from roadstead.privacy.settings import model_from, needs_column
from roadstead.quality.words import QUALITY_MODELS
from roadstead.registry import Registry
from roadstead.release.sql.counting import DATES_PART, link_part, sql_part
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.registry import (
    FRONTIERS,
    FRONTIERS_OF_LEVELS,
    LEVELS,
    PARTITIONS,
    THRESHOLDS,
    SearchEntry,
)
from roadstead.verbs.anonymize.request import COMBINATIONS, AnonymizeRequest
from roadstead.verbs.combination import (
    NEW_RECORDS_PART,
    ONE_ROW_KNOWN,
    ROWS_LEFT_OUT,
    TABLES_PART,
    engine_part,
    persons_part,
    quality_part,
)
from roadstead.verbs.combined_fields import NEEDED, every_field
from roadstead.verbs.combined_searches import recoding_part, search_part
from roadstead.verbs.frontier.request import FrontierRequest

PAGE = Path(__file__).with_name("combinations.md")
_STAKES = {"gain": 300, "cost": 4}
_WORTH = {**_STAKES, "benefit": 1200.0, "loss": 300.0}
SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "k-anonymity": {"k": 5},
    "average-risk": {"average": 0.1},
    "beta-likeness": {"beta": 1},
    "delta-disclosure": {"delta": 1},
    "delta-presence": {"maximum": 0.5},
    "distinct-l-diversity": {"l": 2},
    "entropy-l-diversity": {"l": 2},
    "estimated-k-map": {"k": 5, "fraction": 0.1},
    "grassberger-l-diversity": {"l": 2},
    "k-map": {"k": 5},
    "no-attack": _STAKES,
    "no-attack-journalist": _STAKES,
    "population-risk": {"maximum": 0.5},
    "population-uniqueness": {"maximum": 0.1, "people": 10_000},
    "profitability": _WORTH,
    "profitability-journalist": _WORTH,
    "records-at-risk": {"maximum": 0.5, "at_risk": 0.1},
    "recursive-cl-diversity": {"c": 3, "l": 2},
    "sample-uniqueness": {"maximum": 0.1},
    "strict-average-risk": {"average": 0.1, "maximum": 0.5},
    "t-closeness": {"t": 0.4},
}
HEAD = """# What can be combined

A request combines a search, a recoding, privacy models, a loss, and settings. Each of these
components declares what it supports. Roadstead compares the declarations before it counts the
table. It refuses combinations that are not supported. `docs/make_combinations.py` writes this page
from the declarations.

A "yes" in a table means that the combination is supported. A number refers to the reason below the
table. A component from another package supports only what it declares (see [the
design](design.md#the-protocols)). Search algorithms and recodings from other publications need the
package `roadstead-reproductions`. Each recoding has its own searches.
"""
_LEVELS = (Feature.PERSONS, Feature.LEVEL_LIMITS, Feature.MONOTONE, Feature.IN_ENGINE)
_FRONTIER = (Feature.PERSONS, Feature.ORDERS, Feature.MODELS, Feature.EVALUATIONS)


def own(searches: Registry[SearchEntry[Any]]) -> list[tuple[str, Component]]:
    """Return the searches of this package by name, each as one that is not named."""
    ours = [name for name in searches if searches.plugin(name) is None]
    return [(name, replace(search_part(searches[name]), name="this search")) for name in ours]


def sample(kind: str) -> PrivacyModel:
    """Return a model of a kind, of the column `illness` if it looks at one."""
    column = {"column": "illness"} if needs_column(kind) else {}
    return model_from({"kind": kind, **column, **SAMPLES[kind]}, where="privacy")


def models() -> dict[str, PrivacyModel]:
    """Return a model of each kind, and the models that count people."""
    kinds = [kind for kind in PRIVACY_MODELS.own if kind not in MADE_FOR_PERSONS]
    diversity = {"kind": "distinct-l-diversity", "column": "illness", "l": 2}
    return {
        **{kind: sample(kind) for kind in kinds},
        "people, rows left out": PersonAnonymity(5, "patient", 1, "rows"),
        "people, 2 rows known": PersonAnonymity(5, "patient", 2),
        "people, all rows known": PersonAnonymity(5, "patient", "all"),
        "values per person": ValuesOfPersons(diversity, "patient"),
    }


def bringers() -> list[Component]:
    """Return a component for each feature that another one may lack support for."""
    alone = {Feature.MODELS: "privacy", Feature.ONE_TABLE: "quasi", Feature.UNLINKED: "link"}
    further = (Feature.ROWS_TOGETHER, Feature.SOME_ROWS, Feature.LINKED_ROWS)
    return [
        *every_field(),
        replace(search_part(PARTITIONS["k-optimize"]), name="a partition search"),
        replace(search_part(LEVELS["ola"], suppresses=True), name="such a search"),
        replace(recoding_part("local"), name="a local recoding"),
        engine_part(COMBINATIONS),
        persons_part(ONE_ROW_KNOWN, Feature.PERSONS),
        persons_part(ONE_ROW_KNOWN, *further),
        sql_part(persons=False),
        NEW_RECORDS_PART,
        *(Component(None, "", key, frozenset({one})) for one, key in alone.items()),
    ]


def sections() -> Iterator[tuple[str, list[tuple[str, Component]], Sequence[Feature]]]:
    """Yield each heading, its components by what they are called, and the features for them."""
    yield "Searches for a release", [*own(LEVELS), *own(PARTITIONS)], _LEVELS
    levels = [("exact", search_part(FRONTIERS_OF_LEVELS["exact"]))]
    frontiers = [*own(FRONTIERS), *levels, *own(THRESHOLDS)]
    yield "Searches for the frontier", frontiers, _FRONTIER
    recodings = [
        (str(kind), replace(recoding_part(kind), name="this recoding")) for kind in RECODINGS
    ]
    yield "Recodings", recodings, concerning("recoding")
    made = zip(models(), model_parts(models().values()), strict=True)
    privacy = [(name, replace(part, name="this model")) for name, part in made]
    yield "Privacy models", privacy, concerning("privacy")
    named = [(name, replace(quality_part(name), name="this loss")) for name in QUALITY_MODELS.own]
    losses = [*named, ("a function of widths", quality_part(max))]
    yield "Losses", losses, concerning("quality")
    treatments: dict[str, Treatment] = {
        "rounding": Rounding("weight", "5"),
        "microaggregation": Microaggregation(("weight",), 5),
        "microaggregation to intervals": Microaggregation(("weight",), 5, "interval"),
    }
    shown = [*zip(treatments, treatment_parts(treatments.values()), strict=True)]
    yield "Treatments", shown, concerning("treat")
    persons = [
        ("one row known, rows left out", persons_part(ROWS_LEFT_OUT)),
        ("one row known, people left out", persons_part(ONE_ROW_KNOWN)),
        ("several", persons_part()),
    ]
    yield "People", persons, concerning("persons")
    rules = [("rules for dates", DATES_PART), ("linked rows", link_part("patient"))]
    yield "Rules about people in a policy", rules, (Feature.SQL,)
    yield "The engine", [("many combinations", engine_part(COMBINATIONS))], concerning("engine")
    yield "Whole databases", [("a set of tables", TABLES_PART)], concerning("tables")


def concerning(kind: str) -> list[Feature]:
    """Return the features that concern a kind of component."""
    return [one for one in Feature if kind in one.concerns]


def section(
    title: str, parts: Sequence[tuple[str, Component]], features: Sequence[Feature]
) -> Iterator[str]:
    """Yield the lines of a table, and of its reasons."""
    known: dict[str, int] = {}
    yield f"\n## {title}\n"
    yield f"| | {' | '.join(one.title for one in features)} |"
    yield f"|---|{'---|' * len(features)}"
    for name, part in parts:
        cells = []
        for feature in features:
            why = next((w for w in reasons(part) if w[0] is feature), None)
            text = "" if why is None else f"{why[1]}; {why[2]}."
            cells.append("yes" if why is None else str(known.setdefault(text, len(known) + 1)))
        yield f"| {name} | {' | '.join(cells)} |"
    if known:
        yield ""
    yield from (f"{number}. {text[0].upper()}{text[1:]}" for text, number in known.items())


def reasons(part: Component) -> Iterator[tuple[Feature, str, str]]:
    """Yield each feature that a component does not support, with the reason and what to do."""
    for other in bringers():
        for feature, what, _, fix in refusals(part, other):
            yield feature, what, fix


def needs() -> Iterator[str]:
    """Yield the lines of the table of fields that mean nothing alone."""
    yield "\n## Options that need another option\n"
    yield "| option | message without the other option |"
    yield "|---|---|"
    for part in every_field():
        for feature in part.needs:
            reason = NEEDED[feature]
            names = {"part": part.name, "key": part.name}
            texts = filled(reason.what, names), filled(reason.fix, names)
            yield f"| `{part.name}` | {'; '.join(texts)} |"


def page() -> str:
    """Return the whole page."""
    with naming(CommandNaming(names_of_options([AnonymizeRequest, FrontierRequest]))):
        tables = [line for each in sections() for line in section(*each)]
        return "\n".join([HEAD.strip(), *tables, *needs()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
