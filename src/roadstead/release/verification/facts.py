"""Check the entries of a certificate that describe the request, the search, and the loss.

The files do not show how a policy was found. But these entries must have the declared types, must
name only columns of the policy, and must not contradict each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import prod
from typing import TYPE_CHECKING, Any

from roadstead.printable import named
from roadstead.quality.for_sharing import coarse, rounded_from
from roadstead.release.certified_facts import (
    CertifiedFrontier,
    CertifiedLoss,
    CertifiedSearch,
    PolicySettings,
    Quality,
    SearchSettings,
    misplaced,
)
from roadstead.release.documents import json_text
from roadstead.release.verification.checks import Check
from roadstead.search.registry import LEVELS

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.release.certificate import Certificate, MeasuredRisk

_SLACK = 1e-9
_MEANS = ("arithmetic", "geometric")


def wrong_time(text: str) -> str | None:
    """Explain why a text is not a past time in UTC. Clocks may differ by a day."""
    try:
        time = datetime.fromisoformat(text)
        if time.utcoffset() != timedelta(0) or time.isoformat(timespec="seconds") != text:
            return "the time is not valid"
    except ValueError:
        return "the time is not valid"
    late = time - datetime.now(UTC) > timedelta(days=1)
    return "the time of the release is in the future" if late else None


def check_facts(certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]) -> Check:
    """Check that no entry has a wrong type or contradicts another entry."""
    wrong = wrong_time(certificate.created) or next(filter(None, _wrong_types(certificate)), None)
    wrong = wrong or next(filter(None, _contradictions(certificate, policy, models)), None)
    name = "the entries about the request, the search, and the loss are valid"
    return Check.of(name, wrong, "all entries are known and agree with each other")


def _wrong_types(certificate: Certificate) -> Iterator[str]:
    settings, loss, search = certificate.settings, certificate.loss, certificate.search
    plugins = {(one.kind, one.name) for one in certificate.plugins or ()}
    if (loss is None) != (search is None):
        yield "only one of the entries loss and search is null"
    if loss is None or search is None:
        yield misplaced(settings, PolicySettings, "settings")
        return
    foreign = ("quality model", str(loss.get("kind"))) in plugins
    kind = CertifiedFrontier if "members" in search else CertifiedSearch
    own = ("search", str(search.get("name"))) not in plugins
    yield misplaced(search, kind, "search", foreign=not own)
    yield misplaced(loss, CertifiedLoss, "loss", foreign=foreign)
    quality = settings.get("quality")
    if foreign and isinstance(quality, Mapping):
        yield misplaced(quality, Quality, "settings.quality", foreign=True)
        settings = {**settings, "quality": {"kind": quality.get("kind")}}
    yield misplaced(settings, SearchSettings, "settings")


def _contradictions(
    certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> Iterator[str]:
    settings, quasi = certificate.settings, policy.quasi
    if json_text([model.settings() for model in models]) != json_text(list(policy.privacy)):
        yield "a privacy requirement does not have the form that Roadstead writes"
    for entry in ("levels_allowed", "births_compared_with", "unseen_values"):
        yield _other(settings.get(entry, ()), quasi, f"settings.{entry}")
    for entry in ("missing", "missing_rare"):
        yield _other(settings.get(entry, ()), policy.released, f"settings.{entry}")
    identifiers = certificate.identifiers
    if identifiers is None or certificate.added is None:
        yield f"{'identifiers' if identifiers is None else 'added'} is missing"
    columns = [one.column for one in identifiers or ()]
    yield _other(columns, policy.released, "identifiers")
    yield from _wrong_comparison(certificate, policy)
    yield _wrong_people(certificate, policy)
    risk, persons, masked = certificate.risk, certificate.persons, certificate.counts.masked
    if not 0 < risk.average_before <= risk.maximum_before + _SLACK <= 1 + 2 * _SLACK:
        yield "risk.maximum_before or risk.average_before is not possible"
    if risk.maximum_of_masked != (1.0 / masked if masked else None):
        yield "risk.maximum_of_masked is not 1 / counts.masked"
    if not _is_possible(risk, policy):
        yield "risk.if_undone is not possible"
    shift = None if policy.persons is None else policy.persons.shift
    made = None if persons is None else persons.pseudonyms
    if shift is not None and made is not None and shift.keyed != (made == "keyed"):
        yield "the pseudonyms or the shifts were made with a key, but not both"
    if certificate.loss is None or certificate.search is None:
        return
    yield from _wrong_search(certificate, certificate.loss, certificate.search, policy)
    yield from _wrong_loss(certificate.loss, policy)


def _is_possible(risk: MeasuredRisk, policy: Policy) -> bool:
    """Return whether the risk if columns undo the generalization agrees with the other entries."""
    undone, people = risk.if_undone, policy.persons is not None
    if undone is None:
        return True
    known = {*undone.columns} <= {*policy.columns.forced} and {*undone.quasi} <= {*policy.quasi}
    if people:
        return known and (undone.unit, undone.at_least) == ("person", policy.rows_known != 1)
    higher = undone.maximum > max(risk.maximum, risk.maximum_of_masked or 0.0)
    return known and higher and (undone.unit, undone.at_least) == ("record", False)


def _wrong_people(certificate: Certificate, policy: Policy) -> str:
    """Return an error if the people whom the released columns single out are impossible."""
    people = None if certificate.added is None else certificate.added.people
    if people is None:
        return ""
    released = 0 if certificate.persons is None else certificate.persons.released
    below = people.persons if people.below_k is None else people.below_k
    unique = below if people.unique is None else people.unique
    right = people.knows == policy.rows_known and unique <= below <= people.persons == released
    return "" if right else "added.people does not agree with the people of the release"


def _wrong_comparison(certificate: Certificate, policy: Policy) -> Iterator[str]:
    """Check the releases and columns that the comparison with earlier releases names."""
    earlier = certificate.earlier_releases
    if earlier is None:
        return
    known = {*policy.released, *policy.columns.removed}
    partly = {one.earlier for one in earlier.partly}
    columns = [name for one in earlier.partly for name in one.columns]
    for entry, names, listed in (
        ("unlike", {*earlier.unlike}, earlier.unlike.values()),
        ("partly", partly, columns),
    ):
        place = f"earlier_releases.{entry}"
        yield _other(listed, known, place)
        if names & {one.earlier for one in earlier.not_laid}:
            yield f"{place} names a release that was not compared"
        if len(names) > earlier.compared:
            yield f"{place} names more releases than were compared"


def _wrong_search(
    certificate: Certificate, loss: Mapping[str, Any], search: Mapping[str, Any], policy: Policy
) -> Iterator[str]:
    """Compare the search with the request and with the loss."""
    settings = certificate.settings
    if search["name"] != settings["search"]:
        yield "search.name differs from the request"
    if any(loss.get(key) != value for key, value in settings["quality"].items()):
        yield "loss was measured with a different quality model than requested"
    if settings.get("added", policy.privacy[0]) not in policy.privacy:
        yield "settings.added is not a requirement of the policy"
    levels = {one.name: one.levels for one in policy.attributes}
    allowed = settings.get("levels_allowed", {})
    for name, (low, high) in allowed.items():
        if not low <= high < levels[name]:
            yield f"settings.levels_allowed.{named(name)} is not a range of levels"
    if "members" in search:
        return
    if set(allowed) != set(levels):
        yield "settings.levels_allowed does not contain every quasi-identifier"
    size = prod(high - low + 1 for low, high in allowed.values())
    if search["name"] in LEVELS.own and search["lattice_size"] != size:
        yield "search.lattice_size differs from the number of allowed policies"
    yield from _wrong_bound(search, loss)


def _wrong_bound(search: Mapping[str, Any], loss: Mapping[str, Any]) -> Iterator[str]:
    """Compare the proven bound with the loss."""
    if search["lower_bound"] > loss["loss"] + _SLACK:
        yield "search.lower_bound is larger than the loss"
    if search["optimal"] and (search["gap"] > _SLACK or search["lower_bound"] != loss["loss"]):
        yield "search.optimal contradicts the gap or the lower bound"
    if search["optimal"] and search["ending"] != "complete":
        yield "search.optimal contradicts search.ending"


def _wrong_loss(loss: Mapping[str, Any], policy: Policy) -> Iterator[str]:
    """Check that losses are rounded to steps, and that a mean is within the range of its parts."""
    own, treated = loss["by_attribute"], loss.get("variance_lost", {})
    yield _other(treated, policy.treated, "loss.variance_lost")
    yield _other(own, policy.quasi, "loss.by_attribute")
    if len(own) != len(policy.quasi):
        yield "loss.by_attribute does not contain every quasi-identifier"
        return
    if any(one != coarse(one) for one in (loss["loss"], *own.values(), *treated.values())):
        yield "a loss is not rounded in the way that Roadstead uses"
    elif loss.get("aggregate") in _MEANS:
        low, high = rounded_from(loss["loss"])
        least, most = rounded_from(min(own.values()))[0], rounded_from(max(own.values()))[1]
        if high < least - _SLACK or low > most + _SLACK:
            yield "loss.loss is not between the losses of the attributes"


def _other(found: Iterable[str], known: Collection[str], entry: str) -> str:
    """Name the first column that the policy does not have, or return an empty string."""
    return next((f"{entry} names {named(one)!r}" for one in found if one not in known), "")
