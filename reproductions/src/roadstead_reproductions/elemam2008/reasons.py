"""Explain why our results differ from the paper's results.

The paper does not specify how its attributes were generalized. If policies may remove an attribute,
the optimal policy removes the attribute before it suppresses records. Otherwise, the optimal policy
must suppress records. So the simulation also runs with *detail kept*: no attribute is removed, and
three characters of a postal code remain. The register also runs with other numbers of characters,
and with people distributed evenly over its codes. Other significances of the tests need no new
samples, because each sample has a result for every minimum class size.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead_reproductions.elemam2008.findings import Curves
from roadstead_reproductions.elemam2008.populations import Population
from roadstead_reproductions.elemam2008.published import PHYSICIANS, RELATIVE_LOSS
from roadstead_reproductions.elemam2008.rules import SIGNIFICANCE, smallest
from roadstead_reproductions.elemam2008.simulation import Series, Simulated
from roadstead_reproductions.elemam2008.summaries import Summaries, summary
from roadstead_reproductions.tables import Column, Kind, ResultTable, Row

KEPT = ", detail kept"
SMALL = (0.1, 0.2, 0.3)
"""The fractions at which the rules differ most."""
FRACTIONS = (*SMALL, 0.6)
SIGNIFICANCES = (0.05, 0.1, 0.2)
_CODE, _LENGTH = "postal code", 6
_LENGTHS = (1, 2, 4)
SERIES = len(_LENGTHS) + 2
"""The number of further series, which use other code lengths or the even register."""
_TRIED = tuple(i / 200 for i in range(1, 101))
"""Significances up to 0.5."""


def variations(
    populations: Sequence[Population], even: Population | None, repetitions: int
) -> tuple[Series, ...]:
    """Return the further series, which use other code lengths or an even register."""
    found = []
    for own in populations:
        if own.stands_for == PHYSICIANS:
            for length in _LENGTHS:
                limits = {**own.keeping_something(), _CODE: _LENGTH - length}
                name = f"{own.name}, {length} character{'s' if length > 1 else ''} of code kept"
                found.append(Series(name, own.limited(limits), FRACTIONS, repetitions))
    if even is not None:
        kept = even.limited(even.keeping_something())
        found.append(Series("even register", even.lattice, FRACTIONS, repetitions))
        found.append(Series(f"even register{KEPT}", kept, FRACTIONS, repetitions))
    return tuple(found)


def policies_table(
    all_series: Sequence[Series], found: Summaries, simulated: Simulated, k: int
) -> ResultTable:
    """Show the effect of the policies and of the population on the findings."""
    rows: list[Row] = []
    for series in all_series:
        least = min(series.fractions)
        base, best = (found[series.name, least, k, rule] for rule in ("D1", "D4"))
        floor = summary(series, least, k, "D1", simulated.releases[series.name, least], 1)
        rows.append(
            {
                "population": series.name,
                "policies": len(series.lattice.policies),
                "rare": best.rare,
                "suppressed": base.suppressed,
                "relative_loss": best.relative_loss,
                "floor": floor.relative_loss,
                **{
                    f"{rule} {fraction}": found[series.name, fraction, k, rule].risk
                    for rule, fractions in (("D3", SMALL), ("D4", SMALL), ("D2", FRACTIONS[-1:]))
                    for fraction in fractions
                    if fraction in series.fractions
                },
            }
        )
    risks = [name for name in rows[0] if " " in name]
    columns = (
        Column("population", "population", "text"),
        Column("policies", "policies", "count"),
        Column("rare", "rare classes", "times"),
        Column("suppressed", "suppressed by D1", "share"),
        Column("relative_loss", "D4 / D1", "share"),
        Column("floor", "no rule / D1", "share"),
        *(Column(name, f"risk {name}", "times") for name in risks),
    )
    notes = (
        f"Rare classes have fewer than {k} people in the population under the policy that D4 "
        "chooses. Rare classes, suppression, and the discernibility of D4 relative to D1 are "
        "given at the smallest fraction. The discernibility without any rule, the lowest "
        "possible, is given next to it. Risks are means, with the fraction after each rule.",
    )
    title = f"Influences on the findings: policies and population, k = {k}"
    return ResultTable("reasons-policies", title, columns, tuple(rows), notes)


def significance_table(all_series: Sequence[Series], found: Simulated, k: int) -> ResultTable:
    """Show the effect of the tests' significance on D3 and D4."""
    rows: list[Row] = []
    for series in all_series:
        for significance in SIGNIFICANCES:
            for fraction in (one for one in SMALL if one in series.fractions):
                row: dict[str, str | float] = {
                    "population": series.name,
                    "significance": significance,
                    "fraction": fraction,
                }
                for rule in ("D3", "D4"):
                    least = smallest(rule, k, fraction, significance)
                    releases = found.releases[series.name, fraction]
                    one = summary(series, fraction, k, rule, releases, least)
                    row |= {f"{rule}_size": least, f"{rule}_risk": one.risk}
                    row |= {f"{rule}_above": one.above}
                rows.append(row)
    told: tuple[tuple[str, str, Kind], ...] = (
        ("size", "smallest class", "count"),
        ("risk", "risk", "times"),
        ("above", f"above 1/{k}", "share"),
    )
    columns = (
        Column("population", "population", "text"),
        Column("significance", "significance", "times"),
        Column("fraction", "fraction", "share"),
        *(
            Column(f"{rule}_{name}", f"{rule} {heading}", kind)
            for rule in ("D3", "D4")
            for name, heading, kind in told
        ),
    )
    title = f"Influences on the findings: the significance of the tests, k = {k}"
    return ResultTable("reasons-significance", title, columns, tuple(rows))


def explanations(
    pairs: Sequence[tuple[Series, Series]],
    like_the_register: Sequence[Series],
    found: Summaries,
    k: int,
) -> list[str]:
    """Return the measured reasons why our results differ.

    `pairs` contains, for each population, the series with all policies and the series with detail
    kept. `like_the_register` contains all series of made-up registers.
    """
    own = [(Curves(found, free, k), Curves(found, kept, k)) for free, kept in pairs]
    registers = [Curves(found, series, k) for series in like_the_register]
    return [
        _on_suppression(own),
        *_on_the_register(registers),
        _on_the_tests(own, k),
        *_where_tests_agree(own[0][0], k),
    ]


def _on_suppression(own: Sequence[tuple[Curves, Curves]]) -> str:
    told = "; ".join(
        f"{free.series.name} {_percent(free.of('D1')[0].suppressed)}, with detail kept "
        f"{_percent(kept.of('D1')[0].suppressed)}"
        for free, kept in own
    )
    return (
        "Suppression: a suppressed record costs as much as a record that is identical to all "
        "others. So if policies may remove an attribute, the optimum removes an attribute before "
        f"it suppresses many records. Suppressed by D1 at the smallest fraction: {told}."
    )


def _on_the_register(own: Sequence[Curves]) -> list[str]:
    """Report the range of D4 / D1, and the effect of crowded codes."""
    if not own:
        return []
    told = "; ".join(
        f"{one.series.name} {_percent(one.of('D4')[0].relative_loss)} with "
        f"{_percent(one.of('D1')[0].suppressed)} suppressed by D1"
        for one in own
    )
    return [
        "Discernibility of D4 relative to D1 on registers of physicians at the smallest "
        f"fraction: {told}; published {_percent(RELATIVE_LOSS)}. It depends on how general "
        "policies may be, which the paper does not say, and on how many people share a postal "
        "code, as far as the even register differs from the other."
    ]


def _on_the_tests(own: Sequence[tuple[Curves, Curves]], k: int) -> str:
    told = "; ".join(
        f"{free.series.name} {free.of('D4')[0].rare:,.0f} and {free.of('D4')[0].risk:.3f}, with "
        f"detail kept {kept.of('D4')[0].rare:,.0f} and {kept.of('D4')[0].risk:.3f}"
        for free, kept in own
    )
    return (
        "Tests: each class is tested separately, but the risk is that of the class with the "
        f"fewest people. The more classes have fewer than {k} people, the more likely D3 and D4 "
        "release one of them. Such classes in the population, and risk of D4, at the smallest "
        f"fraction: {told}, with an intended risk of {1 / k:g}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _where_tests_agree(own: Curves, k: int) -> list[str]:
    equal = [f for f in SMALL if f in own.series.fractions and _agree(f, k, SIGNIFICANCE)]
    if not equal:
        return []
    told = ", ".join(f"{f:g}" for f in equal)
    apart = [s for s in _TRIED if not any(_agree(f, k, s) for f in SMALL)]
    found = (
        f"They differ at 0.1, 0.2, and 0.3 with any significance from {apart[0]:g} to {apart[-1]:g}"
        if apart
        else f"No significance up to {_TRIED[-1]:g} makes them differ at all of 0.1, 0.2, and 0.3"
    )
    return [
        f"At {told}, D3 and D4 require classes of the same size if k is {k} and the significance "
        f"{SIGNIFICANCE:g}. So one cannot be above the threshold and the other below it, as in "
        f"the paper, whose formulas and significance are not readable. {found}."
    ]


def _agree(fraction: float, k: int, significance: float) -> bool:
    return smallest("D3", k, fraction, significance) == smallest("D4", k, fraction, significance)
