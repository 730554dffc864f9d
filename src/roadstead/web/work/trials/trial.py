"""Run a candidate: a request in its own folder, compared with the original table.

All figures are computed from the written release, not from the search. Records are grouped by all
quasi-identifiers of the project, so that the figures of all candidates are comparable.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from math import isclose
from pathlib import Path
from typing import Any

from roadstead.analysis.retained_information import Band, bands_of, before_and_after, overlapping
from roadstead.errors import RoadsteadError, SettingError
from roadstead.hierarchies.rules import MISSING
from roadstead.jobs import Observer
from roadstead.policies.document import SUPPRESSED
from roadstead.printable import printable
from roadstead.release.certificate import Certificate
from roadstead.release.kind import release_of
from roadstead.release.values_left import in_words
from roadstead.reports.evaluation.comparison import ComparisonFacts
from roadstead.reports.evaluation.notes import RISKS_OF_RECORDS
from roadstead.tables.codebooks.shown import Faces, labels_of_codes, with_label
from roadstead.verbs.evaluate.compared import recoding_of
from roadstead.verbs.evaluate.comparison import (
    NO_QUESTIONS,
    NextToOriginal,
    compared_facts,
    next_to_original,
)
from roadstead.verbs.frontier.result import RELEASE, to_look_at, write
from roadstead.web.work.deliver import request_of
from roadstead.web.work.questions.released import removed
from roadstead.web.work.questions.source import source_of

_MOST_BANDS = 60
"""The number of bands drawn per column. A local recoding can have thousands."""
_CLOSE = 1e-6
_OF_A_CHOICE = ("choose", "choose_reason", "out", "force")
_SAID = ("noticed", "added_model", "columns_withheld")
"""The parts of a document that the step Release shows, as after a preparation."""
FEWEST = 5
"""A value in a covered column is named only if at least this many records or people have it."""


def trial(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Run a request. Return its results, and a comparison with the table."""
    out = Path(given["given"]["out"])
    out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as held:
        watched = replace(observer, opened=held.enter_context)
        if given["verb"] == "frontier":
            lines, document = _policy(given, out, watched)
        else:
            delivery = request_of(given).deliver(watched)
            lines, document = list(delivery.lines), delivery.document
    observer.note("comparing with the original table")
    shown: dict[str, Any] = {
        "lines": lines,
        "document": {key: document[key] for key in _SAID if key in document},
        "ending": document.get("ending"),
        "optimal": document.get("optimal"),
        "gap": document.get("gap"),
        "records": document.get("records"),
        "suppressed": document.get("suppressed"),
        "loss": document.get("loss"),
    }
    try:
        source = source_of(given["project"])
        both = next_to_original([_release(given["verb"], out)], source, known=given["known"])
        compared = _compared(both, set(given["covered"]), labels_of_codes(source))
    except RoadsteadError as error:
        return {**shown, **_certified(_release(given["verb"], out)), "refused": error.what}
    _require_same(compared, given.get("expects"))
    return {**shown, **compared}


def _policy(
    given: Mapping[str, Any], out: Path, observer: Observer
) -> tuple[list[str], Mapping[str, Any]]:
    """Generate a release for review from a policy that may not meet all requirements.

    Choosing the policy for release is a separate step, which may require a reason.
    """
    own = {key: value for key, value in given["given"].items() if key not in _OF_A_CHOICE}
    found = request_of({**given, "given": own}).run(observer)
    release = to_look_at(found, given["given"]["choose"])
    write(found, found.source, out, force=True, release=release)
    return str(release).split("\n"), release.to_dict()


def _release(verb: str, out: Path) -> Path:
    return out / RELEASE if verb == "frontier" else out


def _certified(folder: Path) -> dict[str, Any]:
    """Return the figures of a release that cannot be compared with the table."""
    opened = release_of(folder).shown((), "compared")
    certificate = opened.certificate
    return {
        "promise": opened.promise,
        "recoding": recoding_of(opened),
        "noisy": certificate is None,
        "removed": list(removed(opened)),
        "risk": None if certificate is None else certificate.risk.average,
        "largest": None if certificate is None else certificate.risk.highest,
        "persons": _persons(certificate),
    }


def _persons(certificate: Certificate | None) -> dict[str, Any] | None:
    """Return the numbers of people, and whether people are left out with all their records."""
    if certificate is None or certificate.persons is None:
        return None
    whole = any(one.get("leaves_out") == "persons" for one in certificate.policy["privacy"])
    return {**asdict(certificate.persons), "whole": whole}


def _require_same(found: Mapping[str, Any], expected: Mapping[str, float] | None) -> None:
    """Reject a policy that differs from the policy that the user saw on the page."""
    if expected and not all(
        isclose(found[key], own, abs_tol=_CLOSE) for key, own in expected.items()
    ):
        raise SettingError(
            "this search found a different frontier, so the policy differs from the policy "
            "that you saw",
            fix="search the frontier again, and choose a policy there",
        )


def _compared(both: NextToOriginal, covered: Collection[str], codes: Faces) -> dict[str, Any]:
    """Return the figures, the bands, and the distributions of one release.

    If the page covers a column, values that few records or people have are not named. `codes`
    contains the labels of codes.
    """
    opened = both.opened[0]
    facts = compared_facts(both, "the table", NO_QUESTIONS)
    own = facts.releases[0]
    certificate, words = opened.certificate, {}
    if opened.policy is not None:
        words = {printable(name): printable(says) for name, says in opened.policy.words.items()}
    risk, largest, persons = own.mean_risk, own.largest_risk, _persons(certificate)
    if certificate is not None:
        largest = certificate.risk.highest
        risk = risk if persons is None else certificate.risk.average
    table = both.found[0].learned.table
    attributes = [
        _with_labels(
            _attribute(both, facts, at, words, fewest=FEWEST if column.name in covered else 1),
            codes.get(column.name, {}),
        )
        for at, column in enumerate(table.columns)
        if column.name in both.quasi
    ]
    return {
        "promise": own.promise,
        "recoding": own.recoding,
        "noisy": own.is_noisy,
        "risk": risk,
        "largest": largest,
        "left_open": own.left_open,
        "records": facts.records,
        "released": own.records,
        "suppressed": own.masked + own.left_out,
        "persons": persons,
        "two_way": own.distances.two_way,
        "attributes": attributes,
        # The risks of people are the risks in the certificate.
        "notes": [one for one in facts.notes if persons is None or one != RISKS_OF_RECORDS],
    }


def _attribute(
    both: NextToOriginal, facts: ComparisonFacts, at: int, words: Mapping[str, str], *, fewest: int
) -> dict[str, Any]:
    """Return the bands and distributions of a quasi-identifier, without naming rare values."""
    found, own = both.found[0], facts.releases[0]
    table = found.learned.table
    column = table.columns[at]
    name, labels = printable(column.name), found.labels[at] if found.labels else {}
    shown = ~found.masked
    often = None if fewest == 1 else both.holders(column.name) >= fewest
    bands = bands_of(
        column, table.codes[at][shown], table.weights[shown], labels, facts.records, often
    )
    everything = {
        column.parts - 1,
        *(labels[one] for one in (SUPPRESSED, MISSING) if one in labels),
    }
    left = not {*table.codes[at][shown].tolist()} <= everything
    named = [
        b
        for b in bands
        if b.whole
        or fewest == 1
        or (
            b.share * facts.records >= fewest - 0.5
            and both.holding(column.name, b.members) >= fewest
        )
    ]
    groups, before, after = before_and_after(both.original, table, column.name, own.left_out, often)
    return {
        "name": name,
        "column": column.name,
        "left": left,
        "words": in_words(words[name], left=left) if name in words else None,
        "bands": [_shown(b) for b in named[:_MOST_BANDS]],
        "more": len(bands) - len(named[:_MOST_BANDS]),
        "overlapping": overlapping(bands),
        "labels": [printable(text) for text in groups.labels],
        "places": groups.places,
        "before": before,
        "after": after,
        "distance": own.distances.columns[column.name],
    }


def _shown(band: Band) -> dict[str, Any]:
    ends = {"low": band.low, "high": band.high, "whole": band.whole}
    return {"label": printable(band.label), "share": band.share, **ends}


def _with_labels(attribute: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Add the labels of codes to the bands and the values of a quasi-identifier."""
    return {
        **attribute,
        "bands": [{**one, "label": with_label(one["label"], labels)} for one in attribute["bands"]],
        "labels": [with_label(text, labels) for text in attribute["labels"]],
    }
