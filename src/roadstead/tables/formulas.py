"""Find cells that a spreadsheet may run as formulas when a recipient opens the file.

A cell such as ``=HYPERLINK(...)`` is a small program. A formula begins with ``=``, ``+``, ``-``, or
``@``, possibly after blanks, or with a tab or a carriage return. A number with a sign is not a
formula. A string that contains only signs is also not a formula. The regular expressions use only
syntax that all engines support, and no escapes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roadstead.tables.texts import NUMBER

if TYPE_CHECKING:
    from ibis.expr import types as ir

_BLANK: Final = "[ \t\r\n\u00a0\u3000]*"
_SIGNS: Final = "=+@\uff1d\uff0b\uff20\uff0d-"
_FORMULA: Final = f"^{_BLANK}[{_SIGNS}].*[^ \t\r\n\u00a0\u3000{_SIGNS}]"
_CONTROL: Final = "^[ \u00a0\u3000]*[\t\r].*[^ \t\r\n\u00a0\u3000]"
COARSE: Final = f"^{_BLANK}[{_SIGNS}]|^[ \u00a0\u3000]*[\t\r]"
"""A pattern that matches the beginning of every cell that may be a formula, and of others."""
_NUMBER: Final = (
    NUMBER.replace("^ *[+-]?", f"^{_BLANK}[+\uff0b\uff0d\u2212-]? *").removesuffix(" *$")
    + f" *%?{_BLANK}$"
)
_COMPILED: Final = tuple(re.compile(form, re.DOTALL) for form in (_FORMULA, _CONTROL, _NUMBER))


def may_run(text: str) -> bool:
    """Return whether a spreadsheet may run a string, such as the name of a column."""
    formula, control, number = (form.search(text) is not None for form in _COMPILED)
    return (formula or control) and not number


def that_may_run(column: ir.StringColumn) -> ir.BooleanValue:
    """For each cell, return whether a spreadsheet may run it. Missing cells are never run."""
    # Only in some engines does a dot match the end of a line.
    text = column.replace("\n", " ").replace("\r", "\t")
    found = (text.re_search(_FORMULA) | text.re_search(_CONTROL)) & ~text.re_search(_NUMBER)
    return found.fill_null(False)
