"""The step columns."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.web.pages import step_page


def shown(request: Request) -> Response:
    """Show the step."""
    return step_page(request, "columns")


ROUTES = (Route("/columns", shown),)
