"""Comparison of a page's output with the printed output, except digits that vary by processor."""

from __future__ import annotations

import math
import re

_FLOAT = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.])")
DIGITS = 6
"""Guaranteed digits of a number that is printed with more digits."""


def matches(shown: str, real: str) -> bool:
    """Compare line by line; three dots match anything.

    Numbers of more than six digits need only be close: their last digits depend on the processor.
    """
    pattern = "\n".join(
        r"(?:.*\n)*?.*" if line.strip() == "..." else pattern_of(line) for line in tidy(shown)
    )
    found = re.fullmatch(pattern, "\n".join(tidy(real)))
    wanted = [n[0] for line in tidy(shown) if line.strip() != "..." for n in long_floats(line)]
    return found is not None and all(map(close, wanted, found.groups()))


def pattern_of(line: str) -> str:
    """Make a pattern of a line, with a group for each long number with a fraction."""
    pattern, end = "", 0
    for number in [*long_floats(line), None]:
        start = number.start() if number else len(line)
        pattern += re.escape(line[end:start]).replace(r"\.\.\.", ".*")
        if number:
            pattern, end = pattern + f"({_FLOAT.pattern})", number.end()
    return pattern


def long_floats(line: str) -> list[re.Match[str]]:
    """Find the numbers with a fraction and more significant digits than are promised."""
    found = _FLOAT.finditer(line)
    return [n for n in found if len(re.sub(r"\D", "", n[0].partition("e")[0]).lstrip("0")) > DIGITS]


def close(shown: str, real: str) -> bool:
    """Say whether two numbers are equal up to rounding, by the processor or in the last digit."""
    fraction = shown.partition("e")[0].partition(".")[2]
    exponent = int(shown.partition("e")[2] or 0)
    last = 10.0 ** (exponent - len(fraction))
    return math.isclose(float(shown), float(real), rel_tol=1e-9, abs_tol=1.01 * last)


def tidy(text: str) -> list[str]:
    """Lines without blanks at their ends, and without blank lines."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]
