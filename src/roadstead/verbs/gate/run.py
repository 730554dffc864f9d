"""Verify a release, and check it against the rules of a gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.near_names import did_you_mean
from roadstead.release.gate.policy import GatePolicy, read_gate
from roadstead.release.gate.rules import GateFinding, judge
from roadstead.release.kind import release_of
from roadstead.release.signing.check import check_signature, with_signature
from roadstead.reports.gate import gate_document, gate_lines
from roadstead.requests.checks import day, wrong
from roadstead.rooms import part_of
from roadstead.verbs.verify.folder import require_folder, today, trusted_keys, verify_folder

if TYPE_CHECKING:
    from roadstead.verbs.gate.request import GateRequest


def deliver(request: GateRequest, observer: Observer) -> Delivery[GateFinding]:
    """Check a release against each rule, and return the results with an overall result."""
    folder = require_folder(request.release)
    if request.rules is None:
        raise wrong("rules", "the gate has no rules", f"give {option('rules', 'gate.toml')}")
    path = Path(request.rules)
    policy = read_gate(path)
    _require_attacks(policy, path)
    keys = () if policy.signature is None else policy.signature.keys
    trusted = trusted_keys([path.parent / key for key in keys], folder)
    on = today() if request.on is None else day(request.on, "on")
    allowed = request.allow_plugin or ()
    content = verify_folder(folder, request.table, observer, signature=False, allowed=allowed)
    # An existing signature must be valid, even if the gate does not require one.
    verification = with_signature(content, folder, (), on)
    found = judge(
        policy,
        release_of(folder, allowed).facts if content.passed else None,
        verification,
        check_signature(folder, trusted, on)[0],
        on,
    )
    observer.finished()
    return Delivery(
        found, gate_lines(found), gate_document(found), exit_code=0 if found.passed else 1
    )


def _require_attacks(policy: GatePolicy, path: Path) -> None:
    known = part_of("attacks", "attacks.catalog:ATTACKS")
    for name in policy.attacks.tried if policy.attacks else ():
        if known is not None and name not in known:
            raise SettingError(
                f"attacks.tried: there is no attack {quoted(name)}",
                where=str(path),
                fix=did_you_mean(name, sorted(known)),
            )
