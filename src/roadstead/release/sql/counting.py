"""Compute group sizes in SQL.

A size is a number of records in a class, a number of people in a class, or a number of people with
equal rows. A window function counts the records in a class. Most engines cannot count distinct
values in a window. So the statement numbers the people in a class, and the largest number is the
count. If an attacker may know all rows of a person, the statement joins the classes of a person's
rows into one string, and counts people with the same string. The length of each label precedes the
label, so different lists of classes give different strings.

In two cases, the suppression of one person reduces the counts of other people: if an attacker may
know several rows together, or if people are suppressed because of a single row. In these cases, the
counting must be repeated until nothing changes. A single statement cannot do this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roadstead.capabilities import (
    Component,
    Feature,
    Reason,
    require_use_of_policy,
    supporting,
)
from roadstead.errors import quoted
from roadstead.policies.document import Policy
from roadstead.policies.treatments.document import treatment_parts
from roadstead.privacy.model_components import model_parts
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.sql.literals import column, without_sql

LIST_OF = "ROADSTEAD_LIST_OF"
"""A placeholder for a function that joins the strings in a group. Each dialect replaces it."""
_ORDERED = "STRING_AGG({texts}, ',' ORDER BY {texts})"
_JOINED = "CONCAT_WS(',', SORT_ARRAY(COLLECT_LIST({texts})))"
LISTS = {
    "duckdb": _ORDERED,
    "postgres": _ORDERED,
    "bigquery": _ORDERED,
    "spark": _JOINED,
    "databricks": _JOINED,
    "trino": "ARRAY_JOIN(ARRAY_AGG({texts} ORDER BY {texts}), ',')",
    "snowflake": "LISTAGG({texts}, ',') WITHIN GROUP (ORDER BY {texts})",
}


class CountedNames(NamedTuple):
    """The quoted names of the columns that contain counts."""

    person: str
    person_in_class: str
    class_as_text: str
    all_rows: str
    of_person: str
    all_covered: str
    class_size: str
    is_covered: str


class CountingStep(NamedTuple):
    """A step that computes a table from the table of the previous step, or from `source`."""

    name: str
    columns: list[str]
    group_by: str | None = None
    source: str | None = None  # an earlier step to use instead of the previous step
    join: tuple[str, str] | None = None  # another step, and the condition of the join


DATES_PART = Component(
    "persons",
    "rules of dates",
    "dates",
    capabilities=supporting(
        reasons={
            Feature.SQL: Reason(
                "the policy computes intervals between a person's dates or shifts the dates, "
                "which a single SQL statement cannot do",
                "{rather}; if the table is in a database, Roadstead applies the policy there",
            )
        }
    ),
)
"""The component that represents date rules for people in a combination of features."""


def link_part(column: str) -> Component:
    """Return the component for a column of pseudonyms, to check a combination of parts."""
    reason = Reason("SQL cannot make the pseudonyms in column {part}", "{rather}")
    no_links = supporting(reasons={Feature.SQL: reason})
    return Component("persons", quoted(column), "link", capabilities=no_links)


def sql_part(*, persons: bool) -> Component:
    """Return the component for an SQL statement, to check a combination of parts."""
    return Component(
        None,
        "SQL",
        "sql",
        frozenset({Feature.SQL, *([Feature.PERSONS] if persons else [])}),
        otherwise={
            "privacy": Reason(
                "SQL cannot express {part}, because a statement can count only the sizes of groups",
                "{rather}, or use a policy that requires only k-anonymity",
            )
        },
        instead=without_sql(),
    )


def require_sql(policy: Policy, models: Sequence[PrivacyModel]) -> None:
    """Raise a `PolicyError` for a policy that a single statement cannot apply."""
    dates = policy.persons is not None and bool(policy.persons.dates)
    linked = policy.linked_by
    require_use_of_policy(
        (
            *treatment_parts(policy.treatments),
            *model_parts(models),
            sql_part(persons=counts_persons(models) is not None),
            *([DATES_PART] if dates else []),
            *([] if linked is None else [link_part(linked)]),
        )
    )


def counts_persons(models: Sequence[PrivacyModel]) -> PersonAnonymity | None:
    """Return the model that counts people, or None if there is no such model."""
    return next((model for model in models if isinstance(model, PersonAnonymity)), None)


def counting_steps(
    model: PersonAnonymity | None, quasi: Sequence[str], names: CountedNames
) -> list[CountingStep]:
    """Return the steps that compute the sizes of classes from labels.

    The last step adds two columns: whether the policy covers a row, and the number of records or
    people in the row's class. Suppose that the rows of a person are suppressed together. Then the
    number is 0 for each person who has a row that the policy does not cover.
    """
    classes = ", ".join(map(column, quasi))
    covered = " AND ".join(f"{column(name)} IS NOT NULL" for name in quasi)
    is_covered = f"CASE WHEN {covered} THEN 1 ELSE 0 END AS {names.is_covered}"
    if model is None:
        size = f"COUNT(*) OVER (PARTITION BY {classes}) AS {names.class_size}"
        return [CountingStep("class_sizes", ["*", is_covered, size])]
    if not _is_of_all(model):
        number = f"DENSE_RANK() OVER (PARTITION BY {classes} ORDER BY {names.person})"
        size = f"MAX({names.person_in_class}) OVER (PARTITION BY {classes})"
        return [
            CountingStep(
                "persons_numbered", ["*", is_covered, f"{number} AS {names.person_in_class}"]
            ),
            CountingStep("class_sizes", ["*", f"{size} AS {names.class_size}"]),
        ]
    label = " || ".join(
        f"CAST(LENGTH({column(name)}) AS TEXT) || ':' || {column(name)}" for name in quasi
    )
    alike = f"COUNT(*) OVER (PARTITION BY {names.all_covered}, {names.all_rows})"
    return [
        CountingStep("classes_as_text", ["*", is_covered, f"{label} AS {names.class_as_text}"]),
        CountingStep(
            "rows_of_persons",
            [
                f"{names.person} AS {names.of_person}",
                f"MIN({names.is_covered}) AS {names.all_covered}",
                f"{LIST_OF}({names.class_as_text}) AS {names.all_rows}",
            ],
            group_by=names.person,
        ),
        CountingStep(
            "persons_alike",
            [
                names.of_person,
                f"CASE WHEN {names.all_covered} = 1 THEN {alike} ELSE 0 END AS {names.class_size}",
            ],
        ),
        CountingStep(
            "class_sizes",
            ["*"],
            source="classes_as_text",
            join=("persons_alike", f"{names.person} = {names.of_person}"),
        ),
    ]


def leaves_out_persons(model: PersonAnonymity | None) -> bool:
    """Return whether people are suppressed with all their rows."""
    return model is not None and model.leaves_out == "persons"


def _is_of_all(model: PersonAnonymity) -> bool:
    return model.knows == "all"
