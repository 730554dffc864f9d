"""Write the help of the command line, with commands and options under headings.

The lines have at most 80 columns. `--help` lists the most important options of a command, and
`--help-all` lists all options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter
    from typer._click.core import Parameter

Row = tuple[str, str]

_SHOWS_ALL = "roadstead.help-all"
_WIDEST_NAME = 26
"""The maximum width of the column of option names."""
_FEW = 16
"""A command that has at most this many options does not have a separate short help."""
_LONGEST_EXAMPLE = 76
_ORDER = list(Heading)
_ALWAYS_SHOWN = ("project", "help", "help_all")
"""Options in the short help of every command."""


def _show_all(ctx: typer.Context, value: bool) -> None:  # noqa: FBT001 - as Typer calls it
    if value and not ctx.resilient_parsing:
        ctx.meta[_SHOWS_ALL] = True
        typer.echo(ctx.get_help())
        ctx.exit()


HELP_ALL = Annotated[
    bool,
    typer.Option(
        "--help-all",
        is_eager=True,
        callback=_show_all,
        help="Show all options and exit.",
        rich_help_panel=Heading.GENERAL,
    ),
]
"""The option that lists all options."""


class CommandWithHeadings(TyperCommand):
    """A command that lists its options under headings in the help."""

    short_help_texts: ClassVar[Mapping[str, str] | None] = None
    """The help text of each option in the short help, by parameter name. None means all options."""
    example: ClassVar[str] = ""
    """The arguments of an example command."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the parts of the usage line. A required argument is written without braces."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the arguments, the options under their headings, an example, and a hint."""
        everything = ctx.meta.get(_SHOWS_ALL) or self.short_help_texts is None
        parameters = self.get_params(ctx)
        arguments = [one for one in parameters if one.param_type_name == "argument"]
        options = [one for one in parameters if one.param_type_name == "option"]
        shown = [one for one in options if everything or self._is_common(one)]
        if len(options) <= _FEW:
            shown, everything = options, True
        texts = {} if everything else self.short_help_texts or {}
        _write(formatter, "Arguments", [_row(one, ctx, {}) for one in arguments])
        shown.sort(key=lambda one: _ORDER.index(_heading(one)))
        for heading, found in groupby(shown, _heading):
            _write(formatter, heading, [_row(one, ctx, texts) for one in found])
        if self.example:
            formatter.write("\nExample:\n" + _example(f"{ctx.command_path} {self.example}"))
        if len(shown) < len(options):
            formatter.write(
                f"\nThese are the {len(shown)} most used options, of {len(options)} options. "
                f"To see all options, run\n  {ctx.command_path} --help-all\n"
            )

    def _is_common(self, parameter: Parameter) -> bool:
        return parameter.name in (*(self.short_help_texts or ()), *_ALWAYS_SHOWN)


class CommandsWithHeadings(TyperGroup):
    """A group of commands that are listed under headings."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """List the commands under their headings. Print the complete summary of each command."""
        commands: list[Any] = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        headings = dict.fromkeys(one.rich_help_panel for one in commands)
        for heading in headings:
            rows = [
                (str(one.name), str(one.help).partition("\n\n")[0])
                for one in commands
                if one.rich_help_panel == heading
            ]
            _write(formatter, str(heading), rows, width=max(len(str(one.name)) for one in commands))
        formatter.write(f"\n{ctx.command_path} COMMAND --help explains a command.\n")


def command_class(
    short_help_texts: Mapping[str, str] | None, example: str
) -> type[CommandWithHeadings]:
    """Create the class of a command with the given short help and example."""
    attributes = {"short_help_texts": short_help_texts, "example": example}
    return type("Command", (CommandWithHeadings,), attributes)


def _example(command: str) -> str:
    """Write a command on one line. If the command is long, write each option on its own line."""
    if len(command) <= _LONGEST_EXAMPLE:
        return f"  {command}\n"
    return "  {}\n".format(command.replace(" --", " \\\n      --"))


def _heading(parameter: Parameter) -> Heading:
    """Return the heading of an option. The option `--help` has a default heading."""
    return getattr(parameter, "rich_help_panel", None) or Heading.GENERAL


def _row(parameter: Parameter, ctx: Context, short_texts: Mapping[str, str]) -> Row:
    name, text = parameter.get_help_record(ctx) or ("", "")
    if parameter.param_type_name == "argument":
        return str(parameter.metavar), text.replace(" [required]", "[required]")
    return name.replace(" / ", ", "), short_texts.get(parameter.name or "", text)


def _write(
    formatter: HelpFormatter, heading: str, rows: Sequence[Row], width: int = _WIDEST_NAME
) -> None:
    if not rows:
        return
    formatter.write(f"\n{heading}:\n")
    for name, text in rows:
        formatter.write("".join(_lines(name, text, width, formatter.width)))


def _lines(name: str, text: str, width: int, whole_width: int) -> Iterable[str]:
    texts = wrap(text, whole_width - width - 4, break_on_hyphens=False, break_long_words=False)
    if len(name) > width:
        texts.insert(0, "")
    for at, line in enumerate(texts or [""]):
        yield f"  {name if at == 0 else '':{width}}  {line}".rstrip() + "\n"
