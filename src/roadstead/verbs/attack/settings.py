"""Check the settings of attacks against the release and the other tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.catalog import ATTACKS
from roadstead.attacks.finding import Untried
from roadstead.attacks.matching.control import looks_released
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.errors import SettingError
from roadstead.near_names import did_you_mean
from roadstead.policies.document import Policy
from roadstead.release.verification.terms import terms_of
from roadstead.reports.wording import first_few, listed
from roadstead.requests.checks import wrong

if TYPE_CHECKING:
    from roadstead.verbs.attack.request import AttackRequest


_ATTEMPTS = 2_000


_MOST = 1_000_000


def settings_of(request: AttackRequest) -> AttackSettings:
    """Return the settings of a request, and use defaults for missing settings."""
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


def attack_names(request: AttackRequest) -> tuple[str, ...]:
    """Return the requested attacks. The default is all attacks in this package."""
    if request.attacks is None:
        return ATTACKS.own
    for name in request.attacks:
        if name not in ATTACKS:
            fix = did_you_mean(name, ATTACKS)
            raise wrong("attacks", f"there is no attack {name!r}", fix)
    return tuple(dict.fromkeys(request.attacks))


def require_columns(request: AttackRequest, target: Target) -> None:
    """Reject a column that is missing from the release."""
    for key in ("known", "secrets"):
        for name in getattr(request, key):
            if name not in target.release.rows.attributes:
                raise wrong(
                    key,
                    f"the release has no column {name!r}",
                    did_you_mean(name, target.release.rows.attributes, show=repr),
                )


def require_original(target: Target) -> None:
    """Reject a table that is not the original of the release."""
    release, original = target.release, target.original
    certificate = release.certificate
    if certificate is None or original is None:
        return
    quasi = [] if release.policy is None else [one.name for one in release.policy.attributes]
    if missing := [name for name in quasi if name not in original.columns]:
        what = f"the original does not have the quasi-identifiers {first_few(missing)}"
        if len(missing) == 1:
            what = f"the original does not have the quasi-identifier {missing[0]}"
        fix = "give the table that the release was made from, with all its columns"
        raise SettingError(what, where=original.name, fix=fix)
    rules = certificate.policy.get("persons") or {}
    made_of, has = certificate.counts.records, target.people.records
    fix = "give the table that the release was made from, and read it with the same settings"
    if made_of != has and not rules.get("dates"):
        raise SettingError(
            f"the release was made from {made_of:,} records, but the original has {has:,}",
            where=original.name,
            fix=fix,
        )
    strange, every = _strange(release, target)
    persons = None if release.policy is None else release.policy.persons
    if strange > (every / 2 if persons is not None and persons.counts_from_later else 0):
        raise SettingError(
            f"{strange:,} of the released rows do not match any record of the original",
            where=original.name,
            fix=fix,
        )


def require_held_out(target: Target) -> None:
    """Reject held-out records that seem to be in the original.

    If records of the original were used as held-out records, the baseline would be wrong.
    """
    held_out = target.held_out
    if held_out is not None and looks_released(target.people, target.rows_of(held_out)):
        raise SettingError(
            "many of these records match individual records of the original, so these people are "
            "probably in the release",
            where=held_out.name,
            fix="give records of people who are not in the release",
        )


def _strange(release: AttackedRelease, target: Target) -> tuple[int, int]:
    """Count the released groups that do not match any original record in the shared columns.

    The second number counts all released groups.
    """
    from roadstead.attacks.matching.candidates import shown_classes  # noqa: PLC0415 - with numpy

    shared = [
        name
        for name in release.quasi
        if name in target.people.attributes and name != release.linked_by
    ]
    if not shared:
        return 0, 0
    classes = shown_classes(release, shared, masked_rows(release))
    became = classes.of(target.truth)
    there = {int(one) for one in became if one >= 0}
    return classes.number - len(there), classes.number


def promise_of_release(release: AttackedRelease) -> str:
    """Describe the guarantee of a release and the columns that it covers."""
    if release.epsilon is not None:
        return f"differential privacy with epsilon {release.epsilon:g}"
    return terms_of(release.quasi, release.models, None).clause


def untried_columns(policy: Policy | None) -> tuple[Untried, ...]:
    """Return the columns and the people that no attack examined."""
    if policy is None:
        return ()
    reasons = []
    if names := tuple(policy.treated):
        reasons.append(
            f"no attack tests {listed(names)}, which {'is' if len(names) == 1 else 'are'} "
            "microaggregated or rounded"
        )
    if policy.persons is not None and policy.persons.counts_from_later:
        reasons.append(
            "no attack finds a person if the first date of this person was left out, and the days "
            "are counted from a later date"
        )
    return tuple(Untried("linkage", why) for why in reasons)
