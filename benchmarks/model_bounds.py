"""How many policies the exact search evaluates under models that are not monotone.

    ROADSTEAD_DATA=folder python benchmarks/model_bounds.py [--quality loss] [--json FILE]
    ROADSTEAD_DATA=folder python benchmarks/model_bounds.py --every --data Adult

Adult with occupation as the sensitive column, Cup with RAMNTALL, Fars with istatenum, all others
quasi-identifiers; all nine or eight where no column is looked at. Each problem is searched twice,
one after the other: with nothing but the monotone part of the model known of policies below one
that was evaluated, and with the model's own bound on what these release. Both must find the same
policy, proven. With `--every`, each model is searched under each measure, at 5% and at any number
suppressed, and what is above half of its lattice comes last, the weakest bound first.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import measuring
from problems import ADULT, CUP, FARS, DataSet
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.combination import bind_all, with_labels
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.settings import model_from
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean, Maximum
from roadstead.quality.models.ambiguity import Ambiguity
from roadstead.quality.models.bits import Bits
from roadstead.quality.models.class_size import AverageClassSize
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.models.entropy import Entropy
from roadstead.quality.models.loss import Loss
from roadstead.quality.models.payout import Payout
from roadstead.quality.models.precision import Precision
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.verbs.hierarchies import choose_hierarchies

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from roadstead.policies.classes import Classes
    from roadstead.privacy.protocol import BoundPrivacy
    from roadstead.quality.protocol import QualityModel
    from roadstead.tables.kept_bits import KeptOfRows

SENSITIVE = {"Adult": "occupation", "Cup": "RAMNTALL", "Fars": "istatenum"}
LIMITS = ("0", "0.05", "1")
_TIMES = 10
_HALF = 0.5
_AMOUNTS: dict[str, Any] = {"benefit": 300.0, "loss": 1200.0, "gain": 300.0, "cost": 4.0}
MODELS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("1-likeness", {"kind": "beta-likeness", "column": "", "beta": 1.0}, 1),
    ("2-likeness, k = 5", {"kind": "beta-likeness", "column": "", "beta": 2.0}, 5),
    ("0.2-closeness, k = 5", {"kind": "t-closeness", "column": "", "t": 0.2}, 5),
    (
        "recursive (3,4)-diversity, k = 5",
        {"kind": "recursive-cl-diversity", "column": "", "c": 3.0, "l": 4},
        5,
    ),
    ("entropy 5-diversity, k = 5", {"kind": "entropy-l-diversity", "column": "", "l": 5.0}, 5),
    ("average risk 0.05", {"kind": "average-risk", "average": 0.05}, 1),
    ("average risk 0.2", {"kind": "average-risk", "average": 0.2}, 1),
    (
        "strict average risk 0.01, 0.2",
        {"kind": "strict-average-risk", "average": 0.01, "maximum": 0.2},
        5,
    ),
    ("profitability", {"kind": "profitability", **_AMOUNTS}, 1),
)
OTHERS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("1-disclosure", {"kind": "delta-disclosure", "column": "", "delta": 1.0}, 5),
    (
        "Grassberger 5-diversity, k = 5",
        {"kind": "grassberger-l-diversity", "column": "", "l": 5.0},
        5,
    ),
    ("5% at risk of 0.2", {"kind": "records-at-risk", "maximum": 0.2, "at_risk": 0.05}, 1),
    ("1% unique", {"kind": "sample-uniqueness", "maximum": 0.01}, 1),
    (
        "0.1% unique of ten times as many",
        {"kind": "population-uniqueness", "maximum": 0.001, "people": 0},
        1,
    ),
    ("population risk 0.05", {"kind": "population-risk", "maximum": 0.05}, 1),
    ("no attack", {"kind": "no-attack", "gain": 5.5, "cost": 1.0}, 1),
)
"""Models that are measured with `--every` only."""
QUALITIES: dict[str, Callable[[int], QualityModel]] = {
    "loss": lambda _: Loss(GeometricMean()),
    "loss, arithmetic": lambda _: Loss(ArithmeticMean()),
    "precision": lambda _: Precision(),
    "loss, maximum": lambda _: Loss(Maximum()),
    "bits": lambda _: Bits(),
    "ambiguity": lambda _: Ambiguity(),
    "payout": lambda _: Payout(5.0, 4.0, 7.0, 1.5),
    "divergence": lambda _: Divergence(),
    "entropy": lambda _: Entropy(),
    "discernibility": lambda _: Discernibility(),
    "class-size": AverageClassSize,
}


@dataclass(frozen=True)
class Silent:
    """A model that gives no bound on the policies below beyond its monotone part."""

    model: BoundPrivacy

    @property
    def monotone_part(self) -> BoundPrivacy:
        """That of the model."""
        return self.model.monotone_part

    @property
    def merges(self) -> bool:
        """As the model."""
        return self.model.merges

    @property
    def per_class(self) -> bool:
        """As the model."""
        return self.model.per_class

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """As the model."""
        return self.model.satisfied(classes)

    def with_labels(self, kept: KeptOfRows) -> Silent:
        """Let the model look at labels, if it does."""
        return Silent(with_labels(self.model, kept))


def share(row: measuring.Row) -> float:
    """Share of the lattice that is evaluated; what is grouped for bounds counts too."""
    return float(row["evaluated"] / row["policies"])


COLUMNS: measuring.Columns = {
    "data": "{data}",
    "model": "{model}",
    "quality": "{quality}",
    "limit": "{limit}",
    "policies": "{policies:,}",
    "evaluated": "{evaluated_before:,} → {evaluated:,}",
    "of the lattice": lambda row: (
        f"{row['evaluated_before'] / row['policies']:.0%} → {share(row):.0%}"
    ),
    "processor seconds": "{cpu_before:.1f} → {cpu:.1f}",
    "same": lambda row: "yes" if row["same"] else "NO",
}


def encoded(data: DataSet, *, sensitive: bool) -> Encoding:
    """Read a table, with its sensitive column separate or among the others."""
    own = SENSITIVE[data.name]
    quasi = [column for column in data.columns if not (sensitive and column == own)]
    with read(data.path) as source:
        table = summarize(source, quasi, alongside=(own,) if sensitive else ())
    return encode(table, choose_hierarchies(table, data.hierarchy_folder)[0])


def problem(
    data: DataSet, encoding: Encoding, settings: dict[str, Any], k: int, limit: str, quality: str
) -> FullDomainProblem:
    """Make a problem."""
    own = {**settings, "column": SENSITIVE[data.name]} if "column" in settings else settings
    if "people" in own:
        own = {**own, "people": _TIMES * encoding.records}
    asked = [model_from(own, where="benchmark")]
    models = asked if k == 1 or "maximum" in settings else [KAnonymity(k), *asked]
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=bind_all(models, encoding.table),
        quality=QUALITIES[quality](k).bind(encoding),
        limit=int(Fraction(limit) * encoding.records),
    )


def measure(
    data: DataSet, model: str, quality: str, limit: str, known: FullDomainProblem
) -> dict[str, Any]:
    """Search without the model's bound, then with it."""
    outcomes, cpu = [], []
    for one in (replace(known, privacy=Silent(known.privacy)), known):
        began = time.process_time()
        outcomes.append(Exact().run(one, Control()))
        cpu.append(time.process_time() - began)
    before, after = outcomes
    return {
        "data": data.name,
        "model": model,
        "quality": quality,
        "limit": limit,
        "policies": known.space.size,
        "evaluated_before": before.evaluated,
        "evaluated": after.evaluated,
        "cpu_before": cpu[0],
        "cpu": cpu[1],
        "levels": None if after.best is None else after.best.policy,
        "suppressed": None if after.best is None else after.best.suppressed,
        "same": before.best == after.best and before.proven and after.proven,
    }


def main() -> int:
    """Measure all problems; 1 if an answer differs."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--quality", nargs="+", default=["loss"], choices=list(QUALITIES))
    parser.add_argument("--limit", nargs="+", default=list(LIMITS), choices=LIMITS)
    parser.add_argument("--data", nargs="+", default=list(SENSITIVE), choices=list(SENSITIVE))
    parser.add_argument("--every", action="store_true", help="every model with every measure")
    given = parser.parse_args()
    models, qualities, limits = MODELS, given.quality, given.limit
    if given.every:
        models, qualities, limits = MODELS + OTHERS, list(QUALITIES), LIMITS[1:]
    measuring.show_machine()
    rows = []
    for data in (one for one in (ADULT, CUP, FARS) if one.name in given.data):
        tables = {flag: encoded(data, sensitive=flag) for flag in (False, True)}
        for name, settings, k in models:
            for quality in qualities:
                for limit in limits:
                    encoding = tables["column" in settings]
                    known = problem(data, encoding, settings, k, limit, quality)
                    Exact().run(known, Control(budget=5))  # to load compiled code
                    rows.append(measure(data, name, quality, limit, known))
                    print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    measuring.show(COLUMNS, rows)
    weakest = sorted(rows, key=share, reverse=True)
    above = [row for row in weakest if share(row) > _HALF] or weakest[:1]
    print("\nAbove half of the lattice, or else the largest share:")
    measuring.show(COLUMNS, above)
    measuring.save(given.json, rows)
    return 0 if all(row["same"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
