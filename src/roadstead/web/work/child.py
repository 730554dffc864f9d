"""Perform the work of the page in a separate process.

The process reads one task per line and reports its progress.

A line is a JSON object. ``{"do": NAME, "with": {...}}`` requests a task of `_PLACES`. ``{"stop":
true}`` ends the current task with the best result so far. Answers are ``{"progress": ...}`` and
``{"note": ...}`` during the work, and at the end ``{"found": ...}`` or ``{"error": ...}``. The
process ends at once when its input ends, because then no one needs the result.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from typing import IO, Any

from roadstead.errors import RoadsteadError, RoleError
from roadstead.front_end import naming
from roadstead.jobs import Observer, Stopped
from roadstead.registry import imported, required
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.verbs.catalog import REQUESTS
from roadstead.web.words import PageNaming

Task = Callable[[Mapping[str, Any], Observer], dict[str, Any]]
_PLACES = {
    "deliver": "deliver:deliver",
    "risk": "risk:risk",
    "scan": "scan:scan",
    "rows": "questions.released:rows",
    "publish": "publishing:publish",
    "attack": "attacking:attack",
    "released": "questions.released:released",
    "words": "questions.released:words",
    "frontier": "trials.frontier:frontier",
    "trial": "trials.trial:trial",
    "pairs": "trials.pairs:pairs",
    "regression": "trials.regression:regression",
    "levels": "questions.levels:levels",
    "values": "questions.values:values",
    "proposed": "questions.levels:proposed",
    "exported": "questions.levels:exported",
    "models": "questions.promise:models",
    "taken": "questions.project_file:taken",
    "determine": "determining:determine",
    "asked": "questions.determination:columns",
    "answers": "questions.determination:answers",
    "answers-taken": "questions.determination:taken",
}
"""The module and the function for each task, within this package."""
_ROOM_OF = {"trials.pairs": "evaluation", "trials.regression": "evaluation"}
"""The rooms of tasks that the page requests even if the room is missing."""
_USUAL = ("verbs.anonymize.run", "verbs.scan.run", "web.work.deliver")


class Worker:
    """A worker that performs one task after another."""

    def __init__(self, said: IO[str]) -> None:
        self.said = said
        self.asked: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self.stop = threading.Event()
        # A release is for other people, so its report is the same as from the command line.
        self.typed = CommandNaming(names_of_options(REQUESTS))

    def listen(self, heard: IO[str]) -> None:
        """Read the tasks and the requests to stop."""
        for line in heard:
            asked = json.loads(line)
            if asked.get("stop"):
                self.stop.set()
            else:
                self.asked.put(asked)
        os._exit(0)

    def say(self, **words: Any) -> None:  # noqa: ANN401 - as JSON holds it
        """Write one line of JSON as an answer."""
        self.said.write(json.dumps(words, default=str) + "\n")
        self.said.flush()

    def work(self) -> None:
        """Perform the requested tasks until the input ends."""
        while True:
            asked = self.asked.get()
            self.stop.clear()
            try:
                with naming(PageNaming(), documents=self.typed), ExitStack() as held:
                    found = TASKS[asked["do"]](asked["with"], self._observer(held))
            except RoadsteadError as error:
                self.say(error=_error_of(error))
            except (Stopped, KeyboardInterrupt):
                self.say(
                    error={
                        "stopped": True,
                        "message": "the job was stopped before there was a result",
                    }
                )
            except MemoryError:
                self.say(error={"message": "the computer does not have enough memory for this"})
            except Exception as error:  # its text may contain data  # noqa: BLE001 - reported below
                if os.environ.get("ROADSTEAD_DEBUG"):
                    sys.excepthook(type(error), error, error.__traceback__)
                kind = type(error).__name__
                self.say(error={"message": f"a bug in Roadstead ({kind}); please report it"})
            else:
                self.say(found=found)

    def _observer(self, held: ExitStack) -> Observer:
        return Observer(
            progress=lambda progress: self.say(progress=_seen(progress)),
            stopped=self.stop.is_set,
            note=lambda line: self.say(note=line),
            opened=held.enter_context,  # tables are closed at the end of the task
        )


def _refused(error: RoadsteadError) -> dict[str, Any]:
    """Return the columns that must not be released, and the reasons that the page displays."""
    if not isinstance(error, RoleError) or not error.refused:
        return {}
    return {"refused": {name: list(reasons) for name, reasons in error.refused.items()}}


def _error_of(error: RoadsteadError) -> dict[str, Any]:
    return {
        "message": error.message,
        "where": None if error.where is None else str(error.where),
        "what": error.what,
        "fix": error.fix,
        "field": error.field,
        **_refused(error),
    }


def _seen(progress: Any) -> dict[str, Any]:  # noqa: ANN401 - of every kind of work
    """Return the figures that a page draws to show the progress of a task."""
    best = getattr(progress, "best", None)
    return {
        "seconds": progress.seconds,
        "loss": getattr(best, "loss", None),
        "bound": getattr(progress, "lower_bound", None),
        "evaluated": getattr(progress, "evaluated", None),
        "members": getattr(progress, "members", None),
        "step": getattr(progress, "step", None),
        "run": getattr(progress, "run", None),
        "runs": getattr(progress, "runs", None),
    }


def _found(place: str) -> Task:
    module, _, name = place.partition(":")

    def task(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
        room = _ROOM_OF.get(module)
        place = f"web.work.{module}:{name}"
        work: Task = imported(f"roadstead.{place}") if room is None else required(room, place)
        return work(given, observer)

    return task


TASKS: dict[str, Task] = {name: _found(place) for name, place in _PLACES.items()}


def warmed() -> None:
    """Import the libraries of nearly all tasks before a task arrives."""
    for module in _USUAL:
        import_module(f"roadstead.{module}")


def main() -> None:
    """Process the tasks that arrive on standard input, and write the answers to standard output."""
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # This keeps all other printed text out of the answers.
    worker = Worker(said)
    threading.Thread(target=worker.listen, args=(sys.stdin,), daemon=True).start()
    warmed()
    worker.work()


if __name__ == "__main__":
    main()
