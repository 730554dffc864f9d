"""Replace the labels of codes that too few people have. A release does not contain these labels.

A label can be a name. If rows repeat people, several rows with a code can belong to one person, so
this module counts the people in the released rows. If records are counted, the writer of the file
counts the rows. The labels of quasi-identifiers are replaced before the file is written. The reason
is that the policy and the lists in the certificate must agree with the values in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from roadstead.hierarchies.rules import Groups, Identity, Rule
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.release.apply import others_called, placed_records
from roadstead.tables.codebooks.shown import with_codes_of_few
from roadstead.tables.failures import engine_errors
from roadstead.tables.formats.codebook import ColumnNotes, code_text
from roadstead.tables.formats.registry import WITH_RARE_CODES, release_kind
from roadstead.tables.source import Format, ProgramFile
from roadstead.tables.stores.access import workbench
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

    from roadstead.release.draft import Draft
    from roadstead.tables.source import Source


def shown_by_codes(draft: Draft) -> Source:
    """Return the source for a release that is not a file, with codes in place of rare labels.

    A file contains the code if few released records have a label (`with_rare_labels`).
    """
    columns = draft.policy.columns
    names = (*columns.sensitive, *columns.unchanged)
    shown = with_codes_of_few(draft.source, names, draft.group_size)
    return replace(draft.source, held=draft.source.table.mutate(**shown)) if shown else draft.source


def with_codes_of_rare_labels(draft: Draft) -> Draft:
    """Return a draft whose quasi-identifiers show codes instead of rare labels, as in the file.

    The format of the source contains the remaining labels. If each class has its own recoding, the
    policy keeps its labels.
    """
    form = with_rare_labels(draft)
    if not isinstance(form, ProgramFile) or release_kind(form) not in WITH_RARE_CODES:
        return draft
    policy, generalized = draft.policy, draft.generalized
    columns, attributes = dict(form.codebook.columns), list(policy.attributes)
    labels, domains = list(generalized.labels), list(generalized.merged.domains)
    for at, name in enumerate(policy.quasi):
        notes = form.codebook.of(name)
        if not notes.labeled or name in policy.two_columns or policy.recoding is not None:
            continue
        rare = notes.rare if policy.persons is not None else _few(draft, at)
        codes = {text: code_text(code) for code, text in notes.texts.items() if text in rare}
        codes = {text: code for text, code in codes.items() if code not in domains[at]}
        labels[at] = tuple(codes.get(one, one) for one in labels[at])
        domains[at] = tuple(codes.get(one, one) for one in domains[at])
        attributes[at] = _showing(attributes[at], codes)
        columns[name] = _as_codes(notes, codes, attributes[at].rule)
    form = replace(form, codebook=replace(form.codebook, columns=columns))
    return replace(
        draft,
        source=replace(draft.source, format=form),
        policy=replace(policy, attributes=tuple(attributes)),
        generalized=replace(
            generalized,
            labels=tuple(labels),
            merged=replace(generalized.merged, domains=tuple(domains)),
        ),
    )


def without_changed_labels(draft: Draft) -> Format:
    """Return the format of the source without the labels of codes in columns that are changed.

    After rounding, for example, another value of the column may equal a code. The labels of a
    column that shows labels in place of codes are its values, so they stay.
    """
    form, policy = draft.source.format, draft.policy
    if not isinstance(form, ProgramFile):
        return form
    exact = {
        one.name for one in policy.attributes if not one.level and isinstance(one.rule, Identity)
    }
    kept = exact if policy.recoding is None else set()
    kept |= {*policy.columns.released} - {*policy.changed}
    columns = {
        name: notes if notes.labeled or name in kept else replace(notes, labels={})
        for name, notes in form.codebook.columns.items()
    }
    return replace(form, codebook=replace(form.codebook, columns=columns))


def _few(draft: Draft, at: int) -> frozenset[str]:
    """Return the values of a quasi-identifier that fewer than `k` released records have."""
    merged, kept = draft.generalized.merged, draft.generalized.kept
    domain = merged.domains[at]
    counts = np.bincount(merged.codes[at][kept], merged.counts[kept], len(domain))
    fewest = draft.group_size
    return frozenset(text for text, own in zip(domain, counts, strict=True) if 0 < own < fewest)


def _showing(attribute: AttributePolicy, codes: Mapping[str, str]) -> AttributePolicy:
    """Return a policy that shows codes instead of some labels, if the rule lists the labels."""
    rule: Rule = attribute.rule
    if isinstance(rule, Groups):
        groups = tuple((codes.get(label, label), values) for label, values in rule.groups)
        rule = replace(rule, groups=groups)
    elif isinstance(rule, Identity) and rule.values is not None:
        new = [codes[one] for one in rule.values if one in codes]
        rule = replace(rule, values=(*rule.values, *(one for one in new if not rule.produces(one))))
    return replace(attribute, rule=rule)


def _as_codes(notes: ColumnNotes, codes: Mapping[str, str], rule: Rule) -> ColumnNotes:
    """Return notes in which each code that replaces a label is its own label."""
    groups = rule.groups if isinstance(rule, Groups) else ()
    shown = {**codes, **{values[0]: label for label, values in groups if len(values) == 1}}
    own = {code: shown[text] for code, text in notes.texts.items() if text in shown}
    own = {code: text for code, text in own.items() if text == code_text(code)}
    return replace(notes, labels={**notes.labels, **own})


def with_rare_labels(draft: Draft) -> Format:
    """Return the format of the source, in which labels that fewer than `k` people have are marked.

    The format is returned unchanged if the release does not count people, or has no labels.
    """
    form = draft.source.format
    if draft.policy.persons is None or not isinstance(form, ProgramFile):
        return form
    columns = dict(form.codebook.columns)
    for name, rare in _rare_texts(draft, form).items():
        columns[name] = replace(columns[name], rare=rare)
    return replace(form, codebook=replace(form.codebook, columns=columns))


def labels_left_out(draft: Draft) -> dict[str, int]:
    """Return how many labels of each column a file leaves out, because they are rare."""
    form = draft.source.format
    if not isinstance(form, ProgramFile) or release_kind(form) not in WITH_RARE_CODES:
        return {}
    found = {}
    for name, rare in _rare_texts(draft, form).items():
        notes = form.codebook.of(name)
        texts = {text for code, text in notes.texts.items() if text != code_text(code)}
        found[name] = len(rare & texts - notes.kept.keys())
    return {name: number for name, number in found.items() if number}


def _shown(placed: ibis.Table, own: str) -> ir.Value:
    """Return the values of a column as text, without the quasi-identifiers of masked records."""
    text = as_text(placed[own])
    return placed["place"].notnull().ifelse(text, None) if own.startswith("label_") else text


def _rare_texts(draft: Draft, form: ProgramFile) -> dict[str, frozenset[str]]:
    """Return the values of labeled columns that fewer than `k` released records or people have."""
    import ibis  # noqa: PLC0415 - heavy

    policy = draft.policy
    person = None if policy.persons is None else policy.persons.column
    others = others_called(draft.source.columns, policy)
    places = {f"label_{at}": name for at, name in enumerate(policy.quasi)}
    places = {own: name for own, name in places.items() if name not in policy.two_columns}
    places |= {own: name for name, own in others.items() if name != policy.linked_by}
    labeled = {own: name for own, name in places.items() if form.codebook.of(name).labels}
    if not labeled:
        return {}
    with workbench(draft.source) as bench, engine_errors(draft.source.name):
        placed = placed_records(
            bench.table,
            bench.small,
            policy,
            draft.generalized,
            mask=draft.masks,
            alongside=person,
        )
        cells = placed.select(
            *([] if person is None else ["alongside"]),
            column=ibis.array([*labeled.values()]).unnest(),
            text=ibis.array([_shown(placed, own) for own in labeled]).unnest(),
        )
        having = cells.count() if person is None else cells["alongside"].nunique()
        found = cells.group_by("column", "text").aggregate(having=having)
        few = found.filter(found["having"] < draft.group_size).to_pyarrow().to_pylist()
    return {
        name: frozenset(one["text"] for one in few if one["column"] == name)
        for name in labeled.values()
    }
