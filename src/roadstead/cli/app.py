"""Define one command for each kind of request, and the commands that do not have a request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

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


def _option(name: str, heading: str, text: str, metavar: str | None = None) -> Any:  # noqa: ANN401 - of Typer
    """Describe an option whose default is in its help text."""
    return typer.Option(
        name, metavar=metavar, help=text, rich_help_panel=heading, show_default=False
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
        _option("--out", Heading.OUTPUT, "New folder for the tables and pictures.", "DIR"),
    ] = None,
    quick: Annotated[
        bool,
        _option("--quick", Heading.GENERAL, "Run only a small part, in about half a minute."),
    ] = False,
    force: Annotated[
        bool,
        _option("--force", Heading.OUTPUT, "Replace an earlier reproduction."),
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
        _option(
            "--project",
            Heading.GENERAL,
            "Project file to start with. The workbench does not change it.",
            "FILE",
        ),
    ] = None,
    allow: Annotated[
        list[Path] | None,
        _option(
            "--allow",
            Heading.WORKBENCH,
            "Folder with files that the workbench may use. Repeatable. [default: the working "
            "folder]",
            "DIR",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        _option(
            "--state",
            Heading.WORKBENCH,
            "Folder for your work. [default: your system's folder for application data]",
            "DIR",
        ),
    ] = None,
    port: Annotated[
        int,
        _option("--port", Heading.WORKBENCH, "Port to listen on. [default: a free port]", "N"),
    ] = 0,
    browser: Annotated[
        bool,
        _option(
            "--browser/--no-browser",
            Heading.WORKBENCH,
            "Whether to open the workbench in a browser. [default: yes]",
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
        _option(
            "--allow",
            Heading.READING,
            "Folder with files that assistants may use. Repeatable. [default: the working folder]",
            "DIR",
        ),
    ] = None,
    header: Annotated[
        bool,
        _option(
            "--header", Heading.READING, "Treat the first row of every text file as column names."
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
