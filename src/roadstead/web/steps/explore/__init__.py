"""Show the fourth step, in which the user compares possible releases on a map."""

from __future__ import annotations

from roadstead.web.steps.explore import compared, keeping, page

ROUTES = (*page.ROUTES, *compared.ROUTES, *keeping.ROUTES)
