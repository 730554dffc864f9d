"""Collect the parts of a request so that Roadstead can reject parts that cannot be combined.

Models, losses, treatments, and recodings declare their features in their own modules (see
`roadstead.capabilities`). This module declares which features can be combined with counting people
and with searching in the engine. The module `combined_searches` turns searches and recodings into
parts, and `combined_fields` turns fields into parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roadstead.capabilities import (
    NOTHING,
    Capabilities,
    Component,
    Feature,
    Kind,
    Reason,
    supporting,
)
from roadstead.policies.treatments.document import Treatment, treatment_parts
from roadstead.privacy.model_components import model_parts
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.registry import predicts
from roadstead.quality.width_formula import LossOfWidths
from roadstead.quality.words import QUALITY_MODELS
from roadstead.requests.groups import People
from roadstead.requests.persons import PersonKnowledge, PersonProtection
from roadstead.search.registry import (
    FRONTIERS,
    FRONTIERS_OF_LEVELS,
    LEVELS,
    PARTITIONS,
    THRESHOLDS,
    SearchEntry,
)
from roadstead.verbs.combined_fields import NEEDED, settings_of
from roadstead.verbs.combined_searches import recoding_part, search_part
from roadstead.verbs.persons.settings import known_rows, links, shifts

LEDGER_PART = Component(None, "a ledger", "ledger", frozenset({Feature.LEDGER}))
NEW_RECORDS_PART = Component(None, "new records", "data", frozenset({Feature.NEW_RECORDS}))


def quality_part(quality: Any) -> Component:  # noqa: ANN401 - a name or a function of widths
    """Convert a loss to a part of a request."""
    if callable(quality):
        return Component(
            "quality",
            "a function of widths",
            "quality",
            capabilities=LossOfWidths.capabilities,
            instead="{quality=loss}",
        )
    return Component(
        "quality",
        quality,
        "quality",
        needs={Feature.TARGET: NEEDED[Feature.TARGET]} if predicts(quality) else {},
        capabilities=getattr(QUALITY_MODELS[quality], "capabilities", NOTHING),
        instead="{quality=loss}",
    )


ONE_ROW_KNOWN = supporting(
    Feature.SQL,
    reasons={
        Feature.POPULATION: Reason(
            "Roadstead compares the population with records, but {person} counts people",
            "leave out {key} or {person}",
        ),
        # Even with * in every quasi-identifier, the rows would show how many records a person has.
        Feature.MASKING: Reason(
            "with a person ID column, suppressed records are always left out: if they were kept "
            "with *, they would still show how many records a person has",
            "leave {key} out, or leave {person} out",
        ),
        Feature.LINKED_ROWS: Reason(
            "the release links the rows of each person, so an attacker who knows two rows can "
            "single the person out; protection against an attacker who knows one row is not "
            "enough",
            "use {knows=2} or more, or {link=none}",
            ("knows",),
        ),
    },
)
"""What can be combined with a count of people, if an attacker may know one row of each."""
ROWS_LEFT_OUT = ONE_ROW_KNOWN.adding(Feature.PROOF)
"""What can be combined with counting people, if single rows instead of people are left out."""
_SEVERAL_KNOWN = ONE_ROW_KNOWN.adding(Feature.LINKED_ROWS)
_SOME_ROWS: Mapping[Kind, Reason] = {
    "privacy": Reason(
        "{part} must hold for the people who match each set of known rows, but "
        "these groups of people overlap",
        "use {knows=all}, which covers every number of known rows",
    )
}
_NOT_IN_PERSONS: Mapping[Kind, Reason] = {
    "privacy": Reason("{part} does not support counting people", "leave the model out")
}


def person_parts(request: PersonKnowledge) -> Iterator[Component]:
    """Yield the part that counts people if the request names a person ID column."""
    if request.person is None:
        return
    linked, shifted = links(request), shifts(request)
    known = known_rows(request.knows, linked=linked)
    whole = isinstance(request, PersonProtection) and request.leave_out == "persons"
    features = {
        Feature.PERSONS: True,
        Feature.LINKED_ROWS: linked,
        Feature.KEYED_VALUES: linked or shifted,
        Feature.SHIFTED_DATES: shifted,
        Feature.ROWS_TOGETHER: known != 1 or whole,
        Feature.SOME_ROWS: known not in (1, "all"),
    }
    brings = (feature for feature, there in features.items() if there)
    one_known = ONE_ROW_KNOWN if whole else ROWS_LEFT_OUT
    yield persons_part(one_known if known == 1 else _SEVERAL_KNOWN, *brings)


def persons_part(capabilities: Capabilities = _SEVERAL_KNOWN, *brings: Feature) -> Component:
    """Return the part of a request that counts people."""
    otherwise = _SOME_ROWS if Feature.SOME_ROWS in brings else _NOT_IN_PERSONS
    return Component("persons", "persons", "person", frozenset(brings), {}, capabilities, otherwise)


def _brought(key: str, features: Mapping[Feature, bool]) -> Component:
    return Component(None, "", key, frozenset(one for one, there in features.items() if there))


_IN_MEMORY = Reason(
    "{other} needs all distinct combinations in memory, but there are {part}",
    "raise {combinations} if memory allows, or leave {key} out",
)
_ENGINE = supporting(
    reasons={
        # A policy could be evaluated in the engine. But the report shows, before and after, how
        # many people match what is known about each person, and these numbers require the rows of
        # every person.
        Feature.PERSONS: Reason(
            "people are counted in memory, but there are {part} of a person and the "
            "quasi-identifiers",
            "raise the limit if memory allows, or round the quasi-identifiers that vary most, such "
            "as exact dates",
        ),
        Feature.POPULATION: _IN_MEMORY,
        Feature.SUPPRESSION_FACTOR: _IN_MEMORY,
        Feature.MONOTONE: _IN_MEMORY,
    }
)
"""The supported features of a search in the engine."""


def engine_part(combinations: int) -> Component:
    """Return the part for a search in the engine.

    This search is needed if there are more than `combinations` distinct combinations.
    """
    needs_memory = Reason(
        "{part} needs all distinct combinations in memory, but there are {other}",
        "raise {combinations} if memory allows, or use {instead}",
    )
    return Component(
        "engine",
        f"more than {combinations:,} distinct combinations",
        "combinations",
        frozenset({Feature.IN_ENGINE}),
        capabilities=_ENGINE,
        otherwise=dict.fromkeys(("search", "privacy", "quality"), needs_memory),
    )


_NOBODY_COMPARED = Component(
    None,
    "a population",
    "population",
    needs={
        Feature.PEOPLE_COMPARED: Reason(
            "a population is given, but no privacy model uses it",
            "leave the population out, or use {privacy} to add a model that uses it, such as "
            "population-risk",
        )
    },
)
_K_OF_PERSONS = Component(
    None,
    "persons",
    "k",
    needs={
        Feature.K_ANONYMITY: Reason(
            "k=1 turns k-anonymity off, but counting people requires k-anonymity: otherwise, the "
            "known values may match only one person",
            "use {k=2} or more",
        )
    },
)


def population_parts(
    request: People, models: Sequence[PrivacyModel], more: Sequence[Component] = ()
) -> tuple[Component, ...]:
    """Return the parts for the models and for the settings of a population."""
    compared = [] if request.population is None else [_NOBODY_COMPARED]
    return (*model_parts(models), *more, *settings_of(request), *compared)


_PRICED = Reason("{part} does not support a separate weight for suppression", "leave {key} out")
PROOF_PART = Component(
    "proof",
    "a proof of optimality",
    "proof",
    capabilities=supporting(
        reasons={
            Feature.SUPPRESSION_FACTOR: _PRICED,
            Feature.SUPPRESSION_FORMULA: _PRICED,
            Feature.MONOTONE: _PRICED,
            Feature.PERSON_WEIGHTS: Reason(
                "{part} gives all records the same weight", "leave out {average_over} or {proof}"
            ),
            Feature.MADE_DATES: Reason(
                "{part} is checked with the original table, which does not have the changed dates",
                "leave out {dates} or {proof}",
            ),
            Feature.NO_MEAN: Reason(
                "{part} requires a mean of the losses",
                "use {aggregate=geometric}, or leave {proof} out",
                ("aggregate",),
            ),
        }
    ),
)
"""The part for a proof that a policy is optimal."""


def anonymize_parts(
    request: Any,  # noqa: ANN401 - of a verb, which stands above
    models: Sequence[PrivacyModel],
    k: int | None,
    treatments: Sequence[Treatment] = (),
) -> tuple[Component, ...]:
    """Return the parts of a request for an anonymization.

    `models` lists the models that are required in addition to k-anonymity with `k`.
    """
    search = request.search
    if request.recoding != "global":
        searched = recoding_part(request.recoding)
    else:
        entry: SearchEntry[Any] = (PARTITIONS if search in PARTITIONS else LEVELS)[search]
        searched = search_part(entry, suppresses=_suppresses(request))
    own = [] if k is None else [Component(None, "k", "k", frozenset({Feature.K_ANONYMITY}))]
    persons = [] if request.person is None else [*person_parts(request), _K_OF_PERSONS]
    proof = [] if request.proof is None else [PROOF_PART]
    more = (quality_part(request.quality), *own, *persons, *proof, *treatment_parts(treatments))
    return (searched, *population_parts(request, models, more))


def _suppresses(request: Any) -> bool:  # noqa: ANN401 - as above
    """Return whether a policy above an admissible policy may be inadmissible.

    A policy above an admissible policy can be inadmissible if records may be suppressed, or if
    several classes can contain the same person.
    """
    shared = (
        request.person is not None and known_rows(request.knows, linked=links(request)) != "all"
    )
    return bool(request.suppression) or shared


_OF_ONE_TABLE = (
    *(
        "quasi",
        "sensitive",
        "identifiers",
        "unchanged",
        "release_anyway",
        "reasons",
        "privacy",
        "person",
        "treat",
    ),
    *("into", "roles", "dates", "leave_out", "average_over"),
)
"""Fields that apply to a single table."""
TABLES_PART = Component(
    "tables",
    "a whole database",
    "tables",
    frozenset({Feature.PERSONS, Feature.KEYED_VALUES, Feature.SHIFTED_DATES}),
    capabilities=supporting(
        reasons={
            Feature.ONE_TABLE: Reason(
                "this setting is for a single table", "leave this setting out if you use {tables}"
            ),
            Feature.POPULATION: Reason(
                "this setting is for a single table", "leave this setting out if you use {tables}"
            ),
            Feature.LEDGER: Reason(
                "the tables of a database describe the same people, so a comparison of each table "
                "with its earlier version would not prove anything about these people",
                "leave {key} out if you use {tables}, or release single tables",
            ),
            Feature.MASKING: Reason(
                "if a person is left out, the person is left out of every table",
                "leave {suppressed} out",
            ),
            Feature.RECODING: Reason(
                "the other tables depend on the table of people, and this table is released with "
                "one level per column",
                "leave {recoding} out",
                ("recoding",),
            ),
            Feature.UNLINKED: Reason(
                "the tables of a database are linked by their keys", "leave {link} out"
            ),
        }
    ),
)
"""The part for a set of tables that are released together."""


def tables_parts(request: Any) -> tuple[Component, ...]:  # noqa: ANN401 - as above
    """Return the parts of a request to release several tables, except the search."""
    unlinked = {Feature.UNLINKED: request.link == "none"}
    recoded = [] if request.recoding == "global" else [Feature.RECODING]
    one_table = frozenset({Feature.ONE_TABLE})
    # In a CDM, whose rules are those of the model, this option names TABLE.COLUMN.
    of_one = [key for key in _OF_ONE_TABLE if request.described or key != "release_anyway"]
    named = (key for key in of_one if getattr(request, key) not in (None, (), {}))
    return (
        TABLES_PART,
        *(Component(None, "", key, one_table) for key in named),
        Component(None, "", "recoding", frozenset(recoded)),
        _brought("link", unlinked),
        *settings_of(request),
    )


def assessed_parts(request: object, person: str | None) -> tuple[Component, ...]:
    """Return the parts of a request that only measures a table, including the part for people."""
    counted = {Feature.PERSONS: person is not None}
    return (*settings_of(request), _brought("person", counted))


_CHOSEN = ("choose_reason", "into", "ledger")
"""Fields that apply only if a policy of the frontier is released."""


def frontier_parts(request: Any, search: str) -> tuple[Component, ...]:  # noqa: ANN401 - as above
    """Return the parts of a frontier request that uses the given search."""
    entry: SearchEntry[Any]
    if request.threshold is not None:
        entry = THRESHOLDS[search]
    else:
        entry = (FRONTIERS if search in FRONTIERS else FRONTIERS_OF_LEVELS)[search]
    models = {Feature.MODELS: bool(request.privacy)}
    choice = {Feature.CHOICE: request.choose is not None or request.risk is not None}
    needs = {Feature.CHOICE: NEEDED[Feature.CHOICE]}
    chosen = (key for key in _CHOSEN if getattr(request, key) is not None)
    return (
        search_part(entry),
        *person_parts(request),
        *settings_of(request),
        _brought("privacy", models),
        _brought("choose", choice),
        *(Component(None, "", key, needs=needs) for key in chosen),
    )
