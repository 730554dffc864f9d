"""Compare releases with their original table by accuracy, distances, and regression results."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.analysis.distances import distances
from roadstead.analysis.formulas import Formula, parse_formula
from roadstead.analysis.imputation import DRAWN_FROM, DrawnFrom, coefficients_of, imputed, pooled
from roadstead.analysis.prediction import Predictions, predictions
from roadstead.analysis.regression import Design, RegressionFit, design_of, fitted
from roadstead.differential.evaluation.classifiers import Classifier
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.rules import Everything
from roadstead.jobs import SILENT, Observer
from roadstead.policies.value_sets import ShownTable, original_table
from roadstead.release.shown import ShownRelease
from roadstead.reports.evaluation.comparison import ComparisonFacts, Regression, ReleaseInUse
from roadstead.reports.evaluation.notes import of_comparison
from roadstead.requests.checks import wrong
from roadstead.requests.fields import options_of, set_fields
from roadstead.requests.groups import Reading
from roadstead.tables import names
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.kept_codes import (
    frequent_codes,
    missing_codes_shown,
    with_codes,
    without_rare_codes,
)
from roadstead.tables.source import Source
from roadstead.verbs.evaluate.compared import ComparedRelease, compared, opened_folder
from roadstead.verbs.evaluate.rehearsal import EvaluationProgress
from roadstead.verbs.evaluate.settings import classifiers_of, whole_of
from roadstead.verbs.evaluate.treated import kept_of_treated

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.request import EvaluateRequest

_USUAL = ("boosted",)
_RUNS, _DRAWS, _MOST_DRAWS = 2, 20, 1_000
_FOR_COMPARISONS = {
    *("data", "others", "original", "target", "formula", "draws", "drawn_from"),
    *("classifiers", "runs", "seed", "base", "out", "force", "allow_plugin"),
    *options_of(Reading),
}


@dataclass(frozen=True)
class ComparisonSettings:
    """The settings for comparing releases with their original."""

    target: str | None
    classifiers: tuple[Classifier, ...]
    runs: int
    formula: Formula | None
    draws: int
    drawn_from: DrawnFrom
    seed: int

    @property
    def further(self) -> list[str]:
        """Return the columns of the analyses."""
        formula = [] if self.formula is None else self.formula.columns
        return [*([] if self.target is None else [self.target]), *formula]


def comparison_settings(request: EvaluateRequest, seed: int) -> ComparisonSettings:
    """Validate the settings of a comparison before any table is read."""
    origin = request.origin
    own = set_fields(request) if origin.project.path is None else origin.given
    for key in options_of(type(request)):
        if key not in _FOR_COMPARISONS and own.get(key) is not None:
            what = "this setting does not apply to a comparison of releases"
            raise wrong(key, what, "leave it out")
    target = own.get("target")
    for key in ("classifiers", "runs"):
        if target is None and own.get(key) is not None:
            raise wrong(key, "no column to predict is given", f"add {option('target', 'COLUMN')}")
    for key in ("draws", "drawn_from"):
        if request.formula is None and own.get(key) is not None:
            fix = f"add {option('formula', 'outcome ~ a + b')}"
            raise wrong(key, "no regression is declared", fix)
    return ComparisonSettings(
        target=target,
        classifiers=() if target is None else classifiers_of(own.get("classifiers"), _USUAL),
        runs=whole_of(own.get("runs"), _RUNS, "runs", "runs", _MOST_DRAWS),
        formula=None if request.formula is None else parse_formula(request.formula),
        draws=whole_of(request.draws, _DRAWS, "draws", "draws", _MOST_DRAWS),
        drawn_from=request.drawn_from or DRAWN_FROM[0],
        seed=seed,
    )


NO_QUESTIONS = ComparisonSettings(None, (), 0, None, 0, DRAWN_FROM[0], 0)
"""The settings for a comparison without optional parts."""


@dataclass(frozen=True, eq=False)
class NextToOriginal:
    """Releases of one table, with each released cell represented as a set of original values.

    `quasi` lists the columns that at least one of the releases generalizes.
    """

    opened: tuple[ShownRelease, ...]
    quasi: tuple[str, ...]
    table: FrequencyTable = field(repr=False)
    original: ShownTable = field(repr=False)
    found: tuple[ComparedRelease, ...] = field(repr=False)
    person: str | None

    def holders(self, name: str) -> NDArray[np.int64]:
        """For each value, count the records in the original.

        If there is a person ID, count people.
        """
        values = self.table.codes[self.table.attributes.index(name)].astype(np.int64)
        there = self.table.counts > 0
        size = len(self.table.domains[self.table.attributes.index(name)])
        if self.person is None:
            return np.bincount(values, self.table.counts, minlength=size).astype(np.int64)
        people = len(self.table.domains[-1])
        pairs = np.unique(values[there] * people + self.table.codes[-1][there])
        return np.bincount(pairs // people, minlength=size).astype(np.int64)

    def holding(self, name: str, values: NDArray[np.integer]) -> int:
        """Count the records with any of these value codes.

        If there is a person ID, count people.
        """
        own = self.table.codes[self.table.attributes.index(name)]
        there = (self.table.counts > 0) & np.isin(own, values)
        if self.person is None:
            return int(self.table.counts[there].sum())
        return int(np.unique(self.table.codes[-1][there]).size)


def next_to_original(
    folders: Sequence[Path],
    source: Source,
    further: Sequence[str] = (),
    *,
    known: Sequence[str] = (),
    allowed: Collection[str] = (),
) -> NextToOriginal:
    """Open releases, and prepare a comparison with their original.

    The compared columns are all columns that a release generalizes, the `further` columns, and the
    `known` columns. The `known` columns are treated as generalized even if no release contains
    them.
    """
    opened = tuple(opened_folder(one, allowed) for one in folders)
    quasi = tuple(dict.fromkeys((*known, *(name for one in opened for name in one.quasi))))
    columns = tuple(dict.fromkeys((*quasi, *further)))
    names.require(columns, source.columns)
    source = without_rare_codes(_with_missing_codes(opened, source), {*columns} - {*quasi})
    person = _person(opened, source, columns)
    table = summarize(source, (*columns, *([] if person is None else [person])))
    original = original_table(table, missing_codes_shown(source)).only(columns)
    found = tuple(compared(one, table, original) for one in opened)
    return NextToOriginal(opened, quasi, table, original, found, person)


def _with_missing_codes(opened: Sequence[ShownRelease], source: Source) -> Source:
    """Return the original with the missing codes that the releases keep in quasi-identifiers."""
    codes: dict[str, tuple[str, ...]] = {}
    for release in opened:
        for own in () if release.policy is None else release.policy.attributes:
            if isinstance(own.rule, Everything):
                continue
            if codes.setdefault(own.name, own.missing_codes) != own.missing_codes:
                raise SettingError(
                    f"the missing codes of {quoted(own.name)} are not the same as in another "
                    "release",
                    where=str(release.folder),
                    fix="compare each release with the original in a separate run",
                )
    kept = {
        name: {text: code for text, code in found.items() if text in codes[name]}
        for name, found in frequent_codes(source, codes, 1).items()
    }
    return with_codes(source, kept)


def compare(
    folders: Sequence[Path],
    source: Source,
    settings: ComparisonSettings,
    observer: Observer = SILENT,
    allowed: Collection[str] = (),
) -> ComparisonFacts:
    """Compare releases with their original.

    The releases may use models from the `allowed` packages.
    """
    began = time.perf_counter()
    both = next_to_original(folders, source, settings.further, allowed=allowed)
    found = compared_facts(both, source.name, settings, observer, began)
    treated = (line for one in both.opened for line in kept_of_treated(one, source))
    return replace(found, notes=(*found.notes, *treated))


def compared_facts(
    both: NextToOriginal,
    called: str,
    settings: ComparisonSettings,
    observer: Observer = SILENT,
    began: float | None = None,
) -> ComparisonFacts:
    """Compare releases with their original. `called` is the name of the original."""
    began = time.perf_counter() if began is None else began
    opened, quasi, table, original = both.opened, both.quasi, both.table, both.original
    formula, found, person = settings.formula, both.found, both.person
    columns = tuple(one.name for one in original.columns)
    design = None if formula is None else design_of(formula, original.only(formula.columns).columns)
    predicted = _predicted(
        original, settings, found, observer, began, None if person is None else table.codes[-1]
    )
    fit = None if formula is None or design is None else _of_original(design, original, formula)
    sizes = original.only(quasi).class_sizes()
    return ComparisonFacts(
        source=called,
        records=original.records,
        columns=columns,
        quasi=quasi,
        target=settings.target,
        runs=settings.runs,
        largest_risk=1 / int(sizes.min()),
        mean_risk=sizes.size / original.records,
        predictions=predicted,
        regression=None
        if fit is None or design is None
        else Regression(
            formula=str(formula),
            kind=design.kind,
            event=design.event,
            draws=settings.draws,
            drawn_from=settings.drawn_from,
            records=fit.records,
            coefficients=coefficients_of(design, fit),
        ),
        releases=tuple(
            replace(
                _in_use(one, name, original, quasi, design, settings),
                accuracy=None
                if predicted is None or settings.target not in {*one.opened.released}
                else predicted.releases[at],
            )
            for at, (name, one) in enumerate(zip(_called(opened), found, strict=True))
        ),
        notes=of_comparison(
            opened,
            settings.further,
            sum(bool(one.masked.any() or one.left_out) for one in found if formula is not None),
            parted=person is not None and settings.target is not None,
            regression=formula is not None,
            converged=fit is None or fit.settled,
        ),
        seconds=time.perf_counter() - began,
    )


def _person(opened: Sequence[ShownRelease], source: Source, columns: Sequence[str]) -> str | None:
    """Return the person ID column of the releases, or None if no release has one."""
    for one in opened:
        rules = None if one.policy is None else one.policy.persons
        if rules is not None and rules.column in source.columns and rules.column not in columns:
            return rules.column
    return None


def _called(opened: Sequence[ShownRelease]) -> list[str]:
    """Return the folder names of the releases, or the full paths if two names are equal."""
    called = [one.name for one in opened]
    if len(set(called)) == len(called):
        return called
    return [str(one.folder) for one in opened]


def _predicted(
    original: ShownTable,
    settings: ComparisonSettings,
    found: Sequence[ComparedRelease],
    observer: Observer,
    began: float,
    persons: NDArray[np.integer] | None,
) -> Predictions | None:
    if settings.target is None:
        return None

    def report(run: int, step: str) -> None:
        seconds = time.perf_counter() - began
        observer.progress(EvaluationProgress(run, settings.runs, step, seconds))

    return predictions(
        original,
        settings.target,
        [one.learned for one in found],
        settings.classifiers,
        runs=settings.runs,
        seed=settings.seed,
        persons=persons,
        report=report,
    )


def _of_original(design: Design, original: ShownTable, formula: Formula) -> RegressionFit:
    own = original.only(formula.columns)
    fit = fitted(design, *design.rows(own.codes), own.weights.astype(np.float64))
    if np.isnan(fit.coefficients).all():
        raise SettingError(
            f"the original has too few records for {str(formula)!r}",
            where="the regression",
            fix="explain the outcome with fewer columns",
        )
    return fit


def _in_use(
    release: ComparedRelease,
    called: str,
    original: ShownTable,
    quasi: Sequence[str],
    design: Design | None,
    settings: ComparisonSettings,
) -> ReleaseInUse:
    table, formula = release.learned.table, settings.formula
    sizes, hidden = release.class_sizes(quasi)
    shown = sizes[~hidden]
    has = {*release.opened.released}
    coefficients = None
    if design is not None and formula is not None and has.issuperset(formula.columns):
        own = table.only(formula.columns)
        own = ShownTable(
            own.columns,
            tuple(codes[~release.masked] for codes in own.codes),
            own.weights[~release.masked],
        )
        coefficients = pooled(
            design, imputed(design, own, settings.draws, settings.drawn_from, settings.seed)
        )
    lost = table.only(quasi).mean_loss * table.records + release.left_out
    return ReleaseInUse(
        name=called,
        promise=release.opened.promise,
        recoding=release.opened.recoding,
        records=table.records,
        left_out=release.left_out,
        masked=int(table.weights[release.masked].sum()),
        largest_risk=1 / int(sizes.min()) if sizes.size else 0.0,
        mean_risk=shown.size / int(shown.sum()) if shown.size else 0.0,
        loss=_certified_loss(release.opened),
        left_open=lost / max(table.records + release.left_out, 1),
        distances=distances(original, table, release.left_out),
        coefficients=coefficients,
    )


def _certified_loss(opened: ShownRelease) -> float | None:
    """Return the rounded loss from the certificate, or None if the certificate contains no loss."""
    own = None if opened.certificate is None else opened.certificate.loss
    return None if own is None or own.get("loss") is None else float(own["loss"])
