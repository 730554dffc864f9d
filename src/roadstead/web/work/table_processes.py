"""Answer questions about the open tables of sessions.

Each session has its own process.

A process keeps its table open between questions, and answers one question at a time. Only the most
recently used processes are kept. Only a limited number of questions can wait, because each waiting
question occupies a thread of the server.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from roadstead.errors import SettingError
from roadstead.web.work.process import Child, WorkError

_MOST_KEPT = 4
_MOST_WAITING = 8


@dataclass
class _Answerer:
    """The process of a session, and the number of questions that wait for it."""

    child: Child = field(default_factory=Child)
    turn: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


@dataclass
class Questions:
    """The processes that answer questions. The process that was used last is at the end."""

    _answerers: dict[str, _Answerer] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, name: str, **question: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON holds it
        """Answer a question for a session.

        Raises
        ------
        WorkError
            If the question does not have an answer.
        """
        with self._waiting(name) as answerer, answerer.turn:
            answerer.child.ask(**question)
            said = answerer.child.answer()
            while not said.keys() & {"found", "error"}:
                said = answerer.child.answer()
        if "error" in said:
            raise WorkError(said["error"])
        found: dict[str, Any] = said["found"]
        return found

    def forget(self, name: str) -> None:
        """End the process of a session."""
        with self._lock:
            answerer = self._answerers.pop(name, None)
        if answerer is not None:
            answerer.child.end()

    def close(self) -> None:
        """End all processes."""
        for name in [*self._answerers]:
            self.forget(name)

    @contextmanager
    def _waiting(self, name: str) -> Iterator[_Answerer]:
        """Wait in the queue of a session, unless the queue is too long."""
        with self._lock:
            answerer = self._answerers.get(name)
            if answerer is None or (answerer.child.is_gone and not answerer.waiting):
                answerer = _Answerer()
            if answerer.waiting >= _MOST_WAITING:
                raise SettingError(
                    "Roadstead is still busy with this table", fix="try again in a moment"
                )
            answerer.waiting += 1
            self._answerers.pop(name, None)
            self._answerers[name] = answerer
            idle = [
                one for one in [*self._answerers][:-_MOST_KEPT] if not self._answerers[one].waiting
            ]
            ended = [self._answerers.pop(one) for one in idle]
        for one in ended:
            one.child.end()
        try:
            yield answerer
        finally:
            with self._lock:
                answerer.waiting -= 1
