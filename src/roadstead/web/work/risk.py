"""Assess the risk of the original table, and return the text and charts of the report.

The result also shows how much columns that are released unchanged add to the risk before any
generalization.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roadstead import __version__
from roadstead.jobs import Observer
from roadstead.release.added_risk import added_in_release
from roadstead.release.documents import now
from roadstead.reports.risk.advice import least_k
from roadstead.reports.risk.page import risk_page
from roadstead.reports.risk.questions import QUESTIONS
from roadstead.reports.terminal.risk import below_k
from roadstead.verbs.opening import opened
from roadstead.web.work.deliver import request_of

_RELEASED = ("sensitive", "unchanged", "release_anyway")


def risk(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Assess the table of a project file. If all questions are answered, add advice."""
    request = request_of({**given, "verb": "risk"})
    answered = all(getattr(request, one.name) is not None for one in QUESTIONS)
    source = opened(request.data, request, observer)
    delivery = replace(request, data=source, advise=answered).deliver(observer)
    found = delivery.result
    roles = request.origin.project.values
    others = [name for role in _RELEASED for name in roles.get(f"roles.{role}", ())]
    kept = [name for name in source.columns if name in {*found.quasi, *others}]
    added = added_in_release(
        replace(source, columns=tuple(kept)), found.quasi, k=least_k(request.threshold)
    )
    page = risk_page(
        found,
        created=now(),
        version=__version__,
        expected=below_k(found),
        piece=True,
    )
    ranked = [{"column": name, **vars(counts)} for name, counts in added.ranked]
    return {
        "piece": page,
        "advice": delivery.document.get("advice"),
        "added": {**added.to_dict(), "ranked": ranked},
        "seconds": found.seconds,
    }
