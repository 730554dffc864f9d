"""Run a candidate: a request in its own folder, compared with the original table.

All figures are computed from the written release, not from the search. Records are grouped by all
quasi-identifiers of the project, so that the figures of all candidates are comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

from roadstead.errors import RoadsteadError, SettingError
from roadstead.jobs import Observer
from roadstead.registry import required
from roadstead.release.kind import release_of
from roadstead.verbs.frontier.result import RELEASE, to_look_at, write
from roadstead.web.work.deliver import request_of
from roadstead.web.work.questions.released import removed
from roadstead.web.work.trials.persons import persons_of

_CLOSE = 1e-6
_OF_A_CHOICE = ("choose", "choose_reason", "out", "force")
_SAID = ("noticed", "added_model", "columns_withheld")
"""The parts of a document that the step Release shows, as after a preparation."""


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
        compare = required("evaluation", "web.work.trials.compared:compared_with_table")
        compared = compare(given, _release(given["verb"], out))
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
        "recoding": opened.recoding,
        "noisy": certificate is None,
        "removed": list(removed(opened)),
        "risk": None if certificate is None else certificate.risk.average,
        "largest": None if certificate is None else certificate.risk.highest,
        "persons": persons_of(certificate),
    }


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
