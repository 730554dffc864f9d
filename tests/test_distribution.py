"""What is needed to build, install, and cite the package agrees with the package."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest
import typer
from packaging.requirements import Requirement

from roadstead import __version__
from roadstead.cli.app import app
from roadstead.cli.run import run as run_command_line
from roadstead.requests.fields import options_of
from roadstead.verbs.verify.request import VerifyRequest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HASH = re.compile(r" +--hash=sha256:[0-9a-f]{64}")


def hashed(file: str) -> dict[str, tuple[str, int]]:
    """Return the version and the number of hashes of each package of a file."""
    found: dict[str, tuple[str, int]] = {}
    name = ""
    for line in (ROOT / file).read_text("utf-8").splitlines():
        if HASH.match(line):
            version, hashes = found[name]
            found[name] = version, hashes + 1
        else:
            need = Requirement(line.removesuffix("\\").strip())
            name = need.name.lower().replace("_", "-")
            found[name] = str(need.specifier).removeprefix("=="), 0
    return found


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").split()
    pairs = (line.partition("==") for line in lines)
    return {name.lower().replace("_", "-"): version for name, _, version in pairs}


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-all.txt"])
def test_each_hashed_package_has_the_version_of_the_pins(file: str) -> None:
    """Fault class: the pins change, and the hashes stay those of the earlier versions."""
    found, pins = hashed(file), pinned()
    assert {name: version for name, (version, _) in found.items() if name in pins} == {
        name: pins[name] for name in found if name in pins
    }
    assert all(hashes for _, hashes in found.values())


def test_all_pins_have_hashes() -> None:
    assert pinned().keys() == hashed("requirements-all.txt").keys()


def test_the_hashed_core_has_every_dependency() -> None:
    core = hashed("requirements.txt")
    assert {Requirement(text).name for text in PROJECT["dependencies"]} <= core.keys()


def test_the_extra_for_everything_names_every_extra_of_users() -> None:
    """Fault class: an extra is added and `all` does not bring it."""
    (everything,) = PROJECT["optional-dependencies"]["all"]
    users = PROJECT["optional-dependencies"].keys() - {"all", "dev", "docs", "spark"}
    assert Requirement(everything).extras == users


def test_the_recipes_and_the_citation_have_the_version_and_the_needs_of_the_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert f'version: "{__version__}"' in recipe
    needs = set(re.findall(r"^    - ([a-z0-9-]+) >=([\d.]+)$", recipe, re.MULTILINE))
    asked = {
        (need.name, str(need.specifier).removeprefix(">="))
        for need in map(Requirement, PROJECT["dependencies"])
    }
    conda = {("python-duckdb" if name == "duckdb" else name, least) for name, least in asked}
    assert conda <= needs


def test_no_file_of_the_distribution_names_an_index() -> None:
    """Fault class: a download address that a hospital's network does not reach."""
    for file in ("constraints.txt", "requirements.txt", "requirements-all.txt"):
        assert "://" not in (ROOT / file).read_text("utf-8")


def test_a_shell_completes_commands_and_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault class: completion that the special start of the command line does not reach."""
    monkeypatch.setenv("_ROADSTEAD_COMPLETE", "complete_bash")
    for typed, position, offered in (
        ("roadstead anon", "1", "anonymize"),
        ("roadstead verify --sig", "2", "--signed-by"),
    ):
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", position)
        with pytest.raises(SystemExit):
            run_command_line([])
        assert offered in capsys.readouterr().out.split()


def test_each_command_has_a_manual_page_with_all_its_options() -> None:
    made = runpy.run_path(str(ROOT / "packaging/make_man_pages.py"))["pages"]()
    commands = getattr(typer.main.get_command(app), "commands", {})
    assert made.keys() == {"roadstead.1", *(f"roadstead-{command}.1" for command in commands)}
    page = made["roadstead-verify.1"].replace("\\-", "-")
    shown = [one for one in options_of(VerifyRequest).values() if one.command]
    assert all(f"--{one.name}" in page for one in shown if not one.positional)
