"""Attack a release, and add the findings to its certificate if requested."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.attacks.attacked_release import opened_release
from roadstead.attacks.registry import try_all
from roadstead.attacks.target import Target
from roadstead.errors import SourceError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer, Stopped
from roadstead.printable import printable
from roadstead.release.attacked import certify_attacks
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.kind import release_of, verified
from roadstead.reports.attacks.facts import AttackFacts, attack_lines
from roadstead.reports.attacks.words import attack_words
from roadstead.reports.written import files_written, nothing_written
from roadstead.requests.checks import wrong
from roadstead.tables.missing_codes import OptionalCode
from roadstead.tables.reading import read_original
from roadstead.tables.source import Source
from roadstead.verbs.attack.certified import (
    certified_in,
    for_release,
    former_ones,
    replaced_ones,
    with_former,
    without_records,
)
from roadstead.verbs.attack.result import AttackFinding, check_attack_folder
from roadstead.verbs.attack.settings import (
    attack_names,
    promise_of_release,
    require_columns,
    require_held_out,
    require_original,
    settings_of,
    untried_columns,
)
from roadstead.verbs.declared_codes import keeping_codes_of
from roadstead.verbs.opening import opened, with_recorded_missing
from roadstead.verbs.verify.folder import require_folder

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.verbs.attack.request import AttackRequest

_NOT_PRIVATE = (
    "Only figures that do not use individual records are certified. Epsilon covers only the "
    "released data, and the other figures were computed from the records themselves, without "
    "noise."
)


def deliver(request: AttackRequest, observer: Observer) -> Delivery[AttackFinding]:
    """Attack a release, write or certify the findings as requested, and describe them."""
    folder = _require_release(request.release)
    if request.out is not None:
        check_attack_folder(request.out, force=request.force)
    allowed = request.allow_plugin or ()
    release = release_of(folder, allowed)
    if request.certify and request.original is None and not release.noisy:
        raise wrong(
            "certify",
            "attacks can be certified only with the original table, but no original table is given",
            f"add {option('original', 'DATA')}",
        )
    if request.certify:
        verified(folder, allowed).require(where=str(folder))
    found = result_of(request, observer)
    lines, document = [*attack_lines(found.facts)], found.to_dict()
    notes: tuple[str, ...] = ()
    if request.certify:
        shared = for_release(without_records(found) if release.noisy else found)
        kept = with_former(release.attacks, shared)
        replaced = replaced_ones(release.attacks, found)
        made = certify_attacks(
            folder,
            kept.facts.found,
            kept.page(),
            kept.in_report,
            allowed=allowed,
        )
        if release.noisy:
            lines += ["", _NOT_PRIVATE]
        lines += ["", *certified_in(folder, made, kept)]
        lines += [*former_ones(found, kept), *replaced]
        document |= {"certified": True, "signature_removed": made.unsigned}
    if request.out is not None:
        found.write(request.out, force=request.force)
        lines += ["", files_written(request.out, ("attacks.json", "attacks.html"))]
        document |= {"out": str(request.out)}
    elif not request.certify:
        notes = (nothing_written("the figures and the page"),)
    observer.finished()
    code = 1 if found.convicted else 0
    return Delivery(found, tuple(lines), document, notes, exit_code=code)


def _require_release(release: str | Path) -> Path:
    folder = require_folder(release)
    if not (folder / CERTIFICATE).exists():
        inside = sorted(folder.glob(f"*/{CERTIFICATE}"))
        fix = f"did you mean {inside[0].parent}?" if inside else "give the folder of a release"
        raise SourceError("this folder has no certificate", where=str(folder), fix=fix)
    return folder


def result_of(request: AttackRequest, observer: Observer) -> AttackFinding:
    """Run the attacks of a request on a release."""
    folder = _require_release(request.release)
    request = with_recorded_missing(request, folder, observer)
    settings, names = settings_of(request), attack_names(request)
    allowed = request.allow_plugin or ()
    with contextlib.ExitStack() as stack:
        release = stack.enter_context(opened_release(folder, allowed))
        second = None
        if request.against is not None:
            against = require_folder(request.against)
            second = stack.enter_context(opened_release(against, allowed))
        others = replace(request, missing=tuple(map(OptionalCode, request.missing or ())))
        tables = {
            key: _opened(getattr(request, key), asked, observer, release.policy)
            for key, asked in (("original", request), ("register", others), ("held_out", others))
        }
        target = Target(release, **tables, second=second)
        if target.original is not None:
            require_original(target)
            require_held_out(target)
        require_columns(request, target)

        def began(name: str) -> None:
            if observer.stopped():
                raise Stopped
            observer.note(f"trying: {attack_words(name).title.lower()}")

        findings = try_all(names, target, settings, began)
        promise = promise_of_release(release)
    untried = (*findings.untried, *untried_columns(release.policy))
    name = printable(folder.resolve().name)
    facts = AttackFacts(name, findings.found, untried, settings.seed, promise)
    return AttackFinding(facts)


def _opened(
    data: Any,  # noqa: ANN401 - a table of any library
    request: AttackRequest,
    observer: Observer,
    policy: Policy | None,
) -> Source | None:
    """Open a table, with the missing codes that the release keeps."""
    if data is None:
        return None
    source = opened(data, request, observer, read_original, quietly=True)
    return source if policy is None else keeping_codes_of(source, policy)
