"""Release a whole database, with the same decision about each person in all tables.

The table of people has one row per person. A search generalizes what an attacker may know about
these people. If the search suppresses a person, all rows of the person are removed from every
table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.capabilities import require_combination
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.printable import printable_lines
from roadstead.release.database.certificate import DatabaseCertificate
from roadstead.release.database.decisions import decide
from roadstead.release.database.persons import earliest_birth_of, gather_people, window_of
from roadstead.release.database.publish import publish_database
from roadstead.release.database.settings import DatabaseSettings
from roadstead.release.kind import files_of
from roadstead.release.persons.early_births import this_year
from roadstead.release.staging import check_output
from roadstead.release.verification.checks import Verification
from roadstead.reports.tables.page import render_set
from roadstead.reports.terminal.database import (
    cells_left_empty,
    document_of,
    in_notebook,
    lines_of,
    promised,
    runnable_by_table,
    runnable_lines,
)
from roadstead.requests.checks import wrong
from roadstead.verbs.combination import anonymize_parts, tables_parts
from roadstead.verbs.database.examined_people import known_people
from roadstead.verbs.database.releasable import (
    refused_if_kept,
    refused_in,
    weekday_warnings,
    without_revealing_cells,
)
from roadstead.verbs.database.settings import opened_set, settings_of
from roadstead.verbs.settings import USUAL_K
from roadstead.verbs.writing import check_with, replaced_signature

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.tables.database.opening import OpenedSet
    from roadstead.verbs.anonymize.request import AnonymizeRequest

_WIDTHS = (5, 10, 20, 40)
"""The widths of the intervals of birth years."""


@dataclass(frozen=True, repr=False)
class DatabaseRelease:
    """The release of a set of tables."""

    certificate: DatabaseCertificate
    verification: Verification
    out: Path
    # The columns of each table that are not offered for `kept`; whether they would be refused.
    refused: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def __repr__(self) -> str:
        persons = self.certificate.persons.released
        return f"<{type(self).__name__}: {len(self.certificate.tables)} tables, {persons} persons>"

    def __str__(self) -> str:
        return printable_lines(promised(self.certificate, self.refused))

    def _repr_html_(self) -> str:
        return in_notebook(self.certificate, self.refused)


def deliver_database(
    request: AnonymizeRequest, observer: Observer, find: Callable[..., Any]
) -> Delivery[DatabaseRelease]:
    """Release the tables of a request. The function `find` searches for the policy."""
    began = time.perf_counter()
    out = _require_possible(request)
    settings = settings_of(request)
    opened, emptied = without_revealing_cells(opened_set(request), settings.days)
    observer.opened(opened)
    observer.note(f"{opened.name}: {len(opened.tables)} tables")
    window = window_of(opened, settings)
    weekdays = () if settings.shifts.weeks else weekday_warnings(opened, window, settings.days)
    earliest = earliest_birth_of(opened, window, this_year())
    attributes = gather_people(opened, earliest)
    people = opened.people
    with refused_in(people):
        found = find(
            _of_persons(request, opened, attributes, settings),
            known_people(opened, attributes),
            observer,
        )
    observer.finished()
    policy: Policy = found.policy
    draft = decide(opened, settings, policy, found.generalized, window)
    draft = replace(draft, earliest_birth=earliest if window is None else None)
    unsigned, told = replaced_signature(out)
    refused = refused_if_kept(opened, settings.days)  # an error here comes before the release
    published = publish_database(
        draft, out, force=request.force, verifier=request.verifier, report=render_set
    )
    certificate, verification = published.certificate, published.verification
    result = DatabaseRelease(certificate, verification, out, refused)
    seconds = time.perf_counter() - began
    return Delivery(
        result,
        (
            *unsigned,
            *runnable_lines(published.runnable),
            *weekdays,
            *lines_of(
                certificate,
                policy,
                verification,
                out,
                check_with(out, None),
                seconds,
                published.codes,
                refused=refused,
            ),
            *cells_left_empty(emptied),
        ),
        document_of(certificate, verification, out, emptied)
        | runnable_by_table(published.runnable)
        | told,
    )


def _require_possible(request: AnonymizeRequest) -> Path:
    """Return the output folder. Reject settings that do not apply to a whole database."""
    require_combination(tables_parts(request))
    require_combination(anonymize_parts(_of_one_table(request), (), USUAL_K))
    if request.out is None:
        fix = f"add {option('out', 'DIR')}"
        raise wrong("out", "the release of a whole database requires an output folder", fix)
    check_output(request.out, force=request.force, own=files_of)
    return request.out


def _of_persons(
    request: AnonymizeRequest,
    opened: OpenedSet,
    attributes: tuple[str, ...],
    settings: DatabaseSettings,
) -> AnonymizeRequest:
    birth = opened.people.rules.birth
    declared = dict(request.declared or {})
    if birth is not None and request.hierarchies is None and birth not in declared:
        declared[birth] = {"kind": "intervals", "widths": list(_WIDTHS)}
    return replace(
        _of_one_table(request),
        k=settings.k,
        quasi=attributes,
        release_anyway=[x for x in opened.people.rules.release_anyway if x in attributes],
        suppressed="drop",
        declared=declared,
    )


def _of_one_table(request: AnonymizeRequest) -> AnonymizeRequest:
    """Remove the settings about people from a request, because each person has only one row."""
    return replace(
        request,
        knows=None,
        link=None,
        key=None,
        shift_days=None,
        shift_weeks=False,
        tables=(),
        described=None,
        release_anyway=(),
    )
