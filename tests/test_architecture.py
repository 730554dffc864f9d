"""Architecture: packages on levels, imports only downwards, and no heavy imports at the start.

A *room* is a module or a package directly below `roadstead`. A room imports only from rooms on
lower levels, not from its neighbors on the same level, at any place in a file.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import roadstead

FLOORS: tuple[tuple[str, ...], ...] = (
    ("near_names", "printable", "regular_files", "rooms", "standalone"),
    ("errors", "front_end", "kernels", "log", "number_ranges", "publications"),
    ("code_systems", "registry", "toml_files"),
    ("capabilities", "hierarchies", "tables", "cohort", "places", "reasons"),
    ("policies",),
    ("risk", "quality"),
    ("privacy",),
    ("search", "differential"),
    ("release", "analysis"),
    ("attacks", "determination"),
    ("reports", "schemas"),
    ("jobs",),
    ("requests",),
    ("verbs",),
    ("web", "mcp_server"),
    ("cli", "__init__", "testing"),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
RUNS_THE_COMMAND = "__main__"
FREE = ("__version__",)
"""Names that every room may read from the package itself: a constant, loaded before any room."""

PACKAGE = Path(roadstead.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

HEAVY = (
    "altair",
    "cryptography",
    "duckdb",
    "ibis",
    "opendp",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "sklearn",
    "vl_convert",
)
COMPILER = "numba"
NUMBERS = "numpy"


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """Parse and walk a module once for all tests of this file."""
    return tuple(ast.walk(ast.parse(source)))


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Free the memory of the modules after the last test."""
    yield
    nodes_of.cache_clear()


def room_of(file: Path) -> str:
    """Name the room a file is in."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """Full names of what a statement may import; of other statements, nothing."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else ()
        module = ".".join((*base, *([node.module] if node.module else [])))
        yield from (f"{module}.{alias.name}" for alias in node.names)


def rooms_imported(source: str, package: tuple[str, ...]) -> set[str]:
    """Rooms that a module imports; what is imported from the package itself is `__init__`."""
    rooms = set()
    statements = nodes_of(source)
    for name in (name for node in statements for name in imported(node, package)):
        top, _, rest = name.partition(".")
        if top == "roadstead":
            room = rest.partition(".")[0]
            known = room in FLOOR_OF or (room and (PACKAGE / room).is_dir())
            if room not in FREE:
                rooms.add(room if known else "__init__")
    return rooms


def trespasses(room: str, rooms: set[str]) -> set[str]:
    """Rooms that a room may not import."""
    return {other for other in rooms if other != room and FLOOR_OF.get(other, 99) >= FLOOR_OF[room]}


def package_of(file: Path) -> tuple[str, ...]:
    """Parts of the name of the package that a file's relative imports start from."""
    return ("roadstead", *file.relative_to(PACKAGE).parts[:-1])


def test_every_room_has_a_floor() -> None:
    """A new room is entered in the table above before anything is built in it."""
    assert {room_of(file) for file in FILES} - {RUNS_THE_COMMAND} <= set(FLOOR_OF)


def test_rooms_import_only_downwards() -> None:
    """Neither from above nor from next door."""
    wrong = {}
    for file in FILES:
        room = room_of(file)
        if room == RUNS_THE_COMMAND:
            continue
        assert room in FLOOR_OF, f"{room} has no floor"
        rooms = rooms_imported(file.read_text(encoding="utf-8"), package_of(file))
        wrong[str(file.relative_to(PACKAGE))] = trespasses(room, rooms)
    assert {file: found for file, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("room", "statement", "wrong"),
    [
        ("search", "from roadstead.policies.classes import Classes", set()),
        ("search", "from roadstead.search.protocol import Problem", set()),
        ("search", "from roadstead import errors", set()),
        ("policies", "from roadstead.search.exact import Exact", {"search"}),
        ("quality", "import roadstead.risk.journalist", {"risk"}),
        ("quality", "def f():\n    from roadstead import privacy", {"privacy"}),
        ("kernels", "from roadstead import errors", {"errors"}),
        ("kernels", "from .. import tables", {"tables"}),
        ("kernels", "from ..tables.reading import read", {"tables"}),
        ("kernels", "from . import compiled", set()),
        ("release", "from roadstead import __version__", set()),
        ("release", "from roadstead import anonymize", {"__init__"}),
        ("release", "import roadstead", {"__init__"}),
        ("release", "import roadsteader", set()),
        ("release", "from roadstead.attic import junk", {"__init__"}),
    ],
)
def test_a_trespass_is_seen(room: str, statement: str, wrong: set[str]) -> None:
    """The witness itself, on every form that an import takes."""
    assert trespasses(room, rooms_imported(statement, ("roadstead", room))) == wrong


def loaded_after(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after a statement."""
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(answer.stdout.split())


@pytest.mark.nightly
def test_a_small_text_file_is_released_without_ibis_and_pandas(tmp_path: Path) -> None:
    """Importing either takes as long as all that is asked of a small table."""
    table = tmp_path / "table.csv"
    table.write_text("age,sex\n" + "30,F\n" * 9 + "40,M\n" * 9, encoding="utf-8")
    loaded = loaded_after(
        f"import roadstead as rs\nfound = rs.anonymize({str(table)!r}, quasi=['age', 'sex'], k=5)\n"
        f"found.write({str(tmp_path / 'release')!r})"
    )
    assert "duckdb" in loaded
    assert not loaded & {"ibis", "pandas", "polars", "sqlglot"}


def test_importing_the_package_loads_nothing_heavy() -> None:
    """`--help` must not wait for engines, charts or a compiler."""
    assert not loaded_after("import roadstead") & {*HEAVY, COMPILER, NUMBERS}


def test_importing_every_module_loads_no_engine_and_no_charts() -> None:
    """They are imported where they are used; numbers and the compiler are what kernels are of."""
    modules = sorted(
        ".".join((*package_of(file), file.stem)).removesuffix(".__init__")
        for file in FILES
        if file.stem != RUNS_THE_COMMAND
    )
    assert not loaded_after("import " + ", ".join(modules)) & set(HEAVY)


def test_only_kernels_import_the_compiler() -> None:
    """A room that needs a compiled loop uses a kernel."""
    using = {
        room_of(file)
        for file in FILES
        for node in nodes_of(file.read_text(encoding="utf-8"))
        for name in imported(node, ())
        if name.partition(".")[0] == COMPILER
    }
    assert using == {"kernels"}


def test_nothing_of_the_papers_experiments_is_imported() -> None:
    """They are found by entry points alone, so that the package is whole without them."""
    using = {
        str(file.relative_to(PACKAGE))
        for file in FILES
        for node in nodes_of(file.read_text(encoding="utf-8"))
        for name in imported(node, ())
        if name.partition(".")[0] == "roadstead_reproductions"
    }
    assert not using


MAY_PRINT = {
    *(Path("cli/show.py"), Path("cli/help.py")),
    *(Path("standalone/check_proof.py"), Path("standalone/roadstead_verify.py")),
    Path("standalone/check_bound.py"),
}
"""The exits: to the terminal, answers and help; and programs of one file."""
PRINTING = re.compile(r"print|sys\.(stdout|stderr)\..+|typer\.s?echo|warnings\.warn|(.+\.)?Console")
HARMLESS = ("sys.stdout.isatty", "sys.stderr.isatty")


def printing(source: str) -> set[str]:
    """Find what writes to a terminal by itself: calls, and consoles that do not write to a text."""
    found = set()
    for node in nodes_of(source):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            to_text = name == "Console" and any(one.arg == "file" for one in node.keywords)
            if PRINTING.fullmatch(name) and not to_text and name not in HARMLESS:
                found.add(name)
    return found


def test_only_the_exits_print() -> None:
    """Names and values from outside reach a terminal through one function alone.

    Fault class: a stranger's text printed raw.
    """
    wrong = {
        str(file.relative_to(PACKAGE)): found
        for file in FILES
        if file.relative_to(PACKAGE) not in MAY_PRINT
        and (found := printing(file.read_text(encoding="utf-8")))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("statement", "seen"),
    [
        ("print(name)", {"print"}),
        ("sys.stderr.write(name)", {"sys.stderr.write"}),
        ("sys.stdout.buffer.write(name)", {"sys.stdout.buffer.write"}),
        ("typer.echo(name)", {"typer.echo"}),
        ("Console(stderr=True).status(name)", {"Console"}),
        ("rich.console.Console()", {"rich.console.Console"}),
        ("Console(file=text)", set()),
        ("sys.stderr.isatty()", set()),
        ("fingerprint(path)", set()),
    ],
)
def test_printing_is_seen(statement: str, seen: set[str]) -> None:
    """The witness itself."""
    assert printing(statement) == seen


def module_of(file: Path) -> str:
    """Name the module that a file is."""
    return ".".join((*package_of(file), file.stem)).removesuffix(".__init__")


MODULES = {module_of(file): file for file in FILES}


def modules_imported(source: str, package: tuple[str, ...]) -> set[str]:
    """Our modules that a module imports, also in a function or only for types."""
    names = set()
    for node in nodes_of(source):
        for name in imported(node, package):
            while name and name not in MODULES:
                name = name.rpartition(".")[0]  # noqa: PLW2901 - up to the module it is in
            names.add(name)
    return names - {"", "roadstead"}  # the face of the package, which shows what the rooms hold


def circles(edges: dict[str, set[str]]) -> set[str]:
    """Modules that import themselves by way of others: what is left when no leaf is."""
    left = {name: targets - {name} for name, targets in edges.items()}
    while leaves := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in leaves}
    return set(left)


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Also not by an import inside a function, or one for types alone."""
    edges = {
        name: modules_imported(file.read_text(encoding="utf-8"), package_of(file))
        for name, file in MODULES.items()
    }
    assert not circles(edges)


def test_a_circle_is_seen() -> None:
    """The witness itself, through a function and over three modules."""
    assert modules_imported(
        "if TYPE_CHECKING:\n    from roadstead.tables import roles\n"
        "def f():\n    from roadstead.tables import names",
        ("roadstead",),
    ) == {"roadstead.tables.names", "roadstead.tables.roles"}
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) >= {"a", "b", "c"}
    assert not circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})


STORE_NAMES = re.compile(r"duckdb|postgres|spark", re.IGNORECASE)
NAMED_ELSEWHERE = {
    "tables/engine.py": "the private engine is a DuckDB, and the only place that says so",
    "tables/health/omop.py": "a message about what it takes",
    "tables/formats/recognition.py": "files of databases, by their first bytes",
    "tables/instances.py": "instances of the private engine, and its tables",
    "rooms.py": "stores that can be taken out, by their folders",
    "verbs/apply": "a dialect of SQL, which is no store's",
    "cli/a": "a dialect of SQL, in app.py and apply.py",
    "release/sql": "dialects of SQL, by SQLGlot's names",
    "release/written.py": "the writer that a Parquet file names, by its version",
    "web/security/addresses.py": "kinds of servers, which hold more than the folders allowed",
}
"""Other places for a store's name, by the beginning of the path; and addresses in messages."""


def stores_named(source: str) -> set[str]:
    """Names of stores in what a module does: its texts, names and imports, not its prose."""
    nodes = nodes_of(source)
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = []
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found.append(node.value)
        elif isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("roadstead"):
            found.append(node.module or "")
    return {text for text in found if STORE_NAMES.search(text) and "://" not in text}


def test_stores_are_named_in_their_own_folders() -> None:
    """Knowledge about a store in other files becomes a declaration of the store."""
    wrong = {}
    for file in FILES:
        place = file.relative_to(PACKAGE)
        own = place.parts[:2] == ("tables", "stores") and len(place.parts) > 3
        found = stores_named(file.read_text(encoding="utf-8"))
        if found and not own and not place.as_posix().startswith(tuple(NAMED_ELSEWHERE)):
            wrong[place.as_posix()] = found
    assert not wrong


FRONT = {
    "cli",
    "requests",
    "verbs",
    "reports",
    "errors",
    "jobs",
    "front_end",
    "near_names",
    "printable",
}
"""Rooms of which the command line is made: what a page would need too is in these."""


_OWN_ROOM = {
    "explore.py": {"web"},
    "serve_mcp.py": {"mcp_server"},
    "schema.py": {"schemas"},
    "reproduce.py": {"registry"},
    "app.py": {"rooms"},
}
"""Commands that no request makes, and what each of them shows."""


def test_the_command_line_is_made_of_requests_and_verbs_alone() -> None:
    """No logic of its own that another front end would have to write again."""
    for file in sorted((PACKAGE / "cli").glob("*.py")):
        rooms = rooms_imported(file.read_text(encoding="utf-8"), package_of(file))
        assert rooms <= FRONT | {"__init__"} | _OWN_ROOM.get(file.name, set()), file.name


def test_the_name_of_a_class_is_its_own() -> None:
    """Readers need not ask which of two classes is meant.

    The programs of one file share nothing with the rest of the package, also no names.
    """
    homes: dict[str, list[str]] = {}
    for file in FILES:
        if room_of(file) == "standalone":
            continue
        for node in nodes_of(file.read_text(encoding="utf-8")):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(file.relative_to(PACKAGE).as_posix())
    assert not {name: files for name, files in homes.items() if len(files) > 1}


def lost_strings(source: str) -> list[int]:
    """Return the lines of strings that are statements and document nothing.

    The second half of a sentence is lost if it stands after the end of the statement.
    """
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    lost = []
    for scope in nodes_of(source):
        blocks = (getattr(scope, name, None) for name in ("body", "orelse", "finalbody"))
        for block in (one for one in blocks if isinstance(one, list)):
            for before, one in zip([None, *block], block, strict=False):
                if not isinstance(one, ast.Expr):
                    continue
                plain = isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
                targets = getattr(before, "targets", [getattr(before, "target", None)])
                field = isinstance(before, ast.Assign | ast.AnnAssign) and (
                    isinstance(scope, documented[:2]) or isinstance(targets[0], ast.Attribute)
                )
                first = before is None and isinstance(scope, documented)
                documents = plain and (field or first)
                if (plain or isinstance(one.value, ast.JoinedStr)) and not documents:
                    lost.append(one.lineno)
    return lost


def test_no_part_of_a_sentence_is_lost() -> None:
    found = {str(file): lost_strings(file.read_text(encoding="utf-8")) for file in FILES}
    assert not {file: lines for file, lines in found.items() if lines}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""Doc."""\nA = 1\n"""Doc of A."""\ndef f():\n    """Doc."""\n', []),
        ('def f(x):\n    y = x or "one "\n    "other"\n    return y\n', [3]),
        ('def f(x):\n    if x:\n        y = "one "\n        f"other {x}"\n', [4]),
    ],
)
def test_a_lost_part_is_seen(source: str, lines: list[int]) -> None:
    assert lost_strings(source) == lines


MOST_LINES = 60
"""Lines of code of a function at most, in rooms whose functions are read and not compiled."""


def lines_of_code(function: ast.AST, lines: list[str]) -> int:
    """Lines of a function without blank ones, comments, and docstrings."""
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    documented: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                documented |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    numbers = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    code = (lines[number - 1].strip() for number in numbers if number not in documented)
    return sum(1 for line in code if line and not line.startswith("#"))


def test_every_function_fits_on_a_screen() -> None:
    """Compiled loops may be longer; all other functions are small steps."""
    long = {}
    for file in FILES:
        if file.relative_to(PACKAGE).parts[0] == "kernels":
            continue
        source = file.read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in nodes_of(source):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                number = lines_of_code(node, lines)
                if number > MOST_LINES:
                    long[f"{file.relative_to(PACKAGE)}: {node.name}"] = number
    assert not long


def test_the_lines_of_a_function_are_counted() -> None:
    """Neither its docstring counts, nor blank lines and comments."""
    source = 'def f():\n    """Say.\n\n    More.\n    """\n    # why\n    a = 1\n\n    return a'
    assert lines_of_code(ast.parse(source).body[0], source.splitlines()) == 3


MOST_IMPORTS = 25
"""Modules of ours that the run of a verb imports at most: it names its steps, and no more."""


def test_the_run_of_a_verb_names_its_steps() -> None:
    """A step's requirements are next to the step."""
    many = {}
    for file in sorted((PACKAGE / "verbs").rglob("run.py")):
        found = modules_imported(file.read_text(encoding="utf-8"), package_of(file))
        if len(found) > MOST_IMPORTS:
            many[file.relative_to(PACKAGE).as_posix()] = len(found)
    assert not many
