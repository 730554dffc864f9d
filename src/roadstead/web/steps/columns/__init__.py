"""The second step: what each column is, how it is made coarser, and what is promised."""

from __future__ import annotations

from roadstead.web.steps.columns import (
    column_page,
    files,
    listing,
    person_dates,
    project_file,
    promise,
    value_counts,
)

ROUTES = (
    *listing.ROUTES,
    *promise.ROUTES,
    *project_file.ROUTES,
    *files.ROUTES,
    *column_page.ROUTES,
    *value_counts.ROUTES,
    *person_dates.ROUTES,
)
