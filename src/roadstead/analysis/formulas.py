"""Parse the formula of a regression, such as ``salary ~ age + sex``.

A formula is never run as code. The grammar is::

    formula = name "~" name {"+" name}
    name    = any text without ~ + * : ^ | ( ) and backquotes, or any text between backquotes

White space around a name is not part of the name. Other features of R and Patsy formulas, such as
interactions and functions, are rejected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from roadstead.errors import SettingError, quoted

_PLAIN = r"[^~+*:^|()`\s][^~+*:^|()`]*?"
_NAME = re.compile(rf"\s*(?:`(?P<quoted>[^`]+)`|(?P<plain>{_PLAIN}))\s*(?P<next>[~+]|$)")
_FIX = (
    "write a formula with column names, for example, 'outcome ~ age + sex'; put a name in "
    "backquotes if it contains one of ~ + * : ^ | ( )"
)


@dataclass(frozen=True)
class Formula:
    """The outcome and the predictors of a regression, which always has an intercept."""

    outcome: str
    predictors: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the formula, starting with the outcome."""
        return (self.outcome, *self.predictors)

    def __str__(self) -> str:
        return f"{self.outcome} ~ {' + '.join(self.predictors)}"


def parse_formula(text: str) -> Formula:
    """Parse a formula, or raise a SettingError that explains why the formula is invalid."""
    names: list[str] = []
    signs: list[str] = []
    at = 0
    while at < len(text) or not names or signs[-1]:
        match = _NAME.match(text, at)
        if match is None:
            raise SettingError(f"{quoted(text)} is not a formula", fix=_FIX)
        names.append(match["quoted"] or match["plain"])
        signs.append(match["next"])
        at = match.end()
    if signs[0] != "~" or "~" in signs[1:]:
        raise SettingError(f"{quoted(text)} does not have exactly one outcome", fix=_FIX)
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"{quoted(text)} names {quoted(name)} twice", fix=_FIX)
    return Formula(names[0], tuple(names[1:]))
