"""The recipes run: with their tool if it is installed, and by hand everywhere.

The tests of the documentation run the commands that a page shows as such. This test takes them out
of the script, the DAG, and the R code, so that both have the same commands.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import run, without_charts
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs

PAGES = Path(__file__).parents[2] / "docs" / "recipes"
_FILE = re.compile(
    r"<!-- file (?P<name>\S+) -->\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
QUASI = ["sex", "age"]


def files_of(page: str) -> dict[str, str]:
    """Give the files that a page shows."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return {found["name"]: found["text"] for found in _FILE.finditer(text)}


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, a policy that was decided on, and the table in a warehouse."""
    import duckdb  # noqa: PLC0415 - heavy

    folder = tmp_path_factory.mktemp("decided")
    table = folder / "patients.csv"
    write_csv(table, PATIENTS, patients(200))
    with pytest.MonkeyPatch.context() as patch:
        without_charts(patch)
        rs.anonymize(table, quasi=QUASI, k=5, suppression=0.3, out=folder / "once")
    shutil.move(folder / "once" / "policy.json", folder)
    shutil.rmtree(folder / "once")
    with duckdb.connect(folder / "warehouse.duckdb") as warehouse:
        warehouse.execute(f"CREATE TABLE stays AS FROM read_csv('{table}', all_varchar=true)")
    return folder


@pytest.fixture
def place(decided: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to work in."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(decided, tmp_path, dirs_exist_ok=True)
    return tmp_path


def ours(lines: list[str]) -> list[list[str]]:
    """Take the commands of ours out of a script, in their order."""
    words = [shlex.split(line) for line in lines]
    return [one[1:] for one in words if one and one[0] == "roadstead"]


def carry_out(commands: list[list[str]]) -> None:
    """Run them all; each has to end with 0."""
    for command in commands:
        ran = run(*command)
        assert ran.code == 0, ran.err + ran.out


def put(page: str, *names: str) -> None:
    """Write files of a page; rules for the made-up patients of the page fit those of the test."""
    files = files_of(page)
    for name in names:
        text = files[name].replace("suppression = 0.05", "suppression = 0.3")
        Path(name).write_text(text, encoding="utf-8")


def installed_here(environment: dict[str, str]) -> dict[str, str]:
    """Add the folder of this Python to the path, so that a script finds the command."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return {**environment, "PATH": path}


def test_the_step_after_dbt(place: Path) -> None:
    """The commands of the script; a gate that says no ends it."""
    put("dbt.md", "gate.toml", "release.sh")
    commands = ours((place / "release.sh").read_text("utf-8").splitlines())
    assert [command[0] for command in commands] == ["apply", "gate"]
    carry_out(commands)
    (place / "gate.toml").write_text("[promise]\nk = 6", encoding="utf-8")
    assert run(*commands[1]).code == 1


PROFILE = """
clinic:
  target: dev
  outputs:
    dev: {type: duckdb, path: warehouse.duckdb}
"""
PROJECT = """
name: clinic
version: "1.0"
profile: clinic
model-paths: [models]
"""


@pytest.mark.skipif(shutil.which("dbt") is None, reason="needs dbt and its adapter for DuckDB")
def test_the_script_runs_with_dbt(place: Path) -> None:
    """The table is one that dbt builds."""
    put("dbt.md", "gate.toml", "release.sh")
    (place / "warehouse.duckdb").unlink()
    (place / "models").mkdir()
    model = "{{ config(materialized='table') }} from read_csv('patients.csv', all_varchar=true)"
    (place / "models" / "stays.sql").write_text(model, encoding="utf-8")
    (place / "dbt_project.yml").write_text(PROJECT, encoding="utf-8")
    (place / "profiles.yml").write_text(PROFILE, encoding="utf-8")
    environment = installed_here({**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"})
    done = subprocess.run(
        ["sh", "release.sh"],  # noqa: S607 - any shell
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed: 6 rules" in done.stdout


def tasks_of(text: str) -> dict[str, str]:
    """Take the commands out of a DAG, by task."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "BashOperator":
            given: dict[str, Any] = {
                one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg
            }
            found[given["task_id"]] = given["bash_command"]
    return found


def test_the_tasks_of_airflow(place: Path) -> None:
    """The commands, with the gate before the step that releases the data, month after month."""
    put("airflow.md", "gate.toml")
    text = files_of("airflow.md")["monthly_release.py"]
    assert "apply >> gate >> publish" in text
    tasks = tasks_of(text)
    assert list(tasks) == ["apply", "gate", "publish"]
    commands = ours([tasks["apply"], tasks["gate"]])
    assert len(commands) == 2
    carry_out(commands)
    for _ in range(2):
        subprocess.run(["sh", "-c", tasks["publish"]], check=True)  # noqa: S607 - our own page
    assert (place / "published" / "certificate.json").is_file()
    assert not (place / "published" / "release").exists()


@pytest.mark.skipif(shutil.which("airflow") is None, reason="needs airflow")
def test_the_dag_runs_in_airflow(place: Path) -> None:
    """Once it passes, and once the gate says no and nothing is published."""
    put("airflow.md", "gate.toml", "monthly_release.py")
    (place / "dags").mkdir()
    (place / "monthly_release.py").rename(place / "dags" / "monthly_release.py")
    environment = installed_here(
        {
            **os.environ,
            "AIRFLOW_HOME": str(place / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(place / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "RELEASES": str(place),
        }
    )

    def airflow(*arguments: str) -> int:
        given = ["airflow", *arguments]
        return subprocess.run(given, env=environment, capture_output=True, check=False).returncode

    assert airflow("db", "migrate") == 0
    (place / "gate.toml").write_text("[promise]\nk = 6", encoding="utf-8")
    assert airflow("dags", "test", "monthly_release", "2026-02-01") != 0
    assert (place / "release").is_dir()
    assert not (place / "published").exists()
    put("airflow.md", "gate.toml")
    assert airflow("dags", "test", "monthly_release", "2026-03-01") == 0
    assert (place / "published" / "certificate.json").is_file()


def in_python(line: str) -> str:
    """Write a call of R in Python's way; what the page has no more of is not known here."""
    line = line.replace("<-", "=").replace("TRUE", "True").replace("$", ".")
    return re.sub(r"\b(?:c|list)\(([^()]*)\)", r"[\1]", line)


@pytest.mark.usefixtures("place")
def test_the_calls_from_r() -> None:
    """Every line that calls us, in its order."""
    put("r.md", "gate.toml")
    text = files_of("r.md")["release.R"]
    calls = [line for line in text.splitlines() if re.match(r"(\w+ <- )?(rs|decided)\$", line)]
    assert len(calls) == 4
    names: dict[str, Any] = {"rs": rs}
    for line in calls:
        own = in_python(line).replace("demo-release/", "")
        own = own.replace('"race", "zip"', '"age"').replace('"outcome"', '"diagnosis"')
        own = own.replace("k = 5)", "k = 5, suppression = 0.3)")
        exec(compile(own.replace('"decided")', '"decided", force=True)'), "r", "exec"), names)  # noqa: S102 - our own page
    assert names["found"].passed


def has_reticulate() -> bool:
    """Whether R is there with what calls Python."""
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", "library(reticulate)"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.mark.nightly
@pytest.mark.skipif(not has_reticulate(), reason="needs R with reticulate")
def test_the_script_runs_in_r(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the patients of the demonstration, as the page has it."""
    monkeypatch.chdir(tmp_path)
    put("r.md", "gate.toml", "release.R")
    assert run("demo", "--out", "demo-release").code == 0
    environment = {**os.environ, "RETICULATE_PYTHON": sys.executable}
    done = subprocess.run(
        ["Rscript", "release.R"],  # noqa: S607 - whichever is there
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed; 4 of 4 rules hold" in done.stdout
