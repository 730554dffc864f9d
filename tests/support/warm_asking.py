"""A stand-in for Python: it asks a warm process for a fork that does the work.

This is the program that `warm_start` writes down for tests to start instead of Python. It hands its
arguments, environment, folder, and three streams to the warm process. Then it forwards signals, and
ends as the fork ends. If it is killed, the warm process kills the fork.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STATUS = 4
"""Bytes of the status that the warm process answers with."""


def ask(address: str) -> None:
    """Let a fork of the warm process at an address do the work of this process."""
    with socket.socket(socket.AF_UNIX) as warm:
        warm.connect(address)
        asked = {
            "asking": os.getpid(),
            "words": sys.argv[1:],
            "environment": dict(os.environ),
            "folder": os.getcwd(),  # noqa: PTH109 - it starts fast
        }
        words = json.dumps(asked).encode()
        socket.send_fds(warm, [len(words).to_bytes(STATUS, "big")], [0, 1, 2])
        for number in FORWARDED:
            signal.signal(number, lambda sent, _: warm.sendall(bytes([sent])))
        warm.sendall(words)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)  # so that streams end when the fork closes them
        status = int.from_bytes(warm.recv(STATUS), "big", signed=True)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    if sys.argv[1] != "-m":  # a short program that needs no library
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])  # noqa: S606 - the same program
    ask(os.path.join(os.path.dirname(os.path.abspath(__file__)), "warm"))  # noqa: PTH100, PTH118, PTH120 - it starts fast
