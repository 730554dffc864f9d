"""The command ``explore``: its start, its refusals, and its remains."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run
from patience import PATIENCE, wait_until
from workbench import Bench, served


def _table(folder: Path) -> Path:
    table = folder / "patients.csv"
    table.write_text("age,sex\n" + "30,f\n40,m\n" * 20)
    return table


def _said(*arguments: str) -> str:
    """Run the command here, which must end at once with code 2; give the one line it says."""
    ran = run("explore", "--no-browser", *arguments)
    assert (ran.code, ran.out) == (2, ""), ran.err
    return ran.error


@pytest.fixture
def unserved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a workbench that should be refused fail, and not wait for a browser."""
    monkeypatch.setattr("uvicorn.Server.run", lambda *_: pytest.fail("the workbench was started"))


def _refused(*arguments: str, code: str = "") -> str:
    """Start the real command, which must end at once with code 2; give what it says."""
    program = f"{code}\nfrom roadstead.cli import main\nmain()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "explore", "--no-browser", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


def _children(pid: int) -> list[int]:
    """List the processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


def _gone(pid: int) -> bool:
    """Whether a process has ended, even if its exit code was not read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _raw(state: Path) -> list[Path]:
    """List the copies of tables in a state folder."""
    return [one for one in state.glob("raw-*/*/*") if one.is_file()]


def _dropped(bench: Bench, folder: Path) -> str:
    """Drop a table on the page; give the piece of work."""
    piece = bench.begin()
    headers = {"X-File-Name": "patients.csv"}
    content = _table(folder).read_bytes()
    assert bench.request("PUT", f"{piece}/data/drop", content, headers).status == 303
    assert bench.wait(piece, "scan")["state"] == "done"
    return piece


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 0)]
)
def test_signals_end_it_with_nothing_raw_left(tmp_path: Path, number: int, code: int) -> None:
    state = tmp_path / "state"
    with served(state, [tmp_path]) as bench:
        _dropped(bench, tmp_path)
        children = _children(bench.process.pid)
        assert len(_raw(state)) == 1
        assert children
        assert bench.end(number) == code
        assert bench.process.stderr is not None
        assert bench.process.stderr.read() == ""
    assert not list(state.glob("raw-*"))
    assert all(map(_gone, children))


def test_killed_it_leaves_nothing_raw_and_the_next_finds_the_work(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with served(state, [tmp_path]) as bench:
        piece = _dropped(bench, tmp_path)
        children = _children(bench.process.pid)
        bench.end(signal.SIGKILL)
        wait_until(lambda: not list(state.glob("raw-*")), "what follows")
        wait_until(lambda: all(map(_gone, children)), "what follows")
    with served(state, [tmp_path]) as bench:
        assert "patients.csv" in bench.get("/").text
        assert "Drop the file again" in bench.get(f"{piece}/data").text


@pytest.mark.nightly
def test_two_servers_of_one_folder_leave_each_other_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with served(state, [tmp_path]) as first:
        piece = _dropped(first, tmp_path)
        with served(state, [tmp_path]) as second:
            assert len(_raw(state)) == 1
            assert "patients.csv" in second.get("/").text
            second.end(signal.SIGINT)
        assert "40 records" in first.get(f"{piece}/data").text
        assert first.get(f"{piece}/data/rows").status == 200
        assert len(list(state.glob("raw-*"))) == 1


def test_what_outlived_a_power_cut_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "state" / "raw-0123"
    left.mkdir(parents=True)
    (left / "patients.csv").write_text("name\nAnn\n")
    with served(tmp_path / "state", [tmp_path]):
        assert not left.exists()


@pytest.mark.nightly
def test_a_table_that_is_named_is_opened_at_once(tmp_path: Path) -> None:
    table = _table(tmp_path)
    with served(tmp_path / "state", (), "patients.csv", folder=tmp_path) as bench:
        piece = bench.home.removesuffix("/data")
        assert bench.wait(piece, "scan")["state"] == "done"
        assert "40 records" in bench.get(f"{piece}/data").text
        assert str(table) in (bench.folder(piece) / "project.toml").read_text()


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        said = _refused("--port", port, "--state", str(tmp_path / "state"))
    assert said == (
        f"roadstead: port {port}: another program uses this port; choose another port, or omit "
        "the option to get a free port\n"
    )


@pytest.mark.usefixtures("unserved")
def test_folders_that_cannot_be_used_are_said(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    state = str(tmp_path / "state")
    assert "this is not a folder; allow a folder that exists" in _said(
        "--allow", str(tmp_path / "none"), "--state", state
    )
    said = _said("--state", str(file))
    assert "cannot store the work (File exists)" in said
    assert "--state" in said
    assert "the file or folder does not exist" in _said(
        str(tmp_path / "none.csv"), "--state", state
    )
    assert not os.path.lexists(state)


@pytest.mark.quick(2)
@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "python_multipart", "js_lib_htmx"])
def test_without_its_extra_it_says_what_to_install(tmp_path: Path, missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None"
    if missing == "js_lib_htmx":
        code = (
            "from importlib import metadata\n"
            "def missing(name): raise metadata.PackageNotFoundError(name)\n"
            "metadata.distribution = missing"
        )
    said = _refused("--state", str(tmp_path / "state"), code=code)
    assert "pip install 'roadstead[web]'" in said


@pytest.mark.nightly
def test_a_project_file_is_begun_with_and_not_changed(tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    _table(study)
    project = study / "mine.toml"
    project.write_text(
        'data = "patients.csv"\n[roles]\nquasi = ["age"]\nsensitive = ["sex"]\n[privacy]\nk = 7\n'
    )
    before = project.read_bytes()
    with served(tmp_path / "state", (), "--project", str(project), folder=tmp_path) as bench:
        piece = bench.home.removesuffix("/data")
        assert bench.wait(piece, "scan")["state"] == "done"
        page = bench.get(f"{piece}/columns").text
        assert "k = 7" in page
        assert "patients.csv" in page
        bench.post(f"{piece}/release/prepare")
        record = bench.wait(piece, "prepare")
        assert record["state"] == "done", record
        assert "7-anonymity" in bench.get(f"{piece}/release").text
    assert project.read_bytes() == before


@pytest.mark.usefixtures("unserved")
def test_a_project_file_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    project, state = tmp_path / "mine.toml", str(tmp_path / "state")
    assert "No such file" in _said("--project", str(project), "--state", state)
    project.write_text("data = 3 3")
    assert "it is not a TOML file" in _said("--project", str(project), "--state", state)
    project.write_text("[privacy]\nk = 7\n")
    assert "does not name a table" in _said("--project", str(project), "--state", state)


@pytest.mark.usefixtures("unserved")
@pytest.mark.parametrize("key", ["codebook", "missing"])
def test_a_project_file_cannot_name_another_file_to_read_the_table_with(
    tmp_path: Path, key: str
) -> None:
    """A codebook and a file of codes are in an allowed folder, like the table."""
    study = tmp_path / "study"
    study.mkdir()
    _table(study)
    (tmp_path / "codes.csv").write_text("age,99\n")
    project = study / "mine.toml"
    value = {"codebook": '"../codes.csv"', "missing": '["../codes.csv"]'}[key]
    project.write_text(f'data = "patients.csv"\n[reading]\n{key} = {value}\n')
    arguments = ("--project", str(project), "--state", str(tmp_path / "state"))
    assert "outside the allowed folders" in _said(*arguments, "--allow", str(study))


def test_other_commands_need_nothing_of_the_page(tmp_path: Path) -> None:
    missing = ("starlette", "uvicorn", "python_multipart", "anyio", "h11", "js_lib_htmx")
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r}))"
    program = f"{code}\nfrom roadstead.cli import main\nmain()"
    for arguments in (["--help"], ["explore", "--help"], ["scan", str(_table(tmp_path))]):
        subprocess.run([sys.executable, "-c", program, *arguments], check=True, cwd=tmp_path)
