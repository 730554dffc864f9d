"""Each front end names what can be set in its own words: no flag in what Python users read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import run
from small_tables import PATIENTS, patients

import roadstead as rs
from roadstead.errors import RoadsteadError
from roadstead.front_end import Value, naming, option, worded
from roadstead.jobs import SILENT, Job, Observer
from roadstead.release.documents import alongside
from roadstead.requests.fields import options_of
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.verbs.catalog import REQUESTS
from roadstead.web.words import PageNaming

PACKAGE = Path(rs.__file__).parent
FLAG = re.compile(r"--[a-z]")
ROWS = dict(zip(PATIENTS, map(list, zip(*patients(120), strict=True)), strict=True))
QUASI = ["sex", "age", "zip"]


@pytest.mark.parametrize(
    ("name", "value", "typed", "python"),
    [
        ("k", None, "--k", "k"),
        ("k", 5, "--k 5", "k=5"),
        ("min_level", None, "--min-level", "min_level"),
        ("weights", {"age": 2.0}, "--weight age=2.0", 'weights={"age": 2.0}'),
        ("unseen", "suppress", "--unseen suppress", 'unseen="suppress"'),
        ("population", "FILE", "--population FILE", "population=FILE"),
        ("quasi", ("age", "sex"), "--quasi age,sex", 'quasi=["age", "sex"]'),
        ("orders", {"age": ("A", "B")}, "--order age=A,B", 'orders={"age": ["A", "B"]}'),
        ("force", True, "--force", "force=True"),
        ("header", False, "--no-header", "header=False"),
        (
            "privacy",
            {"kind": "k-map", "k": 5},
            "--privacy k-map:k=5",
            'privacy=[{"kind": "k-map", "k": 5}]',
        ),
    ],
)
def test_an_option_is_named_as_the_front_end_in_use_has_it(
    name: str,
    value: Any,  # noqa: ANN401 - of every kind
    typed: str,
    python: str,
) -> None:
    """Python is the default, and is so again when a command has ended."""
    assert option(name, value) == python
    with naming(CommandNaming(names_of_options(REQUESTS))):
        assert option(name, value) == typed
        assert worded(command="here", python="there") == "here"
    assert option(name, value) == python


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("anonymize", {"quasi": []}),
    ("anonymize", {"quasi": "sex"}),
    ("anonymize", {"k": 1}),
    ("anonymize", {"k": 0.5}),
    ("anonymize", {"k": 500}),
    ("anonymize", {"k": 100, "max_level": {"age": 0, "zip": 0}}),
    ("anonymize", {"suppression": 5.0}),
    ("anonymize", {"suppressed": "hide"}),
    ("anonymize", {"quality": "best"}),
    ("anonymize", {"quality": "classification"}),
    ("anonymize", {"target": "sex"}),
    ("anonymize", {"aggregate": "mean"}),
    ("anonymize", {"weights": {"name": 2.0}}),
    ("anonymize", {"weights": {"age": -2.0}}),
    ("anonymize", {"search": "random"}),
    ("anonymize", {"search": "k-optimize"}),
    ("anonymize", {"search": "k-optimize", "quality": "discernibility", "min_level": {"age": 1}}),
    ("anonymize", {"time_limit": -1.0}),
    ("anonymize", {"combinations": 0}),
    ("anonymize", {"combinations": 2, "search": "flash"}),
    ("anonymize", {"combinations": 2, "quality": "entropy"}),
    ("anonymize", {"seed": -1}),
    ("anonymize", {"min_level": {"age": 9}}),
    ("anonymize", {"hierarchies": {"name": {"kind": "flat"}}}),
    ("anonymize", {"population_counts": "n"}),
    ("anonymize", {"population": ROWS}),
    ("anonymize", {"privacy": [{"kind": "k-map", "k": 5}]}),
    ("anonymize", {"privacy": [{"kind": "t-closeness", "t": 0.2}]}),
    ("anonymize", {"privacy": [{"kind": "t-closeness", "t": 2, "column": "diagnosis"}]}),
    (
        "anonymize",
        {
            "sensitive": ["diagnosis"],
            "privacy": [{"kind": "t-closeness", "t": 0.2, "distance": "hierarchical"}],
        },
    ),
    ("anonymize", {"privacy": [{"kind": "distinct-l-diversity", "l": 3, "column": "diagnosis"}]}),
    ("anonymize", {"privacy": [{"kind": "average-risk", "risk": 7}]}),
    ("anonymize", {"privacy": [{"kind": "delta-presence"}]}),
    ("anonymize", {"privacy": [{"kind": "population-risk", "maximum": 7}]}),
    ("anonymize", {"privacy": [{"kind": "estimated-k-map", "k": 5, "fraction": 7}]}),
    ("frontier", {"threshold": "models"}),
    ("frontier", {"threshold": "high"}),
    ("frontier", {"search": "random"}),
    ("frontier", {"iterations": 5}),
    ("frontier", {"risk_measure": "average"}),
    ("frontier", {"gamma": -1.0}),
    ("frontier", {"k": 5}),
    ("frontier", {"quality": "best"}),
    ("frontier", {"orders": {"name": ["a"]}}),
    ("frontier", {"privacy": [{"kind": "k-anonymity", "k": 5}]}),
    ("frontier", {"population_counts": "n"}),
    ("frontier", {"absent": "ignore"}),
    ("frontier", {"population": ROWS, "margins": [ROWS]}),
    ("risk", {"quasi": ()}),
    ("risk", {"threshold": 7.0}),
    ("risk", {"sampling_fraction": 7.0}),
    ("risk", {"absent": "count"}),
    ("risk", {"population": ROWS, "sampling_fraction": 0.5}),
    ("synthesize", {"epsilon": None, "target": "sex"}),
    ("synthesize", {"epsilon": -1, "target": "sex"}),
    ("synthesize", {"epsilon": 1, "target": "sex", "score": "best", "classes": ["F", "M"]}),
    ("synthesize", {"epsilon": 1, "target": "sex", "classes": ["F", "M"]}),
    ("synthesize", {"epsilon": 1, "target": "sex", "classes": ["F", "M"], "quasi": ["age"]}),
    ("synthesize", {"epsilon": 1, "target": "sex", "classes": ["F", "M"], "outside": "ignore"}),
    ("synthesize", {"epsilon": 1, "target": "sex", "ranges": {"age": "0..9"}}),
    ("evaluate", {"epsilon": 1, "target": "sex", "runs": 0}),
    ("evaluate", {"epsilon": 1, "target": "sex", "comparators": ["all"]}),
    ("evaluate", {"epsilon": 1, "target": "sex", "classifiers": []}),
    ("evaluate", {"epsilon": 1, "target": "sex", "held_out_share": 2}),
    ("verify", {}),
    ("verify", {"quasi": "sex", "k": 5}),
    ("as_sql", {"dialect": "access"}),
    ("as_sql", {"unseen": "ignore"}),
    ("apply", {"unseen": "ignore"}),
    ("apply", {"suppression": 7.0}),
    ("anonymize", {"quasi": [1]}),
    ("anonymize", {"quasi": None}),
    ("anonymize", {"suppression": "5%"}),
    ("anonymize", {"time_limit": "long"}),
    ("anonymize", {"seed": "x"}),
    ("anonymize", {"combinations": "many"}),
    ("apply", {"suppression": "5%"}),
    ("frontier", {"iterations": "x", "threshold": 0.5}),
    ("frontier", {"gamma": "x"}),
    ("risk", {"sampling_fraction": "x"}),
    ("risk", {"threshold": "x"}),
    ("verify", {"quasi": QUASI, "k": "5"}),
]
"""Verbs and what is wrong about the request; the rest of it is right."""


@pytest.fixture(scope="module")
def policy() -> rs.Policy:
    """A policy for the patients."""
    found = rs.anonymize(ROWS, quasi=QUASI, identifiers=["name", "record"], suppression=0.2)
    return found.policy


@pytest.mark.quick(15)
@pytest.mark.parametrize(("verb", "settings"), WRONG)
def test_an_error_in_python_names_no_flag(
    verb: str, settings: dict[str, Any], policy: rs.Policy
) -> None:
    """Python users read `k=5` and never `--k 5`.

    Fault class: a message in the words of another front end.
    """
    subject: tuple[Any, ...] = (ROWS,)
    given = settings
    if verb in {"anonymize", "frontier", "risk"}:
        given = {"quasi": QUASI} | settings
    elif verb == "as_sql":
        subject = (policy,)
    elif verb == "apply":
        subject = (policy, ROWS)
    with pytest.raises(RoadsteadError) as caught:
        getattr(rs, verb)(*subject, **given)
    for told in (caught.value.what, caught.value.where, caught.value.fix, str(caught.value)):
        assert not FLAG.search(told or ""), told


def test_the_command_line_keeps_its_flags(tmp_path: Path) -> None:
    """The same mistake, typed."""
    table = tmp_path / "patients.csv"
    table.write_text("age,sex\n1,F\n2,M\n")
    ran = run("anonymize", table, "--quasi", "age", "--k", "1", "--time-limit", "-1")
    assert ran.code == 2
    assert ran.error.startswith("--time-limit: ")


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts of a module that are not docstrings, each with a distinguishing context."""
    told = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield id(node), node.value


def of_commands(tree: ast.AST) -> set[int]:
    """Places of texts that are meant for the command line: commands to be typed."""
    return {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in {"command", "options"}
        for part in ast.walk(node.value)
    }


COMMANDS = {
    "release/sql/comments.py": "a comment in a statement, the same from both",
}
"""Places where flags are correct for all readers, and why."""


def test_a_page_gives_roles_instead_of_naming_columns() -> None:
    """A message that is made for options reads as a sentence about the page, too."""
    table = {
        "who": [str(at // 4) for at in range(200)],
        "age": [str(at % 2) for at in range(200)],
        "score": [str(at // 4 * 3) for at in range(200)],
    }
    said = {}
    for by in (PageNaming(), CommandNaming({})):
        with naming(by), pytest.raises(RoadsteadError) as caught:
            rs.AnonymizeRequest(
                table, quasi=["age"], unchanged=["score"], person="who", link="none"
            ).run()
        said[by.front] = caught.value.fix
    assert said["page"] == (
        "give it the role “Direct identifier”, or release it anyway with “Release anyway” for score"
    )
    assert said["command line"] == (
        "name it with --identifiers, or release it anyway with --release-anyway score"
    )


def test_no_room_below_the_command_line_writes_a_flag_itself() -> None:
    """It asks `front_end.option`, and when the text is needed, not when the module is imported."""
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        # The programs of one file have a command line of their own.
        if name.startswith(("cli/", "standalone/")) or name in {"front_end.py", *COMMANDS}:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        commands = of_commands(tree)
        found = [text for one, text in texts(tree) if FLAG.search(text) and one not in commands]
        assert not found, f"{name}: {found}"
        for top in tree.body:
            if isinstance(top, ast.Assign | ast.AnnAssign):
                called = [n.func for n in ast.walk(top) if isinstance(n, ast.Call)]
                early = [
                    f for f in called if isinstance(f, ast.Name) and f.id in {"option", "worded"}
                ]
                assert not early, f"{name}, line {top.lineno}: made when imported"


SEVERAL = {"purpose": "verbs/synthesize/"}
"""Keys with several option names, with the only place that may name them by `option`."""
OTHERS = {"project", "state"}
"""Options that are not fields of a request."""


def test_a_message_names_an_option_that_exists() -> None:
    """One command can name an option of another, so a key has the same name in all commands."""
    flags: dict[str, set[str]] = {}
    for kind in REQUESTS:
        for one in options_of(kind).values():
            flags.setdefault(one.key, set()).add(one.name)
    assert {key for key, names in flags.items() if len(names) > 1} == SEVERAL.keys()
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if "from roadstead.front_end import" not in file.read_text(encoding="utf-8"):
            continue
        for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
            match call:
                case ast.Call(func=ast.Name(id="option"), args=[ast.Constant(value=str(key)), *_]):
                    assert key in flags or key in OTHERS, f"{name}: no option {key}"
                    assert name.startswith(SEVERAL.get(key, "")), f"{name}: ambiguous {key}"


def test_a_report_made_in_another_thread_names_fields_alike() -> None:
    with naming(_Form()), alongside(lambda: option("quasi", ["race"])) as report:
        assert report() == "the field quasi"


def test_a_job_names_fields_as_who_starts_it_does() -> None:
    class Saying:
        def run(self, observer: Observer = SILENT) -> str:  # noqa: ARG002 - as a request has it
            return option("k")

    with naming(_Form()):
        job: Job[str] = Job(Saying()).start()
    assert job.result() == "the field k"


class _Form:
    front = "page"

    def __call__(self, key: str, value: Value | None) -> str:  # noqa: ARG002 - as a naming has it
        return f"the field {key}"
