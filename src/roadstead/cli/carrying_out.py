"""Carry out a command: create the request, run it, and print the result.

Progress is written to standard error. On a terminal, one line displays the latest progress.
Otherwise, a new line is written every ten seconds, so a log shows that the work continues. The
first Ctrl-C ends a search with the best result so far. A second Ctrl-C ends the command.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import typer

from roadstead.cli.show import note, on_one_line, show, show_json, show_statement
from roadstead.errors import RoadsteadError
from roadstead.jobs import Delivery, Observer
from roadstead.requests.fields import options_of
from roadstead.requests.joining import joined, replaced_lists
from roadstead.requests.project import read_project
from roadstead.requests.stopping import stoppable
from roadstead.verbs.catalog import REQUESTS

_SECONDS_BETWEEN_LINES = 10.0


def carry_out(kind: Any, values: Mapping[str, Any]) -> int:  # noqa: ANN401 - the class of a request
    """Run a command, and return its exit code."""
    project = read_project(values.get("project"), REQUESTS)
    given = typed(kind, values)
    for line in replaced_lists(kind, given, project):
        note(line)
    request = joined(kind, given, project)
    try:
        with watching(kind) as observer:
            delivery: Delivery[Any] = request.deliver(observer)
    except RoadsteadError as error:
        for key in ("drift", "earlier_releases"):
            if (details := getattr(error, key)) is not None:
                _show_details(key, details, as_json=values["json"])
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


def _show_details(key: str, details: Any, *, as_json: bool) -> None:  # noqa: ANN401 - a drift or findings
    if as_json:
        show_json({"refused": True, key: details.to_dict()})
    else:
        show(str(details).splitlines())


def typed(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the strings from the command line to a mapping from keys to values."""
    return {
        key: one.form.read(value, key)
        for key, one in options_of(kind).items()
        if (value := values.get(key)) is not None and value is not False
    } | {
        key: False
        for key, one in options_of(kind).items()
        if one.form.typed == "yes-no" and values.get(key) is False
    }


@contextlib.contextmanager
def watching(kind: Any) -> Iterator[Observer]:  # noqa: ANN401 - the class of a request
    """Display the progress of a request. If possible, stop the work after the first Ctrl-C.

    If a request reports progress, its function `progress_line` describes the progress on one line.
    If a request can be stopped, its attribute `stopping` contains a message for Ctrl-C and a hint
    for the progress line.
    """
    describe = getattr(kind, "progress_line", None)
    if describe is None:
        with contextlib.ExitStack() as held:
            yield Observer(note=note, ask=_ask, opened=held.enter_context)
        return
    kept, hint = getattr(kind, "stopping", ("", ""))
    with contextlib.ExitStack() as held, contextlib.ExitStack() as at_work:
        stopped = at_work.enter_context(stoppable(lambda: note(kept))) if kept else lambda: False
        progress = at_work.enter_context(reporting(describe, hint))
        yield Observer(progress, stopped, note, _ask, held.enter_context, at_work.close)


def _ask(question: str) -> bool | None:
    """Ask the user a question on the terminal. Return None if there is no terminal."""
    return typer.confirm(question, default=None, err=True) if _on_a_terminal() else None


def _on_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


@contextlib.contextmanager
def reporting(describe: Callable[[Any], str], hint: str) -> Iterator[Callable[[Any], None]]:
    """Report the progress on one line that changes, or on a new line every ten seconds."""
    if sys.stderr.isatty():
        with on_one_line("reading the table") as say:
            yield lambda progress: say(f"{describe(progress)}{hint}")
        return
    last = 0.0

    def report(progress: Any) -> None:  # noqa: ANN401 - of every kind of work
        nonlocal last
        if progress.seconds - last >= _SECONDS_BETWEEN_LINES:
            last = progress.seconds
            note(describe(progress))

    yield report
