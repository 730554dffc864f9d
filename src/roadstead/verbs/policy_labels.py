"""Replace codes in a table with labels if a policy was created for the labels.

A column of an SPSS, Stata, or SAS file is read as labels only if every value has a label. A single
new value without a label turns the column into a column of codes, so this module restores the
labels that the policy covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from roadstead.policies.document import Policy, to_json
from roadstead.tables.codebooks.shown import with_labels
from roadstead.tables.formats.codebook import Code, code_text
from roadstead.tables.frequency import summarize
from roadstead.tables.source import ProgramFile, Source
from roadstead.verbs.declared_codes import keeping_codes_of


def as_policy_shows(source: Source, policy: Policy) -> Source:
    """Replace codes with labels in the columns for which the policy has labels.

    Declared missing codes that the release keeps become separate values.
    """
    source = keeping_codes_of(source, policy)
    form = source.format
    if not isinstance(form, ProgramFile):
        return source
    document = to_json(policy)
    recoding = document.get("recoding") or {}
    columns = dict(form.codebook.columns)
    shown: dict[str, Mapping[str, str]] = {}
    for at, name in enumerate(policy.quasi):
        notes = form.codebook.of(name)
        if notes.labeled or not notes.labels or name not in source.columns:
            continue
        texts = {code_text(code): text for code, text in notes.texts.items()}
        known = {*_texts(document["attributes"][at]["rule"]), *_texts(recoding)}
        known -= {*policy.attributes[at].missing_codes}
        if len(known & {*texts.values()}) > len(known & texts.keys()):
            (domain,) = summarize(source, [name]).domains
            shown[name] = {code: texts.get(code, code) for code in domain}
            further = {_code(code): code for code in domain if code not in texts}
            columns[name] = replace(notes, labels={**notes.labels, **further}, labeled=True)
    if not shown:
        return source
    labeled = replace(form, codebook=replace(form.codebook, columns=columns))
    return replace(with_labels(source, shown), format=labeled)


def _code(text: str) -> Code:
    """Return a code of the table as a number, or as text if it is not a number.

    As a result, no new code of the release is equal to a code of the table.
    """
    try:
        return float(text)
    except ValueError:
        return text


def _texts(document: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(document, str):
        yield document
    elif isinstance(document, Mapping):
        for key, value in document.items():
            yield key
            yield from _texts(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from _texts(value)
