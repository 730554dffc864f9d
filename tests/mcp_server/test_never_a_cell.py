"""Output for an agent about a table with a secret in every column: never a secret.

Every answer, refusal, progress report, and log line is searched, in this process and in the real
command, over standard input and output.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from commands import run
from mcp.client import Client, Transport
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server import Server
from mcp_types import CallToolResult

from roadstead.jobs import Observer
from roadstead.mcp_server import server as serving
from roadstead.mcp_server.answers import VerifyAnswer, VerifyArguments
from roadstead.mcp_server.server import server_of
from roadstead.mcp_server.tables import Allowed
from roadstead.mcp_server.tools import TOOLS, AgentTool, called
from roadstead.places import Places

MARK = "Zqx7"
"""Beginning of every secret cell, and of nothing else."""
COLUMNS = ("name", "sex", "ward", "age", "note")
TOLD = ("Where:", "The full message may contain a cell")


def _table(folder: Path, name: str = "visits.csv", *lines: str) -> None:
    """Write a table of which one record has a secret in each column."""
    rows = [
        f"Ann Able {at},{'FM'[at % 2]},W{at % 3},{40 + at % 5},seen on day {at}"
        for at in range(120)
    ]
    rows.append(",".join(f"{MARK}{column}" for column in COLUMNS))
    text = "\n".join([",".join(COLUMNS), *rows, *lines])
    (folder / name).write_text(f"{text}\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An allowed folder with the table, a gate, and files that cannot be read."""
    _table(tmp_path)
    _table(tmp_path, "ragged.csv", f"{MARK}one,{MARK}two,{MARK},{MARK},{MARK},{MARK}")
    (tmp_path / "bytes.csv").write_bytes(b"name,age\n" + MARK.encode() + b"\xff\xfe\x81,4\n" * 9)
    (tmp_path / "people.csv").write_text("sex,people\nF,900\nM,900\n")
    (tmp_path / "gate.toml").write_text("[promise]\nk = 5\n")
    return tmp_path


class Agent:
    """An agent that keeps everything it hears."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.heard: list[str] = []

    async def ask(self, tool: str, **arguments: object) -> CallToolResult:
        """Call a tool."""

        async def progress(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            self.heard.append(f"{progress} {total} {message}")

        found = await self._client.call_tool(tool, arguments, progress_callback=progress)
        assert isinstance(found, CallToolResult)
        self.heard.append(found.model_dump_json())
        return found

    async def get(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool that is to answer."""
        found = await self.ask(tool, **arguments)
        assert not found.is_error, found.content
        answer: dict[str, Any] | None = found.structured_content
        assert answer is not None
        return answer


Work = Callable[[Agent], Awaitable[None]]


def _with_agent(server: Server[Any] | Transport, work: Work) -> Agent:
    agents = []

    async def run() -> None:
        async with Client(server) as client:
            agents.append(Agent(client))
            listed = await client.list_tools()
            assert [one.name for one in listed.tools] == [one.name for one in TOOLS]
            agents[0].heard.append(listed.model_dump_json())
            await work(agents[0])

    # In a thread of its own, where no other loop runs, such as that of a browser's tests.
    with ThreadPoolExecutor(1) as alone:
        alone.submit(anyio.run, run).result()
    return agents[0]


def _in_memory(
    folder: Path, work: Callable[[Agent], Awaitable[None]], *, header: bool = False
) -> Agent:
    return _with_agent(server_of(Allowed(Places.of((folder,)), header)), work)


def _spoil(release: Path) -> None:
    """Put a secret where a released label is."""
    table = release / "visits.csv"
    table.write_text(table.read_text().replace("W1", f"{MARK}ward", 1))


async def _whole_walk(agent: Agent, folder: Path) -> None:
    """Use every tool, to an answer and to refusals of every kind."""
    seen = await agent.get("scan", data="visits.csv")
    assert [one["name"] for one in seen["columns"]] == list(COLUMNS)
    assert seen["records"] == 121
    quasi = ["sex", "ward"]
    assert (await agent.get("risk", data="visits.csv", quasi=quasi))["smallest_class"] == 1
    found = await agent.get("frontier", data="visits.csv", quasi=quasi)
    assert found["points"]
    assert found["gap"] == 0.0
    made = await agent.get("anonymize", data="visits.csv", quasi=quasi, k=5, out="made")
    assert (made["verified"], made["optimal"], made["suppressed"]) == (True, True, 1)
    withheld = {one["column"] for one in made["columns_withheld"]}
    assert withheld == set(COLUMNS) - set(quasi)
    assert (await agent.get("verify", release="made"))["passed"]
    assert (await agent.get("gate", release="made", policy="gate.toml"))["passed"]
    _spoil(folder / "made")
    assert not (await agent.get("verify", release="made"))["passed"]
    assert not (await agent.get("gate", release="made", policy="gate.toml"))["passed"]
    refused: list[tuple[str, dict[str, Any]]] = [
        ("scan", {"data": "ragged.csv"}),
        ("scan", {"data": "bytes.csv"}),
        ("risk", {"data": "ragged.csv", "quasi": quasi}),
        ("risk", {"data": "visits.csv", "quasi": ["nobody"]}),
        ("frontier", {"data": "visits.csv", "quasi": ["sex"], "population": "people.csv"}),
        ("anonymize", {"data": "visits.csv", "quasi": quasi, "k": 122, "out": "b"}),
        ("anonymize", {"data": "visits.csv", "quasi": quasi, "sensitive": ["name"], "out": "c"}),
        ("anonymize", {"data": "visits.csv", "quasi": quasi, "out": "made"}),
        ("verify", {"release": "gate.toml"}),
        ("gate", {"release": "made", "policy": "visits.csv"}),
    ]
    for tool, arguments in refused:
        assert (await agent.ask(tool, **arguments)).is_error, (tool, arguments)


def test_no_secret_is_in_an_answer_an_error_or_a_log(
    folder: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every tool, and errors that on the command line quote the cell."""
    caplog.set_level(logging.DEBUG)
    agent = _in_memory(folder, lambda one: _whole_walk(one, folder))
    assert len(agent.heard) > 18
    printed = capfd.readouterr()
    for text in (*agent.heard, caplog.text, printed.out, printed.err):
        assert MARK not in text


def test_the_real_command_says_no_secret_either(folder: Path) -> None:
    """Over standard input and output, standard error and all."""
    log = folder / "stderr"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "roadstead", "serve-mcp", "--allow", str(folder)],
        cwd=folder,
    )

    async def work(agent: Agent) -> None:
        assert (await agent.get("scan", data="visits.csv"))["records"] == 121
        refused = await agent.ask("scan", data="ragged.csv")
        assert refused.is_error

    with log.open("w") as stream:
        agent = _with_agent(stdio_client(server, errlog=stream), work)
    for text in (*agent.heard, log.read_text()):
        assert MARK not in text


def test_a_person_is_told_the_cell(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The witness: what the same work says on the command line does quote a secret."""
    monkeypatch.chdir(folder)
    ran = run("frontier", "visits.csv", "--quasi", "sex", "--population", "people.csv")
    assert ran.code == 2
    assert MARK in ran.err


@pytest.mark.parametrize(
    "data",
    ["../outside.csv", "link.csv", "/etc/passwd", "duckdb://x.duckdb?table=t", "~/x.csv", "\0", ""],
)
def test_nothing_outside_the_allowed_folders_is_opened(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, data: str
) -> None:
    """Fault class: a path that leads out, also by a link, or the address of a database."""
    outside = tmp_path_factory.mktemp("outside")
    _table(outside)
    (folder / "link.csv").symlink_to(outside / "visits.csv")

    async def work(agent: Agent) -> None:
        for tool in ("scan", "risk", "frontier", "anonymize"):
            more: dict[str, Any] = {} if tool == "scan" else {"quasi": ["sex"]}
            more |= {"out": "new"} if tool == "anonymize" else {}
            assert (await agent.ask(tool, data=data, **more)).is_error

    _in_memory(folder, work)


def test_nothing_is_written_outside_or_over_something(folder: Path) -> None:
    """Fault class: a release put where no agent may write."""

    async def work(agent: Agent) -> None:
        for out in (f"../{folder.name}-out", "/elsewhere", "visits.csv", ".", "a/b"):
            asked = {"data": "visits.csv", "quasi": ["sex"], "out": out}
            assert (await agent.ask("anonymize", **asked)).is_error

    before = sorted(folder.parent.iterdir())
    _in_memory(folder, work)
    assert sorted(folder.parent.iterdir()) == before


def test_a_first_record_is_not_taken_for_names(folder: Path) -> None:
    """Fault class: a file of texts alone without a header, whose first patient becomes names."""
    rows = [f"{MARK}{at},Ward {'ABC'[at % 3]}" for at in range(9)]
    (folder / "bare.csv").write_text("\n".join(["Ann Able,Ward A", *rows]) + "\n")

    async def work(agent: Agent) -> None:
        found = await agent.ask("scan", data="bare.csv")
        assert found.is_error
        assert "Ann Able" not in "".join(agent.heard)

    _in_memory(folder, work)

    async def trusted(agent: Agent) -> None:
        assert (await agent.get("scan", data="bare.csv"))["records"] == 9

    _in_memory(folder, trusted, header=True)


def test_wrong_arguments_are_named_and_not_repeated(folder: Path) -> None:
    """The error about an argument gives its name."""

    async def work(agent: Agent) -> None:
        for arguments in ({"data": 5}, {}, {"data": "visits.csv", "rows": "all"}):
            found = await agent.ask("scan", **arguments)
            assert found.is_error
            assert "data" in agent.heard[-1] or "rows" in agent.heard[-1]
        assert (await agent.ask("read_rows", data="visits.csv")).is_error

    _in_memory(folder, work)


def test_an_error_nobody_expected_is_not_repeated(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fault class: the text of an exception of a library, with the cell it stumbled over."""
    caplog.set_level(logging.DEBUG)

    def fails(*_: object) -> VerifyAnswer:
        raise ValueError(f"could not convert {MARK}age")

    _replace(monkeypatch, fails)

    async def work(agent: Agent) -> None:
        found = await agent.ask("verify", release="made")
        assert found.is_error
        assert "ValueError" in agent.heard[-1]

    agent = _in_memory(folder, work)
    assert MARK not in "".join(agent.heard) + caplog.text


def test_a_request_that_is_called_off_stops_the_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work is asked to stop, and the next request is answered."""
    began, stopped = threading.Event(), threading.Event()

    def endless(_asked: VerifyArguments, _allowed: Allowed, observer: Observer) -> VerifyAnswer:
        began.set()
        while not observer.stopped():
            began.wait()
        stopped.set()
        raise KeyboardInterrupt

    _replace(monkeypatch, endless)

    async def work(agent: Agent) -> None:
        async with anyio.create_task_group() as group:

            async def call() -> None:
                await agent.ask("verify", release="made")

            group.start_soon(call)
            await anyio.to_thread.run_sync(began.wait)
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(stopped.wait)
        assert (await agent.get("scan", data="visits.csv"))["records"] == 121

    _in_memory(folder, work)


def _replace(monkeypatch: pytest.MonkeyPatch, work: Callable[..., VerifyAnswer]) -> None:
    """Let `verify` do something else."""
    tool = AgentTool("verify", "", "", VerifyArguments, VerifyAnswer, work)
    monkeypatch.setattr(
        serving,
        "called",
        lambda name, given: (
            (tool, VerifyArguments(**given)) if name == "verify" else called(name, given)
        ),
    )
