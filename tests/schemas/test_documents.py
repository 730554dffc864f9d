"""Each printed or written document agrees with its schema, and other documents are refused.

Commands that other tests run with ``--json`` are compared with their schemas too (`run` in
``tests/support/commands.py``).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import run
from document_schemas import changed, fits, require_fit
from jsonschema import Draft202012Validator
from signed_releases import write_release
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.schemas.documents import schema, schema_names
from roadstead.verbs.catalog import REQUESTS

Documents = dict[str, list[Any]]

OPTIONAL = {
    "anonymize": {"verified", "promised", "out"},
    "apply": {"verified", "promised", "out", "earlier_releases"},
    "attack": {"certified", "out"},
    "attacks-file": set(),
    "certificate": {"added", "identifiers", "seed", "attacks"},
    "private-certificate": {"seal"},
    "database-certificate": {"files", "people", "codes", "earliest_birth"},
    "certified-attack": {"needs", "counted"},
    "found-attack": {"needs", "counted"},
    "determination": {"files"},
    "determine": {"files", "out"},
    "evaluate": {"out"},
    "frontier": {"out", "release"},
    "ledger-entry": {"content", "records", "persons", "k", "policy", "classes"},
    "policy": set(),
    "risk": {"out", "advice"},
    "risk-file": {"advice"},
    "signed-statement": {"_type", "predicateType"},
    "synthesize": {"out", "verified"},
    "verify": {"signature", "counted"},
    "key": {"public_key"},
}
"""Keys that may be missing, by document: nothing else may be."""
LENIENT = {"certificate", "reproduce"}
"""Documents that later versions may extend, or that other distributions print."""


def _read(path: str | Path) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(Path(path).read_text("utf-8"))


def _printed(found: Documents, *arguments: str | Path, code: int = 0) -> None:
    ran = run(*arguments, "--json")
    assert ran.code == code, ran
    found.setdefault(str(arguments[0]), []).append(ran.json)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Documents:
    """Make one of each, the demonstration's where it has one."""
    folder = tmp_path_factory.mktemp("documents")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        found = _of_commands(folder)
        return found | dict(_of_files(folder, found))


def _of_commands(folder: Path) -> Documents:
    found: Documents = {}
    _printed(found, "demo", "--patients", "1500", "--out", "demo")
    data = "demo/patients.csv"
    quasi = ("--quasi", "sex,race")
    _printed(found, "scan", data, "--out", "scanned.toml")
    _printed(found, "risk", data, *quasi, "--out", "risk")
    _printed(found, "risk", data, *quasi, "--advise")
    _printed(found, "anonymize", data, *quasi, "--k", "5", "--out", "made")
    _printed(found, "frontier", data, *quasi, "--risk", "1", "--out", "frontier")
    (folder / "ledger").mkdir()
    ledger = ("--ledger", "ledger", "--ledger-people", "patients")
    _printed(found, "apply", "made/policy.json", data, "--out", "applied", *ledger)
    _printed(found, "apply", "made/policy.json", "--sql", "--table", "patients")
    _printed(found, "attack", "made", "--attacks", "singling-out", "--out", "attacks")
    certified = ("--attacks", "singling-out", "--original", data, "--certify")
    _printed(found, "attack", "made", *certified)
    _printed(found, "key", "own.key")
    _printed(found, "key", "sign.key", "--purpose", "signing")
    _printed(found, "sign", "made", "--key", "sign.key", "--name", "A. Reviewer")
    _printed(found, "verify", "made")
    _printed(found, "verify", data, *quasi, "--k", "400", code=1)
    (folder / "gate.toml").write_text("[promise]\nk = 5\n")
    _printed(found, "gate", "made", "--rules", "gate.toml")
    _printed(found, "repeat", "made", "--original", data)
    _printed(found, "determine", "made", "--new", "determination.toml")
    _printed(found, "determine", "made", "--dialect", "hipaa", "--out", "determined")
    people = [(str(20 + at * 7 % 40), "FM"[at % 2], str(int(at % 3 > 1))) for at in range(120)]
    write_csv(folder / "people.csv", ("age", "sex", "died"), people)
    domains = ("--target", "died", "--classes", "0,1", "--range", "age=20..59")
    private = (*domains, "--values", "sex=F,M", "--epsilon", "2", "--specializations", "2")
    _printed(found, "synthesize", "people.csv", *private, "--out", "private")
    _printed(found, "evaluate", "private", "--held-out", "people.csv", "--out", "judged")
    rehearsal = (*private, "--runs", "2", "--comparators", "none", "--classifiers", "tree")
    _printed(found, "evaluate", "people.csv", *rehearsal)
    return found


def _of_files(folder: Path, found: Documents) -> Iterator[tuple[str, list[Any]]]:
    whole = write_release("database", folder / "whole")
    yield "ledger-entry", [_read(one) for one in Path("ledger").glob("*.json")]
    yield "demo-file", [_read("demo/demo.json")]
    yield "risk-file", [_read("risk/risk.json")]
    yield "frontier-file", [_read("frontier/frontier.json")]
    yield "attacks-file", [_read("attacks/attacks.json")]
    yield "evaluation-file", [_read("judged/evaluation.json")]
    yield "determination", [_read("determined/determination.json")]
    yield "policy", [_read(one / "policy.json") for one in (Path("demo/release"), Path("made"))]
    certificates = [_read(one / "certificate.json") for one in (Path("demo/release"), Path("made"))]
    yield "certificate", certificates
    yield "certified-attack", certificates[1]["attacks"]
    yield "found-attack", found["attack"][1]["attacks"]
    yield "private-certificate", [_read("private/certificate.json")]
    yield "cut", [_read("private/cut.json")]
    yield "database-certificate", [_read(whole / "certificate.json")]
    envelope = _read("made/signature.json")
    yield "signature", [envelope]
    yield "signed-statement", [json.loads(base64.b64decode(envelope["payload"]))]


@pytest.mark.nightly
@pytest.mark.parametrize("name", [one for one in schema_names() if one != "reproduce"])
def test_a_document_is_as_its_schema_says(documents: Documents, name: str) -> None:
    """Every verb's JSON and every file."""
    for document in documents[name]:
        require_fit(name, document)


@pytest.mark.quick(11)
@pytest.mark.parametrize("name", [one for one in schema_names() if one != "reproduce"])
def test_a_changed_document_is_refused(documents: Documents, name: str) -> None:
    """A schema that everything fits says nothing: a key too many, one less, another kind."""
    for document in documents[name]:
        for change, other in changed(document):
            kept = change.removeprefix("without ") in OPTIONAL.get(name, set())
            if (kept and change.startswith("without ")) or (
                change == "a key too many" and name in LENIENT
            ):
                continue
            assert not fits(name, other), f"{change} is not seen"


def test_every_verb_has_a_schema() -> None:
    """Also those that no request makes; and every schema is one."""
    assert {one.verb for one in REQUESTS} | {"reproduce"} <= set(schema_names())
    for name in schema_names():
        Draft202012Validator.check_schema(schema(name))


def test_a_schema_is_complete_in_itself() -> None:
    """Whatever it speaks of comes with it."""
    certificate = rs.schema("certificate")
    assert certificate["$defs"]["policy"] == rs.schema("policy")
    assert run("schema", "certificate").json == certificate
    assert run("schema").out.split() == list(schema_names())


def test_a_schema_that_is_not_there_is_refused() -> None:
    """With the nearest name."""
    with pytest.raises(SettingError, match="did you mean certificate"):
        rs.schema("certificat")
    assert run("schema", "certificat").code == 2
