"""Intervals and verdicts: compared with SciPy's own, published figures, and the definition."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from roadstead.attacks.finding import (
    GUESSING,
    NONE_AT_ALL,
    NOTHING,
    HeldAgainst,
    above_guessing,
    finding,
    interval_of_difference,
    interval_of_share,
    promise,
)
from roadstead.release.evidence import (
    CertifiedAttack,
    convicts,
    document_of_attack,
    for_sharing,
    wrong_with,
)
from roadstead.reports.attacks.words import found_in_words, judged_in_words


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_is_clopper_and_pearson_s(case: tuple[int, int]) -> None:
    """SciPy has it for whole successes."""
    expected = binomtest(*case).proportion_ci(0.95, method="exact")
    assert interval_of_share(*case) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_difference_is_newcombe_s_with_these_ends() -> None:
    """Of 56 of 70 and 48 of 80, worked out with the ends that SciPy gives."""
    one, other = binomtest(56, 70).proportion_ci(), binomtest(48, 80).proportion_ci()
    low = 0.2 - ((0.8 - one.low) ** 2 + (other.high - 0.6) ** 2) ** 0.5
    high = 0.2 + ((one.high - 0.8) ** 2 + (0.6 - other.low) ** 2) ** 0.5
    assert interval_of_difference((56, 70), (48, 80)) == pytest.approx((low, high))
    # Newcombe 1998, table II, method 10, with Wilson's ends: a little narrower.
    assert low < 0.0524
    assert high > 0.3339


def made(successes: float, guessed: float, **more: object) -> CertifiedAttack:
    """Judge 1,000 attempts and as many guesses."""
    held = more.pop("held", GUESSING)
    return finding("linkage", {}, (successes, 1_000), (guessed, 1_000), held, **more)  # type: ignore[arg-type] # as each test says


@pytest.mark.parametrize(
    ("successes", "held", "convicted"),
    [
        (150, GUESSING, True),
        (101, GUESSING, False),
        (105, GUESSING, False),
        (900, NOTHING, False),
        (190, promise(0.2), False),
        (215, promise(0.2), False),
        (280, promise(0.2), True),
        (1000, promise(1.0), False),
    ],
)
def test_what_is_above_guessing_and_above_the_promise_convicts(
    successes: float, held: object, *, convicted: bool
) -> None:
    """By the lower end, and with what is tolerated."""
    assert made(successes, 100, held=held).convicted == convicted


def test_one_of_many_convicts_where_everything_was_looked_at() -> None:
    """No chance, no tolerance."""
    assert made(1, 0, held=promise(0.0), counted=True).convicted
    assert not made(1, 0, held=promise(0.0)).convicted
    assert not made(0, 0, held=promise(0.0), counted=True).convicted


def test_a_base_line_that_is_known_has_no_interval() -> None:
    """None of the guesses is right for certain, so two of 2,000 are more."""
    low, high = above_guessing((2, 2_000), 0.0)
    assert 0 < low < 0.001 < high


@given(
    st.floats(0, 1_000),
    st.floats(0, 1_000),
    st.sampled_from([GUESSING, NOTHING, promise(0.2), promise(0.0)]),
    st.booleans(),
)
def test_what_is_found_never_contradicts_itself(
    successes: float,
    guessed: float,
    held: object,
    counted: bool,  # noqa: FBT001 - drawn
) -> None:
    """Verification compares the numbers with each other."""
    one = made(successes, guessed, held=held, counted=counted)
    assert wrong_with(one) is None
    assert CertifiedAttack(**document_of_attack(one)) == one


@given(
    st.floats(0, 1_000),
    st.floats(0, 1_000),
    st.sampled_from([GUESSING, NOTHING, promise(0.2), promise(0.0)]),
    st.booleans(),
)
def test_what_is_shared_has_the_same_verdict_in_steps(
    successes: float,
    guessed: float,
    held: object,
    counted: bool,  # noqa: FBT001 - drawn
) -> None:
    """Of half a percent, unless that would change the verdict; the interval only grows."""
    one = made(successes, guessed, held=held, counted=counted, needs=("original",))
    shared = for_sharing(one)
    assert wrong_with(shared) is None
    assert shared.convicted == one.convicted
    if shared != one:
        assert shared.success * 200 == pytest.approx(round(shared.success * 200))
        assert abs(shared.success - one.success) <= 0.0025 + 1e-9
        if not counted:
            assert shared.low <= one.low + 1e-9
            assert shared.high >= one.high - 1e-9


def test_what_anybody_can_count_is_shared_as_it_is() -> None:
    """It needed the release alone."""
    one = made(123.4, 0)
    assert for_sharing(one) == one
    assert for_sharing(made(123.4, 0, needs=("original",))).successes == 125.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"successes": 1_001.0}, "more successes"),
        ({"base_successes": 1_001.0}, "more successes"),
        ({"low": 0.5}, "not within"),
        ({"convicted": False}, "does not follow"),
        ({"tolerance": 0.5}, "does not follow"),
        ({"allowed": None}, "contradicts"),
        ({"against": "nothing"}, "contradicts"),
    ],
)
def test_a_number_that_was_changed_contradicts_the_others(
    change: dict[str, object], said: str
) -> None:
    """The release is one that fails an attack."""
    one = made(500, 1, held=promise(0.2))
    assert one.convicted
    found = wrong_with(replace(one, **change))  # type: ignore[arg-type] # as each case says
    assert found is not None
    assert said in found


def test_convicts_by_the_definition() -> None:
    """Low and guessing add up to the least share of success that is likely."""
    assert convicts(0.3, 0.1, "promise", 0.35, 0.01)
    assert not convicts(0.3, 0.1, "promise", 0.4, 0.01)


def test_one_success_disproves_a_promise_of_none() -> None:
    """However often guessing has such luck, and whatever the interval says."""
    assert made(1, 0, held=NONE_AT_ALL).convicted
    assert made(1, 900, held=NONE_AT_ALL).convicted
    assert not made(0, 900, held=NONE_AT_ALL).convicted
    assert for_sharing(made(1, 900, held=NONE_AT_ALL, needs=("original",))).convicted


@pytest.mark.parametrize(
    ("successes", "held", "said"),
    [
        (0, promise(0.2), "The privacy requirements allow 20%: the attack fails."),
        (190, promise(0.2), "undecided (neither shown to succeed nor shown to fail)."),
        (280, promise(0.2), "the attack SUCCEEDS."),
        (2, GUESSING, "the attack fails."),
        (8, GUESSING, "undecided (neither shown to succeed nor shown to fail)."),
        (0, NONE_AT_ALL, "The privacy requirements do not allow such a case: nothing was found."),
        (1, NONE_AT_ALL, "The privacy requirements do not allow such a case: the attack SUCCEEDS."),
    ],
)
def test_it_holds_is_said_only_where_the_interval_says_so(
    successes: float, held: HeldAgainst, said: str
) -> None:
    """Too few attempts show neither."""
    assert judged_in_words(made(successes, 0, held=held)).endswith(said)


def test_of_one_attempt_it_is_said_in_the_singular() -> None:
    """And of 21 in the plural."""
    one = replace(made(1, 1), attack="linkage", attempts=1, base_attempts=1)
    assert "100% of 1 attempt." in found_in_words(one)
    assert " 21 attempts." in found_in_words(replace(one, attempts=21))
