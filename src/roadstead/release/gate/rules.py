"""Check a release against the rules of a gate. A rule without evidence fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import TypeAlias

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.quality.for_sharing import rounded_from
from roadstead.release.evidence import CertifiedAttack, is_undecided, wrong_with
from roadstead.release.facts import Fact, Promised, ReleaseFacts, Unknown, amount
from roadstead.release.gate.policy import AttackRules, GatePolicy, GateSection
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.similar_names import is_like, mixed_scripts
from roadstead.release.verification.checks import Check, Verification, counted
from roadstead.release.verification.terms import PromiseTerms

_CLOCKS_APART = 1
"""The largest number of days by which the date of a certificate may be in the future."""
_UNJUDGED = "cannot be judged"
_CERTIFIED = "; the files do not show the people, so this depends on the certificate"
_MEASURED = (
    *("smallest_class", "highest_risk", "average_risk"),
    *("suppression", "left_out_by_shift"),
)

Amount: TypeAlias = int | float | Fraction


@dataclass(frozen=True)
class GateFinding:
    """The result of a gate.

    Attributes
    ----------
    rules
        The results of the rules, each with the evidence in words. The first rule is that the
        release passes verification.
    requires_signature
        Whether a rule names keys. If so, the holder of a key is responsible for the certificate.
    reassures
        Whether a privacy requirement applies and no record has a risk above 1/2. In addition, all
        earlier releases must have been compared, and must not single out people together with this
        release.
    shortfall
        If `reassures` is false, the reason in words.
    """

    rules: tuple[Check, ...]
    requires_signature: bool
    reassures: bool = True
    shortfall: str = ""

    @property
    def passed(self) -> bool:
        """Return whether the release meets all rules."""
        return all(rule.passed for rule in self.rules)

    def __repr__(self) -> str:
        answer = "passed" if self.passed else "REFUSED"
        held = sum(rule.passed for rule in self.rules)
        return f"<{type(self).__name__}: {answer}; {held} of {len(self.rules)} rules hold>"


def judge(
    policy: GatePolicy,
    facts: ReleaseFacts | None,
    verification: Verification,
    signature: SignatureFinding,
    today: date,
) -> GateFinding:
    """Check a verified release against the rules.

    Without `facts`, the verification counts as failed. `signature` is the result of checking the
    signature with the keys that the gate names.
    """
    kept = _kept(verification, refuses=policy.promise.unprotected != "pass")
    requires, reassures = policy.signature is not None, verification.reassures
    if facts is None:
        why = f"{_UNJUDGED}, because the release fails verification"
        others = (Check(name, passed=False, detail=why) for name in _names(policy))
        return GateFinding((kept, *others), requires, reassures)
    together = _together(verification, refuses=policy.promise.earlier_releases != "pass")
    rules = (
        *together,
        *_promise(policy, facts),
        *_measured(policy, facts),
        *_columns(policy, facts),
        *_signature(policy, signature, today),
        *_attacks(policy.attacks, facts),
        *_certificate(policy, facts, today),
    )
    wrong = [] if verification.terms.reassures else [kept]
    wrong += together if verification.singled_out or verification.uncompared else ()
    shortfall = "; ".join(one.detail for one in wrong)
    return GateFinding((kept, *rules), requires, reassures, shortfall)


def _kept(verification: Verification, *, refuses: bool) -> Check:
    """Check that all checks passed and, if `refuses` is true, that the requirements are met."""
    rule = "the release meets its privacy requirements"
    if verification.failed:
        first = verification.failed[0]
        return Check(rule, passed=False, detail=f"{first.check}: {first.detail}")
    terms, checks = verification.terms, f"{counted(len(verification.checks), 'check')} passed"
    clause = terms.clause or "no privacy requirement applies"
    if verification.promise_rests_on:
        clause += f", as far as the files show; the rest depends on {verification.promise_rests_on}"
    if terms.reassures:
        return Check(rule, passed=True, detail=f"{clause}; {checks}")
    risk = "" if terms.worst_risk is None else f", the highest risk is {terms.worst_risk:.4g}"
    less = f", {' and '.join(terms.not_kept)} was declared and is not met" if terms.not_kept else ""
    why = f"{clause}{risk}{less}; {checks}"
    return Check(rule, passed=not refuses, detail=why + (_better(terms) if refuses else ""))


def _together(verification: Verification, *, refuses: bool) -> tuple[Check, ...]:
    """Check that earlier releases do not single out people, if the certificate compares them."""
    earlier = verification.earlier
    if earlier is None:
        return ()
    rule = "earlier releases and this release do not single out people"
    if not earlier.findings and earlier.incomplete:
        why = f"{earlier.missed:,} of {earlier.earlier:,} earlier releases were not compared"
        if earlier.unlike:
            name, column = next(iter(earlier.unlike.items()))
            why = f"{named(name)} has no value of {named(column)} in common with this release"
        elif earlier.partly:
            why = f"{named(earlier.partly[0].earlier)} was compared only in part"
        return (Check(rule, passed=not refuses, detail=f"{_UNJUDGED}: {why}"),)
    if not earlier.findings:
        compared = f"{counted(earlier.earlier, 'earlier release')} compared"
        if earlier.compared < earlier.earlier:
            compared = f"{earlier.compared:,} of {earlier.earlier:,} earlier releases were compared"
        return (Check(rule, passed=True, detail=f"{compared}, according to the certificate"),)
    first, *others = earlier.findings
    groups = f"{counted(first.classes, 'group')} with too few people or values"
    detail = f"compared with {first.earlier}, {groups}"
    detail += f", and {counted(len(others), 'more such finding')}" if others else ""
    return (Check(rule, passed=not refuses, detail=detail),)


def _better(terms: PromiseTerms) -> str:
    """Suggest a new release that would pass. Weaker rules would not protect anyone."""
    if terms.not_kept:
        return f"; make a release that meets {' and '.join(terms.not_kept)}"
    undone = terms.risk_if_undone
    if undone is not None and undone.maximum == terms.worst_risk:
        columns = ", ".join(map(named, undone.columns))
        return f"; make the release again, and leave out or generalize {columns}"
    return f"; make the release again with k-anonymity, for example {option('k', 5)}"


def _names(policy: GatePolicy) -> Iterator[str]:
    """Yield the names of the rules that the file sets, as written in the file."""
    for table, section in policy:
        if isinstance(section, GateSection):
            for key in type(section).model_fields:  # in this order, so the output does not vary
                if key in section.model_fields_set and getattr(section, key) not in (None, False):
                    yield f"{table}.{key}"


def _bounded(
    name: str, fact: Fact[Amount], *, low: float | None = None, high: float | None = None
) -> Iterator[Check]:
    """Compare a number with its lower or upper limit, if there is a limit."""
    limit, side = (high, "at most") if low is None else (low, "at least")
    if limit is None:
        return
    rule = f"{name} {side} {limit:,}"
    if isinstance(fact, Unknown):
        yield _cannot(rule, fact.why)
        return
    try:  # The fractions are exact, so an epsilon of 3/10 is not above 0.3.
        value, bound = Fraction(str(fact)), Fraction(str(limit))
    except ValueError:
        yield _cannot(rule, "the certificate does not contain a number")
        return
    holds = value <= bound if low is None else value >= bound
    yield Check(rule, passed=holds, detail=_written(fact))


def _written(number: Amount) -> str:
    if isinstance(number, Fraction):
        return amount(number)
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


def _cannot(rule: str, why: str) -> Check:
    return Check(rule, passed=False, detail=f"{_UNJUDGED}: {why}")


def _promise(policy: GatePolicy, facts: ReleaseFacts) -> Iterator[Check]:
    rules = policy.promise
    for name, fact, low, high in (
        ("k", facts.k, rules.k, None),
        ("l", facts.l, rules.l, None),
        ("t", facts.t, None, rules.t),
    ):
        bound: Fact[Amount] = fact.bound if isinstance(fact, Promised) else fact
        for check in _bounded(f"{name} required", bound, low=low, high=high):
            of = f" ({named(fact.of)})" if isinstance(fact, Promised) else ""
            only = _CERTIFIED if name in facts.certified else ""
            yield Check(check.check, passed=check.passed, detail=f"{check.detail}{of}{only}")
    yield from _bounded("epsilon", facts.epsilon, high=rules.epsilon)
    unnamed = rules.delta is None and rules.epsilon is not None
    weaker = not isinstance(facts.delta, Unknown) and facts.delta > 0.0
    # If there is a rule for epsilon but not for delta, delta must be 0.
    yield from _bounded("delta", facts.delta, high=0.0 if unnamed and weaker else rules.delta)


def _measured(policy: GatePolicy, facts: ReleaseFacts) -> Iterator[Check]:
    rules = policy.measured
    for key in _MEASURED:
        limit = {"low" if key == "smallest_class" else "high": getattr(rules, key)}
        for check in _bounded(key.replace("_", " "), getattr(facts, key), **limit):
            only = _CERTIFIED if key in facts.certified else ""
            counts = f" ({facts.counts[key]})" if key in facts.counts else ""
            yield replace(check, detail=f"{check.detail}{counts}{only}")
    yield from _loss(facts.loss, rules.loss)


def _loss(fact: Fact[float], limit: float | None) -> Iterator[Check]:
    """Compare a rounded loss with a limit, if rounding cannot change the result."""
    for check in _bounded("loss", fact, high=limit):
        if isinstance(fact, Unknown) or limit is None or check.detail.startswith(_UNJUDGED):
            yield check
            continue
        low, high = rounded_from(fact)
        means = f"the certificate rounds the loss to {fact:g}, which means {low:g} to {high:g}"
        if low <= limit < high:
            yield _cannot(check.check, f"{means}; to accept this loss, set the limit to {high:g}")
        else:
            detail = check.detail if low == high else f"{fact:g} ({means})"
            yield replace(check, detail=detail, passed=high <= limit)


def _columns(policy: GatePolicy, facts: ReleaseFacts) -> Iterator[Check]:
    """Check the columns. Names that look the same count as the same column."""
    if policy.columns.absent:
        mixed = mixed_scripts(facts.columns)
        wrong = f"{named(mixed[0])} mixes Latin and {mixed[1]} letters" if mixed else None
        yield Check.of("no column name mixes scripts", wrong, "each name uses one script")
    for pattern in policy.columns.absent or ():
        found = [one for one in facts.columns if is_like(one, pattern)]
        wrong = f"{named(found[0])} is released" if found else None
        yield Check.of(f"no column {named(pattern)}", wrong, "not released")
    if policy.columns.identifiers is None:
        return
    rule = "no identifier is released"
    if isinstance(facts.identifiers, Unknown):
        yield _cannot(rule, facts.identifiers.why)
    else:
        wrong = (
            f"{named(facts.identifiers[0])} looks like an identifier" if facts.identifiers else None
        )
        yield Check.of(rule, wrong, "none, according to the certificate and its policy")


def _signature(policy: GatePolicy, found: SignatureFinding, today: date) -> Iterator[Check]:
    if policy.signature is None:
        return
    keys = policy.signature.keys
    which = "the expected key" if len(keys) == 1 else f"one of {len(keys):,} expected keys"
    wrong = {
        "unsigned": "the release is not signed",
        "broken": "the signature is broken",
        "stranger": "the release is signed with a different key",
    }.get(found.state)
    evidence = f"key {(found.key or '')[:16]}…"
    yield Check.of(f"signed with {which}", wrong, evidence)
    if not policy.signature.unexpired:
        return
    rule = "the signature has not expired"
    if found.state != "trusted":
        yield _cannot(rule, "the signature was not made with an expected key")
    elif found.expires is None:
        yield _cannot(rule, "the signature does not have an expiry date")
    else:
        last = found.expires.isoformat()
        yield Check.of(
            rule,
            f"the signature expired on {last}" if today > found.expires else None,
            f"valid until {last}",
        )


def _attacks(rules: AttackRules | None, facts: ReleaseFacts) -> Iterator[Check]:
    """Check that each attack was run, and that every variant of the attack failed."""
    if rules is None:
        return
    for name in rules.tried:
        rule = f"attack {named(name)} was run and failed"
        if isinstance(facts.attacks, Unknown):
            yield _cannot(rule, facts.attacks.why)
            continue
        tried = [one for one in facts.attacks if one.attack == name]
        wrong = _wrong_with(tried, rules.attempts)
        if wrong is None and rules.known == "all":
            wrong = _knew_too_little(tried, facts.quasi)
        if wrong is None and rules.undecided == "refuse":
            number = sum(map(is_undecided, tried))
            few = f"{counted(number, 'undecided variant')}; run more attempts"
            wrong = few if number else None
        yield Check.of(rule, wrong, counted(len(tried), "variant"))


def _knew_too_little(tried: Sequence[CertifiedAttack], quasi: Sequence[str]) -> str | None:
    """Explain which knowledge is missing if no attacker knew exactly the quasi-identifiers.

    An attacker who knows more does not count, because the privacy requirements do not cover such an
    attacker.
    """
    known = [own for one in tried if (own := _columns_known(one))]
    if not quasi or not known or {*quasi} in known:
        return None
    left_out = min(({*quasi} - own for own in known), key=len)
    fix = f"run the attack without {option('known')}"
    if not left_out:
        return f"every attacker knew more than the quasi-identifiers; {fix}"
    names = ", ".join(named(name) for name in quasi if name in left_out)
    return f"no attacker knew {names} as well; {fix}"


def _columns_known(one: CertifiedAttack) -> set[str]:
    """Return the columns that the attacker knows, or about which the attacker makes statements."""
    given = (one.knowledge.get(key, ()) for key in ("known", "known_elsewhere", "columns"))
    return {name for names in given if isinstance(names, tuple) for name in names}


def _wrong_with(tried: Sequence[CertifiedAttack], attempts: int) -> str | None:
    if not tried:
        return "the attack was not run, or the certificate does not contain its results"
    if any(one.convicted for one in tried):
        return "it succeeded"
    # Attacks that were run only for information do not count, regardless of their number.
    judged = [one for one in tried if one.against != "nothing"] or tried
    few = min((one.attempts for one in judged if not one.counted), default=attempts)
    if few < attempts:
        return f"a variant made only {counted(few, 'attempt')}"
    odd = next((why for one in tried if (why := wrong_with(one))), None)
    return odd and f"the figures of the attack contradict each other: {odd}"


def _certificate(policy: GatePolicy, facts: ReleaseFacts, today: date) -> Iterator[Check]:
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - seldom needed

    rules = policy.certificate
    if rules.software is not None:
        rule = f"made by Roadstead {rules.software} or later"
        try:
            made = Version(facts.software)
        except InvalidVersion:
            yield _cannot(rule, "the certificate does not contain a version")
        else:
            yield Check(rule, passed=made >= Version(rules.software), detail=str(made))
    if rules.days is not None:
        rule = f"certified at most {counted(rules.days, 'day')} ago"
        try:
            days = (today - datetime.fromisoformat(facts.created).date()).days
        except ValueError:
            yield _cannot(rule, "the certificate does not contain a date")
        else:
            fits = -_CLOCKS_APART <= days <= rules.days
            said = counted(days, "day") if days >= 0 else "a day in the future"
            yield Check(rule, passed=fits, detail=said)
