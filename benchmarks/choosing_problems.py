"""Tables with a class to be predicted, for `choosing_specializations.py`.

Two are real: Adult, and the encounters of the diabetes data set (130 hospitals), whose class is
whether the patient was readmitted; a record there is an encounter, and a patient may have several.
Three are made up and show what ought to happen: in two of them the class is a coin's, fair or not,
so nothing should be specialized; in the third it follows from three of eight attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

import numpy as np

from problems import DIABETES, data_folder, summary
from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.hierarchies.taxonomy import Branch, from_branches
from roadstead_reproductions.mohammed2013.adult import complete_records, private_table
from roadstead_reproductions.mohammed2013.diabetes import GROUPS, RANGES

MADE_UP = 20_000
"""Records of a made-up table."""

_DOSE: Branch = {"taken": ("Down", "Steady", "Up"), "not taken": ("No",)}
_GROUPS: Mapping[str, Branch] = {
    **{name: GROUPS[name] for name in ("race", "gender", "age")},
    "max_glu_serum": {"measured": ("Norm", ">200", ">300"), "not measured": ("None",)},
    "A1Cresult": {"measured": ("Norm", ">7", ">8"), "not measured": ("None",)},
    "metformin": _DOSE,
    "insulin": _DOSE,
    "change": ("Ch", "No"),
    "diabetesMed": ("No", "Yes"),
}


def diabetes(*, classes: tuple[str, ...] = ("NO", "<30", ">30")) -> PrivateTable:
    """Read the encounters; the class is whether the patient came back, and if so how soon."""
    domains: list[Domain] = [
        NumericDomain(name, Decimal(low), Decimal(high)) for name, (low, high) in RANGES.items()
    ]
    domains += [
        CategoricalDomain(from_branches(name, "*", groups, origin=f"the groups of {name!r}"))
        for name, groups in _GROUPS.items()
    ]
    columns = [*RANGES, *_GROUPS, "readmitted"]
    table = summary(data_folder() / DIABETES.file, columns)
    return within(table, domains, "readmitted", classes)


def fair_coin() -> PrivateTable:
    """Make up records whose class is a fair coin's."""
    return _made_up(lambda _codes, chance: chance.random(MADE_UP) < 1 / 2)


def loaded_coin() -> PrivateTable:
    """Make up records of which a quarter are of one class, whatever they are like."""
    return _made_up(lambda _codes, chance: chance.random(MADE_UP) < 1 / 4)


def rule() -> PrivateTable:
    """Make up records whose class follows from two numbers and a category."""
    return _made_up(
        lambda codes, _chance: ((codes[0] >= 60) & (codes[4] < 4)) | (codes[1] < 15)  # noqa: PLR2004 - the rule
    )


def _made_up(
    label: Callable[[list[np.ndarray], np.random.Generator], np.ndarray],
) -> PrivateTable:
    """Draw four numbers below 100 and four of eight categories for each record, and label it."""
    chance = np.random.default_rng(0)
    halves: Branch = {
        half: {f"{half}{pair}": (f"{half}{pair}0", f"{half}{pair}1") for pair in "01"}
        for half in "01"
    }
    domains: list[Domain] = [NumericDomain(f"n{at}", Decimal(0), Decimal(99)) for at in range(4)]
    domains += [
        CategoricalDomain(from_branches(f"c{at}", "*", halves, origin="made up")) for at in range(4)
    ]
    codes = [chance.integers(0, 100 if at < 4 else 8, MADE_UP) for at in range(8)]  # noqa: PLR2004 - as above
    return PrivateTable(
        domains=tuple(domains),
        classes=("no", "yes"),
        codes=tuple(code.astype(np.int32) for code in codes),
        sets=(None,) * 8,
        target=label(codes, chance).astype(np.int32),
        counts=np.ones(MADE_UP, dtype=np.int64),
    )


TABLES: Mapping[str, Callable[[], PrivateTable]] = {
    "Adult": lambda: private_table(complete_records()),
    "diabetes": diabetes,
    "fair coin": fair_coin,
    "loaded coin": loaded_coin,
    "rule of three": rule,
}
"""How to get each table."""
