"""Write the numbers in a policy as SQL literals that every engine represents exactly."""

from __future__ import annotations

from decimal import Decimal

from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.number_text import EXACT, plain_number
from roadstead.release.sql.literals import without_sql

MOST_DIGITS, MOST_PLACES = 15, 9
"""The largest numbers of digits before and after the decimal point of a number in SQL."""
LONGEST_NUMBER = 18
NUMBER = f"DECIMAL({LONGEST_NUMBER + MOST_PLACES}, {MOST_PLACES})"
"""The SQL type of a number."""


def decimal(number: Decimal) -> str:
    """Return a number as an exact literal. In some engines, a plain literal is inexact."""
    plain = plain_number(number)
    exponent = number.normalize(EXACT).as_tuple().exponent
    fine = not isinstance(exponent, int) or exponent < -MOST_PLACES
    if fine or number.adjusted() >= MOST_DIGITS:
        raise PolicyError(
            f"the number {quoted(plain)} has more than {MOST_DIGITS} digits before the decimal "
            f"point or {MOST_PLACES} after it, so SQL engines do not represent it exactly",
            fix=without_sql(),
        )
    return f"CAST('{plain}' AS {NUMBER})" if "." in plain else plain
