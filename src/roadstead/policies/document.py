"""Define the policy document, a small JSON file that states how a release changes the data.

For each quasi-identifier, the document names the rule that generalizes the column. The document
also names the columns that are released or removed. It also names the privacy models, which decide
which equivalence classes are suppressed. A policy may be shared and applied to the next extract.
With one exception, the rules contain no values from the data. The exception is a column that does
not have a hierarchy and was cut into groups. The rules for a column of this kind list values, and
at least k records have each listed value.

Roadstead applies exactly the rules in the document. The document does not contain descriptions of
rules. Roadstead generates a description when it is displayed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import InputError, PolicyError, quoted
from roadstead.hierarchies.rules import Everything
from roadstead.policies.attribute_policy import AttributePolicy, disagreement
from roadstead.policies.json_document import (
    FROM_ROADSTEAD,
    NOT_EMPTY,
    NOT_NONE,
    STRICT,
    DocumentFormat,
    read_json,
)
from roadstead.policies.person_rules import PersonRules, check_dates
from roadstead.policies.recodings.document import IntervalParts, Parts, Recoding, RecodingKind
from roadstead.policies.recodings.interval_columns import collision, end_columns
from roadstead.policies.treatments.document import Treatment, fault_of, treated_columns
from roadstead.printable import named
from roadstead.reasons import Reason

SUPPRESSED = "*"
"""The text in every quasi-identifier of a suppressed record that is kept in the release."""

SuppressedRecords: TypeAlias = Literal["mask", "drop"]

FORMAT = DocumentFormat(
    "roadstead_policy", 2, "make the policy again with roadstead anonymize, from the original table"
)


@checked_dataclass(frozen=True, config=STRICT)
class Suppression:
    """The limit on suppressed records, and their treatment in the release.

    `limit` is the largest share of the records that may be suppressed. ``mask`` keeps a suppressed
    record, with ``*`` in every quasi-identifier. ``drop`` removes the record.
    """

    limit: Annotated[float, Field(ge=0.0, le=1.0)]
    records: SuppressedRecords = "mask"

    def most(self, records: int) -> int:
        """Return the largest number of records that may be suppressed, rounded down.

        The share is the exact decimal fraction that the user wrote, so 5% of 100 is exactly 5.
        """
        return int(Fraction(repr(self.limit)) * records)


@checked_dataclass(frozen=True, config=STRICT)
class PolicyColumns:
    """The columns that are not quasi-identifiers.

    Columns in `removed` are not released. All other columns are released unchanged. Columns in
    `forced` look like identifiers, but are released because a person listed them. `undecided` lists
    the columns in `unchanged` that were released without a decision. `forced_quasi` lists
    quasi-identifiers that may show an identifier because a person listed them. `reasons` contains
    the reasons that a person gave for columns in `forced` and `forced_quasi`.
    """

    sensitive: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    forced: Annotated[tuple[str, ...], NOT_EMPTY] = ()
    undecided: tuple[str, ...] = field(kw_only=True)
    forced_quasi: Annotated[tuple[str, ...], NOT_EMPTY] = ()
    reasons: Annotated[dict[str, Reason], NOT_EMPTY] = field(default_factory=dict)

    @property
    def released(self) -> tuple[str, ...]:
        """Return the columns that are released unchanged."""
        return (*self.sensitive, *self.unchanged, *self.forced)


@checked_dataclass(frozen=True, config=STRICT)
class Policy:
    """A whole policy.

    `attributes` lists the treatments of the quasi-identifiers in order. `privacy` contains the
    settings of each required privacy model. `suppression` states how many records may be
    suppressed, and what happens to them. `columns` describes the other columns. `persons` contains
    the rules for people, or None if each record is assumed to belong to a different person.
    `recoding` states what each class shows if classes are generalized differently. In this case,
    `attributes` describes the minimum generalization of all records. `treatments` lists the
    treatments of released columns that are neither quasi-identifiers nor unchanged.
    `roadstead_policy` is the version of this format.
    """

    attributes: Annotated[tuple[AttributePolicy, ...], Field(min_length=1)]
    privacy: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
    suppression: Suppression
    columns: PolicyColumns
    persons: Annotated[PersonRules | None, NOT_NONE] = None
    recoding: Annotated[Recoding | None, NOT_NONE] = None
    treatments: Annotated[tuple[Treatment, ...], NOT_EMPTY] = ()
    roadstead_policy: Literal[2] = 2

    @property
    def quasi(self) -> tuple[str, ...]:
        """Return the names of the quasi-identifiers."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def levels(self) -> dict[str, int]:
        """Return the level of each quasi-identifier."""
        return {attribute.name: attribute.level for attribute in self.attributes}

    @property
    def words(self) -> dict[str, str]:
        """Return a description of the rule for each quasi-identifier."""
        pairs = self.two_columns
        return {
            one.name: (one.does if self.recoding is None else self.recoding.describe(at, one.does))
            + (f", as {pairs[one.name][0]} and {pairs[one.name][1]}" if one.name in pairs else "")
            for at, one in enumerate(self.attributes)
        }

    @property
    def full_words(self) -> dict[str, str]:
        """Return the description of each quasi-identifier, which includes its date rule, if any."""
        does = {} if self.persons is None else self.persons.does
        return {
            name: words if name not in does else f"{does[name]}; the number is {words}"
            for name, words in self.words.items()
        }

    def produces(self, attribute: int, label: str) -> bool:
        """Return whether a label can occur in the column of a quasi-identifier."""
        if self.recoding is None:
            return self.attributes[attribute].produces(label)
        return label in self.recoding.attributes[attribute].labels

    @property
    def hides_all(self) -> bool:
        """Whether an unsuppressed record can show ``*`` in every quasi-identifier."""
        if self.recoding is None:
            return all(one.hides for one in self.attributes)
        return (SUPPRESSED,) * len(self.attributes) in self.recoding.shown

    @property
    def two_columns(self) -> dict[str, tuple[str, str]]:
        """Return both columns of each quasi-identifier that is released as interval ends."""
        own = () if self.recoding is None else self.recoding.attributes
        return {
            name: end_columns(name)
            for name, parts in zip(self.quasi, own, strict=False)
            if isinstance(parts, IntervalParts) and parts.released_as == "columns"
        }

    @property
    def released(self) -> tuple[str, ...]:
        """Return the source columns that are released, in no particular order.

        A quasi-identifier may be released as two columns (`two_columns`).
        """
        linked = () if self.linked_by is None else (self.linked_by,)
        return (*self.quasi, *self.columns.released, *linked)

    @property
    def treated(self) -> dict[str, Treatment]:
        """Return the treatment of each released column that has a treatment."""
        return treated_columns(self.treatments)

    @property
    def changed(self) -> dict[str, str]:
        """Describe the content of each changed column that is not a quasi-identifier."""
        treated = {name: one.does for name, one in self.treated.items()}
        changed = {**treated, **({} if self.persons is None else self.persons.does)}
        return {
            name: does
            for name, does in changed.items()
            if name in self.columns.released or name == self.linked_by
        }

    @property
    def linked_by(self) -> str | None:
        """Return the released column that contains pseudonyms, or None if there is none."""
        return self.persons.column if self.persons and self.persons.link == "pseudonym" else None

    @property
    def rows_known(self) -> int | Literal["all"]:
        """Return how many of a person's rows an attacker may know. The default is 1."""
        known = (model["knows"] for model in self.privacy if "knows" in model)
        return next(known, 1)


_POLICY: TypeAdapter[Policy] = TypeAdapter(Policy)


def to_json(policy: Policy) -> dict[str, Any]:
    """Return the policy as the content of a JSON file."""
    document: dict[str, Any] = _POLICY.dump_python(policy, mode="json")
    if policy.persons is not None and not policy.persons.dates:
        del document["persons"]["dates"], document["persons"]["shift"]
    _shorten_rules(document)
    return {"roadstead_policy": document.pop("roadstead_policy"), **document}


def _shorten_rules(document: dict[str, Any]) -> None:
    """Omit the form of a rule if the form is that of plain numbers."""
    rules = [attribute["rule"] for attribute in document["attributes"]]
    for parts in document.get("recoding", {}).get("attributes", ()):
        rules += parts.get("rules", ())
    for rule in rules:
        if rule.get("form") == "plain":
            del rule["form"]


def from_json(document: object, *, where: str) -> Policy:
    """Read a policy from the content of a JSON file.

    Unknown or contradictory content raises a `PolicyError` that names the first wrong entry.
    """
    if (other := FORMAT.other(document)) is not None:
        raise PolicyError(other, where=where, fix=FORMAT.again)
    try:
        policy = _POLICY.validate_json(json.dumps(document))
        _check(policy)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(named(str(part)) for part in first["loc"]) or "the document"
        what = f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    except InputError as error:  # a rule rejected its parameters
        what = error.what
    else:
        return policy
    raise PolicyError(what, where=where, fix=FROM_ROADSTEAD)


def _check(policy: Policy) -> None:
    """Check levels against hierarchies, and reject columns that are named twice."""
    for attribute in policy.attributes:
        if attribute.level >= attribute.levels:
            what = (
                f"level {attribute.level} of {quoted(attribute.name)} does not exist, because the "
                "column has only "
            )
            raise PolicyError(f"{what}{attribute.levels} levels")
    if policy.recoding is not None:
        _check_recoding(policy.recoding, policy.attributes)
    columns = [*policy.released, *policy.columns.removed]
    for column in columns:
        if columns.count(column) > 1:
            raise PolicyError(f"column {quoted(column)} is named twice")
    if (found := collision(policy.two_columns, columns)) is not None:
        raise PolicyError(
            f"column {quoted(found[1])}, which contains one end of {quoted(found[0])}, is named "
            "twice"
        )
    if stray := {*policy.columns.forced_quasi} - {*policy.quasi}:
        raise PolicyError(f"column {quoted(min(stray))} is not a quasi-identifier")
    _check_undecided(policy.columns)
    if policy.persons is not None:
        _check_persons(policy, policy.persons)
    moved = () if policy.persons is None else policy.persons.moved
    if (fault := fault_of(policy.treatments, policy.columns.released, moved)) is not None:
        raise PolicyError(fault)


def _check_undecided(own: PolicyColumns) -> None:
    """Check that each undecided column is exactly once in the list of unchanged columns."""
    for column in own.undecided:
        if column not in own.unchanged or own.undecided.count(column) > 1:
            what = (
                f"column {quoted(column)} is listed as undecided, so it must also be listed as "
                "unchanged, exactly once"
            )
            raise PolicyError(what)


def _check_persons(policy: Policy, own: PersonRules) -> None:
    """Check that the person ID is not released, and that people's dates may be released."""
    if own.column in (*policy.quasi, *policy.columns.released):
        raise PolicyError(f"column {quoted(own.column)} identifies people, but is released")
    check_dates(own)
    for rule in own.dates:
        counts = rule.column in policy.quasi
        if rule.column not in policy.columns.forced and (rule.is_date or not counts):
            raise PolicyError(
                f"column {quoted(rule.column)} contains people's days or dates, so it must be a "
                "quasi-identifier, or be listed as released anyway"
            )
        if counts and rule.is_date:
            raise PolicyError(
                f"column {quoted(rule.column)} is shifted, so it cannot be a quasi-identifier"
            )


def _check_recoding(own: Recoding, attributes: Sequence[AttributePolicy]) -> None:
    """Check that the parts of the classes match the quasi-identifiers."""
    if len(own.attributes) != len(attributes):
        raise PolicyError("the groups and the quasi-identifiers of the policy do not match")
    if own.wrong is not None:
        raise PolicyError(f"its groups: {own.wrong}")
    for attribute, parts in zip(attributes, own.attributes, strict=True):
        # Readers of the rule assume that no class has more detail.
        if not _is_at_least(attribute, parts, own.kind):
            raise PolicyError(f"the groups and the rule of {quoted(attribute.name)} do not match")


def _is_at_least(attribute: AttributePolicy, parts: Parts, kind: RecodingKind) -> bool:
    """Return whether the rule of a quasi-identifier is the minimum generalization."""
    if parts.missing_codes != attribute.missing_codes:
        return False
    if isinstance(parts, IntervalParts):
        return kind == "intervals" and attribute.level == 0
    lowest, *others = zip(parts.levels, parts.rules, strict=False)
    same = lowest == (attribute.level, attribute.rule)
    if kind == "cells":
        same = same and all(isinstance(rule, Everything) for _, rule in others)
    return kind != "intervals" and same and parts.levels[-1] < attribute.levels


def read_policy(path: str | Path) -> Policy:
    """Read a policy document from a file. Raise a PolicyError if the file is not a policy."""
    given: object = path
    if not isinstance(given, str | PathLike):
        what = f"{quoted(repr(given))} is not a path"
        raise PolicyError(what, fix='pass a path, for example, "release/policy.json"')
    path = Path(path)
    policy = from_json(read_json(path), where=path.name)
    for attribute in policy.attributes:
        if (wrong := disagreement(attribute)) is not None:
            raise PolicyError(
                f"{quoted(attribute.name)}: {wrong}",
                where=path.name,
                fix="use a policy.json that Roadstead wrote, without changes",
            )
    return policy
