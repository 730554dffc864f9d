"""Combine the settings of an ARX project and a scan of its table into a proposal.

The project determines the quasi-identifiers, the sensitive attributes, and the identifying
attributes. ARX itself may have proposed the type "insensitive", so the scan is also considered for
this type. If the scan has an objection, the column is withheld until a person decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from roadstead.printable import named
from roadstead.reports.scan.facts import PERSON, ColumnProposal
from roadstead.reports.wording import first_few
from roadstead.tables.arx_selection import NAME, SelectedRows
from roadstead.tables.decimal_commas import as_read
from roadstead.tables.identifiers.judgment import NEUTRAL
from roadstead.verbs.scan.arx.models import POPULATION_MODELS, ArxModels, models_of
from roadstead.verbs.scan.arx.project import ArxAttribute, ArxProject
from roadstead.verbs.scan.arx.quality import quality_of
from roadstead.verbs.scan.arx.stored import Transformation
from roadstead.verbs.scan.result import Proposal

_WORDS = {
    "quasi": "quasi-identifying in ARX",
    "sensitive": "sensitive in ARX",
    "identifiers": "identifying in ARX",
    "unchanged": "insensitive in ARX",
}
_HIDDEN = "QUASI_IDENTIFYING_ATTRIBUTE"


def with_arx(proposal: Proposal, project: ArxProject) -> Proposal:
    """Add the settings of an ARX project to the proposal for its table."""
    models = models_of(project.criteria, project.stored, _released(proposal, project))
    _add_orders(models, project.attributes)
    quality, notes = quality_of(project, models.models)
    by_hierarchy = {one["column"] for one in models.models if one.get("distance") == "hierarchical"}
    files = {
        name: one.hierarchy_file(partial(as_read, proposal.source, name))
        for name, one in project.attributes.items()
        if one.hierarchy is not None and (one.role == "quasi" or name in by_hierarchy)
    }
    columns = tuple(
        _column(one, project.attributes.get(one.name), files) for one in proposal.columns
    )
    privacy, differences = _privacy(project, models)
    settings = {
        "privacy": privacy,
        "quality": {} if quality == {"quality": "loss"} else quality,
        "levels": _levels(project.attributes),
        "synthesis": models.private,
        "search": {"recoding": "local"} if _is_local(project.transformation) else {},
    }
    rows = _selected(proposal, project, models)
    version = f" {project.version}" if project.version else ""
    noticed = [
        f"This is a project of ARX{version}. The table stays in this file.",
        *_on_rows(proposal, rows, models),
        *models.notes,
        *notes,
        *differences,
        *_of_attributes(project.attributes),
        _on_transformation(project.transformation),
    ]
    return replace(
        proposal,
        columns=columns,
        settings={name: keys for name, keys in settings.items() if keys},
        hierarchy_files=files,
        selected_rows=rows,
        is_population=rows is not None and _compares(models),
        noticed=(*noticed, *proposal.noticed),
    )


def _column(
    column: ColumnProposal, attribute: ArxAttribute | None, files: Collection[str]
) -> ColumnProposal:
    role = None if attribute is None else attribute.role
    if attribute is None or role is None:
        return column
    word = _WORDS[role]
    if role == "unchanged":
        if column.role in ("unchanged", "sensitive"):
            return replace(column, reason=f"{word}; {column.reason}")
        if column.role is None and column.reason == NEUTRAL:
            return replace(column, role=role, reason=word)
        reason = f"{word}, but the scan has a different result: {column.reason}"
        return replace(column, role=None, reason=reason, hierarchy=None)
    if role == "identifiers" and column.role in (PERSON, role):
        return replace(column, reason=f"{word}; {column.reason}", hierarchy=None)
    agrees = column.role in (role, None)
    said = "" if agrees else f"without the ARX project: {column.role} ({column.reason})"
    warning = "; ".join(filter(None, (said, column.warning if role == column.role else "")))
    kind = "file" if column.name in files else "flat" if role == "quasi" else None
    hierarchy = None if kind is None else {"kind": kind}
    return replace(column, role=role, reason=word, warning=warning, hierarchy=hierarchy)


def _released(proposal: Proposal, project: ArxProject) -> int:
    """Count the records that ARX releases, before suppression."""
    rows = project.selected
    return proposal.records if rows is None or len(rows) != proposal.records else sum(rows)


def _is_local(transformation: Transformation | None) -> bool:
    return transformation is not None and transformation.iterations is not None


def _on_transformation(found: Transformation | None) -> str:
    """Describe local recoding, and name the settings that are not read."""
    unread = (
        "ARX stores some settings in a form that Roadstead does not read: how the losses of "
        "attributes are combined"
    )
    if found is None:
        return f"{unread}, local recoding, and limits of the search."
    unread = f"{unread}, and limits of the search."
    if found.iterations is None:
        return unread
    return (
        f"In ARX, groups can have different levels (local recoding, {found.iterations:,} "
        f'iterations). The project file requests this with recoding = "local", without a number of '
        f"iterations. {unread}"
    )


def _selected(proposal: Proposal, project: ArxProject, models: ArxModels) -> SelectedRows | None:
    """Return the rows that ARX releases, or None for all rows or a random sample."""
    place, rows = proposal.source.read_from, project.selected
    if place is None or rows is None or models.private or len(rows) != proposal.records:
        return None
    return SelectedRows(place, project.delimiter, rows)


def _on_rows(proposal: Proposal, selected: SelectedRows | None, models: ArxModels) -> Iterator[str]:
    if selected is not None:
        many = sum(selected.rows)
        yield (
            f"ARX releases {many:,} selected rows of {proposal.records:,}. The project file "
            f"releases the same rows, which are copied to {NAME}."
        )
        if _compares(models):
            yield "As in ARX, these rows are a sample from the whole table."
    elif _compares(models) or models.selects:
        yield (
            "ARX releases selected rows, but Roadstead cannot read the selection: the project file "
            "covers all rows. Export the selected rows from ARX, and enter their file under `data`."
        )


def _compares(models: ArxModels) -> bool:
    return any(one["kind"] in POPULATION_MODELS for one in models.models)


def _privacy(project: ArxProject, models: ArxModels) -> tuple[dict[str, Any], list[str]]:
    notes = []
    found: dict[str, Any] = {"k": models.k or 5}
    found["suppression"] = project.suppression
    if {*project.suppressed_types} - {_HIDDEN}:
        found["suppressed"] = "drop"
        notes.append(
            "In suppressed records, ARX hides more columns than the quasi-identifiers. "
            "Roadstead leaves these records out."
        )
    if models.models:
        found["models"] = models.models
    return found, notes


def _levels(attributes: Mapping[str, ArxAttribute]) -> dict[str, dict[str, int]]:
    """Return the lowest and highest levels that the project allows.

    If a hierarchy in ARX has no level ``*``, the result excludes the level ``*`` that Roadstead
    adds.
    """
    quasi = {name: one for name, one in attributes.items() if one.role == "quasi"}
    low = {name: one.low for name, one in quasi.items() if one.low}
    high = {name: one.highest for name, one in quasi.items() if one.highest is not None}
    return {key: levels for key, levels in (("min", low), ("max", high)) if levels}


def _add_orders(models: ArxModels, attributes: Mapping[str, ArxAttribute]) -> None:
    for one in models.models:
        attribute = attributes.get(str(one.get("column")))
        if one.get("distance") == "ordered" and attribute and attribute.order:
            one["order"] = list(attribute.order)


def _of_attributes(attributes: Mapping[str, ArxAttribute]) -> list[str]:
    quasi = {name: one for name, one in attributes.items() if one.role == "quasi"}
    told = []
    averaged = _names([name for name, one in quasi.items() if one.function])
    if averaged:
        told.append(
            f"In some columns ({averaged}), ARX replaces the values of a group with one value, "
            "such as their mean. Roadstead generalizes the values instead."
        )
    flat = _names([name for name, one in quasi.items() if one.hierarchy is None])
    if flat:
        told.append(
            f"These columns do not have a hierarchy in ARX, so they are never generalized: {flat}."
        )
    return told


def _names(names: Sequence[str]) -> str:
    return first_few([*map(named, names)])
