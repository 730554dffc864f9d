"""Check the settings of a generalized sample, and the options that apply only to samples."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from roadstead.errors import quoted
from roadstead.front_end import option
from roadstead.release.private.certificate import SAMPLE
from roadstead.requests.checks import wrong
from roadstead.verbs.settings import choose
from roadstead.verbs.synthesize.settings import (
    OUTSIDE,
    Epsilon,
    SampleSettings,
    epsilon_of,
    fraction_of,
)

if TYPE_CHECKING:
    from roadstead.verbs.synthesize.request import SynthesizeRequest

_SHARE: Final = Fraction(1, 10)


def sample_settings_of(request: SynthesizeRequest) -> SampleSettings:
    """Return the checked settings for a generalized sample."""
    given = request
    as_it_is = "a sample shows only generalized values, so no column is released unchanged"
    declare = f"declare its {option('values')}, and leave {option('target')} out"
    one_record = "records are sampled one by one, so a person could be sampled with several records"
    per_person = f"make one record per person with {option('per_person')}"
    meaningless = {
        "target": (as_it_is, declare),
        "classes": (as_it_is, declare),
        "specializations": ("a sample uses levels instead of specializations", "leave it out"),
        "score": ("a sample uses levels instead of specializations", "leave it out"),
        "sets": ("a set does not have one level for all records", "leave the set out"),
        "rows_per_person": (one_record, per_person),
    }
    for key, (what, fix) in meaningless.items():
        if getattr(given, key):
            raise wrong(key, what, fix)
    if given.levels is not None and given.share is not None:
        what = "levels are given, so no share of epsilon is used to choose them"
        raise wrong("share", what, f"leave this share out, or leave {option('levels')} out")
    return SampleSettings(
        epsilon_of(given.epsilon),
        _delta(given.delta),
        given.levels,
        _share(given.share),
        choose(OUTSIDE[0] if given.outside is None else given.outside, OUTSIDE, option("outside")),
    )


def refuse_of_samples(request: SynthesizeRequest) -> None:
    """If the request is not for a sample, reject options that apply only to samples."""
    for key in ("delta", "levels", "share"):
        if getattr(request, key) is not None:
            what = "this setting applies only to a generalized sample"
            raise wrong(key, what, f"leave this setting out, or add {option('purpose', SAMPLE)}")


def _delta(given: float | None) -> float:
    if given is None:
        fix = "give a number much smaller than 1 divided by the number of records, such as 1e-6"
        raise wrong("delta", "a sample requires a delta, but no delta is given", fix)
    found = fraction_of(given)
    if found is None or not 0 < found < 1:
        raise wrong(
            "delta",
            f"the delta is {quoted(str(given))}",
            "give a number above 0 and below 1, such as 1e-6",
        )
    return float(found)


def _share(given: Epsilon | None) -> Fraction:
    found = _SHARE if given is None else fraction_of(given)
    if found is None or not 0 < found < 1:
        what = f"{quoted(str(given))} is not a share of epsilon"
        raise wrong("share", what, "give a number above 0 and below 1, such as 0.1")
    return found
