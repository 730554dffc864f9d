"""Combinations in a request are refused in one place, by the declarations of each part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from roadstead.capabilities import Component, Feature, Reason, conflicts, supporting
from roadstead.privacy.models.delta_presence import DeltaPresence
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.combination import anonymize_parts

TABLE = pa.table({"age": ["1", "2"]})


def told(models: tuple[PrivacyModel, ...] = (), k: int | None = 5, **fields: Any) -> list[str]:  # noqa: ANN401 - of a request
    """Return every reason why a request is refused, with the field and what to do."""
    request = AnonymizeRequest(data=TABLE, **fields)
    found = conflicts(anonymize_parts(request, models, k))
    return [f"{where}: {what}; {fix}" for what, where, fix in found]


def test_what_goes_together_has_no_conflict() -> None:
    """A plain request, and one with a population that its model looks at."""
    assert told() == []
    assert told((DeltaPresence(maximum=0.5),), population=TABLE, population_counts="n") == []


@pytest.mark.parametrize(
    ("models", "fields", "reason"),
    [
        (
            (DeltaPresence(maximum=0.5),),
            {},
            "privacy: a privacy model .* no population is given",
        ),
        ((), {"population": TABLE}, "population: .* no privacy model uses it"),
        ((), {"population_counts": "n"}, "population_counts: this setting requires a population"),
        ((), {"target": "age"}, "target: .* loss does not use it"),
        ((), {"quality": "classification"}, "quality: classification requires a column"),
        ((), {"knows": "2"}, "knows: this setting requires a person ID column"),
        ((), {"shift_days": 5, "person": "id"}, "shift_days: no date is shifted"),
        (
            (),
            {"key": "key", "person": "id"},
            "key: nothing uses .* no pseudonyms are made",
        ),
        (
            (),
            {"intervals": "columns"},
            "intervals: only a recoding with intervals can have two columns",
        ),
        ((), {"ledger_people": "all"}, "ledger_people: this setting requires a ledger"),
        (
            (),
            {"quality": "bits", "gs_formula": "arx"},
            "gs_formula: bits does not support",
        ),
        ((), {"quality": sum, "weights": {"age": 2}}, "weights: the loss function"),
        (
            (KAnonymity(7),),
            {"person": "id"},
            "privacy: 7-anonymity counts .*; use k=7, ",
        ),
    ],
)
def test_each_conflict_names_its_field_and_what_to_do(
    models: tuple[PrivacyModel, ...], fields: dict[str, Any], reason: str
) -> None:
    """There is one reason, for one mistake."""
    (found,) = told(models, **fields)
    assert re.match(reason, found), found


@dataclass(frozen=True)
class Undeclared(PrivacyModel):
    """A model from another package that says nothing of what it goes with."""

    kind = "undeclared"
    name = "undeclared"
    promise = "Nothing."

    def bind(self, table: Any) -> Any:  # noqa: ANN401 - never bound
        """Not reached."""
        raise NotImplementedError


@pytest.mark.parametrize(
    "fields",
    [
        {"person": "id"},
        {"recoding": "local"},
        {"search": "k-optimize", "quality": "discernibility"},
    ],
)
def test_what_is_not_declared_is_not_supported(fields: dict[str, Any]) -> None:
    """Also in a part from another package; alone with records and levels it goes."""
    assert told((Undeclared(),)) == []
    (reason,) = told((Undeclared(),), **fields)
    assert "undeclared" in reason


def test_a_part_with_no_reason_anywhere_is_refused_in_general_words() -> None:
    """Neither part says why, so the message says what was not declared."""
    brings = Component(None, "x", "ledger", frozenset({Feature.LEDGER}))
    part = Component("treat", "y", "treat")
    assert list(conflicts([part, brings])) == [
        ("y does not support a ledger", "ledger", "leave ledger out")
    ]


def test_a_feature_is_supported_or_has_a_reason() -> None:
    """Not both."""
    with pytest.raises(ValueError, match="a reason states that it is not supported"):
        supporting(Feature.SQL, reasons={Feature.SQL: Reason("a", "b")})
