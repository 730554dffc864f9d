"""The documentation is true: its examples are run, and its names exist.

A comment before a fenced block says what the block is; on the page it cannot be seen::

    <!-- run -->            commands (console) or Python, run in the order of the page
    <!-- run exit=1 -->     commands of which the last ends with this exit code
    <!-- output -->         what the Python block before it prints
    <!-- file study.toml --> the content of a file that later blocks use
    <!-- hierarchy 47 91 --> a declaration; the output after it shows what these values become

Every page runs in a folder of its own with the result of ``make demo``: ``demo-release``. A shown
output must be the printed one, including standard error. ``...`` means anything on a line, and
alone on a line it means any lines. After an intended change, ``ROADSTEAD_REFRESH_DOCS=1 python -m
pytest tests/test_docs.py`` writes the new output into the pages, for review before a commit.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import run as run_here
from commands import undrawn
from shown_text import matches, pattern_of

from roadstead.cli.app import app
from roadstead.cli.run import run
from roadstead.hierarchies.declare import build_declared
from roadstead.search.protocol import Candidate, Progress
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.frontier.request import FrontierRequest

ROOT = Path(__file__).parent.parent
LONG = (
    *("ages-over-89", "airflow", "analyzing-releases", "attack", "beyond-safe-harbor", "dbt"),
    *("design", "evaluate", "frontier", "monthly-extract", "project-file", "publish-a-table"),
    *("python", "readmissions", "remove-names", "share-with-a-university"),
)
METHODS = ROOT / "docs" / "methods"
"""Pages whose commands take long, and pages on methods; every night is often enough.

Their commands repeat the commands of README, the other recipes, and the other pages on commands.
"""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
REFRESH = "ROADSTEAD_REFRESH_DOCS"

_BLOCK = re.compile(
    r"^(?P<head><!-- (?P<mark>run(?: exit=\d+)?|output|(?:file|hierarchy) .+?) -->\n+"
    r"```(?P<language>\w*)\n)"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?:\]\(|(?:src|href)=\")(?P<target>[^)\s\"]+)")
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
_DIGITS = 6
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_MACHINE = re.compile(r"(?<![\w.~])/(?:work|tmp|home|root|Users|mnt|var|opt)/|[A-Z]:\\")
_PROGRESS = re.compile(
    r"(?:searching|synthesizing) \d+ s: .*"
    r"|run \d+ of \d+, \d+ s: .*"
    r"|\d+ s, [\d,]+ polic(?:y|ies) evaluated, [\d,]+ on the frontier, area [\d.]+"
)
_REGISTRY = re.compile(r"pypi\.org|pythonhosted|conda\.anaconda|index-url|ghcr\.io", re.IGNORECASE)


def name_of(page: Path) -> str:
    """Name a page as its reader does."""
    return page.relative_to(ROOT).as_posix()


@dataclass
class Reader:
    """A reader who follows a page from its first block to its last."""

    names: dict[str, Any] = field(default_factory=dict)
    printed: str = ""

    def read(self, block: re.Match[str]) -> str | None:
        """Run a block; return its correct content, if it is determined."""
        mark, text = block["mark"], block["text"]
        if mark == "output":
            return self.printed
        if mark.startswith("file "):
            Path(mark.removeprefix("file ")).write_text(text, encoding="utf-8")
        elif mark.startswith("hierarchy "):
            self.printed = ladder(text, mark.removeprefix("hierarchy "))
        elif block["language"] == "python":
            self.python(text)
        else:
            return self.console(text, int(mark.partition("=")[2] or 0))
        return None

    def command(self, line: str) -> tuple[str, int]:
        """Run a command as a shell would; return what it says and its exit code."""
        words = shlex.split(line)
        if words[0] != "roadstead":
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            return done.stdout + done.stderr, done.returncode
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(words[1:])
        return without_progress(said.getvalue()), code

    def console(self, text: str, wanted: int) -> str:
        """Run the commands of a block; return the block with what they really say."""
        shown, code = [], 0
        for command in commands_of(text):
            assert code == 0, f"ended with {code} before: {command}"
            said, code = self.command(command.replace("\\\n", " "))
            shown.append(f"$ {command}\n{said}")
        assert code == wanted, f"{command!r} ended with {code}:\n{said}"
        return "".join(part.rstrip("\n") + "\n" for part in shown)

    def python(self, text: str) -> None:
        """Run Python in the names of the page."""
        said = io.StringIO()
        # In a thread of its own, where no loop of events runs, such as that of a browser's tests.
        with contextlib.redirect_stdout(said), ThreadPoolExecutor(1) as alone:
            run = copy_context().run
            alone.submit(run, exec, compile(text, "page", "exec"), self.names).result()
        self.printed = said.getvalue()


def ladder(declaration: str, examples: str) -> str:
    """Give the labels of values at each level; ``missing`` is the missing value."""
    ((attribute, spec),) = tomllib.loads(declaration).items()
    values = ["" if value == "missing" else value for value in shlex.split(examples)]
    rules = build_declared(attribute, spec, values)
    lines = []
    for value in values:
        labels = [rules.rule(level).label(value) for level in range(rules.height)]
        lines.append(
            f"{value or 'missing'}: " + " -> ".join(label or "missing" for label in labels)
        )
    return "\n".join(lines) + "\n"


def commands_of(block: str) -> list[str]:
    """Commands of a console block; a backslash at the end of a line goes on with the next."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.MULTILINE)


def without_progress(said: str) -> str:
    """Leave out the progress lines of a search, a synthesis, or a rehearsal."""
    # They come after ten seconds: on a busy machine, and not on the one a page was written on.
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if not _PROGRESS.fullmatch(line.rstrip()))


def with_dots(shown: str, real: str) -> str:
    """Give the new output with the dots of the old one, if they stand for the same lines."""
    old, new = shown.splitlines(), real.splitlines()
    dotted = [line for line in old if "..." in line and line.strip() != "..."]
    fresh = [next((o for o in dotted if re.fullmatch(pattern_of(o), line)), line) for line in new]
    for before, dots, after in zip(["", *old], old, [*old[1:], ""], strict=False):
        if dots.strip() == "..." and before in fresh:
            start = fresh.index(before) + 1
            end = fresh.index(after, start) if after in fresh[start:] else len(fresh)
            fresh[start:end] = [dots]
    return "".join(f"{line}\n" for line in fresh)


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make demo`` leaves, made once."""
    folder = tmp_path_factory.mktemp("docs") / "demo-release"
    said, code = Reader().command(f"roadstead demo --out {folder}")
    assert code == 0, said
    return folder


@pytest.fixture
def reader(demonstration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A reader in a folder with the demonstration in it."""
    shutil.copytree(demonstration, tmp_path / "demo-release")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return Reader()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=pytest.mark.nightly if p.stem in LONG or METHODS in p.parents else ())
        for p in PAGES
        if _BLOCK.search(p.read_text(encoding="utf-8"))
    ],
    ids=name_of,
)
def test_a_page_does_what_it_shows(
    page: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks are run in order, and print the shown output."""
    refresh = bool(os.environ.get(REFRESH))
    if page != ROOT / "README.md":  # which draws all kinds; no page shows what is drawn
        undrawn(monkeypatch)

    def retold(block: re.Match[str]) -> str:
        shown, real = block["text"], reader.read(block)
        if real is None or matches(shown, real):
            return block[0]
        if not refresh:
            pytest.fail(f"{name_of(page)} shows\n\n{shown}\nand this is printed:\n\n{real}")
        return f"{block['head']}{with_dots(shown, real)}```"

    text = page.read_text(encoding="utf-8")
    fresh = _BLOCK.sub(retold, text)
    if refresh:
        page.write_text(fresh, encoding="utf-8")


def test_the_picture_shows_what_the_demonstration_finds(demonstration: Path) -> None:
    """Losses and suppression in the README's picture are the custodian's figures."""
    project = str(demonstration / "patients.toml")
    told = run_here("anonymize", "--project", project, "--json").json
    shares = [
        *told["loss_by_attribute"].values(),
        told["loss"],
        told["suppressed"] / told["records"],
    ]
    picture = (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")
    assert {f">{100 * share:.1f}%<" for share in shares} <= set(re.findall(r">[^<]+<", picture))


ROOT_COMMAND: Any = typer.main.get_command(app)
COMMANDS: dict[str, Any] = ROOT_COMMAND.commands
VERBS = sorted(COMMANDS)


@cache
def options_of(verb: str) -> frozenset[str]:
    """Every long option of a verb, its negative form included."""
    parameters = COMMANDS[verb].get_params(typer.Context(COMMANDS[verb]))
    spelled = {o for p in parameters for o in (*p.opts, *p.secondary_opts)}
    return frozenset(option for option in spelled if option.startswith("--"))


@pytest.mark.parametrize("verb", VERBS)
def test_a_verbs_page_documents_exactly_its_options(verb: str) -> None:
    """The table under "Options" has a row for each, and no others."""
    page = (ROOT / "docs" / "verbs" / f"{verb}.md").read_text(encoding="utf-8")
    _, _, section = page.partition("\n## Options\n")
    table = re.findall(r"^\| (.*?) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert {option for cell in table for option in _OPTION.findall(cell)} == options_of(verb)


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CONTRIBUTING.md"], ids=name_of)
def test_options_named_in_prose_exist(page: Path) -> None:
    """Whatever is written with two dashes is an option of some verb."""
    prose = _FENCED.sub("", page.read_text(encoding="utf-8")).replace("<!--", "")
    known = {option for verb in VERBS for option in options_of(verb)}
    known |= {option for one in ROOT_COMMAND.params for option in one.opts}
    assert set(_OPTION.findall(prose)) <= known


def anchors_of(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them, and those that the page names itself."""
    text = _FENCED.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = set(re.findall(r'<a id="([^"]+)"', text))
    return named | {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Files and headings that a page points to are there."""
    for link in _LINK.finditer(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link["target"].partition("#")
        if "://" in link["target"]:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link["target"]
        if anchor:
            assert anchor in anchors_of(target), link["target"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_shows_more_digits_than_every_processor_agrees_on(page: Path) -> None:
    """The output of pages has at most six significant digits per number.

    Fault class: a printed digit that was never promised, and differs on another machine.
    """
    blocks = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    shown = [
        line
        for block in blocks
        if block["mark"] == "output" or block["language"] == "console"
        for line in block["text"].splitlines()
        if not line.startswith("$ ")
    ]
    assert [line for line in shown if any(map(too_precise, _DECIMAL.findall(line)))] == []


def too_precise(number: str) -> bool:
    """Whether a decimal fraction has more than six digits from its first to its last but 0."""
    return len(number.replace(".", "").strip("0")) > _DIGITS


def test_the_count_of_digits_can_fail() -> None:
    """The witness itself: 0.0674656 has six, 620.6838 has seven."""
    assert not too_precise("0.0674656")
    assert too_precise("620.6838")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_name_no_machine_and_no_registry(page: Path) -> None:
    """Absolute paths of a disk, and addresses of package registries."""
    text = page.read_text(encoding="utf-8")
    assert not _MACHINE.search(text)
    assert not _REGISTRY.search(text)


def test_every_page_is_reached_from_the_index() -> None:
    """Every page can be found."""
    index = ROOT / "docs" / "index.md"
    links = _LINK.finditer(index.read_text(encoding="utf-8"))
    reached = {(index.parent / link["target"].partition("#")[0]).resolve() for link in links}
    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - {index} <= reached


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("took ... s\n", "took 3.2 s\n", True),
        ("took ... s\n", "took 3.2 h\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n", "a\nb\n", False),
        ("1.5\n", "1x5\n", False),
        ("u=620.6838060381067, s=0.5)\n", "u=620.6838060383922, s=0.5)\n", True),
        ("u=620.6838060381067, s=0.5)\n", "u=620.6838060383922, s=0.6)\n", False),
        ("u=620.6838060381067\n", "u=620.6838160381067\n", False),
        ("u=620.6838060381067\n", "u=many\n", False),
        ("0.2429155711 and 1.5\n", "0.2429155712 and 1.5\n", True),
        ("0.2429155711 and 1.5\n", "0.2429155714 and 1.5\n", False),
        ("62.068%\n", "62.069%\n", False),
        ("1,234,567.5\n", "1,234,567.6\n", False),
        ("-1.2345678e-05\n", "-1.2345677e-05\n", True),
        ("a\n...\n0.12345678\n", "a\nb\n0.123456781\n", True),
    ],
)
def test_the_comparison_can_fail(shown: str, real: str, same: bool) -> None:  # noqa: FBT001 - a case
    """The witness itself: dots are wild only in threes, and only long numbers may be off.

    Fault class: digits that another processor does not give.
    """
    assert matches(shown, real) is same


def test_of_what_is_said_only_progress_is_left_out() -> None:
    """Lines of both kinds of search, as the commands write them; what resembles them stays."""
    progress = [
        AnonymizeRequest.progress_line(Progress(1, 11.4, None, 0.0, 1)),
        AnonymizeRequest.progress_line(Progress(1_234, 125.0, Candidate((0,), 0.5, 3), 0.25, 1)),
        FrontierRequest.progress_line(Progress(1, 13.2, members=1, area=1.0)),
        FrontierRequest.progress_line(Progress(24_783, 125.0, members=1_329, area=0.0878)),
    ]
    kept = ["741 policies on the frontier, area 0.0836", "12 policies evaluated, 5 s", "searching"]
    said = "".join(f"{line}\n" for line in [*progress, kept[0], progress[0], *kept[1:]])
    assert without_progress(said) == "".join(f"{line}\n" for line in kept)
