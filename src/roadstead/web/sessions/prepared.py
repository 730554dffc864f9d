"""Describe a release that was prepared in the folder of a session, and its documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from roadstead.printable import named
from roadstead.privacy.settings import model_from
from roadstead.quality.words import words_of
from roadstead.registry import required
from roadstead.release.added_risk import AddedRisk
from roadstead.release.certificate import MeasuredRisk, promise_of, read_certificate
from roadstead.release.values_left import NONE_LEFT
from roadstead.release.verification.terms import PromiseTerms, terms_of
from roadstead.reports.added import added_warning, adds, each_alone, what_to_do
from roadstead.reports.promise import of_masked, promise_line
from roadstead.web.sessions.candidate_requests import USUAL, Tried, basis_of, chosen_of, facts_of
from roadstead.web.sessions.choices import Choices, choices_of
from roadstead.web.sessions.declared_promise import CERTIFICATE, certificate_in, declared_of
from roadstead.web.sessions.form_stamps import stamp
from roadstead.web.sessions.session import WorkSession
from roadstead.web.sessions.table_files import state_of_table

_DECIDED = {
    "identifiers": "not released: direct identifier",
    "person": "not released: person ID",
}

_PRIVATE = "private releases"
_GONE = ("removed", NONE_LEFT)
"""How descriptions of quasi-identifiers without any values begin."""
_SHIFTED = {
    "shift": "shifted days",
    "shift-time": "shifted dates with exact times of day",
}
_TREATED = {
    "microaggregation": "one value per group of similar records",
    "rounding": "rounded",
}


@dataclass(frozen=True)
class Fate:
    """How a column is treated in the release."""

    column: str
    role: str
    does: str
    kind: str  # `kept`, `changed`, `removed`, or `gone` for a column without any value


@dataclass(frozen=True)
class Prepared:
    """The prepared release. `certificate` is empty if there is no release."""

    tried: Tried
    folder: Path
    certificate: Mapping[str, Any]
    choices: Choices
    current: bool  # whether the release was created for the current choices and table
    said: Mapping[str, Any]  # the results of the job that created the release

    @property
    def ready(self) -> bool:
        """Indicates whether the release may be written."""
        return bool(self.certificate) and self.current

    @property
    def promise_is_kept(self) -> bool:
        """Indicates whether the release meets the declared requirements, or has a typed reason."""
        return not self.missing or bool(self.reason)

    @property
    def stamp(self) -> str:
        """A stamp that shows whether another tab has chosen or prepared a different release."""
        return stamp(self.tried.name, self.certificate)

    @property
    def private(self) -> bool:
        """Indicates whether the release is differentially private."""
        return bool(self.certificate) and "policy" not in self.certificate

    @property
    def whole(self) -> bool:
        """Indicates whether people are left out with all their records."""
        models = self.certificate["policy"]["privacy"]
        return any(one.get("leaves_out") == "persons" for one in models)

    @property
    def unit(self) -> str:
        """The unit that a private release protects, such as "one record of the table"."""
        return str(_private_certificate(self.folder).privacy_unit.words)

    @property
    def terms(self) -> PromiseTerms:
        """The privacy requirements and their columns, from the new certificate."""
        if self.private:
            return PromiseTerms((f"epsilon {self.certificate['exact']}",))
        policy = self.certificate["policy"]
        models = [model_from(one, where=CERTIFICATE) for one in policy["privacy"]]
        quasi = [one["name"] for one in policy["attributes"]]
        return terms_of(quasi, models, self.risk, tuple(map(named, self.missing)))

    @property
    def risk(self) -> MeasuredRisk:
        """The risk of the release in the certificate."""
        return MeasuredRisk(**self.certificate["risk"])

    @property
    def of_masked(self) -> str:
        """The risk of the records with ``*`` in words, if it is higher than that of the others."""
        return of_masked(self.risk.masked, self.risk.maximum)

    @property
    def promise_line(self) -> str:
        """The privacy requirements in one sentence."""
        return promise_line(self.terms)

    @property
    def sentence(self) -> str:
        """The privacy requirements in full, from the content of the certificate."""
        if self.private:
            private = _private_certificate(self.folder)
            guarantee = required(_PRIVATE, "release.private.guarantee:guarantee")
            return str(guarantee(Fraction(private.exact), private.privacy_unit, private.settings))
        _, policy = read_certificate(self.folder / CERTIFICATE)
        return promise_of(policy, [model_from(one, where=CERTIFICATE) for one in policy.privacy])

    @property
    def _treated(self) -> dict[str, str]:
        """The kind of treatment of each treated column."""
        return {
            name: one["kind"]
            for one in self.certificate.get("policy", {}).get("treatments", ())
            for name in one.get("columns", (one.get("column"),))
        }

    @property
    def added(self) -> list[str]:
        """The warning about the risk that the released columns add, or an empty list."""
        own = self.certificate.get("added")
        found = None if own is None else TypeAdapter(AddedRisk).validate_python(own)
        if found is None or not found.columns or not adds(found):
            return []
        first = added_warning(found)
        said = (f"Warning: {first}", each_alone(found), what_to_do(found, self._treated))
        return [one for one in said if one]

    @property
    def missing(self) -> tuple[str, ...]:
        """The requirements set in the step Columns that the release does not meet."""
        if not self.certificate or self.private:
            return ()
        own = self.certificate
        declared = declared_of(self.choices)
        return declared.missing(self.risk.smallest_group, own["policy"]["privacy"])

    @property
    def reason(self) -> str:
        """The typed reason for a release that does not meet its requirements."""
        below = self.certificate.get("below_promise") or {}
        return str(below.get("reason", ""))

    @property
    def figure(self) -> str:
        """The name of the loss measure of the release."""
        return words_of(str(self.certificate["loss"]["kind"])).figure

    @property
    def report(self) -> bool:
        """Indicates whether the release has a report."""
        return (self.folder / "report.html").is_file()

    @property
    def notes(self) -> list[str]:
        """Remarks that a person should read, including additions to the request."""
        document = self.said.get("document", {})
        added = document.get("added_model")
        kinds = {one["kind"]: one for one in self.certificate.get("policy", {}).get("privacy", ())}
        asked = self.choices.get("privacy.k") or self.tried.given.get("k")
        if not added and not asked and (own := kinds.get("k-anonymity")) is not None:
            added = f"You did not set the smallest group (k). The default is {own['k']}"
        noticed = document.get("noticed", ())
        return [*([f"{added}."] if added else []), *noticed, *self.said.get("notes", ())]

    @property
    def warnings(self) -> list[str]:
        """The warnings from creating the release, except the warning in `added`."""
        lines = [str(line) for line in self.said.get("lines", ())]
        return [one for one in lines if one.startswith("Warning: ") and one not in self.added]

    @property
    def withheld(self) -> Mapping[str, Any]:
        """The columns without a role, with reasons and how to release them. May be empty."""
        document = self.said.get("document", {})
        found: Mapping[str, Any] = document.get("release", document).get("columns_withheld") or {}
        return found if found.get("because") else {}

    @property
    def linked(self) -> list[str]:
        """A list with the column that has a pseudonym for each person, or an empty list."""
        persons = self.certificate.get("policy", {}).get("persons") or {}
        return [persons["column"]] if persons.get("link") == "pseudonym" else []

    @property
    def forgotten(self) -> bool:
        """Indicates whether no other release can have the same pseudonyms."""
        return (self.certificate.get("persons") or {}).get("pseudonyms") == "forgotten"

    def fates(self, words: Mapping[str, str]) -> list[Fate]:
        """Return how each column is treated, in the order in which readers ask about columns.

        `words` is the description of the policy, which is more complete than the rules for single
        columns.
        """
        policy = self.certificate.get("policy", {})
        columns = policy.get("columns", {})
        persons = policy.get("persons") or {}
        dates = {one["column"]: one["form"] for one in persons.get("dates", ())}
        alike = policy.get("recoding") is None
        found = [
            Fate(
                one["name"],
                "quasi-identifier",
                words[one["name"]],
                "gone"
                if words[one["name"]].startswith(_GONE)
                else "kept"
                if alike and one["rule"]["kind"] == "identity"
                else "changed",
            )
            for one in policy.get("attributes", ())
        ]
        treated = {name: _TREATED[kind] for name, kind in self._treated.items()}
        for key, role in (("sensitive", "sensitive"), ("unchanged", "not sensitive")):
            found += [_released(name, role, dates, treated) for name in columns.get(key, ())]
        found += [
            Fate(name, "looks like an identifier", *_forced(treated.get(name)))
            for name in columns.get("forced", ())
        ]
        if self.linked:
            does = "replaced by a pseudonym per person"
            found.append(Fate(persons["column"], "person ID", does, "changed"))
        elif persons:
            found.append(Fate(persons["column"], "person ID", "not released", "removed"))
        found += [
            Fate(name, *self._removed(name), "removed")
            for name in columns.get("removed", ())
            if name != persons.get("column")
        ]
        return found

    def _removed(self, name: str) -> tuple[str, str]:
        role = self.choices.roles.get(name)
        if role is None:
            groups = self.withheld.get("because", ())
            why = next(
                (one["reason"] for one in groups if name in one["columns"]),
                "it does not have a role",
            )
            return "undecided", f"withheld: {why}"
        words = {"identifiers": "direct identifier", "person": "person ID"}.get(role, role)
        return words, _DECIDED.get(role, "withheld: see the report for the reason")


def _forced(treated: str | None) -> tuple[str, str]:
    because = "because you chose to release it anyway"
    if treated is not None:
        return f"{treated}, released {because}", "changed"
    return f"released unchanged, {because}", "kept"


def _released(name: str, role: str, dates: Mapping[str, str], treated: Mapping[str, str]) -> Fate:
    if name in treated:
        return Fate(name, role, treated[name], "changed")
    if name in dates:
        does = _SHIFTED.get(dates[name], "days since another date")
        return Fate(name, role, does, "changed")
    return Fate(name, role, "released unchanged", "kept")


def prepared_of(session: WorkSession) -> Prepared:
    """Return the prepared release of the chosen candidate."""
    chosen = chosen_of(session)
    folder = chosen.release_in(session)
    certificate = certificate_in(folder)
    current = mark_of(session, chosen) == (chosen.basis, chosen.table)
    said = {} if chosen.job is None else session.facts(f"jobs/{chosen.job}").get("found")
    said = said or session.facts(facts_of(chosen))
    return Prepared(chosen, folder, certificate, choices_of(session), current, said)


def mark_of(session: WorkSession, tried: Tried) -> tuple[str, str]:
    """For a candidate, return a mark of the current choices and of the state of the table.

    A candidate has its own k. Without a candidate, the k of the project file applies.
    """
    k = session.choices().get("privacy", {}).get("k") if tried.name == USUAL.name else None
    return basis_of(session) + ("" if k is None else f" k={k}"), state_of_table(session)


def _private_certificate(folder: Path) -> Any:  # noqa: ANN401 - of a room that can be missing
    read = required(_PRIVATE, "release.private.certificate:read_private_certificate")
    return read(folder / CERTIFICATE)
