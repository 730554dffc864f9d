"""A command for each request, made from its fields.

An option is declared once, with the request; here it becomes an option of Typer's. What was typed
is read in the field's form, laid over the project file, and the request is carried out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING
from pathlib import Path
from typing import Annotated, Any

import typer

from roadstead.front_end import naming
from roadstead.requests.fields import Option, options_of
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
_PROJECT = Annotated[
    Path | None,
    typer.Option("--project", metavar="FILE", help="Project file; options go before it."),
]
_JSON = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def command_of(kind: type) -> Callable[..., int]:
    """Make the function that Typer makes a command of."""

    def run(**values: Any) -> int:  # noqa: ANN401 - of whatever type an option has
        from roadstead.cli.carrying_out import carry_out  # noqa: PLC0415 - verbs are heavy

        return carry_out(kind, values)

    options = [one for one in options_of(kind).values() if one.command]
    project = getattr(kind, "from_project", False)
    with naming(CommandNaming(names_of_options((kind,)))):  # texts name other options
        parameters = [_parameter(one, project=project) for one in options]
    if project:
        parameters.append(_keyword("project", _PROJECT, None))
    parameters.append(_keyword("json", _JSON, default=False))
    run.__doc__ = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # Typer reads it
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _parameter(one: Option, *, project: bool) -> inspect.Parameter:
    text = one.described(one.help) + (f"  [{one.usual}]" if one.usual else "")
    kind = _TYPES[one.form.typed]
    if one.positional:
        required = one.default is MISSING and not (project and one.place)
        argument = typer.Argument(metavar=one.metavar, help=text)
        kind = str if required else kind
        return _keyword(
            one.key, Annotated[kind, argument], inspect.Parameter.empty if required else None
        )
    name = f"--{one.name}/--no-{one.name}" if one.form.typed == "yes-no" else f"--{one.name}"
    default = False if one.form.typed == "switch" else None
    option = typer.Option(name, metavar=one.metavar, help=text)
    return _keyword(one.key, Annotated[kind, option], default)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:  # noqa: ANN401 - as above
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
