"""Carry out a command: options and project file become a request, and its result is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roadstead.cli.observing import watching
from roadstead.cli.show import note, show, show_json, show_statement
from roadstead.errors import RoadsteadError
from roadstead.jobs import Delivery
from roadstead.requests.fields import options_of
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.verbs.catalog import REQUESTS


def carry_out(kind: Any, values: Mapping[str, Any]) -> int:  # noqa: ANN401 - the class of a request
    """Run a command; return its exit code."""
    project = read_project(values.get("project"), REQUESTS)
    request = joined(kind, typed(kind, values), project)
    try:
        with watching(kind) as observer:
            delivery: Delivery[Any] = request.deliver(observer)
    except RoadsteadError as error:
        if error.drift is not None:
            _show_drift(error.drift, as_json=values["json"])
        raise
    if values["json"]:
        show_json(delivery.document)
        return delivery.exit_code
    if delivery.statement is not None:
        show_statement(delivery.statement)
    show(delivery.lines)
    for line in delivery.notes:
        note(line)
    return delivery.exit_code


def _show_drift(drift: Any, *, as_json: bool) -> None:  # noqa: ANN401 - of a policy and new data
    if as_json:
        show_json({"refused": True, "drift": drift.to_dict()})
    else:
        show(str(drift).splitlines())


def typed(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Give what was set on the command line, by key, each read in its form."""
    return {
        key: one.form.read(value, key)
        for key, one in options_of(kind).items()
        if (value := values.get(key)) is not None and value is not False
    } | {
        key: False
        for key, one in options_of(kind).items()
        if one.form.typed == "yes-no" and values.get(key) is False
    }
