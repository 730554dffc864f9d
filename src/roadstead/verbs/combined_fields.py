"""Declare the features that request fields bring to a combination, and the features they need.

A field that is set becomes a part of the request. It may bring a feature that other parts must
support, or need a feature that another part must bring.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from roadstead.capabilities import Component, Feature, Kind, Reason
from roadstead.front_end import option
from roadstead.quality.suppression_prices import EVEN

NEEDED = {
    Feature.PERSONS: Reason(
        "this setting requires a person ID column",
        "name it with {person=COLUMN}",
    ),
    Feature.POPULATION: Reason(
        "this setting requires a population",
        "give a population with {population=FILE}, or leave this setting out",
    ),
    Feature.LEDGER: Reason("this setting requires a ledger", "add {ledger=DIR}"),
    Feature.TARGET: Reason("{part} requires a column to predict", "name it with {target}"),
    Feature.KEYED_VALUES: Reason(
        "nothing uses the key, because no pseudonyms are made and no dates are shifted",
        "add {link=pseudonym}, or leave {key} out",
    ),
    Feature.SHIFTED_DATES: Reason(
        "no date is shifted",
        "use {dates} to choose the dates to shift, or leave this setting out",
    ),
    Feature.THRESHOLD: Reason(
        "this setting requires a threshold",
        "add {threshold}, or leave this setting out",
    ),
    Feature.CHOICE: Reason(
        "this setting works only if you choose a policy for the release",
        "add {choose=INDEX} or {risk=SHARE}, or leave this setting out",
    ),
    Feature.INTERVALS: Reason(
        "only a recoding with intervals can have two columns per interval",
        "add {recoding=intervals}, or leave {intervals} out",
    ),
}
"""The reason why a part needs a feature, for each feature that can be needed."""
_UNSUPPRESSED: Mapping[Kind, Reason] = {
    "quality": Reason(
        "{part} does not support a separate weight for suppression",
        "use {quality=loss} or {quality=precision}",
    )
}
_MONOTONE: Mapping[Kind, Reason] = {
    **_UNSUPPRESSED,
    "price": Reason(
        "the monotone loss counts suppressed records as generalized, so it does not use a factor",
        "leave out {gs_factor} or {monotone}",
    ),
}
_UNPROVEN: Mapping[Kind, Reason] = {
    "search": Reason(
        "a proof of optimality does not support {part}", "use {search=exact}, or leave {proof} out"
    ),
    "recoding": Reason(
        "a proof does not support {part}, because its groups have intervals instead of levels",
        "use {recoding=local}, or leave {proof} out",
    ),
    "privacy": Reason(
        "a proof of optimality supports k-anonymity, distinct or recursive l-diversity, and "
        "t-closeness with the equal or ordered distance, but not {part}",
        "leave {proof} out",
    ),
    "quality": Reason(
        "a proof of optimality does not support {part}", "use {quality=loss}, or leave {proof} out"
    ),
    "persons": Reason(
        "a proof of optimality counts people only if an attacker knows one row of a person, and "
        "if single rows are left out",
        "use {knows=1}, {link=none}, and {leave_out=rows}, or leave {proof} out",
    ),
    "engine": Reason(
        "a proof of optimality needs all distinct combinations in memory, but there are {part}",
        "raise {combinations} if memory allows, or leave {proof} out",
    ),
    "tables": Reason("a proof of optimality is for a single table", "leave {proof} out"),
}
"""The reasons why a part does not support a proof of optimality."""


class _Setting(NamedTuple):
    """A field, with the features that it brings and needs if it is set.

    If `value` is given, the field counts as set only if it has this value. If `kind` is given, the
    field can also lack support for the features of other parts.
    """

    key: str
    brings: Feature | None = None
    needs: Feature | None = None
    value: object = None
    otherwise: Mapping[Kind, Reason] = MappingProxyType({})
    kind: Kind | None = None


_SETTINGS = (
    _Setting("population", Feature.POPULATION),
    _Setting("margins", Feature.POPULATION),
    _Setting("population_counts", needs=Feature.POPULATION),
    _Setting("absent", needs=Feature.POPULATION),
    _Setting("ledger", Feature.LEDGER),
    *(
        _Setting(key, needs=Feature.LEDGER)
        for key in ("ledger_people", "ledger_warn", "ledger_epsilon")
    ),
    *(
        _Setting(key, needs=Feature.PERSONS)
        for key in ("knows", "leave_out", "average_over", "link", "key", "dates")
    ),
    _Setting("dates", Feature.MADE_DATES),
    _Setting("key", needs=Feature.KEYED_VALUES),
    *(
        _Setting(key, needs=needed)
        for key in ("shift_days", "shift_weeks")
        for needed in (Feature.PERSONS, Feature.SHIFTED_DATES)
    ),
    _Setting(
        "target",
        Feature.TARGET,
        otherwise={
            "quality": Reason(
                "a column to predict is given, but {part} does not use it",
                "use it with {quality=classification}",
            )
        },
    ),
    _Setting("weights", Feature.WEIGHTS),
    _Setting(
        "average_over",
        Feature.PERSON_WEIGHTS,
        value="persons",
        otherwise={
            "quality": Reason(
                "{part} is not a sum over records, so individual records cannot be weighted",
                "use {quality=loss} or {quality=precision}",
            )
        },
    ),
    _Setting("gs_factor", Feature.SUPPRESSION_FACTOR, otherwise=_UNSUPPRESSED, kind="price"),
    _Setting("monotone", Feature.MONOTONE, otherwise=_MONOTONE),
    _Setting("gs_formula", Feature.SUPPRESSION_FORMULA, otherwise=_UNSUPPRESSED),
    *(
        _Setting(
            key,
            Feature.STAKES,
            otherwise={"quality": Reason("{part} does not use stakes", "use {quality=payout}")},
        )
        for key in ("stakes", "attacker")
    ),
    _Setting("attacker", needs=Feature.POPULATION, value="journalist"),
    *(
        _Setting("aggregate", feature, value=aggregate)
        for aggregate in ("sum", "maximum", "rank")
        for feature in (Feature.OTHER_AGGREGATE, Feature.NO_MEAN)
    ),
    _Setting("min_level", Feature.LEVEL_LIMITS),
    _Setting("max_level", Feature.LEVEL_LIMITS),
    _Setting("orders", Feature.ORDERS),
    _Setting("evaluations", Feature.EVALUATIONS),
    _Setting("proof", Feature.PROOF, otherwise=_UNPROVEN),
    _Setting("threshold", Feature.THRESHOLD),
    _Setting("iterations", needs=Feature.THRESHOLD),
    _Setting("intervals", needs=Feature.INTERVALS, value="columns"),
)
_USUAL = {"gs_factor": EVEN, "gs_formula": "roadstead"}
_IF_WRITTEN = (
    _Setting("suppressed", Feature.MASKING, value="mask"),
    _Setting("aggregate", Feature.OTHER_AGGREGATE, value="geometric"),
)
"""Settings that bring a feature only if the user sets them explicitly."""


def settings_of(request: object) -> Iterator[Component]:
    """Yield the fields of a request that are set and affect other parts."""
    for one in _SETTINGS:
        value = getattr(request, one.key, None)
        if one.value is None:
            is_set = not (value is None or value is False or _is_usual(one.key, value))
        else:
            is_set = isinstance(value, str) and value == one.value
        if is_set:
            yield _part(one)
    given = getattr(getattr(request, "origin", None), "given", {})
    yield from (_part(one) for one in _IF_WRITTEN if given.get(one.key) == one.value)


def every_field() -> tuple[Component, ...]:
    """Return all fields that affect other parts, whether or not they are set."""
    return tuple(map(_part, (*_SETTINGS, *_IF_WRITTEN)))


def _is_usual(key: str, value: object) -> bool:
    empty = isinstance(value, Mapping | tuple | list) and not value
    return empty or (isinstance(value, float | str) and value == _USUAL.get(key))


def _part(one: _Setting) -> Component:
    brings = frozenset() if one.brings is None else frozenset({one.brings})
    needs = {} if one.needs is None else {one.needs: NEEDED[one.needs]}
    name = option(one.key, one.value if isinstance(one.value, str) else None)
    return Component(one.kind, name, one.key, brings, needs, otherwise=one.otherwise)
