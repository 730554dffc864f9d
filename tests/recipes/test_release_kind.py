"""A kind of release of another package, as the page on design adds it, works end to end."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from commands import run
from signed_releases import keys

import roadstead as rs
from roadstead.errors import VerificationError
from roadstead.jobs import SILENT
from roadstead.registry import classes_in
from roadstead.release import kind
from roadstead.web.work.questions.determination import columns

DESIGN = Path(__file__).parents[2] / "docs" / "design.md"
ALLOWED = ("--allow-plugin", "house-bundles")
PATIENTS = [
    {"gender": gender, "decade": decade}
    for gender, decade, many in (("female", "1950s", 3), ("male", "1950s", 4), ("male", "1980s", 3))
    for _ in range(many)
]


@pytest.fixture
def bundles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module
    """The package of the page, installed."""
    page = DESIGN.read_text(encoding="utf-8")
    code = re.search(
        r"<!-- file house_bundles.py -->\n```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL
    )
    points = re.search(r'^bundle = "house_bundles:BundleRelease"$', page, re.MULTILINE)
    assert code is not None
    assert points is not None
    (tmp_path / "house_bundles.py").write_text(code[1], encoding="utf-8")
    installed = tmp_path / "house_bundles-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: house-bundles\nVersion: 1.0\n"
    )
    line = points[0].replace('"', "")
    (installed / "entry_points.txt").write_text(f"[roadstead.release_kinds]\n{line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = classes_in("roadstead.release.kinds", "name", "roadstead.release_kinds", "table")
    monkeypatch.setattr(kind, "RELEASE_KINDS", found)
    monkeypatch.delitem(__import__("sys").modules, "house_bundles", raising=False)
    return import_module("house_bundles")


@pytest.fixture
def release(bundles: Any, tmp_path: Path) -> Path:  # noqa: ANN401 - a module
    """A bundle of which three patients or more look the same."""
    assert bundles.publish(PATIENTS, 3, tmp_path / "release").passed
    return tmp_path / "release"


def test_a_release_that_fails_its_check_is_not_published(
    bundles: Any,  # noqa: ANN401 - a module
    tmp_path: Path,
) -> None:
    """The skeleton checks what any kind wrote, and leaves nothing."""
    with pytest.raises(VerificationError, match="k patients alike"):
        bundles.publish(PATIENTS, 4, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_a_kind_of_another_package_runs_only_where_its_reader_allows_it(release: Path) -> None:
    """Fault class: a certificate from a stranger chooses the program that checks it."""
    with pytest.raises(VerificationError, match="not part of Roadstead"):
        rs.verify(release)
    for verb, *others in (("gate", "--rules", "gate.toml"), ("sign", "--key", "a", "--name", "b")):
        (release.parent / "gate.toml").write_text("[promise]\nk = 3\n", encoding="utf-8")
        keys(release.parent, "a") if verb == "sign" else None
        ran = run(verb, release, *others)
        assert (ran.code == 0, "not part of Roadstead" in ran.err) == (False, True)


def test_it_is_verified_judged_signed_and_determined(release: Path) -> None:
    """By the very commands that know nothing of it."""
    ran = run("verify", release, *ALLOWED)
    assert (ran.code, "Passed: 3-anonymity" in ran.out) == (0, True)
    for k, code in ((3, 0), (4, 1)):
        Path("gate.toml").write_text(f"[promise]\nk = {k}\n", encoding="utf-8")
        assert run("gate", release, "--rules", "gate.toml", *ALLOWED).code == code
    keys(Path(), "officer")
    signing = ("--key", "officer", "--name", "Ana Ruiz", *ALLOWED)
    assert run("sign", release, *signing).code == 0
    ran = run("verify", release, "--signed-by", "officer.pub", *ALLOWED)
    assert (ran.code, "with a key that you trust" in ran.out) == (0, True)
    found = rs.determine(release, allow_plugin=["house-bundles"]).determination
    assert (found.kind, found.unit) == ("bundle", "record")


def test_the_page_asks_it_for_its_columns(release: Path) -> None:
    """The folder belongs to this user, and its writer chose the kind."""
    assert columns({"folder": str(release)}, SILENT) == {"columns": ["gender", "decade"]}


def test_a_bundle_that_was_changed_fails(release: Path) -> None:
    """A patient who was taken out shows in the file's fingerprint and in the count."""
    document = json.loads((release / "bundle.json").read_text(encoding="utf-8"))
    del document["entry"][0]
    (release / "bundle.json").write_text(json.dumps(document), encoding="utf-8")
    failed = rs.verify(release, allow_plugin=["house-bundles"]).failed
    assert [one.check for one in failed] == [
        "bundle.json matches the certificate",
        "k patients alike",
    ]


def test_an_attack_on_it_is_refused(release: Path) -> None:
    """Attacks read one table, and a kind that has none says so by itself."""
    ran = run("attack", release, *ALLOWED)
    assert (ran.code == 0, "only the release of a single table" in ran.err) == (False, True)
