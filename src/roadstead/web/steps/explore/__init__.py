"""The fourth step: what can be kept. A map of all that could be released, and candidates on it."""

from __future__ import annotations

from roadstead.web.steps.explore import compared, keeping, page

ROUTES = (*page.ROUTES, *compared.ROUTES, *keeping.ROUTES)
