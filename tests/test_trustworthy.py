"""The tests themselves: they pass on any machine, however busy, and say what was not run."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from effort import EXPLORING, sparing
from hypothesis import HealthCheck, settings
from patience import PATIENCE, ticking, wait_until
from quick_part import selected

from roadstead.search.protocol import Control

HERE = Path(__file__).parent
_TIMED = {
    "sleeping": re.compile(r"\bsleep\((?!\d+\)['\"}]|600\))"),
    "a clock": re.compile(r"\bperf_counter\(\)|\bmonotonic\(\)|\btime\.time\("),
    "a deadline": re.compile(r"\bdeadline="),
    "a time limit that is an expectation": re.compile(r"\btimeout=(?!PATIENCE\b)\d"),
    "a comparison of seconds": re.compile(
        r"\bassert (?=[^#\n]*\b(?:seconds(?:_total)?|elapsed)\b)[^#\n]*[<>]"
    ),
}
_MAY = {"patience.py", "effort.py", "spark_cluster.py", "test_trustworthy.py"}
"""They wait for others, or are this file."""


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", _TIMED)
def test_no_test_hangs_on_the_speed_of_the_machine(what: str) -> None:
    """A time is a figure, and measured in a benchmark.

    Fault class: a test that passes on the machine of its author.
    """
    found = [
        f"{path.relative_to(HERE)}: {line.strip()}"
        for path in sorted(HERE.rglob("*.py"))
        if path.name not in _MAY
        for line in path.read_text(encoding="utf-8").splitlines()
        if _TIMED[what].search(line)
    ]
    assert found == []


@pytest.mark.parametrize("one", [settings.default, sparing, settings(max_examples=3)])
def test_no_example_fails_for_having_taken_long(one: settings) -> None:
    """For the profile itself and for decorators of tests."""
    assert one is not None
    assert one.deadline is None
    assert HealthCheck.too_slow in one.suppress_health_check
    assert one.derandomize is not EXPLORING
    assert one.print_blob


def test_a_time_limit_can_be_a_number_of_steps() -> None:
    """On the test's own clock, whatever the machine does."""
    control = Control(time_limit=1.0)
    with ticking(0.25):
        control.begin()
        assert [control.ending() for _ in range(5)] == [None] * 3 + ["time limit"] * 2


def test_what_never_happens_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what has happened is not waited for."""
    monkeypatch.setattr("patience.PATIENCE", 0.0)
    with pytest.raises(pytest.fail.Exception, match="waited in vain: the end of time"):
        wait_until(lambda: False, "the end of time")
    wait_until(lambda: True, "nothing")


def test_the_selected_parameters_have_the_most_different_values() -> None:
    """Two of four combinations have both formats and both engines; more are far from those."""
    pairs = [frozenset(pair) for pair in product(("csv", "sav"), ("duckdb", "spark"))]
    assert selected(pairs, 2) == [0, 3]
    assert selected(pairs, 9) == [0, 1, 2, 3]
    assert selected([frozenset([at]) for at in range(5)], 3) == [0, 2, 4]


@pytest.mark.parametrize("spread", [(), ("-n", "2", "--dist", "loadscope")])
def test_the_last_line_says_what_was_not_run(tmp_path: Path, spread: tuple[str, ...]) -> None:
    """How many tests of each mark, and the command that runs them; one worker has a whole file."""
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_three.py").write_text(
        "import pytest\n"
        "def test_quick(): pass\n"
        "@pytest.mark.nightly\n@pytest.mark.parametrize('x', [1, 2])\ndef test_long(x): pass\n"
        "@pytest.mark.slow\ndef test_longer(): pass\n"
        "@pytest.mark.quick(2)\n@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_all(x): pass\n"
    )
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text(
            "import os, pytest\n"
            "@pytest.mark.parametrize('x', range(9))\n"
            f"def test_all(x): open('{name}', 'a').write(f'{{os.getpid()}} ')\n"
        )
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\npythonpath = {HERE / 'support'}\n"
        "markers =\n    slow\n    nightly\n    quick(number)\n"
    )
    options = ("-q", "-p", "no:cacheprovider", "-m", "not slow and not nightly", *spread)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    last = ran.stdout.splitlines()[-1]
    assert last == "Tests not run: 1 marked slow (make slow) and 3 marked nightly (make nightly)."
    workers = [set((tmp_path / name).read_text().split()) for name in ("one", "two")]
    assert [len(one) for one in workers] == [1, 1]
