"""Narrow down sensitive values by asking why a finer class was not released (minimality).

The attacker knows the policy and everyone's quasi-identifiers, and can therefore determine who is
in each class. Suppose that splitting a class into two parts of at least k records each would reduce
the loss. Since the class was not split, one of the parts must violate the requirement for the
sensitive column. The baseline uses only the values in the class. The attack reports two figures.
The first figure is the share of people whose most likely value is the true value. The second figure
covers only people whose value the attacker knows for certain because of the attack, but not from
the class alone.
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
    """Draw conclusions from parts of classes that are not classes themselves."""

    name: ClassVar = "minimality"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:  # noqa: ARG002 - no randomness
        """Attack each sensitive column that has a requirement."""
        requested = [model for model in target.release.models if model.columns]
        columns = tuple(dict.fromkeys(name for model in requested for name in model.columns))
        if (why := _reason_against(target, columns)) is not None:
            return not_tried(self.name, why)
        seen = published(target, columns)
        if seen is None:
            return not_tried(self.name, "no group of the release contains a record of the original")
        found: list[CertifiedAttack] = []
        untried: list[Untried] = []
        for model in requested:
            asked = requirement(model, model.bind(seen.table))
            if asked is None:
                untried.append(Untried(self.name, f"no attack exists for {model.kind}"))
            else:
                found += self._on(seen, asked)
        if not found and not untried:
            return not_tried(
                self.name, "no group can be split into two parts with at least k records each"
            )
        return Findings(tuple(found), tuple(untried))

    def _on(self, seen: Published, requested: Requirement) -> Iterator[CertifiedAttack]:
        column = column_of(seen.table.histogram(requested.column))
        tried = attack_by_parts(seen.view, seen.truth, column, requested.accepts)
        for guess, gain in (("value", tried.gain), ("sure", tried.when_sure)):
            if gain.guesses:
                known: Knowledge = {"column": requested.column, "by": "parts", "guess": guess}
                yield finding_of(self.name, gain, known, GUESSING)


def _reason_against(target: Target, columns: tuple[str, ...]) -> str | None:
    """Return the reason why the attack cannot run, or None."""
    policy = target.release.policy
    if policy is None:
        return target.release.why_no_recoding
    if not columns:
        return "the choice of groups did not use a sensitive column"
    if policy.recoding is None:
        return "the policy does not record which finer levels were possible"
    if not {*columns} <= {*target.people.attributes}:
        return "the original lacks a sensitive column of the release"
    return None
