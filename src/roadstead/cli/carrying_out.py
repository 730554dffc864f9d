"""Carry out a command: options and project file become a request, and its result is shown.

Work runs on standard error: on a terminal one line is kept up to date; elsewhere a line is written
now and then, so that a log shows the work is alive. The first Ctrl-C ends a search that has begun
with the best so far; a second one ends the command.
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
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.requests.stopping import stoppable
from roadstead.verbs.catalog import REQUESTS

_SECONDS_BETWEEN_LINES = 10.0


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


@contextlib.contextmanager
def watching(kind: Any) -> Iterator[Observer]:  # noqa: ANN401 - the class of a request
    """Show the work on a request while it runs, and stop it on the first Ctrl-C if it can be.

    A request that reports progress has a function `progress_line`, which says on one line how far
    it is; one that can be stopped has `stopping`: what is said then, and what the line says of it
    before.
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
    """Ask on the terminal, where somebody sits at one."""
    return typer.confirm(question, default=None, err=True) if _on_a_terminal() else None


def _on_a_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


@contextlib.contextmanager
def reporting(describe: Callable[[Any], str], hint: str) -> Iterator[Callable[[Any], None]]:
    """Report how far the work is, on a line that is kept up to date or in lines now and then."""
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
