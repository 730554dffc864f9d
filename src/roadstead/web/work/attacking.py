"""Attack a written release, and compare the results with the session's table.

The request is the same as on the command line. The page shows the results in the same section as a
report.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from roadstead.errors import RoadsteadError
from roadstead.jobs import Observer
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.release.kind import files_of
from roadstead.reports.attacks.facts import attack_lines
from roadstead.reports.attacks.page import attacks_section
from roadstead.requests.groups import READING
from roadstead.requests.joining import joined
from roadstead.requests.origin import Origin
from roadstead.requests.project import read_project
from roadstead.verbs.attack.request import AttackRequest
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.opening import laid_out_for
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.verify.request import VerifyRequest
from roadstead.web.sessions.last_release import file_states
from roadstead.web.work.exporting import place_of, repeated


def attack(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Attack a release. Return the results and the new state of the folder."""
    out, certify = Path(given["release"]), bool(given["certify"])
    judged = joined(RiskRequest, {}, read_project(Path(given["project"]), REQUESTS))
    reading = {key: getattr(judged, key) for key in READING}
    original = laid_out_for(judged.data, judged)
    request = AttackRequest(out, original=original, certify=certify, **reading)
    again = None
    with suppress(RoadsteadError):  # The user's file may no longer exist.
        again = attack_again(out, Path(given["exported"]), certify=certify)
    delivery = request.deliver(observer)
    checked = VerifyRequest(str(out)).deliver(observer) if certify else None
    facts = delivery.result.facts
    return {
        "certificate": fingerprint(out / CERTIFICATE).sha256,
        "certified": certify,
        "convicted": bool(facts.convicted),
        "piece": str(attacks_section(facts)),
        "said": [line for line in delivery.lines[len(attack_lines(facts)) :] if line],
        "files": file_states(out, files_of(out)),
        "verification": None if checked is None else dict(checked.document),
        "lines": None if checked is None else list(checked.lines),
        "again": again,
    }


def attack_again(out: Path, exported: Path, *, certify: bool) -> dict[str, str]:
    """Return a command and a Python call that repeat an attack on a release."""
    judged = joined(RiskRequest, {}, read_project(exported, REQUESTS))
    own = {
        "release": str(out),
        "original": place_of(laid_out_for(judged.data, judged)),
        **{key: value for key in READING if (value := getattr(judged, key)) not in (None, ())},
        **({"certify": True} if certify else {}),
    }
    return repeated("attack", AttackRequest(**own), Origin(own))
