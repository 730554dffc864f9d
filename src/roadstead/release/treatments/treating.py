"""Treat the released columns of a table by forming groups and choosing new values.

Columns are treated after the choice of the released records. Only released records are treated. If
records were suppressed later, the release could show a group of fewer than k members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.number_text import all_whole, plain_number
from roadstead.policies.treatments.document import Microaggregation, Rounding, Treatment
from roadstead.release.apply import others_called, placed_records
from roadstead.release.treatments.columns import TreatedColumn, numbers_of, texts_of
from roadstead.release.treatments.cut_points import ends_of
from roadstead.release.treatments.groups import NO_GROUP, TreatedRows, grouped
from roadstead.release.treatments.statistics import shown_of_groups
from roadstead.release.treatments.values import (
    MASKED,
    TreatedLoss,
    TreatedValues,
    new_name,
    old_name,
)
from roadstead.tables.arrow_arrays import as_numpy, encoded, integers, texts
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.access import workbench
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source


@dataclass(frozen=True, eq=False)
class _Counted:
    """The counts of released records by the columns of one treatment."""

    domains: tuple[tuple[str, ...], ...]  # distinct text values of each column, sorted
    places: tuple[NDArray[np.int64], ...]  # index of each row's value in `domains`
    units: NDArray[np.int64]
    counts: NDArray[np.int64]
    owners: NDArray[np.int64] | None


def treated(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> tuple[Policy, Generalized]:
    """Apply the treatments in a policy. Return the policy with its intervals, and the new values.

    If `mask` is true, suppressed records are kept with ``*``, as in the release.
    """
    if not policy.treatments:
        return policy, generalized
    made = [_treated(source, policy, generalized, one, mask=mask) for one in policy.treatments]
    known = replace(policy, treatments=tuple(one.treatment for one in made))
    return known, replace(generalized, treated=tuple(made))


def _treated(
    source: Source, policy: Policy, generalized: Generalized, requested: Treatment, *, mask: bool
) -> TreatedValues:
    by_class = isinstance(requested, Microaggregation) and requested.within == "classes"
    counted = _counted(source, policy, generalized, requested, by_class=by_class, mask=mask)
    kinds = tuple(_kind(source, name) for name in requested.columns)
    if isinstance(requested, Rounding):
        return _rounded(requested, counted, kinds[0])
    return _microaggregated(requested, counted, kinds, by_class=by_class)


def _kind(source: Source, name: str) -> str:
    return "string" if source.texts is not None else str(source.table[name].type())


def _counted(
    source: Source,
    policy: Policy,
    generalized: Generalized,
    treatment: Treatment,
    *,
    by_class: bool,
    mask: bool,
) -> _Counted:
    """Count the released records by the values in some columns, and by class and person."""
    others = others_called(source.columns, policy)
    persons = policy.persons if isinstance(treatment, Microaggregation) else None
    alongside = None if persons is None or policy.linked_by is not None else persons.column
    linked = None if policy.linked_by is None or persons is None else others[policy.linked_by]
    names = [f"text_{at}" for at in range(len(treatment.columns))]
    with workbench(source) as bench:
        placed = placed_records(
            bench.table, bench.small, policy, generalized, mask=mask, alongside=alongside
        )
        records = placed.select(
            **{
                name: as_text(placed[others[column]])
                for name, column in zip(names, treatment.columns, strict=True)
            },
            **({"unit": placed["place"].fill_null(MASKED).cast("int64")} if by_class else {}),
            **({"who": placed["alongside"]} if alongside is not None else {}),
            **({"who": as_text(placed[linked])} if linked is not None else {}),
        )
        groups = records.group_by(records.columns).aggregate(number=records.count())
        with engine_errors(source.name):
            found = groups.to_pyarrow().combine_chunks()
    domains, places = zip(*(_encoded(found.column(name)) for name in names), strict=True)
    counts = as_numpy(found.column("number").combine_chunks()).astype(np.int64)
    units = np.zeros(counts.size, dtype=np.int64)
    if by_class:
        units = as_numpy(found.column("unit").combine_chunks()).astype(np.int64)
    owners = _encoded(found.column("who"))[1] if "who" in records.columns else None
    order = np.lexsort((*([] if owners is None else [owners]), *reversed(places), units))
    return _Counted(
        domains,
        tuple(one[order] for one in places),
        units[order],
        counts[order],
        None if owners is None else owners[order],
    )


def _encoded(column: Any) -> tuple[tuple[str, ...], NDArray[np.int64]]:  # noqa: ANN401 - Arrow's
    """Return the distinct text values of a column in order, and the index of each row's value."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    found = encoded(column)
    own = found.dictionary.to_pylist()
    order = sorted(range(len(own)), key=own.__getitem__)
    rank = np.empty(len(own), dtype=np.int64)
    rank[order] = np.arange(len(own))
    return tuple(own[at] for at in order), rank[as_numpy(found.indices).astype(np.int64)]


def _rounded(requested: Rounding, counted: _Counted, kind: str) -> TreatedValues:
    column = numbers_of(requested.column, counted.domains[0])
    numbers = [requested.rounded(number) for number in column.numbers or ()]
    if _is_whole(kind) and not all_whole(numbers):
        raise SettingError(
            "the column contains whole numbers, but multiples of the base are not whole numbers",
            where=f"{option('treat')} {quoted(requested.column)}",
            fix="use a whole number as base",
        )
    shown = [plain_number(number) for number in numbers]
    becomes = [None if at < 0 else shown[at] for at in column.of_text.tolist()]
    codes = column.of_text[counted.places[0]]
    lost = _lost(column, codes, counted.counts, np.array([float(one) for one in numbers])[codes])
    pairs = _pairs((counted.domains[0],), None, (becomes,))
    loss = TreatedLoss(requested.column, requested.does, lost, None, 0)
    return TreatedValues(requested, by_class=False, kinds=(kind,), pairs=pairs, losses=(loss,))


def _microaggregated(
    requested: Microaggregation, counted: _Counted, kinds: Sequence[str], *, by_class: bool
) -> TreatedValues:
    """Form groups, and return the new value of each combination of values."""
    nominal = requested.function == "mode" and requested.groups == "whole"
    columns = [
        _read(name, domain, nominal=nominal)
        for name, domain in zip(requested.columns, counted.domains, strict=True)
    ]
    codes = tuple(column.of_text[own] for column, own in zip(columns, counted.places, strict=True))
    rows = TreatedRows(counted.units, codes, counted.counts, counted.owners)
    if requested.function == "interval" and not requested.ends:
        made = tuple(ends_of(rows, at, one, requested.k) for at, one in enumerate(columns))
        requested = replace(requested, ends=made)
    group = _groups(requested, rows, columns)
    if not (group != NO_GROUP).any():
        units = "records" if rows.owners is None else "persons"
        raise SourceError(
            f"fewer than {requested.k} {units} have a value, so no group can be formed",
            where=f"{option('treat')} {', '.join(map(quoted, requested.columns))}",
            fix="leave the column out, or use a table with more records",
        )
    becomes, losses = [], []
    for at, column in enumerate(columns):
        ends = requested.ends[at] if requested.ends else None
        shown = shown_of_groups(rows, at, column, group, requested.function, ends)
        own = [
            shown.get(number) if code >= 0 else None
            for number, code in zip(group.tolist(), codes[at].tolist(), strict=True)
        ]
        becomes.append(own)
        losses.append(_loss(requested, at, column, rows, group, own))
    released = tuple("string" if requested.function == "interval" else kind for kind in kinds)
    first = _first_of_each(counted)
    texts_was = [
        [domain[at] for at in places[first].tolist()]
        for domain, places in zip(counted.domains, counted.places, strict=True)
    ]
    pairs = _pairs(
        texts_was,
        counted.units[first] if by_class else None,
        [[own[row] for row in first.tolist()] for own in becomes],
    )
    return TreatedValues(requested, by_class, released, pairs, tuple(losses))


def _groups(
    requested: Microaggregation, rows: TreatedRows, columns: Sequence[TreatedColumn]
) -> NDArray[np.int64]:
    """Return the group of each row. If the policy contains intervals, they define the groups."""
    if not requested.single:
        return grouped(rows, columns, requested.k, whole=requested.groups == "whole")
    of_value = np.array(requested.ends[0].places(columns[0].numbers or ()), dtype=np.int64)
    codes = rows.codes[0]
    apart = replace(rows, units=np.where(codes < 0, NO_GROUP, of_value[codes]))
    return grouped(apart, columns, requested.k, whole=True)


def _read(name: str, domain: Sequence[str], *, nominal: bool) -> TreatedColumn:
    if not nominal:
        return numbers_of(name, domain)
    try:
        return numbers_of(name, domain)
    except SourceError:
        return texts_of(name, domain)


def _first_of_each(counted: _Counted) -> NDArray[np.int64]:
    """Return one row for each class and combination of values. Several people may share a row."""
    keys = np.stack((counted.units, *counted.places), axis=1)
    first: NDArray[np.int64] = np.unique(keys, axis=0, return_index=True)[1]
    return first


def _loss(
    requested: Microaggregation,
    at: int,
    column: TreatedColumn,
    rows: TreatedRows,
    group: NDArray[np.int64],
    becomes: Sequence[str | None],
) -> TreatedLoss:
    """Return the share of the variance that is lost because of the new values or the groups."""
    known = rows.codes[at] >= 0
    shown = np.array([one is not None for one in becomes], dtype=np.bool_)
    lost = None
    if column.numbers is not None and shown.any():
        codes, counts = rows.codes[at][shown], rows.counts[shown]
        if requested.function == "interval":
            own, weights = group[shown], counts.astype(np.float64)
            sums = np.bincount(own, weights=weights * column.floats[codes])
            now = sums[own] / np.bincount(own, weights=weights)[own]
        else:
            now = np.array([float(Decimal(one)) for one in becomes if one is not None])
        lost = _lost(column, codes, counts, now)
    groups = len(set(group[shown].tolist()))
    emptied = int(rows.counts[known & ~shown].sum())
    return TreatedLoss(column.name, requested.does, lost, groups, emptied)


def _lost(
    column: TreatedColumn,
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    now: NDArray[np.float64],
) -> float | None:
    """Return the sum of squared changes divided by the sum of squared differences from the mean."""
    there = codes >= 0
    was, now, counts = column.floats[codes[there]], now[there], counts[there]
    if not was.size:
        return None
    whole = float((counts * (was - np.average(was, weights=counts)) ** 2).sum())
    return float((counts * (was - now) ** 2).sum()) / whole if whole > 0.0 else None


def _pairs(
    was: Sequence[Sequence[str]],
    units: NDArray[np.int64] | None,
    becomes: Sequence[Sequence[str | None]],
) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    columns = {old_name(at): texts(one) for at, one in enumerate(was)}
    columns |= {new_name(at): texts(one) for at, one in enumerate(becomes)}
    if units is not None:
        columns["pair_class"] = integers(units)
    return pa.Table.from_arrays(list(columns.values()), list(columns))


def _is_whole(kind: str) -> bool:
    return kind.removeprefix("!").removeprefix("u").startswith("int")
