"""Write a manual page for each command, from the same texts as ``--help-all``.

Run ``python packaging/make_man_pages.py FOLDER``. The folder receives ``roadstead.1`` and a page
such as ``roadstead-verify.1`` for each command, for the folder ``share/man/man1`` of a system.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from roadstead import __version__
from roadstead.cli.app import app
from roadstead.requests.headings import Heading


def pages() -> dict[str, str]:
    """Return the manual pages as roff text, by file name."""
    root: Any = typer.main.get_command(app)
    with root.make_context("roadstead", [], resilient_parsing=True) as context:
        commands = {name: root.get_command(context, name) for name in root.list_commands(context)}
        made = {"roadstead.1": _page("roadstead", root, context, commands)}
        for name, command in commands.items():
            title = f"roadstead-{name}"
            with command.make_context(name, [], parent=context, resilient_parsing=True) as inner:
                made[f"{title}.1"] = _page(title, command, inner, {})
    return made


def _page(title: str, command: Any, context: Any, commands: dict[str, Any]) -> str:  # noqa: ANN401
    summary, _, details = str(command.help).partition("\n\n")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{title.upper()}" 1 "" "roadstead {__version__}" "Roadstead"',
        ".SH NAME",
        f"{_plain(title)} \\- {_plain(summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_plain(context.command_path)}",
        _plain(usage),
        ".SH DESCRIPTION",
        *_paragraphs(details or summary),
        *_options(command, context),
    ]
    if commands:
        lines.append(".SH COMMANDS")
        for name, one in commands.items():
            text = str(one.help).partition("\n\n")[0]
            lines += [".TP", f"\\fBroadstead {_plain(name)}\\fR", _plain(text)]
    return "\n".join(lines) + "\n"


def _options(command: Any, context: Any) -> Iterator[str]:  # noqa: ANN401 - objects of Typer
    """Write the arguments and the options under the headings of the help."""
    by_heading: dict[str, list[tuple[str, str]]] = {}
    for one in command.get_params(context):
        if one.param_type_name == "argument":
            heading, name = "Arguments", str(one.metavar)
            text = (one.get_help_record(context) or ("", ""))[1]
        else:
            heading = str(getattr(one, "rich_help_panel", None) or Heading.GENERAL)
            name, text = one.get_help_record(context) or ("", "")
        by_heading.setdefault(heading, []).append((name, text))
    order = ["Arguments", *map(str, Heading)]
    for heading in sorted(by_heading, key=order.index):
        yield f".SH {_plain(heading.upper())}"
        for name, text in by_heading[heading]:
            yield from (".TP", f"\\fB{_plain(name)}\\fR", _plain(text))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield from (".PP", _plain(paragraph))


def _plain(text: str) -> str:
    """Escape what roff would read as a request or an escape."""
    flowing = re.sub(r"\s+", " ", text).strip().replace("\\", "\\\\").replace("-", "\\-")
    return "\\&" + flowing if flowing.startswith((".", "'")) else flowing


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for page, content in pages().items():
        (folder / page).write_text(content, "utf-8", newline="\n")
