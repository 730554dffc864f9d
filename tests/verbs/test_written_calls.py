"""A request of a project file, written as a call in Python, makes the same request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import roadstead as rs
from roadstead.requests.fields import checked, set_fields
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.requests.writing import call
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.synthesize.request import SynthesizeRequest

_ANONYMIZE = """
data = 'a "table".csv'

[roles]
quasi = ["age", "na\\"me"]
sensitive = ["d"]

[privacy]
k = 7
models = [{kind = "l-diversity", column = "d", l = 2}]

[hierarchies]
age = {kind = "intervals", widths = [5, 10], top = 90}
"na\\"me" = {kind = "file", path = "names.csv"}

[levels]
max = {age = 1}
"""
_SYNTHESIZE = """
data = "duckdb://clinic.duckdb?table=visits"

[synthesis]
target = "d"
classes = ["no", "yes"]

[domains]
age = {low = 0, high = 99}
sex = {values = ["f", "m"]}

[sets]
codes = {file = "codes.csv", key = "id", code = "code"}
"""


@pytest.mark.parametrize(
    ("kind", "text", "given"),
    [
        (AnonymizeRequest, _ANONYMIZE, {"recoding": "local", "suppression": 0.1}),
        (SynthesizeRequest, _SYNTHESIZE, {"epsilon": "1/3"}),
    ],
)
def test_a_call_makes_the_request_it_was_written_for(
    kind: type[Any],
    text: str,
    given: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fault class: a value whose repr is not valid Python, or is another value."""
    project = tmp_path / "mine.toml"
    project.write_text(text)
    request = joined(kind, given, read_project(project, REQUESTS))
    asked: list[Any] = []
    monkeypatch.setattr(kind, "run", lambda self, *_: asked.append(self))
    exec(call(kind.verb, request), {"rs": rs})  # noqa: S102 - our own words
    again = checked(asked[0])
    plain = {key: _plain(value) for key, value in set_fields(again).items()}
    assert plain == {key: _plain(value) for key, value in set_fields(checked(request)).items()}


def _plain(value: object) -> object:
    """Give a value as texts, lists and mappings, so that a location is its path or address."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    place = getattr(value, "address", None) or getattr(value, "path", value)
    return str(place)
