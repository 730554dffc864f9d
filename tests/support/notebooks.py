"""Notebooks executed as a user does: in a kernel and a folder of their own.

The kernel is reached by sockets in a folder, so no port of the machine is opened, and it keeps no
history.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from patience import PATIENCE
from traitlets.config import Config

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
BY_CHANCE = "chance"
"""The tag of a cell whose output changes with each run."""
_SECONDS = re.compile(r"\d[\d.,]* (?:ms|s)\b")
_HASH = re.compile(r"\b[0-9a-f]{12,}\b")
_DRAWING = re.compile(r"<(svg|style|script)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")

Heard = Callable[["Listening", dict[str, Any]], None]


class Listening(NotebookClient):
    """A reader of each message of the kernel, who may interrupt it."""

    heard: Heard | None = None

    interrupted: Any = None

    def interrupt(self) -> None:
        """Interrupt the kernel, as the button of a page does."""
        manager: Any = self.km
        self.interrupted = asyncio.ensure_future(manager.interrupt_kernel())

    def process_message(self, msg: dict[str, Any], *rest: Any) -> Any:  # noqa: ANN401 - as nbclient
        """Hand on a message before it becomes an output."""
        if self.heard is not None:
            self.heard(self, msg)
        return super().process_message(msg, *rest)


def read(file: Path) -> Any:  # noqa: ANN401 - a node of nbformat
    """Read a notebook."""
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call] # of nbformat


def made_of(*cells: str) -> Any:  # noqa: ANN401 - a node of nbformat
    """Make a notebook of cells of code."""
    v4: Any = nbformat.v4
    return v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])


def execute(notebook: Any, folder: Path, heard: Heard | None = None) -> None:  # noqa: ANN401
    """Run all cells of a notebook in a folder; the outputs are put into it.

    A cell that fails ends it, with the error of that cell.
    """
    with TemporaryDirectory() as own:  # a name short enough for sockets
        reached = {"transport": "ipc", "connection_file": f"{own}/kernel.json"}
        client = Listening(
            notebook,
            config=Config({"KernelManager": reached}),
            kernel_name="python3",
            timeout=int(PATIENCE),
            record_timing=False,
            resources={"metadata": {"path": str(folder)}},
        )
        client.heard = heard
        # In a thread of its own, where no other loop runs, such as that of a browser's tests.
        with ThreadPoolExecutor(1) as alone:
            environment = {**os.environ, "IPYTHONDIR": own, "LC_ALL": "C.UTF-8"}
            alone.submit(asyncio.run, client.async_execute(env=environment)).result()


def tidied(notebook: Any) -> None:  # noqa: ANN401 - a node of nbformat
    """Take out of a notebook what is of this run alone."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in ("tags",) if key in cell.metadata}
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if "".join(texts_of(one)).strip()]


def texts_of(output: Any) -> list[str]:  # noqa: ANN401 - a node of nbformat
    """Texts of an output: of a page what a reader reads, and not what is drawn."""
    if output.output_type == "stream":
        return [output.text]
    data = output.get("data", {})
    html = unescape(_TAG.sub(" ", _DRAWING.sub("", data.get("text/html", ""))))
    return [data.get("text/plain", ""), html]


def shown_by(cell: Any) -> str:  # noqa: ANN401 - a node of nbformat
    """All that a cell shows in words, without times and fingerprints."""
    shown = "\n".join(text for one in cell.outputs for text in texts_of(one))
    return _HASH.sub("#", _SECONDS.sub("some s", shown))
