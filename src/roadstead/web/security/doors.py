"""Accept only requests from the workbench's own page in a logged-in browser on this machine.

Every page in a browser on this machine can reach the ports of the machine. Anyone who has an
account on the machine can reach these ports, too. Therefore:

* The workbench answers only requests to a name of the loopback interface. In a DNS rebinding
  attack, a foreign name leads to this machine, but the request contains the foreign name.
* A request that changes something must come from a page of the workbench (`Origin`,
  `Sec-Fetch-Site`).
* Every request must have the cookie. A browser gets the cookie once, in exchange for the token that
  the terminal shows.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from roadstead.web.security.headers import SAFE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENTER = "/enter"
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_OWN_SITE = frozenset({"same-origin", "none"})
_LOOPBACK = ("127.0.0.1", "localhost")
_NOT_LET_IN = (
    "Only the person who started roadstead explore can open this page.\nOpen the address that "
    "the terminal shows. The address works only once.\nTo use another browser, start roadstead "
    "explore again.\n"
)


@dataclass
class Keys:
    """The token that a browser can use once, and the secret of a browser that has access."""

    token: str | None = field(default_factory=lambda: secrets.token_urlsafe(32))
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    home: str = "/"  # the first page

    def spend(self, token: str) -> bool:
        """Return whether this text is the token. If so, invalidate the token."""
        if self.token is None or not secrets.compare_digest(self.token.encode(), token.encode()):
            return False
        self.token = None
        return True

    def opens(self, cookie: str) -> bool:
        """Return whether a cookie comes from a browser that has access."""
        return secrets.compare_digest(self.secret.encode(), cookie.encode())


@dataclass
class Doors:
    """Middleware that answers forbidden requests itself, before they reach the application."""

    application: ASGIApp
    keys: Keys
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer it here."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":  # WebSockets are not used.
            return
        answer = self._refused(scope)

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = {name.lower() for name, _ in message["headers"]}
                extra = ((name, value) for name, value in SAFE if name not in named)
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        await (answer or self.application)(scope, receive, safely)

    def _refused(self, scope: Scope) -> Response | None:
        """Return the answer to a forbidden request, or None for an allowed request."""
        headers = Headers(scope=scope)
        hosts = [f"{name}:{self.port}" for name in _LOOPBACK]
        if headers.getlist("host") not in [[host] for host in hosts]:
            return _no("This address does not belong to the workbench.\n")
        changes = scope["method"] not in _SAFE_METHODS
        if not set(headers.getlist("sec-fetch-site")) <= _OWN_SITE:
            return _no("Other web pages are not allowed to use the workbench.", back=True)
        origins = [[f"http://{host}"] for host in hosts]
        if changes and headers.getlist("origin") not in origins:
            return _no("Only pages of the workbench may change settings.", back=True)
        if scope["path"] == ENTER and scope["method"] == "GET":  # HEAD does not use up the token
            return self._entered(scope, headers)
        return None if self.keys.opens(self._cookie(headers)) else _no(_NOT_LET_IN)

    def _entered(self, scope: Scope, headers: Headers) -> Response:
        """Give the browser the cookie in exchange for the token."""
        (token, *_) = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if not self.keys.spend(token):
            known = self.keys.opens(self._cookie(headers))
            return RedirectResponse("/", status_code=303) if known else _no(_NOT_LET_IN)
        answer = RedirectResponse(self.keys.home, status_code=303)
        answer.set_cookie(self.cookie, self.keys.secret, httponly=True, samesite="strict")
        return answer

    @property
    def cookie(self) -> str:
        """The name of the cookie, with the port, because all ports of a host share cookies."""
        return f"roadstead-{self.port}"

    def _cookie(self, headers: Headers) -> str:
        """Find the cookie of this server among the cookies of all servers on this machine."""
        return cookie_parser("; ".join(headers.getlist("cookie"))).get(self.cookie, "")


def _no(words: str, *, back: bool = False) -> Response:
    """Return a refusal. `back` adds a link to the workbench, which checks the cookie."""
    if not back:
        return PlainTextResponse(words, status_code=403)
    link = '<a href="/">Go back to the workbench</a>'
    page = f'<!doctype html><html lang="en"><title>Roadstead</title><p>{words}</p><p>{link}</p>'
    return HTMLResponse(page, status_code=403)
