"""Differentially private releases of small synthetic tables, with repeatable noise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.diffgen import Plan
from roadstead.differential.domains import (
    CategoricalCut,
    CategoricalDomain,
    CutGroups,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
    Specialization,
)
from roadstead.differential.listing import few_false, one_deviation
from roadstead.differential.private_table import ItemSets, PrivateTable
from roadstead.differential.synthesis import NoisyGroups, Synthesis
from roadstead.hierarchies.taxonomy import Branch, Taxonomy, from_branches
from roadstead.release.private.drafts.for_target import GroupsDraft
from roadstead.release.private.units import PrivacyUnit
from roadstead_reproductions.mohammed2013.counting import synthesize

WARDS: Branch = {
    "surgery": ("heart", "bone", "other"),
    "medicine": {"inner": ("lung", "kidney"), "nerves": ("brain", "sleep")},
}
CODES: Branch = {
    "heart; vessels": ("I10", "I50", "(none)"),
    "lungs": ("J18", "J44"),
    "other": ("E11", "K35", "R51"),
}
TARGET = "died"
UNIT = PrivacyUnit()


def patients_domains() -> tuple[Domain, ...]:
    """Give what is public of the patients: a range, a taxonomy of wards, one of diagnoses."""
    return (
        NumericDomain("age", Decimal(15), Decimal(94)),
        CategoricalDomain(from_branches("ward", "*", WARDS, origin="folder/wards.csv")),
        SetDomain(from_branches("diagnoses", "any diagnosis", CODES, origin="a code book")),
    )


def patients_table(records: int = 600, seed: int = 5) -> PrivateTable:
    """Make up patients whose death depends on age, ward and diagnoses."""
    return drawn_table(patients_domains(), ("no", "yes"), records, seed, telling=True)


def drawn_table(
    domains: tuple[Domain, ...],
    classes: tuple[str, ...],
    records: int,
    seed: int,
    *,
    telling: bool = False,
) -> PrivateTable:
    """Draw a table within domains, one row per record; if `telling`, values determine the class."""
    chance = np.random.default_rng(seed)
    codes: list[NDArray[np.int32]] = []
    sets: list[ItemSets | None] = []
    signal = np.zeros(records)
    for domain in domains:
        if isinstance(domain, SetDomain):
            drawn = chance.integers(0, domain.taxonomy.size, size=(records, 3))
            kept = [sorted({*row[: chance.integers(0, 4)]}) for row in drawn]
            starts = np.cumsum([0, *(len(row) for row in kept)])
            items = np.array([leaf for row in kept for leaf in row], dtype=np.int32)
            sets.append(ItemSets(starts, items))
            codes.append(np.arange(records, dtype=np.int32))
            signal += [2 * (0 in row) for row in kept]
        else:
            sets.append(None)
            own = chance.integers(0, domain.size, size=records).astype(np.int32)
            codes.append(own)
            signal += own / domain.size
    chosen = signal > np.median(signal) if telling and records else np.zeros(records, dtype=bool)
    other = chance.integers(0, len(classes), size=records)
    target = np.where(chance.random(records) < 0.9 if telling else False, chosen, other)
    return PrivateTable(
        domains=domains,
        classes=classes,
        codes=tuple(codes),
        sets=tuple(sets),
        target=target.astype(np.int32),
        counts=np.ones(records, dtype=np.int64),
    )


def draft_of(
    table: PrivateTable,
    specializations: int,
    *,
    epsilon: Fraction = Fraction(1),
    seed: int = 0,
    settings: dict[str, Any] | None = None,
    target: str = TARGET,
) -> GroupsDraft:
    """Draft a release; half of each noisy count, rounded up, is released as records."""
    synthesis = synthesize(
        table,
        epsilon,
        Plan(specializations, threshold=one_deviation),
        SeededMechanisms(seed),
        listing=few_false,
    )
    counts = (synthesis.groups.counts + 1) // 2
    asked = {"epsilon": str(epsilon), "specializations": specializations} | (settings or {})
    return GroupsDraft(synthesis, counts, target, "patients.csv", UNIT, asked)


def by_hand() -> GroupsDraft:
    """Draft a release of eight groups, written down; whatever DiffGen does, it stays the same."""
    age, ward, diagnoses = patients_domains()
    assert isinstance(age, NumericDomain)
    assert isinstance(ward, CategoricalDomain)
    assert isinstance(diagnoses, SetDomain)
    cuts = (
        NumericCut(age, (0, 49, 66, 80)),  # up to 63, 80, 94
        CategoricalCut(ward, (1, 5)),  # surgery, medicine
        SetCut(diagnoses, (2, 3, 4, 5, 8)),  # I10, I50, (none), lungs, other
    )
    combinations = ((), (0,), (0, 1), (0, 2), (3,), (3, 4), (4,))
    places = ([0, 0, 0, 0, 0, 1, 1, 2], [0, 0, 0, 0, 1, 0, 1, 1], [0, 1, 2, 3, 4, 5, 0, 6])
    codes = tuple(np.array(one, dtype=np.int32) for one in places)
    rows = [(167, 9), (5, 34), (0, 11), (6, 0), (50, 18), (9, 7), (8, 71), (30, 12)]
    counts = np.array(rows, dtype=np.int64)
    slot = Fraction(1, 22)
    splits, told = BudgetStep("splits", ("age",)), BudgetStep("combinations", ("diagnoses",))
    choices = [BudgetStep("choice", number=number) for number in range(1, 6)]
    paid = (
        BudgetStep("first-split", ("age",)),
        choices[0],
        *(choices[1], splits),
        *(choices[2], told),
        *(choices[3], told),
        *(choices[4], splits),
    )
    ledger = (*(Grant(step, slot) for step in paid), Grant(BudgetStep("groups"), 12 * slot))
    steps = (
        Specialization("ward", 0, None, "*"),
        Specialization("age", 0, 80, "15 to 94"),
        Specialization("diagnoses", 0, None, "any diagnosis"),
        Specialization("diagnoses", 1, None, "heart; vessels"),
        Specialization("age", 49, 80, "64 to 94"),
    )
    groups = CutGroups(cuts, codes, (None, None, combinations))
    noisy = NoisyGroups(groups, ("no", "yes"), counts, all_groups=8, least=5)
    return GroupsDraft(
        synthesis=Synthesis(Fraction(1), ledger, steps, noisy),
        counts=(counts + 1) // 2,
        target=TARGET,
        source="patients.csv",
        unit=UNIT,
        settings={"epsilon": "1", "specializations": 5},
    )


awkward = st.text(alphabet="ab;\\,\"'\n\r=()| é#", max_size=6)
"""Labels that a careless table would tear apart."""

names = st.lists(awkward, min_size=4, max_size=4, unique=True)


@st.composite
def taxonomies(draw: st.DrawFn, attribute: str) -> Taxonomy:
    """Trees of one to three levels; groups may share a name, and one may be called ``(none)``."""
    leaves = draw(st.lists(awkward | st.just("(none)"), min_size=2, max_size=9, unique=True))
    groups = draw(st.lists(awkward, min_size=1, max_size=3, unique=True))
    parts = {group: tuple(leaves[at :: len(groups)]) for at, group in enumerate(groups)}
    branches: Branch = {group: below for group, below in parts.items() if below}
    if draw(st.booleans()) and len(leaves) > 3:
        branches = {"x": {"same": tuple(leaves[:2])}, "y": {"same": tuple(leaves[2:])}}
    return from_branches(attribute, draw(awkward), branches, origin="made up")


@st.composite
def drafts(draw: st.DrawFn) -> GroupsDraft:
    """Draft a release of any small table."""
    first, second, third, target = draw(names)
    low = draw(st.integers(-20, 20))
    step = draw(st.sampled_from(["1", "0.5", "10", "3"]))
    domains: list[Domain] = [
        NumericDomain(first, Decimal(low), Decimal(low + draw(st.integers(0, 40))), Decimal(step)),
        CategoricalDomain(draw(taxonomies(second))),
        SetDomain(draw(taxonomies(third))),
    ]
    domains = draw(st.permutations(domains))[: draw(st.integers(1, 3))]
    classes = tuple(draw(st.lists(awkward, min_size=1, max_size=3, unique=True)))
    seed = draw(st.integers(0, 1000))
    table = drawn_table(tuple(domains), classes, draw(st.integers(0, 60)), seed)
    epsilon = draw(st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(40)]))
    return draft_of(
        table, draw(st.integers(0, 5)), epsilon=epsilon, seed=seed, settings={}, target=target
    )
