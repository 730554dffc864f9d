"""Define one command for each request, and the commands without a request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from roadstead import __version__
from roadstead.cli.commands import JSON_OPTION, command_of
from roadstead.cli.help import HELP_ALL, CommandsWithHeadings, command_class
from roadstead.requests.headings import Heading
from roadstead.rooms import has_command
from roadstead.verbs.catalog import COMMANDS

app = typer.Typer(
    name="roadstead",
    cls=CommandsWithHeadings,
    help="De-identify tables of health data, measure the risk, and check the result.",
    no_args_is_help=True,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(*, requested: bool) -> None:
    if requested:
        from roadstead.cli.show import show  # noqa: PLC0415 - as all that commands need

        show([f"roadstead {__version__}"])
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version and exit.",
            rich_help_panel=Heading.GENERAL,
        ),
    ] = False,
) -> None:
    """De-identify tables of health data, measure the risk, and check the result."""


def _add(name: str, run: Callable[..., int], heading: str, example: str) -> None:
    app.command(name, cls=command_class(None, example), rich_help_panel=heading)(run)


for _heading, _kinds in COMMANDS.items():
    for _kind in _kinds:
        _run, _class = command_of(_kind)
        app.command(_kind.verb, cls=_class, rich_help_panel=_heading)(_run)


def _reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="Name of the paper, for example prasser2016.")
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="New folder for the tables and pictures.",
            rich_help_panel=Heading.OUTPUT,
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Run only a small part, in about half a minute.",
            rich_help_panel=Heading.GENERAL,
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace an earlier reproduction.",
            rich_help_panel=Heading.OUTPUT,
        ),
    ] = False,
    json: JSON_OPTION = False,
    help_all: HELP_ALL = False,
) -> int:
    """Repeat the experiments of a paper, and compare the results."""
    del help_all  # Typer has shown the help
    from roadstead.cli.reproduce import reproduce  # noqa: PLC0415 - heavy

    return reproduce(paper, out, quick=quick, force=force, as_json=json)


def _explore(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA", help="Table to start with, in any form that anonymize accepts."
        ),
    ] = None,
    *,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            metavar="FILE",
            help="Project file to start with. The workbench does not change it.",
            rich_help_panel=Heading.GENERAL,
        ),
    ] = None,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow",
            metavar="DIR",
            help="Folder with files that the workbench may use. Repeatable. [default: the working "
            "folder]",
            rich_help_panel=Heading.WORKBENCH,
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="DIR",
            help="Folder for your work. [default: your system's folder for application data]",
            rich_help_panel=Heading.WORKBENCH,
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="N",
            help="Port to listen on. [default: a free port]",
            show_default=False,
            rich_help_panel=Heading.WORKBENCH,
        ),
    ] = 0,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser",
            help="Whether to open the workbench in a browser. [default: yes]",
            show_default=False,
            rich_help_panel=Heading.WORKBENCH,
        ),
    ] = True,
    help_all: HELP_ALL = False,
) -> int:
    """Open the workbench: work in a browser, on this machine only."""
    del help_all  # Typer has shown the help
    from roadstead.cli.explore import serve  # noqa: PLC0415 - heavy

    return serve(data, project, allow, state, port, browser=browser)


def _serve_mcp(
    *,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow",
            metavar="DIR",
            help="Folder with files that assistants may use. Repeatable. [default: the working "
            "folder]",
            rich_help_panel=Heading.READING,
        ),
    ] = None,
    header: Annotated[
        bool,
        typer.Option(
            "--header",
            help="Treat the first row of every text file as column names.",
            rich_help_panel=Heading.READING,
        ),
    ] = False,
    help_all: HELP_ALL = False,
) -> int:
    """Serve tools for AI assistants (MCP), which never see cells."""
    del help_all  # Typer has shown the help
    from roadstead.cli.serve_mcp import serve  # noqa: PLC0415 - heavy

    return serve(allow, header=header)


def _schema(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Name of the document, for example certificate. [default: list the names]",
        ),
    ] = None,
    *,
    help_all: HELP_ALL = False,
) -> int:
    """Print the JSON Schema of a document that Roadstead writes."""
    del help_all  # Typer has shown the help
    from roadstead.cli.schema import show_schema  # noqa: PLC0415 - as all that commands need

    return show_schema(name)


_add("schema", _schema, "Developers", "certificate")
if has_command("serve-mcp"):
    _add("serve-mcp", _serve_mcp, "Developers", "--allow tables")
if has_command("explore"):
    _add("explore", _explore, "Start", "patients.csv")
_add("reproduce", _reproduce, "Developers", "prasser2016 --quick")
