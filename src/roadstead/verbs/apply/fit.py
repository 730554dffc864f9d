"""Check whether a policy fits a new table, and describe the drift if the policy does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import PolicyError, Refusal, RoadsteadError
from roadstead.front_end import option
from roadstead.log import LOG
from roadstead.policies.document import Policy
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalization import generalize
from roadstead.release.generalized import require_limit
from roadstead.reports.release.drift import Drift, drift_of
from roadstead.tables.codebooks.shown import labels_of_codes
from roadstead.tables.extra_rows import FURTHER_HEADERS
from roadstead.tables.formats.registry import format_named
from roadstead.tables.source import Csv, ProgramFile, Source
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.release.generalized import Generalized
    from roadstead.tables.frequency import FrequencyTable
    from roadstead.verbs.apply.request import ApplyRequest


def fitted(
    request: ApplyRequest,
    known: Policy,
    models: Sequence[PrivacyModel],
    table: FrequencyTable,
    source: Source,
    then: float | None,
) -> tuple[Policy, Generalized]:
    """Generalize a table with a policy. If the policy does not fit, the error describes the drift.

    `then` is the share of records that was suppressed when the policy was created.
    """
    kept, limit = known.suppression, request.suppression
    suppression = replace(kept, limit=kept.limit if limit is None else limit)
    applied = replace(known, suppression=suppression)
    generalized = generalize(table, applied, models, suppress_unseen=True, where=source.name)
    LOG.info("generalized %d records, %d suppressed", table.records, generalized.suppressed)
    try:
        if request.unseen == "refuse":
            labels = labels_of_codes(source)
            generalize(table, applied, models, where=source.name, labels_of_codes=labels)
        require_limit(
            generalized,
            applied.suppression,
            models,
            where=source.name,
            fix="anonymize the new table again",
        )
    except RoadsteadError as refusal:
        error = _refused(refusal, drift_of(generalized, applied, models, then))
        raise _with_header_row(error, applied, source) from None
    return applied, generalized


def _refused(refusal: RoadsteadError, drift: Drift) -> RoadsteadError:
    """Add the drift to an error. Suggest only settings that preserve the protection."""
    error = refusal
    suppress = option("unseen", "suppress") in (refusal.fix or "")
    if not isinstance(refusal, Refusal) and suppress and drift.fits is None:
        # Suppressing the values that the policy does not cover would not be enough.
        fix = "anonymize the new table again"
        error = type(refusal)(refusal.what, where=refusal.where, fix=fix)
    error.drift = drift
    return error


def _with_header_row(error: RoadsteadError, policy: Policy, source: Source) -> RoadsteadError:
    """Say that the first record may be a second header row if the policy does not cover it."""
    form = source.format
    sheet = isinstance(form, ProgramFile) and "skip_rows" in format_named(form.kind).options
    if not isinstance(error, PolicyError) or not (isinstance(form, Csv) or sheet):
        return error
    first = texts_of(source, [one.name for one in policy.attributes]).first(1)
    cells = [cells[0] for cells in first.values() if cells]
    labels = [one.label(cell) for one, cell in zip(policy.attributes, cells, strict=False)]
    found = [x.lines for x in source.suspect_rows if x.like == FURTHER_HEADERS]
    if None in labels and (found or not any(map(str.isdecimal, "".join(cells)))):
        rows = option("skip_rows", found[0] if found else "ROWS")
        header = f"if the first record is a second header row, leave the row out with {rows}"
        error.fix = f"{header}; otherwise, {error.fix}"
    return error
