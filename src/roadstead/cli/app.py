"""The commands: one for each request, made from its fields."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roadstead import __version__
from roadstead.cli.commands import command_of
from roadstead.rooms import has_command
from roadstead.verbs.catalog import REQUESTS

app = typer.Typer(
    name="roadstead",
    help="Find out how health data can be shared beyond Safe Harbor, and prove how safe that is.",
    no_args_is_help=True,
    add_completion=False,
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
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Share health data beyond Safe Harbor, and prove how safe that is."""


for _kind in REQUESTS:
    app.command(_kind.verb)(command_of(_kind))


@app.command("reproduce")
def _reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="A paper, such as prasser2016.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="New folder for tables and pictures."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small part of it, in half a minute.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a former reproduction.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> int:
    """Run a paper's experiments, and print ours alongside the published figures."""
    from roadstead.cli.reproduce import reproduce  # noqa: PLC0415 - heavy

    return reproduce(paper, out, quick=quick, force=force, as_json=json)


def _explore(
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="Table to begin with, as for anonymize.")
    ] = None,
    *,
    project: Annotated[
        Path | None,
        typer.Option("--project", metavar="FILE", help="Project file to begin with; not changed."),
    ] = None,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow",
            metavar="DIR",
            help="Folder whose files the page may use; repeatable.  [the working folder]",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="DIR",
            help="Folder in which work is kept.  [the user's, for the state of programs]",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", help="Port to listen on.  [a free one]", show_default=False
        ),
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page.", show_default=False)
    ] = True,
) -> int:
    """Open the workbench, a page on this machine: see, compare, decide, release."""
    from roadstead.cli.explore import serve  # noqa: PLC0415 - heavy

    return serve(data, project, allow, state, port, browser=browser)


def _serve_mcp(
    *,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow",
            metavar="DIR",
            help="Folder whose files agents may name; repeatable.  [the working folder]",
        ),
    ] = None,
    header: Annotated[
        bool,
        typer.Option("--header", help="Say that the first row of every text file names columns."),
    ] = False,
) -> int:
    """Serve agents by the Model Context Protocol: risks, frontiers, proofs, and never a cell."""
    from roadstead.cli.serve_mcp import serve  # noqa: PLC0415 - heavy

    return serve(allow, header=header)


for _name, _command in (("explore", _explore), ("serve-mcp", _serve_mcp)):
    if has_command(_name):
        app.command(_name)(_command)


@app.command("schema")
def _schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A document, such as certificate.")
    ] = None,
) -> int:
    """Print the JSON Schema of a document that is printed or written; without a name, the names."""
    from roadstead.cli.schema import show_schema  # noqa: PLC0415 - as all that commands need

    return show_schema(name)
