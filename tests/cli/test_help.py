"""The help of the commands: headings, most used options first, and no line over 80 columns."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
from commands import run

from roadstead.cli.app import app
from roadstead.cli.other_words import WORDS_OF_OTHERS
from roadstead.requests.fields import options_of
from roadstead.verbs.catalog import COMMANDS, REQUESTS

VERBS = tuple(sorted(getattr(typer.main.get_command(app), "commands", {})))
MOST_SHOWN = 18
_OPTION = re.compile(r"--[a-z][a-z-]*")


def options_shown(verb: str, how: str = "--help") -> list[str]:
    """Return the options that the help of a command lists, in their order."""
    rows = re.findall(r"^  (-\S.*)$", run(verb, how).out, re.MULTILINE)
    return [option for row in rows for option in _OPTION.findall(row.partition("  ")[0])]


def declared(kind: type) -> set[str]:
    """Return the options that a request declares for the command line."""
    options = [one for one in options_of(kind).values() if one.command and not one.positional]
    negated = {f"--no-{one.name}" for one in options if one.form.typed == "yes-no"}
    return negated | {f"--{one.name}" for one in options}


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.verb)
def test_every_option_has_a_heading(kind: type) -> None:
    """The declaration of the option has it."""
    options = [one for one in options_of(kind).values() if one.command and not one.positional]
    assert [one.key for one in options if one.heading is None] == []


@pytest.mark.parametrize("verb", VERBS)
def test_no_value_is_quoted_twice(verb: str) -> None:
    """Fault class: quotation marks around a value that has its own."""
    text = " ".join(run(verb, "--help-all").out.split())
    assert "''" not in text
    assert "\"'" not in text


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.verb)
def test_the_short_help_has_the_most_used_options_early(kind: type) -> None:
    """At most 18 options, among them the output, k, and the way to the other options."""
    verb: str = getattr(kind, "verb")  # noqa: B009 - of every request
    shown = options_shown(verb)
    assert len(shown) <= MOST_SHOWN
    assert {"--out", "--k", "--force"} & declared(kind) <= set(shown)
    assert "--help-all" in shown
    if len(shown) > 12:
        early = shown[:12]
        assert {"--out"} & declared(kind) <= set(early)


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.verb)
def test_help_all_lists_every_option_once(kind: type) -> None:
    """And the short help says so if it leaves options out."""
    verb: str = getattr(kind, "verb")  # noqa: B009 - of every request
    shown = options_shown(verb, "--help-all")
    assert len(shown) == len(set(shown))
    assert set(shown) >= declared(kind) | {"--json", "--help", "--help-all"}
    short = run(verb, "--help")
    more = f"roadstead {verb} --help-all\n"
    assert short.out.endswith(more) is (len(options_shown(verb)) < len(shown))
    assert "most used" not in run(verb, "--help-all").out


@pytest.mark.parametrize("how", ["--help", "--help-all"])
@pytest.mark.parametrize("verb", VERBS)
def test_no_line_is_longer_than_80_columns(verb: str, how: str) -> None:
    """And nothing is cut."""
    ran = run(verb, how)
    assert ran.code == 0
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []
    assert "..." not in ran.out.replace("://...?", "").replace("[RELEASE]...", "")


def test_commands_are_listed_under_headings_with_whole_summaries() -> None:
    """In the order of a first use, each summary a sentence on one line."""
    text = run("--help").out
    headings = re.findall(r"^([A-Z]\w+):$", text, re.MULTILINE)
    assert headings == ["Options", *COMMANDS, "Developers"]
    found = dict(re.findall(r"^  ([a-z-]+)  +([A-Z].*)$", text, re.MULTILINE))
    assert set(VERBS) <= set(found)
    assert [found[verb] for verb in VERBS if not found[verb].endswith(".")] == []
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_the_example_is_a_command_that_parses(verb: str) -> None:
    """Each option of it exists, and is in the short help."""
    _, _, after = run(verb, "--help").out.partition("\nExample:\n")
    example = after.partition("\n\n")[0].replace("\\\n", " ")
    program, name, *arguments = shlex.split(example)
    assert (program, name) == ("roadstead", verb)
    command = getattr(typer.main.get_command(app), "commands", {})[verb]
    command.make_context(verb, arguments, resilient_parsing=True)
    assert set(_OPTION.findall(example)) <= set(options_shown(verb))


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("anonymise", "patients.csv"), "anonymize"),
        (("anonymize", "patients.csv", "--identifier", "name"), "--identifiers"),
        (("scan", "--hlep"), "--help"),
        (("frontier", "--promise", "5"), "--promise-k"),
        (("release", "patients.csv"), "anonymize"),
        (("help",), "--help"),
        (("anonymize", "patients.csv", "--insensitive", "ward"), "--unchanged"),
        (("anonymize", "patients.csv", "--id", "name"), "--identifiers"),
        (("gate", "release", "--policy", "gate.toml"), "--rules"),
        (("apply", "release", "new.csv", "--output", "out"), "--out"),
    ],
)
def test_a_mistyped_command_or_option_is_answered_with_the_nearest(
    arguments: tuple[str, ...], meant: str
) -> None:
    """Also for an option that the short help does not show."""
    ran = run(*arguments)
    assert ran.code == 2
    assert f"did you mean {meant}?" in ran.err


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("apply", "new.csv", "--policy", "policy.json"), "policy as the first argument"),
        (("apply", "policy.json", "--data", "new.csv"), "data as the second argument"),
        (("anonymize", "--data", "new.csv", "--quasi", "age"), "data as the first argument"),
    ],
)
def test_an_argument_that_is_given_as_an_option_is_answered_with_its_place(
    arguments: tuple[str, ...], place: str
) -> None:
    """Fault class: "No such option: --policy; did you mean policy?" did not say what to do."""
    ran = run(*arguments)
    assert ran.code == 2
    assert f"give {place}, without an option name" in ran.err
    assert "did you mean" not in ran.err


def test_only_commands_that_read_tables_answer_about_sheets() -> None:
    """Fault class: `key` got advice about workbooks."""
    assert "?sheet=" in run("scan", "visits.xlsx", "--sheet", "2026").err
    assert "?sheet=" not in run("key", "new.key", "--sheet", "2026").err


def test_words_of_other_tools_stand_for_commands_and_options_that_exist() -> None:
    """And a word is not itself the name that it stands for."""
    options = {f"--{one.name}" for kind in REQUESTS for one in options_of(kind).values()}
    known = {*VERBS, *options, "--help", "--project"}
    assert set(WORDS_OF_OTHERS) - known == set()
    words = [word for text in WORDS_OF_OTHERS.values() for word in text.split()]
    assert len(words) == len(set(words))
    assert not set(words) & set(WORDS_OF_OTHERS)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("repeat rel jan.xlsx", "for example --original FILE"),
        ("attack rel jan.xlsx", "for example --original FILE"),
        ("attack rel --original jan.csv --known age sex", "for example --known age,sex"),
        ("anonymize jan.csv --quasi age sex", "for example --quasi age,sex"),
        ("gate rel gate.toml", "for example --rules FILE"),
        ("sign rel officer.key", "for example --key FILE"),
    ],
)
def test_an_extra_argument_gets_the_hint_of_its_command(arguments: str, hint: str) -> None:
    """A command without lists of columns says nothing of columns."""
    ran = run(*arguments.split())
    assert hint in ran.err
