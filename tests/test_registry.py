"""Models by name, of this package and of others; what the page on design adds works end to end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from small_tables import write_csv

from roadstead.cli.run import run
from roadstead.errors import MissingExtraError, SettingError
from roadstead.privacy.registry import PRIVACY_MODELS
from roadstead.quality.words import QUALITY_MODELS
from roadstead.registry import Registry, classes_in
from roadstead.requests.fields import options_of
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.registry import FRONTIERS, LEVELS, PARTITIONS, THRESHOLDS
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.frontier.request import FrontierRequest

DESIGN = Path(__file__).parent.parent / "docs" / "design.md"
PACKAGE = {"package": "house-models", "version": "1.0"}
HEADER = ("age", "sex", "illness")


def registry() -> Registry[type[Any]]:
    """The privacy models, for a user who has not looked before."""
    return classes_in(
        "roadstead.privacy.models", "kind", "roadstead.privacy_models", default="k-anonymity"
    )


def offered(folder: Path, monkeypatch: pytest.MonkeyPatch, group: str, line: str) -> None:
    """Install a package that offers something."""
    metadata = folder / "house_models-1.0.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: house-models\nVersion: 1.0\n")
    with (metadata / "entry_points.txt").open("a") as points:
        points.write(f"[{group}]\n{line}\n")
    monkeypatch.syspath_prepend(folder)


def test_names_are_those_of_the_files_the_usual_one_first() -> None:
    """Every one of them has a class of that name."""
    for models, first in ((PRIVACY_MODELS, "k-anonymity"), (QUALITY_MODELS, "loss")):
        assert models.own[0] == first
        assert list(models.own[1:]) == sorted(models.own[1:])
        for name in models.own:
            assert name in {getattr(models[name], "kind", ""), models[name].name}


def test_names_are_known_without_importing_a_model() -> None:
    """A list of them in a help text must not wait for numbers."""
    code = (
        "import sys; from roadstead.quality.words import QUALITY_MODELS\n"
        "print(*QUALITY_MODELS.own)\n"
        "print([name for name in ('numpy', 'numba', 'importlib.metadata') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[1] == "[]"


def test_a_name_of_this_package_is_not_taken_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: a package that weakens a model under its own name."""
    offered(tmp_path, monkeypatch, "roadstead.privacy_models", "k-anonymity = json:JSONDecoder")
    models = registry()
    assert models["k-anonymity"].__module__ == "roadstead.privacy.models.k_anonymity"
    assert list(models).count("k-anonymity") == 1


@pytest.mark.parametrize("target", ["no_such_module:Model", "json:NoSuchModel", "json:loads"])
def test_a_model_that_cannot_be_loaded_is_an_error_that_names_its_package(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is listed nevertheless, and no other model is affected."""
    offered(tmp_path, monkeypatch, "roadstead.privacy_models", f"broken = {target}")
    models = registry()
    assert "broken" in models
    assert "k-map" in models
    with pytest.raises(SettingError, match="house-models"):
        _ = models["broken"]


def code_of_the_page() -> str:
    """The privacy and the quality model that the page adds, as a module of another package."""
    page = DESIGN.read_text(encoding="utf-8")
    part = page[page.index("### Add a privacy model") : page.index("### Add a search")]
    blocks = re.findall(r"<!-- run -->\n```python\n(.*?)```", part, re.DOTALL)
    parts = [re.split(r"\n\n\n\w+ = solve\(", block)[0] for block in blocks if "class " in block]
    return "\n\n".join(parts)


def several(folder: Path, *commands: Sequence[str], code: int = 0) -> list[tuple[str, str]]:
    """Run commands in one process that has imported nothing; return what each printed."""
    ran = subprocess.run(
        [sys.executable, "-c", _SEVERAL, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    printed = json.loads(ran.stdout)
    assert [one[0] for one in printed] == [code] * len(commands), printed
    return [(out, err) for _, out, err in printed]


TRUSTED = ("--allow-plugin", "house-models")


def released(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Install the models of the page, and make and verify a release with them."""
    (folder / "house_models.py").write_text(code_of_the_page(), encoding="utf-8")
    lines = {"privacy_models": "uncertainty = house_models:Uncertainty"}
    lines["quality_models"] = "worst-precision = house_models:WorstPrecision"
    for group, line in lines.items():
        offered(folder, monkeypatch, f"roadstead.{group}", line)
    rows = [(str(20 + i % 30), "fm"[i % 2], ("flu", "cold", "gout")[i % 3]) for i in range(240)]
    write_csv(folder / "patients.csv", HEADER, rows)
    options = ["--quasi", "age,sex", "--sensitive", "illness", "--out", "release", "--json"]
    chosen = ["--privacy", "uncertainty:share=0.5", "--quality", "worst-precision"]
    (made, _), (checked, _) = several(
        folder,
        ["anonymize", "patients.csv", *options, *chosen],
        ["verify", "release", *TRUSTED],
    )
    return made, checked


@pytest.mark.nightly
def test_the_models_of_the_page_work_from_another_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name, in the certificate and in the report; and the release is verified with them."""
    made, checked = released(tmp_path, monkeypatch)
    assert json.loads(made)["verified"] is True
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    model = {"kind": "uncertainty", "column": "illness", "share": 0.5}
    assert model in certificate["policy"]["privacy"]
    report = (tmp_path / "release" / "report.html").read_text(encoding="utf-8")
    assert "largest share of a value in a class" in report
    assert 'href="#doe-2026">(Doe 2026)' in report
    assert "J. Doe (2026). Being unsure." in report
    assert "the highest level of an attribute" in report
    assert certificate["plugins"] == [
        {"kind": "privacy model", "name": "uncertainty"} | PACKAGE,
        {"kind": "quality model", "name": "worst-precision"} | PACKAGE,
    ]
    assert "privacy model uncertainty of the package house-models 1.0" in report
    allowed = "models from other packages are allowed: privacy model uncertainty of the pack"
    assert allowed in checked
    assert "Passed" in checked
    (tmp_path / "house_models.py").write_text("raise SystemExit('loaded')\n", encoding="utf-8")
    ((refused, _),) = several(tmp_path, ["verify", "release"], code=1)
    assert "uncertainty of the package house-models 1.0 is not part of Roadstead" in refused
    assert "--allow-plugin house-models" in refused


@pytest.mark.nightly
def test_every_command_refuses_a_package_that_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command works if the package is trusted and has the version of the release."""
    released(tmp_path, monkeypatch)
    (tmp_path / "house_models.py").write_text("raise SystemExit('loaded')\n", encoding="utf-8")
    (tmp_path / "gate.toml").write_text("[measured]\nsmallest_class = 1\n")
    for refused, _ in several(
        tmp_path,
        ["verify", "release"],
        ["verify", "release", "--allow-plugin", "mouse-models"],
        ["gate", "release", "--rules", "gate.toml"],
        code=1,
    ):
        assert "uncertainty of the package house-models 1.0 is not part of Roadstead" in refused
        assert "--allow-plugin house-models" in refused
    further = (
        ["attack", "release"],
        ["attack", "release", "--original", "patients.csv", "--certify"],
        ["attack", "release", "--against", "release"],
        ["evaluate", "release", "--original", "patients.csv"],
        ["determine", "release"],
    )
    for _, stopped in several(tmp_path, *further, code=1):
        assert "is not part of Roadstead; if you trust this package" in stopped
        assert "--allow-plugin house-models" in stopped
    (tmp_path / "house_models.py").write_text(code_of_the_page(), encoding="utf-8")
    several(tmp_path, *([*command, *TRUSTED] for command in further))
    metadata = tmp_path / "house_models-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 2.0"))
    ((other, _),) = several(tmp_path, ["verify", "release", *TRUSTED], code=1)
    assert "but uncertainty of the package house-models 2.0 is installed" in other


_SEVERAL = """
import contextlib, io, json, sys
from roadstead.cli.run import run

printed = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        with contextlib.redirect_stderr(io.StringIO()) as err:
            code = run(words)
    printed.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(printed))
"""


PUBLISHED = {
    "searches.levels": "best-first flash ola incognito lattice-based igreedy datafly genetic",
    "searches.partition": "k-optimize partition-greedy partition-genetic",
    "searches.frontier": "sublattice-heuristic random-chain",
    "recodings.local": "first-fit iterated",
    "recodings.intervals": "mondrian",
}
"""Searches of the literature, by the group that roadstead-reproductions offers them to."""
SEARCHES: tuple[Registry[Any], ...] = (LEVELS, PARTITIONS, FRONTIERS, *RECODINGS.values())


def test_searches_of_the_literature_are_those_of_the_reproductions() -> None:
    """Each is installed in its kind, is imported by its name, and belongs to no stranger."""
    for searches in SEARCHES:
        published = PUBLISHED.get(searches.group.removeprefix("roadstead."), "").split()
        assert [name for name in searches if name not in searches.own] == published
        for name in published:
            assert searches[name]().name == name
            assert searches.plugin(name) is None


def test_a_search_of_the_literature_is_not_taken_by_a_stranger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: a package that is trusted because its search is called as a known one is."""
    before = LEVELS["flash"]
    offered(tmp_path, monkeypatch, "roadstead.searches.levels", "flash = json:JSONDecoder")
    assert LEVELS["flash"] is before
    monkeypatch.setattr("roadstead.registry.REPRODUCTIONS", "not-installed")
    assert "flash" not in LEVELS
    with pytest.raises(MissingExtraError, match="'flash' is not installed"):
        LEVELS.require("flash", where="search")


@pytest.mark.parametrize(
    ("verb", "name", "options"),
    [
        ("anonymize", "flash", ()),
        ("anonymize", "k-optimize", ()),
        ("anonymize", "first-fit", ("--recoding", "local")),
        ("anonymize", "mondrian", ("--recoding", "intervals")),
        ("frontier", "random-chain", ()),
    ],
)
def test_a_search_that_is_not_installed_says_what_to_install(
    verb: str,
    name: str,
    options: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A user of the core alone reads in one line that the name is correct."""
    monkeypatch.setattr("roadstead.registry.entry_points_of", lambda _: ())
    table = tmp_path / "patients.csv"
    write_csv(table, HEADER, [(str(20 + i % 30), "fm"[i % 2], "flu") for i in range(60)])
    words = [verb, str(table), "--quasi", "age,sex", "--search", name, *options]
    assert run(words) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"roadstead: --search: {name!r} is not installed; pip install roadstead-reproductions, or "
        "in a checkout of Roadstead: pip install ./reproductions"
    )


def test_a_release_by_a_search_of_the_literature_is_verified_where_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its certificate names no stranger's package, and checking requires no search."""
    rows = [(str(20 + i % 30), "fm"[i % 2], ("flu", "cold", "gout")[i % 3]) for i in range(240)]
    write_csv(tmp_path / "patients.csv", HEADER, rows)
    monkeypatch.chdir(tmp_path)
    for name, options in (("flash", ()), ("mondrian", ("--recoding", "intervals"))):
        words = ["anonymize", "patients.csv", "--quasi", "age,sex", "--search", name, *options]
        assert run([*words, "--out", name]) == 0
        certificate = json.loads((tmp_path / name / "certificate.json").read_text())
        assert certificate.get("plugins") is None
    monkeypatch.setattr("roadstead.registry.entry_points_of", lambda _: ())
    assert run(["verify", "flash"]) == 0
    assert run(["verify", "mondrian"]) == 0


def test_what_is_installed_and_not_requested_is_not_loaded(tmp_path: Path) -> None:
    """Fault class: an unrequested package runs in the process that holds the data."""
    (tmp_path / "nosy.py").write_text("raise SystemExit('loaded')\n", encoding="utf-8")
    metadata = tmp_path / "nosy-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: nosy\nVersion: 1.0\n")
    groups = (
        *("privacy_models", "quality_models", "attacks", "stores", "recodings.local"),
        *("searches.levels", "searches.partition", "searches.frontier", "searches.threshold"),
    )
    points = "".join(f"[roadstead.{group}]\nnosy = nosy:ANY\n" for group in groups)
    (metadata / "entry_points.txt").write_text(points)
    rows = [(str(20 + i % 30), "fm"[i % 2], ("flu", "cold", "gout")[i % 3]) for i in range(240)]
    write_csv(tmp_path / "patients.csv", HEADER, rows)
    program = """
from collections.abc import Sequence
from pathlib import Path
import roadstead as rs
from roadstead.errors import RoadsteadError

roles = {"quasi": ["age", "sex"], "sensitive": ["illness"]}
rs.scan("patients.csv")
result = rs.anonymize("patients.csv", **roles, k=2)
result.write("release")
assert rs.verify("release").passed
rs.attack("release", original="patients.csv")
rs.frontier("patients.csv", **roles, quality="loss")
rs.risk("patients.csv", quasi=["age", "sex"])
for call in (
    lambda: rs.anonymize("patients.csv", **roles, search="nobody"),
    lambda: rs.anonymize("patients.csv", **roles, quality="nobody"),
    lambda: rs.anonymize("patients.csv", **roles, privacy="nobody:x=1"),
    lambda: rs.frontier("patients.csv", **roles, search="nobody"),
    lambda: rs.attack("release", attacks=["nobody"]),
    lambda: rs.risk("nobody://db?table=t", quasi=["age"]),
    lambda: rs.risk("missing.csv", quasi=["age"]),
):
    try:
        call()
    except RoadsteadError:
        pass
    else:
        raise AssertionError("not refused")
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_the_help_of_a_search_names_all_there_are() -> None:
    """A search that is registered but not documented would fail here."""
    for kind, known in (
        (AnonymizeRequest, (*LEVELS, *PARTITIONS)),
        (FrontierRequest, (*FRONTIERS, *THRESHOLDS)),
    ):
        text = options_of(kind)["search"].help
        assert not [name for name in known if name not in text]
