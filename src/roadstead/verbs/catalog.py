"""List all requests under the headings of `roadstead --help`.

A request is found by the name of its folder. A command whose room is missing is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from roadstead.rooms import has_command

_VERBS = {
    "Start": ("demo", "scan"),
    "Assess": ("risk", "frontier"),
    "Release": ("anonymize", "apply", "synthesize"),
    "Check": ("verify", "repeat", "gate", "attack", "evaluate"),
    "Document": ("determine", "sign", "key"),
}


def _request_of(verb: str) -> Any:  # noqa: ANN401 - a class of requests
    module = import_module(f"roadstead.verbs.{verb}.request")
    return getattr(module, f"{verb.capitalize()}Request")


COMMANDS: Mapping[str, tuple[Any, ...]] = {
    heading: tuple(_request_of(verb) for verb in verbs if has_command(verb))
    for heading, verbs in _VERBS.items()
}
"""The requests under each heading of `roadstead --help`."""

REQUESTS: tuple[Any, ...] = tuple(one for group in COMMANDS.values() for one in group)
"""All requests."""
