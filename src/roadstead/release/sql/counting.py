"""How many are alike, as SQL: records in a class, persons in a class, or persons with equal rows.

Records are counted by a window over their class. Persons of a class are numbered in it, and the
greatest number is how many there are: most engines count nothing distinct in a window. Where all
rows of a person may be known, the classes of the rows are listed as one text for each person, and
persons with the same text are counted. Each label stands there with its length before it, so that
no two lists read alike.

Where some rows of a person are known together, or whole persons are left out because of one row,
leaving out a person takes support from others. They must be counted again until nothing changes,
which no single statement does.
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
from roadstead.release.sql.rules import column, without_sql

LIST_OF = "ROADSTEAD_LIST_OF"
"""Stands for all texts of a group, in order, as one text; every dialect has its own way."""
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
    """Columns of what is counted, quoted."""

    person: str
    person_in_class: str
    class_as_text: str
    all_rows: str
    of_person: str
    all_covered: str
    class_size: str
    is_covered: str


class CountingStep(NamedTuple):
    """A table that is made of the one before, and perhaps grouped, or joined with another."""

    name: str
    columns: list[str]
    group_by: str | None = None
    source: str | None = None  # a step before the last
    join: tuple[str, str] | None = None  # another step, and on what


DATES_PART = Component(
    "persons",
    "rules of dates",
    "dates",
    capabilities=supporting(
        reasons={
            Feature.SQL: Reason(
                "computes intervals between a person's dates or shifts them, which a single "
                "statement over the rows cannot do",
                "{rather}; in a database, Roadstead carries it out there",
            )
        }
    ),
)
"""What becomes of dates of a person."""


def link_part(column: str) -> Component:
    """Return the pseudonyms of a column as a part."""
    reason = Reason("SQL cannot make the pseudonyms in column {part}", "{rather}")
    no_links = supporting(reasons={Feature.SQL: reason})
    return Component("persons", quoted(column), "link", capabilities=no_links)


def sql_part(*, persons: bool) -> Component:
    """Return a statement as a part, which counts persons or records."""
    return Component(
        None,
        "SQL",
        "sql",
        frozenset({Feature.SQL, *([Feature.PERSONS] if persons else [])}),
        otherwise={
            "privacy": Reason(
                "SQL cannot express {part}, because a statement knows only the sizes of groups",
                "{rather}, or a policy of k-anonymity alone",
            )
        },
        instead=without_sql(),
    )


def require_sql(policy: Policy, models: Sequence[PrivacyModel]) -> None:
    """Refuse a policy that no statement can carry out, as a `PolicyError`."""
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
    """Return the model that counts persons, if there is one."""
    return next((model for model in models if isinstance(model, PersonAnonymity)), None)


def counting_steps(
    model: PersonAnonymity | None, quasi: Sequence[str], names: CountedNames
) -> list[CountingStep]:
    """Say what comes between labels and the sizes of classes.

    The last step has all columns, whether the policy covers a row, and how many are like it; or
    0 of a person with a row that is not covered, where rows of a person are left out together.
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
    """Whether persons are left out whole, so that the limit is a share of them."""
    return model is not None and model.leaves_out == "persons"


def _is_of_all(model: PersonAnonymity) -> bool:
    return model.knows == "all"
