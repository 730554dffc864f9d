"""Random cuts of small tables for tests, and records generalized by them in plain Python."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st
from private_tables import Case, Items, Numbers, Value, items_in, private_table

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.hierarchies.taxonomy import Taxonomy


@st.composite
def cuts(draw: st.DrawFn, case: Case) -> tuple[AttributeCut, ...]:
    """Draw the level of detail of each attribute of a table."""
    return tuple(_cut(draw, domain) for domain in private_table(case).domains)


def _cut(draw: st.DrawFn, domain: Domain) -> AttributeCut:
    match domain:
        case NumericDomain(size=size):
            inner = draw(st.sets(st.integers(1, size - 1))) if size > 1 else set()
            return NumericCut(domain, (0, *sorted(inner), size))
        case CategoricalDomain(taxonomy):
            return CategoricalCut(domain, _nodes(draw, taxonomy, 0))
        case SetDomain(taxonomy):
            return SetCut(domain, _nodes(draw, taxonomy, 0))


def _nodes(draw: st.DrawFn, taxonomy: Taxonomy, node: int) -> tuple[int, ...]:
    below = taxonomy.children[node]
    if not below or not draw(st.sampled_from((True, True, False))):
        return (node,)
    return tuple(one for child in below for one in _nodes(draw, taxonomy, child))


def told(cut: AttributeCut, value: Value) -> tuple[object, ...]:
    """Generalize a value: its interval's bounds, the label of its node, or yes and no for nodes."""
    match cut:
        case NumericCut(_, bounds):
            assert isinstance(value, int)
            ends = pairwise(bounds)
            return tuple((begin, end) for begin, end in ends if begin <= value < end)
        case CategoricalCut(domain, nodes):
            under = domain.taxonomy.under
            return tuple(domain.taxonomy.labels[node] for node in nodes if value in under(node))
        case SetCut(domain, nodes):
            if nodes == (0,):
                return ()
            return tuple(bool(items_in(value) & set(domain.taxonomy.under(n))) for n in nodes)


def columns(case: Case, cuts: tuple[AttributeCut, ...], values: tuple[Value, ...]) -> list[float]:
    """Give a record in the columns that a classifier sees."""
    found: list[float] = []
    for attribute, cut, value in zip(case.attributes, cuts, values, strict=True):
        match cut:
            case NumericCut(bounds=bounds) if isinstance(attribute, Numbers) and len(bounds) > 2:
                begin, end = next((b, e) for b, e in pairwise(bounds) if b <= int(str(value)) < e)
                found.append((begin + end - 1) / 2)
            case CategoricalCut(domain, nodes) if len(nodes) > 1:
                found += [float(value in domain.taxonomy.under(node)) for node in nodes]
            case SetCut() if isinstance(attribute, Items):
                found += [float(bool(one)) for one in told(cut, value)]
            case _:
                pass
    return found
