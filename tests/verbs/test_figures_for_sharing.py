"""Shared files do not reveal the range of a column's values.

The attack: the loss of a numeric column is divided by its range. The recipient can therefore try
every maximum and keep those that explain the figures. The attack reads everything shared: the
released table, the policy, and the losses in the certificate and the report.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from _pytest.mark import ParameterSet

import roadstead as rs
from roadstead.hierarchies.defaults import propose
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.for_sharing import coarse

YOUNGEST, ELDEST = 17, 104
MAXIMA = range(95, 131)
SUPPRESSED_AGE = 104
KS = (2, 3, 4, 5, 6, 8, 10, 12)


def nightly(value: object) -> ParameterSet:
    """Try it at night: another is tried in the quick suite."""
    return pytest.param(value, marks=pytest.mark.nightly)


def patients(eldest: int = SUPPRESSED_AGE, seed: int = 1) -> pd.DataFrame:
    """Adults up to 94, and one who is older than all others by far."""
    chance = np.random.default_rng(seed)
    ages = [*chance.integers(YOUNGEST, 95, 600), eldest]
    sexes = [*chance.choice(["female", "male"], 600), "female"]
    return pd.DataFrame({"age": map(str, ages), "sex": sexes})


class Shared(NamedTuple):
    """A recipient's knowledge of a release: labels of ages, and the published losses."""

    widths: list[tuple[int, int]]
    counts: list[int]
    suppressed: int
    by_attribute: dict[str, float]
    total: float
    bound: float
    report: tuple[float, float]


def ends(label: str) -> tuple[int, int]:
    """Give the lowest and highest age of a label: "40-44", or an exact age."""
    low, _, high = label.partition("-")
    return int(low), int(high or low)


def shared(folder: Path) -> Shared:
    """Read all that helps off the files of a release."""
    certificate = json.loads((folder / "certificate.json").read_text("utf-8"))
    table = pd.read_parquet(next(folder.glob("*.parquet")))
    found = table.loc[table.age != "*", "age"].value_counts()
    labels = [ends(label) for label in found.index]
    told = re.search(
        r'<th scope="row">age</th><td>[^<]*</td><td>[^<]*</td><td class="number">[^<]*</td>'
        r'<td class="number">([\d.]+)%',
        report_of(folder),
    )
    whole = re.search(
        r"Loss of the policy, rounded</th><td>(?:about )?([\d.]+)(%)?", report_of(folder)
    )
    assert told is not None
    assert whole is not None
    return Shared(
        widths=labels,
        counts=found.tolist(),
        suppressed=certificate["counts"]["suppressed"],
        by_attribute=certificate["loss"]["by_attribute"],
        total=certificate["loss"]["loss"],
        bound=certificate["search"]["lower_bound"],
        report=(float(told[1]) / 100, float(whole[1]) / (100 if whole[2] else 1)),
    )


def report_of(folder: Path) -> str:
    """Give the markup of the report, with plain blanks."""
    return (folder / "report.html").read_text("utf-8").replace("\xa0", " ")


def losses_if(shared: Shared, eldest: int) -> tuple[float, float]:
    """Work out the loss of age, and the whole, if the eldest were so old."""
    domain = eldest - YOUNGEST
    kept = sum(
        count * (min(high, eldest) - max(low, YOUNGEST))
        for (low, high), count in zip(shared.widths, shared.counts, strict=True)
    )
    records = sum(shared.counts) + shared.suppressed
    age = (kept + shared.suppressed * domain) / (records * domain)
    return age, GeometricMean()([age, shared.suppressed / records])


def explains(shared: Shared, eldest: int) -> bool:
    """Whether all figures that are shared could come of so old an eldest."""
    age, whole = losses_if(shared, eldest)
    told = (
        (shared.by_attribute["age"], age),
        (shared.total, whole),
        (shared.bound, whole),
        (shared.report[0], age),
        (shared.report[1], whole),
    )
    return all(is_told_as(true, said) for said, true in told)


def is_told_as(true: float, said: float) -> bool:
    """Whether a loss could be written this way: to ten decimals, to a few, or in steps."""
    places = len(f"{said:.10f}".rstrip("0").partition(".")[2])
    exact = abs(true - said) <= (0.5 * 10.0**-places if places > 2 else 0.0) + 1e-10
    return exact or coarse(true) == pytest.approx(said)


def release(folder: Path, k: int, eldest: int = SUPPRESSED_AGE, quality: str = "loss") -> Path:
    """Release the patients, with the eldest suppressed."""
    data, quasi = patients(eldest), ["age", "sex"]
    levels = propose("age", list(data.age), "any")  # without a band for all ages over 89
    result = rs.anonymize(
        data, quasi=quasi, k=k, suppression=0.02, quality=quality, hierarchies={"age": levels}
    )
    result.write(folder)
    assert result.optimal
    assert result.suppressed
    return folder


def test_the_exact_figures_would_give_the_maximum_away() -> None:
    """The solver works: from losses of ten decimals it finds the one age of the suppressed."""
    levels = {"age": propose("age", list(patients().age), "any")}
    result = rs.anonymize(
        patients(), quasi=["age", "sex"], k=5, suppression=0.02, hierarchies=levels
    )
    table = result.to_pandas()
    found = table.loc[table.age != "*", "age"].value_counts()
    exact = Shared(
        widths=[ends(label) for label in found.index],
        counts=found.tolist(),
        suppressed=result.suppressed,
        by_attribute=result.loss_by_attribute,
        total=result.loss,
        bound=result.outcome.lower_bound,
        report=(result.loss_by_attribute["age"], result.loss),
    )
    assert [eldest for eldest in MAXIMA if explains(exact, eldest)] == [SUPPRESSED_AGE]


@pytest.mark.parametrize("k", [5, *map(nightly, (k for k in KS if k != 5))])
def test_a_release_does_not_give_the_maximum_away(tmp_path: Path, k: int) -> None:
    """At least ten maxima explain all the figures. Fault class: a figure that reveals the data."""
    told = shared(release(tmp_path / "release", k))
    left = [eldest for eldest in MAXIMA if explains(told, eldest)]
    assert SUPPRESSED_AGE in left
    assert len(left) >= 10


@pytest.mark.nightly
@pytest.mark.parametrize("ks", [(3, 5, 10), nightly(KS)], ids=len)
def test_several_releases_do_not_give_the_maximum_away_together(
    tmp_path: Path, ks: tuple[int, ...]
) -> None:
    """With up to eight releases of one table, each with another k, as many maxima remain."""
    told = [shared(release(tmp_path / f"{k}", k)) for k in ks]
    left = [eldest for eldest in MAXIMA if all(explains(one, eldest) for one in told)]
    assert SUPPRESSED_AGE in left
    assert len(left) >= 10


@pytest.mark.parametrize("quality", ["loss", *map(nightly, ("precision", "entropy", "divergence"))])
def test_tables_that_differ_in_the_suppressed_value_have_the_same_documents(
    tmp_path: Path, quality: str
) -> None:
    """All shared files are equal, except times. Fault class: a figure that reveals the data."""
    texts = {}
    for eldest in (99, 104, 107):
        folder = release(tmp_path / f"{eldest}", 5, eldest, quality)
        certificate = json.loads((folder / "certificate.json").read_text("utf-8"))
        certificate |= {"created": None, "files": None}
        page = re.sub(r"\d{2}:\d{2} UTC|after [\w. ]+(?=</td>)", "", report_of(folder))
        texts[eldest] = (json.dumps(certificate), (folder / "policy.json").read_text("utf-8"), page)
    assert texts[99] == texts[104] == texts[107]


def test_a_release_with_rounded_losses_is_verified(tmp_path: Path) -> None:
    """Nothing that is checked is rounded."""
    assert rs.verify(release(tmp_path / "release", 5)).passed


@pytest.mark.parametrize("search", ["datafly", *map(nightly, ("ola", "flash", "best-first"))])
def test_bounds_are_rounded_outwards(tmp_path: Path, search: str) -> None:
    """A lower bound does not rise, a gap does not fall, and the bound is not above the loss."""
    data = patients()
    result = rs.anonymize(data, quasi=["age", "sex"], k=5, suppression=0.02, search=search)
    result.write(tmp_path / "release")
    found = json.loads((tmp_path / "release/certificate.json").read_text("utf-8"))
    assert found["loss"]["loss"] == coarse(result.loss)
    if result.optimal:
        assert found["search"]["lower_bound"] == found["loss"]["loss"]
    else:
        assert found["search"]["lower_bound"] <= result.outcome.lower_bound
    assert found["search"]["gap"] >= result.outcome.gap
    assert found["search"]["lower_bound"] <= found["loss"]["loss"]
