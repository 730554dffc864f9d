"""Find the labels of codes that too few people have. A release does not contain these labels.

A label can be a name. If rows repeat people, several rows with a code can belong to one person, so
the people among the released rows are counted. Otherwise, the writer of the file counts its rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.release.apply import others_called, placed_records
from roadstead.tables.failures import engine_errors
from roadstead.tables.source import Format, ProgramFile
from roadstead.tables.stores.access import workbench
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from roadstead.release.draft import Draft


def with_rare_labels(draft: Draft) -> Format:
    """Return the format of the source, with rare labels marked: fewer than `k` people have them.

    The format is returned unchanged if the release does not count people, or has no labels.
    """
    form, policy = draft.source.format, draft.policy
    if policy.persons is None or not isinstance(form, ProgramFile):
        return form
    import ibis  # noqa: PLC0415 - heavy

    others = others_called(draft.source.columns, policy)
    places = {f"label_{at}": name for at, name in enumerate(policy.quasi)}
    places = {own: name for own, name in places.items() if name not in policy.two_columns}
    places |= {own: name for name, own in others.items() if name != policy.linked_by}
    labeled = {own: name for own, name in places.items() if form.codebook.of(name).labeled}
    if not labeled:
        return form
    columns = dict(form.codebook.columns)
    with workbench(draft.source) as bench, engine_errors(draft.source.name):
        placed = placed_records(
            bench.table,
            bench.small,
            policy,
            draft.generalized,
            mask=draft.masks,
            alongside=policy.persons.column,
        )
        cells = placed.select(
            "alongside",
            column=ibis.array([*labeled.values()]).unnest(),
            text=ibis.array([as_text(placed[own]) for own in labeled]).unnest(),
        )
        having = cells.group_by("column", "text").aggregate(people=cells["alongside"].nunique())
        few = having.filter(having["people"] < draft.group_size).to_pyarrow().to_pylist()
    for name in labeled.values():
        rare = frozenset(one["text"] for one in few if one["column"] == name)
        columns[name] = replace(columns[name], rare=rare)
    return replace(form, codebook=replace(form.codebook, columns=columns))
