"""Write a prepared and reviewed release to its folder, and verify it there.

The reviewed files are copied, so the written release is the release that the user reviewed. A
private release is not drawn a second time, and a search that ended early is not repeated. The
project file of the request is written next to the folder, and the result contains a command that
generates the same release again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

from roadstead.jobs import Observer
from roadstead.policies.json_document import POLICY
from roadstead.regular_files import content_of, require_regular
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.kind import files_of
from roadstead.release.staging import staged
from roadstead.requests.groups import READING
from roadstead.requests.joining import joined
from roadstead.requests.origin import Origin
from roadstead.requests.project import read_project
from roadstead.requests.writing import arguments, command
from roadstead.rooms import part_of
from roadstead.verbs.apply.request import ApplyRequest
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.sign.request import SignRequest
from roadstead.verbs.verify.request import VerifyRequest
from roadstead.web.sessions.last_release import certificate_of, file_states
from roadstead.web.work.exporting import export, place_of, repeated, require_new

_ATTACK_AGAIN = part_of("attacks", "web.work.attacking:attack_again")
_DETERMINE_AGAIN = part_of("determination", "web.work.determining:determine_again")
_AGAIN = "-again"
"""The suffix that the command adds to the name of the first folder."""
_DRAWN = "The noise is random: the command makes a different release, and spends epsilon again."
_PSEUDONYMS = (
    "Pseudonyms and date shifts are random, so the command makes new pseudonyms and shifts. "
    "Everything else is the same. With a key, the pseudonyms and shifts are the same too."
)
_FRONTIER = (
    "The command writes the whole frontier into a folder, and the release into a folder inside "
    "this folder."
)
_SIGNER = {"key": "FILE", "name": "WHO"}
_ENDED = (
    "The search ended early, and a new search would probably end differently. Therefore, the "
    "command applies the policy that the search found. The table is the same, but the report is "
    "shorter."
)


def publish(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Write a prepared release to a folder, verify it there, and show how to reproduce it."""
    prepared, out = Path(given["prepared"]), Path(given["out"])
    project = out.with_name(f"{out.name}.toml")
    force = bool(given["force"])
    require_new(project, force=force)
    with staged(out, force=force, own=files_of) as folder:
        for name in sorted(files_of(prepared)):
            require_regular(prepared / name, own=True)
            copyfile(prepared / name, folder / name)
        with ExitStack() as held:  # All tables must be closed when the folder gets its name.
            watched = replace(observer, opened=held.enter_context)
            checked = VerifyRequest(str(folder)).deliver(watched)
        checked.result.require(where=str(out))
    export(Path(given["project"]), project, dropped=given["dropped"], force=force)
    certificate = json.loads(content_of(out / CERTIFICATE, own=True))
    files = files_of(out)
    return {
        "out": str(out),
        "lines": list(checked.lines),
        "verification": dict(checked.document),
        "files": file_states(out, files),
        "certificate": certificate_of({"out": out}),
        "again": again(given["verb"], given["given"], project, out, certificate),
        "sign": command("sign", arguments(SignRequest, Origin({"release": str(out), **_SIGNER}))),
        "attack": _ATTACK_AGAIN and _ATTACK_AGAIN(out, project, certify=False),
        "determine": _DETERMINE_AGAIN and _DETERMINE_AGAIN(out),
        "check": command("verify", arguments(VerifyRequest, Origin({"release": str(out)}))),
    }


def again(
    verb: str,
    given: Mapping[str, Any],
    project: Path,
    out: Path,
    certificate: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a command and a Python call that generate the same release in a neighboring folder."""
    kind: Any = next(one for one in REQUESTS if one.verb == verb)
    found = read_project(project, REQUESTS)
    fields = {**given, "out": out.with_name(out.name + _AGAIN)}
    ended_early = (certificate.get("search") or {}).get("ending", "complete") != "complete"
    if ended_early and verb == "anonymize":
        request = joined(kind, fields, found)
        own = {
            "policy": str(out / POLICY),
            "data": found.get("data") and place_of(request.data),
            "release_anyway": tuple(request.release_anyway) or None,
            "key": request.key,
            "population": request.population and place_of(request.population),
            "population_counts": request.population_counts,
            "out": fields["out"],
            **{key: getattr(request, key) for key in READING},
        }
        own = {key: value for key, value in own.items() if value is not None}
        applied = ApplyRequest(**own)
        said = repeated("apply", applied, Origin(own))
        return {**said, "project": str(project), "remark": _ENDED}
    said = repeated(verb, joined(kind, fields, found), Origin(fields, found))
    remark = _FRONTIER if verb == "frontier" else _drawn_anew(certificate)
    return {**said, "project": str(project), "remark": remark}


def _drawn_anew(certificate: Mapping[str, Any]) -> str | None:
    """Report which parts of a release are random and therefore differ each time."""
    if "policy" not in certificate:
        return _DRAWN
    persons = certificate.get("persons") or {}
    shift = (certificate["policy"].get("persons") or {}).get("shift") or {}
    moved = bool(shift) and not shift.get("keyed", False)
    return _PSEUDONYMS if moved or persons.get("pseudonyms") == "forgotten" else None
