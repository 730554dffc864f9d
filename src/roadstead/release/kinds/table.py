"""Define the release of one table, with a policy and a certificate about its classes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.policies.recodings.interval_columns import with_ends
from roadstead.printable import named
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.settings import model_from
from roadstead.release.certificate import (
    CERTIFICATE,
    Certificate,
    TableFingerprint,
    promise_of,
    read_certificate,
    rendered,
)
from roadstead.release.documents import Fingerprint
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.facts import CertifiedFigure, Fact, Promised, ReleaseFacts, Unknown, figure
from roadstead.release.identifiers_left import UNJUDGED, identifiers_left
from roadstead.release.kind import ReleaseKind
from roadstead.release.ledger.facts import document_of_overlay
from roadstead.release.shown import ShownRelease
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.persons import suppression_within
from roadstead.release.verification.plugins import require_allowed
from roadstead.release.verification.release import verify_release
from roadstead.release.worst_risks import average_risk, highest_risk, risks_in_words
from roadstead.tables.source import Source


@dataclass(frozen=True)
class TableRelease(ReleaseKind):
    """A release of one table."""

    folder: Path
    name: ClassVar = "table"
    mark: ClassVar = "roadstead_certificate"
    request: ClassVar = "settings, policy"
    checked: ClassVar = frozenset(
        {
            *("promise", "models", "risk-maximum", "risk-average", "smallest", "added"),
            *("verified", "files", "variables", "removed", "treatment"),
        }
    )

    @cached_property
    def _documents(self) -> tuple[Certificate, Policy]:
        return read_certificate(self.folder / CERTIFICATE)

    @property
    def files(self) -> tuple[Fingerprint, ...]:
        """Return the fingerprints of the documents and, if the table is a file, of the table."""
        return self._documents[0].all_files

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the source."""
        policy = self._documents[1]
        return tuple(dict.fromkeys((*policy.released, *policy.columns.removed)))

    @property
    def released(self) -> tuple[str, ...]:
        """Return the released columns."""
        return tuple(dict.fromkeys(self._documents[1].released))

    @property
    def facts(self) -> ReleaseFacts:
        """Return the requirements of the policy, and the measured facts."""
        certificate, policy = self._documents
        risk, loss = certificate.risk, certificate.loss
        suppressed, number, _ = suppression_within(certificate, policy)
        return ReleaseFacts(
            k=_promised_k(policy),
            l=_promised_l(policy),
            t=_promised_t(policy),
            epsilon=Unknown("the release is not differentially private"),
            delta=Unknown("the release is not differentially private"),
            smallest_class=risk.smallest_group,
            highest_risk=highest_risk(risk),
            average_risk=average_risk(certificate),
            suppression=suppressed / number if number else 0.0,
            left_out_by_shift=_left_out_by_shift(certificate, policy),
            loss=_number(loss.get("loss"))
            if loss
            else Unknown("the certificate does not have a loss"),
            columns=(*policy.released, *with_ends(policy.quasi, policy.two_columns)),
            identifiers=_looking_like_one(certificate, policy),
            quasi=policy.quasi,
            attacks=certificate.attacks or (),
            software=certificate.software,
            created=certificate.created,
            unit="record" if certificate.persons is None else "person",
            certified=_only_certified(policy),
            counts=_counts_in_words(certificate, policy),
        )

    def figures(self) -> Iterator[CertifiedFigure]:
        """Return the figures that a claim can refer to."""
        return _figures(*self._documents)

    def table_elsewhere(self) -> TableFingerprint:
        """Return the fingerprint of a table in a database. A table in a file raises an error."""
        table = self._documents[0].table
        if isinstance(table, Fingerprint):
            what = f"the table of the release, {named(table.name)}, is a file in the folder"
            raise SettingError(what, where=str(self.folder), fix=f"leave {option('table')} out")
        return table

    def verify(self, table: Source | None, allowed: Collection[str]) -> Verification:
        """Check the release from its files, and from `table` if the table is not in the folder."""
        return verify_release(self.folder, table, allowed=allowed)

    def shown(self, allowed: Collection[str], done: str) -> ShownRelease:
        """Return the released table."""
        certificate, policy = self._documents
        require_allowed(certificate, policy, allowed, where=str(self.folder))
        table = certificate.table
        if isinstance(table, TableFingerprint):
            raise SettingError(
                "the table of the release is in a database, but only a table in a file can be "
                f"{done}",
                where=str(self.folder),
                fix="write the release into a folder",
            )
        where = str(self.folder / CERTIFICATE)
        return ShownRelease(
            self.folder,
            table,
            certificate.format,
            quasi=policy.quasi,
            sensitive=policy.columns.sensitive,
            released=tuple(policy.released),
            promise=", ".join(model_from(one, where=where).name for one in policy.privacy),
            certificate=certificate,
            policy=policy,
        )

    def with_attacks(
        self, files: Sequence[Fingerprint], attacks: Sequence[CertifiedAttack]
    ) -> bytes:
        """Return the certificate with the given files and the results of attacks."""
        certificate, _ = self._documents
        others = tuple(one for one in files if one != certificate.table)
        return rendered(replace(certificate, files=others, attacks=tuple(attacks)))


def _looking_like_one(certificate: Certificate, policy: Policy) -> Fact[tuple[str, ...]]:
    forced = policy.columns.forced
    if certificate.identifiers is None and not forced:
        return Unknown(
            "the certificate is from an earlier version, which did not look for identifiers"
        )
    left = dict(identifiers_left(policy))
    shown = [name for name, number in left.items() if number != UNJUDGED]
    found = (*(one.column for one in certificate.identifiers or ()), *forced, *shown)
    if left and not found:
        names = ", ".join(map(named, left))
        return Unknown(f"the policy does not show whether {names} shows a date or a place")
    return found


def _shifted(certificate: Certificate, policy: Policy) -> Fact[tuple[int, int]]:
    """Return the number of records that date shifts left out, and the number of all records."""
    if policy.persons is None or policy.persons.shift is None:
        return 0, certificate.counts.records
    if certificate.persons is None or certificate.persons.near_ends is None:
        return Unknown(
            "the certificate does not say how many records were left out because of date shifts"
        )
    left_out = certificate.persons.near_ends.records
    return left_out, left_out + certificate.counts.records


def _left_out_by_shift(certificate: Certificate, policy: Policy) -> Fact[float]:
    found = _shifted(certificate, policy)
    return found if isinstance(found, Unknown) else found[0] / max(found[1], 1)


def _counts_in_words(certificate: Certificate, policy: Policy) -> dict[str, str]:
    """Return the numbers behind the facts that are shares, with their units."""
    suppressed, number, units = suppression_within(certificate, policy)
    people = "people" if units == "persons" else units
    found = _shifted(certificate, policy)
    shifted = {} if isinstance(found, Unknown) else {"left_out_by_shift": found}
    return {
        **risks_in_words(certificate),
        "suppression": f"{suppressed:,} of {number:,} {people}",
        **{key: f"{out:,} of {records:,} records" for key, (out, records) in shifted.items()},
    }


def _only_certified(policy: Policy) -> frozenset[str]:
    """Return the facts about people that the released rows do not show."""
    if policy.persons is None:
        return frozenset()
    linked = policy.linked_by is not None
    found = set() if linked else {"k", "smallest_class", "highest_risk", "average_risk"}
    for settings in policy.privacy:
        model = model_from(settings, where=CERTIFICATE)
        if isinstance(model, ValuesOfPersons) and not model.proven_by_release(linked=linked):
            found |= {"l", "t"} & {*model.model}
    return frozenset(found)


def _promised_k(policy: Policy) -> Fact[Promised[int]]:
    """Return the largest k of the models that require k records or people per class."""
    found = [
        Promised(int(one["k"]), str(one["kind"]))
        for one in policy.privacy
        if one.get("kind") in ("k-anonymity", "person-anonymity")
    ]
    return max(found, key=lambda one: one.bound, default=Unknown("k-anonymity is not required"))


def _promised_l(policy: Policy) -> Fact[Promised[int]]:
    bounds = _by_column(policy, "l")
    if isinstance(bounds, Unknown):
        return bounds
    column, least = min(((name, max(own)) for name, own in bounds.items()), key=lambda one: one[1])
    return Promised(int(least), column)


def _promised_t(policy: Policy) -> Fact[Promised[float]]:
    bounds = _by_column(policy, "t")
    if isinstance(bounds, Unknown):
        return bounds
    column, most = max(((name, min(own)) for name, own in bounds.items()), key=lambda one: one[1])
    return Promised(most, column)


def _by_column(policy: Policy, key: str) -> Fact[dict[str, list[float]]]:
    """Return the bounds by column, or `Unknown` if a sensitive column has no bound."""
    bounds: dict[str, list[float]] = {}
    for model in policy.privacy:
        inner = model.get("model")
        own: Mapping[str, Any] = inner if isinstance(inner, Mapping) else model
        counts_blanks = own.get("blank") == "value"  # then fewer than l values are required
        if key in own and "column" in own and not counts_blanks:
            bounds.setdefault(str(own["column"]), []).append(float(own[key]))
    if not bounds:
        return Unknown(f"no privacy model with {key} is required")
    uncovered = [name for name in policy.columns.sensitive if name not in bounds]
    if uncovered:
        return Unknown(
            f"no privacy model with {key} is required for the sensitive column {uncovered[0]}"
        )
    return bounds


def _number(value: object) -> Fact[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return Unknown("the certificate does not have a loss")


def _figures(certificate: Certificate, policy: Policy) -> Iterator[CertifiedFigure]:
    risk, counts = certificate.risk, certificate.counts
    models = [model_from(one, where=CERTIFICATE) for one in policy.privacy]
    yield figure("promise", "policy", promise_of(policy, models))
    yield figure("models", "policy.privacy", [model.name for model in models])
    yield figure("files", "table, files", _files(certificate))
    yield figure("variables", "policy.attributes, policy.columns", _roles(policy))
    yield figure("removed", "policy.columns.removed", _left_out(policy))
    if (found := certificate.identifiers) is not None:  # otherwise, this was not checked
        look_alikes = [[one.column, one.number, one.objection, one.forced] for one in found]
        left = [
            [name, number, "quasi-identifier", False] for name, number in identifiers_left(policy)
        ]
        yield figure("look-alikes", "identifiers, policy", [*look_alikes, *left])
    yield figure("treatment", "policy.attributes", [list(one) for one in policy.full_words.items()])
    numbers = {name: getattr(counts, name) for name in ("records", "released", "masked", "dropped")}
    gone = None if certificate.persons is None else certificate.persons.near_ends
    numbers["shifted_out"] = 0 if gone is None else gone.records
    yield figure("records", "counts", numbers)
    out, of, where = counts.suppressed, counts.records, "counts.suppressed, policy.suppression"
    persons, whole = certificate.persons, False
    if persons is not None:
        whole = any(model.get("leaves_out") == "persons" for model in policy.privacy)
    if whole and persons is not None:  # the limit is about people
        out, of, where = persons.left_out, persons.persons, "persons.left_out, policy.suppression"
    limit: dict[str, Any] = {"limit": policy.suppression.limit, "left_out": out, "of": of}
    limit["people"] = whole
    limit["shifted_out"] = None if gone is None else [gone.records, gone.persons]
    yield figure("suppression", where, limit)
    star = risk.maximum_of_masked or 0.0
    field = "risk.maximum_of_masked" if star > risk.maximum else "risk.maximum"
    yield figure("risk-maximum", field, max(risk.maximum, star))
    if risk.if_undone is not None:
        yield figure("risk-undone", "risk.if_undone", asdict(risk.if_undone))
    yield figure("risk-average", "risk.average", risk.average)
    smallest: dict[str, Any] = {"smallest": risk.smallest_class, "classes": risk.classes}
    smallest["masked"] = counts.masked
    if certificate.persons is not None:
        smallest["knows"] = certificate.persons.knows or 1
    yield figure("smallest", "risk.smallest_class, risk.classes", smallest)
    before = {"maximum": risk.maximum_before, "average": risk.average_before}
    yield figure("risk-before", "risk.maximum_before, risk.average_before", before)
    yield from _of_columns(certificate)
    yield from _of_persons(certificate, policy)
    if certificate.earlier_releases is not None:
        earlier = document_of_overlay(certificate.earlier_releases)
        yield figure("earlier", "earlier_releases", earlier)
    if certificate.loss is not None and "loss" in certificate.loss:
        loss = {"kind": certificate.loss.get("kind", "loss"), "loss": certificate.loss["loss"]}
        yield figure("loss", "loss", loss)
    if certificate.search is not None:
        search = {key: certificate.search.get(key) for key in ("name", "ending", "optimal")}
        yield figure("search", "search", search)


def _of_columns(certificate: Certificate) -> Iterator[CertifiedFigure]:
    """Yield the figures about added columns and about the population."""
    added = certificate.added
    if added is not None:
        value: dict[str, Any] = {
            "k": added.k,
            "records": added.records,
            "groups_of": added.groups_of,
            "quasi_unique": added.quasi.unique,
            "unique": added.together.unique,
            "below_k": added.together.below_k,
            "columns": len(added.columns),
            "people": None if added.people is None else asdict(added.people),
        }
        yield figure("added", "added", value)
    expected = certificate.expected_below_k
    if expected is not None:
        value = {key: expected.get(key) for key in ("k", "records", "released")}
        yield figure("expected", "expected_below_k", value)
    if certificate.population:
        people = certificate.population
        value = {"people": sum(people), "classes": certificate.risk.classes, "least": min(people)}
        yield figure("population", "population", value)


def _of_persons(certificate: Certificate, policy: Policy) -> Iterator[CertifiedFigure]:
    persons = certificate.persons
    linked: dict[str, Any] = {"linkage": "one-each", "pseudonyms": None}
    if persons is not None:
        linked = {"linkage": persons.linkage, "pseudonyms": persons.pseudonyms}
        keys = ("column", "knows", "persons", "released", "in_part", "left_out")
        of_persons: dict[str, Any] = {key: getattr(persons, key) for key in keys}
        gone = persons.near_ends
        of_persons["shifted_out"] = 0 if gone is None else gone.persons
        yield figure("persons", "persons", of_persons)
    yield figure("link", "persons.linkage" if persons else "policy", linked)
    rules = policy.persons
    if rules is not None and (rules.dates or rules.shift):
        shift = None if rules.shift is None else rules.shift.most
        keyed = rules.shift is not None and rules.shift.keyed
        dates = {
            "columns": [one.column for one in rules.dates],
            "shift": shift,
            "keyed": keyed,
            "times_of_day": [one.column for one in rules.dates if one.form == "shift-time"],
        }
        yield figure("dates", "policy.persons", dates)


def _files(certificate: Certificate) -> list[list[Any]]:
    table = certificate.table
    own = [[one.name, one.sha256, one.bytes] for one in certificate.all_files]
    if isinstance(table, TableFingerprint):
        return [[table.name, table.content, None], *own]
    return own


def _roles(policy: Policy) -> list[list[str]]:
    """Return every released column with its role and its treatment."""
    linked = policy.linked_by
    words = {**policy.full_words, **policy.changed}
    groups = {
        "quasi-identifier": policy.quasi,
        "pseudonym": () if linked is None else (linked,),
        "sensitive": policy.columns.sensitive,
        "unchanged": policy.columns.unchanged,
        "forced": policy.columns.forced,
    }
    return [[name, role, words.get(name, "")] for role, names in groups.items() for name in names]


def _left_out(policy: Policy) -> list[str]:
    persons = policy.persons
    unlinked = [] if persons is None or persons.link == "pseudonym" else [persons.column]
    return list(dict.fromkeys((*policy.columns.removed, *unlinked)))
