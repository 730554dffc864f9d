"""Attack a release, and certify what was found where that is asked."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.attacks.attacked_release import AttackedRelease, opened_release
from roadstead.attacks.finding import Untried
from roadstead.attacks.matching.control import looks_released
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.registry import ATTACKS, try_all
from roadstead.attacks.target import Target
from roadstead.errors import SettingError, SourceError
from roadstead.front_end import option, worded
from roadstead.jobs import Delivery, Observer, Stopped
from roadstead.printable import printable
from roadstead.release.attacked import Certified, certify_attacks
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.evidence import for_sharing
from roadstead.release.kind import release_of, verified
from roadstead.release.verification.terms import terms_of
from roadstead.reports.attacks.facts import AttackFacts, attack_lines
from roadstead.reports.attacks.words import attack_words
from roadstead.reports.verification import held
from roadstead.reports.wording import counted, listed
from roadstead.requests.checks import wrong
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.verbs.attack.result import AttackFinding, check_attack_folder
from roadstead.verbs.opening import opened
from roadstead.verbs.verify.folder import require_folder
from roadstead.verbs.writing import nothing_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.policies.document import Policy
    from roadstead.release.evidence import CertifiedAttack
    from roadstead.verbs.attack.request import AttackRequest

_ATTEMPTS = 2_000
_NOT_PRIVATE = (
    "Certified is what needed no record alone: epsilon is for all that is released, and the other "
    "figures were counted from the records themselves, without noise."
)
_MOST = 1_000_000


def deliver(request: AttackRequest, observer: Observer) -> Delivery[AttackFinding]:
    """Attack, write and certify what was found, and say it."""
    folder = _require_release(request.release)
    if request.out is not None:
        check_attack_folder(request.out, force=request.force)
    allowed = request.allow_plugin or ()
    release = release_of(folder, allowed)
    if request.certify and request.original is None and not release.noisy:
        raise wrong(
            "certify",
            "attacks are certified that had the original to be judged by, and none is named",
            f"add {option('original', 'DATA')}",
        )
    if request.certify:
        verified(folder, allowed).require(where=str(folder))
    found = result_of(request, observer)
    lines, document = [*attack_lines(found.facts)], found.to_dict()
    notes: tuple[str, ...] = ()
    if request.certify:
        shared = _shared(_without_records(found) if release.noisy else found)
        kept = _with_former(release.attacks, shared)
        replaced = _replaced_ones(release.attacks, found)
        made = certify_attacks(
            folder,
            kept.facts.found,
            kept.page(),
            kept.in_report,
            allowed=allowed,
        )
        if release.noisy:
            lines += ["", _NOT_PRIVATE]
        lines += ["", *_certified(folder, made)]
        lines += [*_former_ones(found, kept), *replaced]
        document |= {"certified": True, "signature_removed": made.unsigned}
    if request.out is not None:
        found.write(request.out, force=request.force)
        lines += ["", f"Written to {request.out}: attacks.json, attacks.html."]
        document |= {"out": str(request.out)}
    elif not request.certify:
        notes = (nothing_written("the figures and the page"),)
    observer.finished()
    code = 1 if found.convicted else 0
    return Delivery(found, tuple(lines), document, notes, exit_code=code)


def _without_records(found: AttackFinding) -> AttackFinding:
    """Keep what no record was looked at for: all else would tell of the records without noise."""
    kept = tuple(one for one in found.facts.found if not one.needs)
    if not kept:
        what = (
            "epsilon is for all that is released, and these figures were counted from the records "
            "themselves, without noise"
        )
        fix = worded(
            command=f"keep them to yourself: {option('out', 'DIR')}",
            python=f"keep them to yourself: {option('out', 'DIR')}",
            page="look at them here alone, and leave the mark Certify out",
        )
        raise wrong("certify", what, fix)
    return AttackFinding(replace(found.facts, found=kept))


def _with_former(certified: Sequence[CertifiedAttack], found: AttackFinding) -> AttackFinding:
    """Keep what the certificate has of attacks that were not tried anew, convictions too."""
    tried = frozenset(found.facts.names)
    former = tuple(one for one in certified if one.attack not in tried)
    there = {one.attack for one in former}
    untried = tuple(one for one in found.facts.untried if one.attack not in there)
    return AttackFinding(replace(found.facts, found=(*former, *found.facts.found), untried=untried))


def _former_ones(found: AttackFinding, kept: AttackFinding) -> list[str]:
    former = [name for name in kept.facts.names if name not in found.facts.names]
    if not former:
        return []
    names = ", ".join(attack_words(name).title.lower() for name in former)
    convicting = sum(one.attack in former for one in kept.facts.convicted)
    guilty = f", of which {convicting:,} convict" if convicting else ""
    number = sum(one.attack in former for one in kept.facts.found)
    return [f"Kept from before: {number:,} figures of {names}{guilty}."]


def _replaced_ones(certified: Sequence[CertifiedAttack], found: AttackFinding) -> list[str]:
    """Say which figures of the same attacks give way; a conviction that goes must not go unseen."""
    gone = [one for one in certified if one.attack in found.facts.names]
    if not gone:
        return []
    convicting = sum(one.convicted for one in gone)
    guilty = f", of which {convicting:,} convicted" if convicting else ""
    return [f"In the place of {counted(len(gone), 'figure')} of an earlier run{guilty}."]


def _require_release(release: str | Path) -> Path:
    """Take the folder of a release, before any work is done; a `SourceError` if it is none."""
    folder = require_folder(release)
    if not (folder / CERTIFICATE).exists():
        inside = sorted(folder.glob(f"*/{CERTIFICATE}"))
        fix = f"did you mean {inside[0].parent}?" if inside else "name the folder of a release"
        raise SourceError("there is no certificate in it", where=str(folder), fix=fix)
    return folder


def _shared(found: AttackFinding) -> AttackFinding:
    return AttackFinding(replace(found.facts, found=tuple(map(for_sharing, found.facts.found))))


def _certified(folder: Path, made: Certified) -> list[str]:
    said = [f"Certified in {folder}, and {held(made.verification)}. Read attacks.html there."]
    if made.unsigned:
        said.append(
            "The signature was of the former certificate, and was taken off: sign the release anew."
        )
    return said


def result_of(request: AttackRequest, observer: Observer) -> AttackFinding:
    """Attack a release."""
    folder = _require_release(request.release)
    settings, names = _settings(request), _names(request)
    allowed = request.allow_plugin or ()
    with contextlib.ExitStack() as stack:
        release = stack.enter_context(opened_release(folder, allowed))
        second = None
        if request.against is not None:
            against = require_folder(request.against)
            second = stack.enter_context(opened_release(against, allowed))
        tables = {
            key: _opened(getattr(request, key), request, observer)
            for key in ("original", "register", "held_out")
        }
        target = Target(release, **tables, second=second)
        if target.original is not None:
            _require_original(target)
            _require_held_out(target)
        _require_columns(request, target)

        def began(name: str) -> None:
            if observer.stopped():
                raise Stopped
            observer.note(f"trying: {attack_words(name).title.lower()}")

        findings = try_all(names, target, settings, began)
        promise = _promise(release)
    untried = (*findings.untried, *_untried_columns(release.policy))
    name = printable(folder.resolve().name)
    facts = AttackFacts(name, findings.found, untried, settings.seed, promise)
    return AttackFinding(facts)


def _promise(release: AttackedRelease) -> str:
    """Say what the release promises of which columns, as a clause."""
    if release.epsilon is not None:
        return f"differential privacy with epsilon {release.epsilon:g}"
    return terms_of(release.quasi, release.models, None).clause


def _untried_columns(policy: Policy | None) -> tuple[Untried, ...]:
    """Say which columns no attack looked at."""
    names = () if policy is None else tuple(policy.treated)
    if not names:
        return ()
    why = f"no attack tries what {listed(names)} tell, microaggregated or rounded"
    return (Untried("linkage", why),)


def _opened(data: Any, request: AttackRequest, observer: Observer) -> Source | None:  # noqa: ANN401 - a table of any library
    return None if data is None else opened(data, request, observer, read_privately, quietly=True)


def _settings(request: AttackRequest) -> AttackSettings:
    usual = AttackSettings()
    attempts = _ATTEMPTS if request.attempts is None else request.attempts
    if not 1 <= attempts <= _MOST:
        raise wrong("attempts", f"it is {attempts:,}", f"use 1 to {_MOST:,}")
    return AttackSettings(
        seed=usual.seed if request.seed is None else request.seed,
        attempts=attempts,
        known=tuple(request.known) or None,
        secrets=tuple(request.secrets) or None,
        overlap=usual.overlap if request.overlap is None else request.overlap,
        errors=usual.errors if request.errors is None else request.errors,
    )


def _names(request: AttackRequest) -> tuple[str, ...]:
    """Take the attacks that are asked for; all of this package otherwise."""
    if request.attacks is None:
        return ATTACKS.own
    for name in request.attacks:
        if name not in ATTACKS:
            raise wrong("attacks", f"there is no attack {name!r}", f"use {', '.join(ATTACKS)}")
    return tuple(dict.fromkeys(request.attacks))


def _require_columns(request: AttackRequest, target: Target) -> None:
    """Refuse a column that the release does not have."""
    for key in ("known", "secrets"):
        for name in getattr(request, key):
            if name not in target.release.rows.attributes:
                raise wrong(
                    key,
                    f"the release has no column {name!r}",
                    f"use {', '.join(target.release.rows.attributes)}",
                )


def _require_original(target: Target) -> None:
    """Refuse a table that the release was not made of: nothing could be judged by it."""
    release, original = target.release, target.original
    certificate = release.certificate
    if certificate is None or original is None:
        return
    rules = certificate.policy.get("persons") or {}
    made_of, has = certificate.counts.records, target.people.records
    fix = "name the table that it was made of, read as it was then"
    if made_of != has and not rules.get("dates"):
        raise SettingError(
            f"the release was made of {made_of:,} records, and the original has {has:,}",
            where=original.name,
            fix=fix,
        )
    if (strange := _strange(release, target)) > 0:
        raise SettingError(
            f"{strange:,} of the released rows show what no record of the original makes",
            where=original.name,
            fix=fix,
        )


def _require_held_out(target: Target) -> None:
    """Refuse records as held out that seem to be in the original: no base line would be one."""
    held_out = target.held_out
    if held_out is not None and looks_released(target.people, target.rows_of(held_out)):
        raise SettingError(
            "many of its records are like single records of the original, so they seem to be in "
            "the release",
            where=held_out.name,
            fix="name records of people who are not in it",
        )


def _strange(release: AttackedRelease, target: Target) -> int:
    """Count released rows that no record of the original became, in the columns that both have."""
    from roadstead.attacks.matching.candidates import shown_classes  # noqa: PLC0415 - with numpy

    shared = [
        name
        for name in release.quasi
        if name in target.people.attributes and name != release.linked_by
    ]
    if not shared:
        return 0
    classes = shown_classes(release, shared, masked_rows(release))
    became = classes.of(target.truth)
    there = {int(one) for one in became if one >= 0}
    return classes.number - len(there)
