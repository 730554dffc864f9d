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

from roadstead.errors import PolicyError
from roadstead.privacy.models.k_anonymity import KAnonymity
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


def counts_persons(models: Sequence[PrivacyModel]) -> PersonAnonymity | None:
    """Give the model that counts persons, if there is one.

    PolicyError where some model cannot be said in SQL.
    """
    for model in models:
        if isinstance(model, KAnonymity) or (
            isinstance(model, PersonAnonymity) and (model.leaves_out == "rows" or _is_of_all(model))
        ):
            continue
        if isinstance(model, PersonAnonymity):
            what = (
                f"{model.name} with whole persons left out cannot be said in SQL: who is left out "
                "protects others no more, so all are counted again until nothing changes"
            )
            fix = f"{without_sql()}, or a policy that leaves out rows with one row known"
        else:
            what = f"{model.name} cannot be said in SQL, which knows the sizes of classes alone"
            fix = f"{without_sql()}, or a policy of k-anonymity alone"
        raise PolicyError(what, where="the policy", fix=fix)
    found = [model for model in models if isinstance(model, PersonAnonymity)]
    if found and len(models) > 1:
        raise PolicyError(
            "a policy of several models, one of them of persons, cannot be said in SQL",
            where="the policy",
            fix=without_sql(),
        )
    return found[0] if found else None


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
