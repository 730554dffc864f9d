"""A gate requires attacks that ran, and does not accept contradictory claims about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from roadstead.release.evidence import CertifiedAttack, Knowledge
from roadstead.release.facts import ReleaseFacts, Unknown
from roadstead.release.gate.policy import AttackRules, GatePolicy
from roadstead.release.gate.rules import GateFinding, judge
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.verification.checks import Check, Verification
from roadstead.release.verification.terms import PromiseTerms

NOTHING = Unknown("it is not there")
FACTS = ReleaseFacts(
    k=NOTHING,
    l=NOTHING,
    t=NOTHING,
    delta=0.0,
    epsilon=NOTHING,
    smallest_class=NOTHING,
    highest_risk=NOTHING,
    average_risk=NOTHING,
    suppression=NOTHING,
    left_out_by_shift=NOTHING,
    loss=NOTHING,
    columns=(),
    identifiers=NOTHING,
    quasi=("age", "sex"),
    attacks=(),
    software="0.1.0",
    created="2026-03-01T00:00:00+00:00",
)
HELD = CertifiedAttack(
    attack="linkage",
    knowledge={"known": ("sex", "age"), "matching": "exact"},
    attempts=100,
    successes=10,
    base_attempts=100,
    base_successes=10,
    low=-0.05,
    high=0.05,
    against="guessing",
    allowed=None,
    tolerance=0.05,
    convicted=False,
)
CONVICTED = replace(HELD, successes=90, low=0.7, high=0.9, convicted=True)
HIDDEN = replace(CONVICTED, convicted=False)
OTHER = replace(CONVICTED, attack="inference")


@pytest.mark.parametrize(
    ("attacks", "passed", "detail"),
    [
        ((HELD,), True, "1 variant"),
        ((HELD, HELD, OTHER), True, "2 variants"),
        ((), False, "the attack was not run, or the certificate does not contain its results"),
        (
            (OTHER,),
            False,
            "the attack was not run, or the certificate does not contain its results",
        ),
        ((HELD, CONVICTED), False, "it succeeded"),
        (
            (HELD, HIDDEN),
            False,
            "the figures of the attack contradict each other: the verdict does not follow "
            "from the numbers",
        ),
        (Unknown("there are none"), False, "cannot be judged: there are none"),
    ],
)
def test_every_variant_must_have_failed_and_one_been_tried(
    attacks: tuple[CertifiedAttack, ...] | Unknown,
    passed: bool,  # noqa: FBT001 - a case
    detail: str,
) -> None:
    """Others than those that are named are not asked about."""
    found = gate(AttackRules(tried=("linkage",)), attacks)
    assert found.passed is passed
    assert (found.rules[1].passed, found.rules[1].detail) == (passed, detail)


def gate(rules: AttackRules, attacks: tuple[CertifiedAttack, ...] | Unknown) -> GateFinding:
    """Judge what was certified of attacks, of a release that is well otherwise."""
    return judge(
        GatePolicy(attacks=rules),
        replace(FACTS, attacks=attacks),
        Verification(
            (Check("all", passed=True, detail="well"),),
            terms=PromiseTerms(("5-anonymity",), ("age", "sex"), 0.2),
        ),
        SignatureFinding("unsigned"),
        date(2026, 3, 1),
    )


def test_an_attack_that_was_hardly_tried_does_not_count() -> None:
    """Unless everything was looked at, so that there was no more to try."""
    rules = AttackRules(tried=("linkage",), attempts=101)
    found = gate(rules, (HELD,))
    assert (found.passed, found.rules[1].detail) == (False, "a variant made only 100 attempts")
    assert gate(rules, (replace(HELD, counted=True),)).passed
    assert gate(AttackRules(tried=("linkage",), attempts=100), (HELD,)).passed
    assert not gate(rules, (replace(HELD, attempts=1000), HELD)).passed


def test_a_variant_that_convicts_nobody_needs_no_number_of_attempts() -> None:
    """Single values may have one possible statement; this is not a reason to refuse."""
    shown = replace(HELD, attempts=10, successes=0.0, against="nothing", allowed=None)
    shown = replace(shown, low=-1.0, high=1.0)
    rules = AttackRules(tried=("linkage",), attempts=100)
    assert gate(rules, (HELD, shown)).passed
    assert not gate(rules, (shown,)).passed


@pytest.mark.parametrize(
    ("known", "detail"),
    [
        ({"known": ("age",)}, "no attacker knew sex as well; run the attack without known"),
        ({"columns": ("sex",)}, "no attacker knew age as well; run the attack without known"),
        (
            {"known": ("age", "sex", "work")},
            "every attacker knew more than the quasi-identifiers; run the attack without known",
        ),
        ({"known": ("age",), "known_elsewhere": ("sex",)}, None),
        ({"columns": ("age", "sex"), "statements": "multivariate"}, None),
        ({"by": "order"}, None),
    ],
)
def test_who_attacks_must_have_known_all_quasi_identifiers(
    known: Knowledge, detail: str | None
) -> None:
    """By default, narrow attacks pass nothing, and attackers with more knowledge fail nothing."""
    narrow = replace(HELD, knowledge=known)
    found = gate(AttackRules(tried=("linkage",)), (narrow, narrow))
    assert found.passed is (detail is None)
    assert found.rules[1].detail == (detail or "2 variants")
    assert gate(AttackRules(tried=("linkage",)), (narrow, HELD)).passed
    assert gate(AttackRules(tried=("linkage",), known="any"), (narrow,)).passed


def test_what_is_not_shown_to_hold_does_not_pass() -> None:
    """With few attempts, the interval includes success; the release fails, unless this may pass."""
    wide = replace(HELD, attempts=10, successes=1.0, base_attempts=10, base_successes=1.0)
    wide = replace(wide, low=-0.4, high=0.4)
    found = gate(AttackRules(tried=("linkage",)), (HELD, wide))
    assert found.rules[1].detail == "1 undecided variant; run more attempts"
    assert gate(AttackRules(tried=("linkage",), undecided="pass"), (HELD, wide)).passed
    promised = replace(wide, against="promise", allowed=0.5)
    assert gate(AttackRules(tried=("linkage",)), (promised,)).passed
    assert not gate(AttackRules(tried=("linkage",)), (replace(promised, allowed=0.4),)).passed
    assert gate(AttackRules(tried=("linkage",)), (replace(wide, counted=True),)).passed


def test_rules_that_nobody_set_are_not_named() -> None:
    """For an uncertified release, each rule of the file fails, and no default."""
    policy = GatePolicy(attacks=AttackRules(tried=("linkage",)))
    broken = Verification((Check("all", passed=False, detail="changed"),))
    found = judge(policy, None, broken, SignatureFinding("unsigned"), date(2026, 3, 1))
    assert [one.check for one in found.rules[1:]] == ["attacks.tried"]
