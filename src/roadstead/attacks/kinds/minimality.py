"""Minimality: sensitive values narrowed, because a finer class was possible and was not made.

The attacker knows the quasi-identifiers of all, the policy, and so whose the records of each class
are; the class shows the sensitive values, but not which is whose. Where a part of a class and the
rest of it both have k records and would have lost less, one of them did not keep what is promised
of the sensitive column. That is held against who goes by the class alone. Two things count: how
often the likeliest value is right, and how often it is where the attacker became sure of it and the
class alone made nobody sure.

What the policy does not tell is not used: levels that no class has, and the search. ``roadstead
anonymize`` runs the search again too, and says in its report what that gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from roadstead.attacks.finding import GUESSING, Findings, Untried, not_tried
from roadstead.attacks.kinds.downcoding import finding_of
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.recodings.attempt import Requirement, requirement
from roadstead.attacks.recodings.published import Published, published
from roadstead.attacks.recodings.sensitive import attack_by_parts, column_of
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Knowledge, Need


class Minimality:
    """By parts of classes that were not made classes."""

    name: ClassVar = "minimality"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:  # noqa: ARG002 - no chance
        """Try each column of which anything is promised."""
        requested = [model for model in target.release.models if model.columns]
        columns = tuple(dict.fromkeys(name for model in requested for name in model.columns))
        if (why := _reason_against(target, columns)) is not None:
            return not_tried(self.name, why)
        seen = published(target, columns)
        if seen is None:
            return not_tried(self.name, "no class of the release has a record of the original")
        found: list[CertifiedAttack] = []
        untried: list[Untried] = []
        for model in requested:
            asked = requirement(model, model.bind(seen.table))
            if asked is None:
                untried.append(Untried(self.name, f"no attack reasons about {model.kind}"))
            else:
                found += self._on(seen, asked)
        if not found and not untried:
            return not_tried(self.name, "no class has two parts of k records")
        return Findings(tuple(found), tuple(untried))

    def _on(self, seen: Published, requested: Requirement) -> Iterator[CertifiedAttack]:
        column = column_of(seen.table.histogram(requested.column))
        tried = attack_by_parts(seen.view, seen.truth, column, requested.accepts)
        for guess, gain in (("value", tried.gain), ("sure", tried.when_sure)):
            if gain.guesses:
                known: Knowledge = {"column": requested.column, "by": "parts", "guess": guess}
                yield finding_of(self.name, gain, known, GUESSING)


def _reason_against(target: Target, columns: tuple[str, ...]) -> str | None:
    """Say why it cannot be tried on a release that promises something of some columns."""
    policy = target.release.policy
    if policy is None:
        return target.release.why_no_recoding
    if not columns:
        return "the choice of classes looked at no sensitive column"
    if policy.recoding is None:
        return "the policy does not tell which finer levels there would have been"
    if not {*columns} <= {*target.people.attributes}:
        return "the original lacks a sensitive column of the release"
    return None
