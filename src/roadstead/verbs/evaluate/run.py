"""Compare releases with their original, evaluate a private release, or try out a request.

The figures are not private, because they are computed from unprotected records.

A private release is evaluated with held-out records: a classifier that was trained on the release
predicts their class (paper 002, "Adult data set"). The classifier is not tested on records of the
release, because it may have memorized them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.release.kind import release_of
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.written import files_written, nothing_written
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.requests.fields import options_of, set_fields
from roadstead.requests.groups import Reading
from roadstead.tables.reading import read_original, read_privately
from roadstead.verbs.evaluate.comparison import compare, comparison_settings
from roadstead.verbs.evaluate.judgment import judged, opened_release
from roadstead.verbs.evaluate.rehearsal import rehearsed
from roadstead.verbs.evaluate.result import EvaluationFinding, check_folder
from roadstead.verbs.evaluate.settings import classifiers_of, rehearsal_of
from roadstead.verbs.opening import opened, with_recorded_missing
from roadstead.verbs.synthesize.domains import declarations_of
from roadstead.verbs.synthesize.persons import PersonRecords, gathered_sets, persons_of
from roadstead.verbs.synthesize.sets import sets_of
from roadstead.verbs.synthesize.synthesis import require_opendp
from roadstead.verbs.synthesize.texts import classes_of

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.request import EvaluateRequest

_OF_RELEASES = ("tree", "boosted")
_OF_REHEARSALS = ("tree",)
_FOR_RELEASES = {
    *("data", "held_out", "sets", "delimiter_in_sets", "sequences", "longest"),
    *("person", "per_person", "rows_per_person"),
    *("base", "classifiers", "seed", "out", "force", *options_of(Reading)),
}
"""The fields that apply to the evaluation of a release."""


def deliver(request: EvaluateRequest, observer: Observer) -> Delivery[EvaluationFinding]:
    """Run an evaluation, write the figures, and describe the findings."""
    out = request.out
    if out is not None:
        check_folder(out, force=request.force)
    found = result_of(request, observer)
    observer.finished()
    lines, document = found.lines, found.to_dict()
    if out is None:
        return Delivery(found, tuple(lines), document, (nothing_written("the figures"),))
    found.write(out, force=request.force)
    lines += ["", files_written(out, found.files)]
    return Delivery(found, tuple(lines), {**document, "out": str(out)})


def result_of(request: EvaluateRequest, observer: Observer) -> EvaluationFinding:
    """Compare releases with their original, evaluate a private release, or try out a request."""
    seed = 0 if request.seed is None else request.seed
    checks.seed(seed)
    if request.original is not None:
        return _comparison(request, seed, observer)
    _only_for_comparisons(request)
    folder = _folder(request.data, request.held_out)
    if folder is not None:
        _only_for_rehearsals(request)
        persons = _gathered_as(opened_release(folder).certificate.privacy_unit, request)
        sets = gathered_sets(sets_of(request), persons)
        learning = classifiers_of(request.classifiers, _OF_RELEASES)
        records = opened(request.held_out, request, observer, read_privately)
        return EvaluationFinding(judged(folder, records, sets, learning, seed, persons))
    declared = declarations_of(request)
    source = opened(request.data, request, observer, read_privately)
    classes = classes_of(request.classes or (), request.target, source.columns)
    learning = classifiers_of(request.classifiers, _OF_REHEARSALS)
    settings = rehearsal_of(request, classes, learning, seed)
    require_opendp()
    return EvaluationFinding(rehearsed(source, settings, declared, Mechanisms(), observer))


def _comparison(request: EvaluateRequest, seed: int, observer: Observer) -> EvaluationFinding:
    settings = comparison_settings(request, seed)
    folders = _folders_of(request.data, request.others)
    for folder in folders:
        release_of(folder, request.allow_plugin or ()).shown(request.allow_plugin or (), "compared")
    request = with_recorded_missing(request, folders[0], observer)
    source = opened(request.original, request, observer, read_original)
    return EvaluationFinding(
        compare(folders, source, settings, observer, request.allow_plugin or ())
    )


def _require_there(release: object) -> None:
    if isinstance(release, str | Path) and not Path(release).exists():
        what, fix = "there is no such folder", "give the folder of a release"
        raise SettingError(what, where=str(release), fix=fix)


def _folders_of(data: Any, others: Sequence[str]) -> tuple[Path, ...]:  # noqa: ANN401 - whatever is given
    """Return the folders of the releases, and reject a folder that is named twice."""
    first = data if isinstance(data, list | tuple) else [data]
    given = [*first, *others]
    for one in given:
        _require_there(one)
    if not all(isinstance(one, str | Path) and Path(one).is_dir() for one in given):
        raise SettingError(
            f"{option('original')} can compare only folders of releases",
            where="a release",
            fix="give the folders that Roadstead wrote",
        )
    folders = tuple(Path(one) for one in given)
    if len({one.resolve() for one in folders}) < len(folders):
        raise SettingError("a release is given twice", where="releases", fix="give it once")
    return folders


def _only_for_comparisons(request: EvaluateRequest) -> None:
    for key in ("others", "formula", "draws", "drawn_from", "allow_plugin"):
        if getattr(request, key):
            what = (
                "releases are compared with the table that they were made from, but this table is "
                "not given"
            )
            raise wrong(key, what, f"add {option('original', 'FILE')}, or leave this setting out")


def _folder(data: object, held_out: object) -> Path | None:
    folder = Path(data) if isinstance(data, str | Path) and Path(data).is_dir() else None
    if folder is None and held_out is not None:
        _require_there(data)
        raise wrong(
            "held_out",
            "held-out records are given, but the folder of the release to evaluate is not given",
            "give the folder of the release; for trial runs of a request, leave these records out",
        )
    if folder is not None and held_out is None:
        raise SettingError(
            "the folder of a release is given without records for the evaluation",
            where=str(folder),
            fix=f"add {option('original', 'FILE')} with the table that the release was made from, "
            f"or {option('held_out', 'FILE')} with records that were not used for the release; "
            "or, for trial runs of a request, give a table instead of the folder",
        )
    return folder


def _gathered_as(unit: PrivacyUnit, request: EvaluateRequest) -> PersonRecords | None:
    """Return how to combine held-out rows by person, or None if the rows must not be combined."""
    if unit.persons and unit.rows is None:
        return persons_of(request)
    own = set_fields(request) if request.origin.project.path is None else request.origin.given
    for key in ("person", "per_person", "rows_per_person"):
        if own.get(key) is not None:
            raise wrong(
                key,
                "each record of this release is a single row, not the combined rows of a person",
                "leave it out",
            )
    return None


def _only_for_rehearsals(request: EvaluateRequest) -> None:
    """Reject options that apply only to rehearsals, but ignore such settings in a project file."""
    origin = request.origin
    own = set_fields(request) if origin.project.path is None else origin.given
    for key in options_of(type(request)):
        if key not in _FOR_RELEASES and own.get(key) is not None:
            raise wrong(
                key,
                "this setting is for trial runs of a request; a release already records the value "
                "of this setting",
                "leave this setting out, or give a table instead of a release",
            )
