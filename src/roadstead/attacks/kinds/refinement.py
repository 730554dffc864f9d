"""Use integer bounds to narrow down the values of generalized cells (combinatorial refinement).

For each class, the attack computes which of the visible values cannot occur, and which values must
occur. If there are few combinations of values, one integer program covers all classes and the
suppressed records. The baseline makes the same number of claims about random values. If only one
composition of a class is possible, the attack claims this composition, and the baseline draws one
of the possible compositions at random. The attack never makes a release fail, because the privacy
models assume that the attacker knows the quasi-identifiers anyway.
"""

from __future__ import annotations

from typing import ClassVar

from roadstead.attacks.finding import NOTHING, Findings, finding, not_tried
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.recodings.published import published
from roadstead.attacks.recodings.refinement import (
    MOST_CLASSES,
    refine_together,
    refine_values,
    solve_classes,
)
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Need


class RefinementAttack:
    """Solve integer programs for classes that have few combinations of values."""

    name: ClassVar = "refinement"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Find bounds on how often each value can occur in some classes."""
        policy = target.release.policy
        if policy is None:
            return not_tried(self.name, target.release.why_no_recoding)
        if policy.recoding is None:
            why = "all groups have the same levels, so a group reveals nothing about another group"
            return not_tried(self.name, why)
        seen = published(target)
        if seen is None:
            return not_tried(self.name, "no group of the release contains a record of the original")
        most = min(MOST_CLASSES, settings.attempts)
        of_each = refine_values(seen.view, seen.truth, most_classes=most, seed=settings.seed)
        of_all = refine_together(seen.view, seen.truth, most_classes=most, seed=settings.seed)
        found = of_each if of_all is None else of_all
        findings: list[CertifiedAttack] = []
        for claim, number, right, there in (
            ("absent", found.ruled_out, found.rightly_out, found.absent),
            ("present", found.certain, found.rightly_in, found.present),
        ):
            if number:
                findings.append(
                    finding(
                        self.name,
                        {
                            "claim": claim,
                            "classes": found.classes,
                            "contradictory": found.contradictory,
                            "values": found.bounds,
                        },
                        (right, number),
                        (there, found.bounds),
                        NOTHING,
                        needs=("original",),
                    )
                )
        solved = solve_classes(seen.view, seen.truth, most_classes=most, seed=settings.seed)
        if solved.exact:
            findings.append(
                finding(
                    self.name,
                    {"claim": "exact", "classes": solved.classes, "few": solved.few},
                    (solved.right, solved.exact),
                    (solved.by_chance, solved.exact),
                    NOTHING,
                    needs=("original",),
                )
            )
        if not findings:
            return not_tried(self.name, "the attack cannot derive any value with certainty")
        return Findings(tuple(findings))
