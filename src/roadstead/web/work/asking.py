"""Questions about the open tables of sessions, each answered by a process of its session.

A process keeps its table open from one question to the next and answers one at a time. Only so many
are kept, those that were asked last, and only so many questions wait: what a page asks for while
others wait would be answered when nobody looks any more, and would hold a thread of the server.
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
class _Asked:
    """The process of a session, and how many wait for it."""

    child: Child = field(default_factory=Child)
    turn: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


@dataclass
class Questions:
    """The processes that answer, the one that was asked last at the end."""

    _asked: dict[str, _Asked] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, name: str, **question: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON holds it
        """Answer a question for a session.

        Raises
        ------
        WorkError
            When it has no answer.
        """
        with self._waiting(name) as asked, asked.turn:
            asked.child.ask(**question)
            said = asked.child.answer()
            while not said.keys() & {"found", "error"}:
                said = asked.child.answer()
        if "error" in said:
            raise WorkError(said["error"])
        found: dict[str, Any] = said["found"]
        return found

    def forget(self, name: str) -> None:
        """End the process of a session."""
        with self._lock:
            asked = self._asked.pop(name, None)
        if asked is not None:
            asked.child.end()

    def close(self) -> None:
        """End all of them."""
        for name in [*self._asked]:
            self.forget(name)

    @contextmanager
    def _waiting(self, name: str) -> Iterator[_Asked]:
        """Wait in the line of a session, if it is not too long."""
        with self._lock:
            asked = self._asked.get(name)
            if asked is None or (asked.child.is_gone and not asked.waiting):
                asked = _Asked()
            if asked.waiting >= _MOST_WAITING:
                raise SettingError(
                    "the table is still being asked about other things", fix="try again soon"
                )
            asked.waiting += 1
            self._asked.pop(name, None)
            self._asked[name] = asked
            idle = [one for one in [*self._asked][:-_MOST_KEPT] if not self._asked[one].waiting]
            ended = [self._asked.pop(one) for one in idle]
        for one in ended:
            one.child.end()
        try:
            yield asked
        finally:
            with self._lock:
                asked.waiting -= 1
