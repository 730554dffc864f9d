"""Generate a Typer command for each request from the fields of the request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING
from pathlib import Path
from typing import Annotated, Any

import typer

from roadstead.cli.help import HELP_ALL, CommandWithHeadings, command_class
from roadstead.front_end import naming
from roadstead.requests.fields import Option, described, options_of
from roadstead.requests.headings import Heading
from roadstead.requests.writing import CommandNaming, names_of_options

_TYPES: dict[str, Any] = {
    "text": str | None,
    "whole": int | None,
    "number": float | None,
    "path": Path | None,
    "texts": list[str] | None,
    "yes-no": bool | None,
    "switch": bool,
}
_METAVARS = {
    "text": "TEXT",
    "whole": "N",
    "number": "NUMBER",
    "path": "PATH",
    "texts": "TEXT",
    "yes-no": None,
    "switch": None,
}
"""The placeholder for each kind of value."""
_PROJECT = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="FILE",
        help="Project file with the settings. Options take precedence over the file.",
        rich_help_panel=Heading.GENERAL,
    ),
]
JSON_OPTION = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the result as one JSON object.",
        rich_help_panel=Heading.GENERAL,
    ),
]


def command_of(kind: type) -> tuple[Callable[..., int], type[CommandWithHeadings]]:
    """Return the function and the class from which Typer creates a command."""

    def run(**values: Any) -> int:  # noqa: ANN401 - of the type of each option
        from roadstead.cli.carrying_out import carry_out  # noqa: PLC0415 - verbs are heavy

        return carry_out(kind, values)

    options = [one for one in options_of(kind).values() if one.command]
    project = getattr(kind, "from_project", False)
    verb: str = getattr(kind, "verb")  # noqa: B009 - of every request
    with naming(CommandNaming(names_of_options((kind,)))):  # the help text mentions other options
        parameters = [_parameter(one, project=project) for one in options]
        example = described(getattr(kind, "example", ""))
        short = {one.key: _text_of(one) for one in options if one.in_short_help(verb)}
    if project:
        parameters.append(_keyword("project", _PROJECT, None))
    parameters.append(_keyword("json", JSON_OPTION, default=False))
    parameters.append(_keyword("help_all", HELP_ALL, default=False))
    run.__doc__ = (inspect.getdoc(kind) or "").partition("\n\nRaises\n")[0]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # Typer reads it
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run, command_class(short, example)


def _text_of(one: Option, more: str = "") -> str:
    default = one.default_in_words
    texts = (one.help, more, default and f"[default: {default}]")
    return described(" ".join(filter(None, texts)))


def _parameter(one: Option, *, project: bool) -> inspect.Parameter:
    text = _text_of(one, one.more)
    kind = _TYPES[one.form.typed]
    metavar = one.placeholder or _METAVARS[one.form.typed]
    if one.positional:
        required = one.default is MISSING and not (project and one.place)
        argument = typer.Argument(metavar=metavar, help=text)
        kind = str if required else kind
        return _keyword(
            one.key, Annotated[kind, argument], inspect.Parameter.empty if required else None
        )
    name = f"--{one.name}/--no-{one.name}" if one.form.typed == "yes-no" else f"--{one.name}"
    default = False if one.form.typed == "switch" else None
    option = typer.Option(name, metavar=metavar, help=text, rich_help_panel=one.heading)
    return _keyword(one.key, Annotated[kind, option], default)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:  # noqa: ANN401 - as above
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
