"""Show the fourth step: compare possible releases on a map, with candidates on it."""

from __future__ import annotations

from roadstead.web.steps.explore import compared, keeping, page

ROUTES = (*page.ROUTES, *compared.ROUTES, *keeping.ROUTES)
