"""Many quick requests: each is refused or answered on its own, and nothing is lost.

A nightly run sends ten thousand, a quick one a thousand.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest
from effort import EXPLORING
from patience import PATIENCE
from workbench import Bench, served

AT_ONCE = 4
REFUSED = 2000 if EXPLORING else 200
ANSWERED = 500 if EXPLORING else 50
BEGUN = 25 if EXPLORING else 5
_MEBIBYTES = 1024


def asked(bench: Bench, at: int) -> Counter[tuple[str, int]]:
    """Send requests of all kinds over one line, as quickly as they are answered."""
    (cookie,) = (f"{key}={value}" for key, value in bench.cookies.items())
    own = {"Cookie": cookie, "Origin": bench.address}
    wrongs: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("GET", "/", {}),
        ("GET", "/", {"Cookie": "roadstead=wrong"}),
        ("POST", "/piece", {"Cookie": cookie}),
        ("POST", "/piece", {"Cookie": cookie, "Origin": "http://rebound.example"}),
        ("GET", "/", {"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}),
        ("GET", "/enter?token=wrong", {}),
    )
    every = [("refused", *wrongs[one % len(wrongs)]) for one in range(REFUSED)]
    every += [("answered", "GET", "/static/workbench.css", own)] * ANSWERED
    every += [("begun", "POST", "/piece", own)] * BEGUN
    every = [every[(one * 7919 + at) % len(every)] for one in range(len(every))]
    found: Counter[tuple[str, int]] = Counter()
    line = HTTPConnection("127.0.0.1", bench.port, timeout=PATIENCE)
    for kind, method, path, headers in every:
        line.request(method, path, headers=headers)
        answer = line.getresponse()
        answer.read()
        found[kind, answer.status] += 1
    line.close()
    return found


def used(bench: Bench, what: str) -> int:
    """Read how much memory, in KiB, or how many threads the server has."""
    text = Path(f"/proc/{bench.number}/status").read_text()
    found = re.search(rf"{what}:\s*(\d+)", text)
    assert found is not None
    return int(found[1])


@pytest.mark.nightly
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc what was used")
def test_each_is_answered_by_its_own_right(tmp_path: Path) -> None:
    """All that was begun is there, and the server has not grown."""
    with served(tmp_path / "state", [tmp_path]) as bench:
        assert bench.get("/").status == 200
        before = used(bench, "VmRSS")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = sum(pool.map(asked, [bench] * AT_ONCE, range(AT_ONCE)), Counter())
        assert found == {
            ("refused", 403): AT_ONCE * REFUSED,
            ("answered", 200): AT_ONCE * ANSWERED,
            ("begun", 303): AT_ONCE * BEGUN,
        }
        assert len([*bench.state.glob("*/session.json")]) == AT_ONCE * BEGUN
        assert bench.get("/").text.count("Untitled</a>") == AT_ONCE * BEGUN
        assert used(bench, "VmRSS") < before + 64 * _MEBIBYTES
        assert used(bench, "Threads") < 64


def test_many_tables_at_once_are_refused_in_words(tmp_path: Path) -> None:
    """Each would have a process; those that are taken are looked at."""
    (tmp_path / "t.csv").write_text("age,sex\n" + "30,f\n40,m\n" * 20)
    with served(tmp_path / "state", [tmp_path]) as bench:
        pieces = [bench.begin() for _ in range(12)]
        answers = [bench.post(f"{piece}/data/open", kind="path", value="t.csv") for piece in pieces]
        taken = [one for one, answer in zip(pieces, answers, strict=True) if answer.status == 303]
        refused = [answer for answer in answers if answer.status != 303]
        assert len(taken) >= 8
        assert {answer.status for answer in refused} <= {422}
        assert all("jobs are already running" in one.text for one in refused)
        for piece in taken:
            assert bench.wait(piece, "scan")["state"] == "done"
        # The same table again and again: the last look is the one that counts.
        for _ in range(6):
            assert bench.post(f"{pieces[0]}/data/open", kind="path", value="t.csv").status == 303
        bench.post(f"{pieces[0]}/remove")
        assert not bench.folder(pieces[0]).exists()
        assert bench.get("/").status == 200
