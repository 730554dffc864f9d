"""Show the second step: column roles, generalization, and the privacy requirements."""

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
