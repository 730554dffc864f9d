"""Say how good a differentially private release is, or would be: two questions, one verb.

Of a release that is there: how well does a classifier that learned from it predict records that
were not in it, and what is kept of their marginals? Of a release that is only planned: the same,
rehearsed on parts of the table, with the mean over runs and its confidence interval, compared with
what the records as they are, k-anonymity and a noisy contingency table would bring.

The answers are counted from records as they are. They are not private, and to choose by them spends
privacy that no ledger shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.differential.chance.mechanisms import ExactMechanisms
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.requests import checks
from roadstead.requests.fields import options_of, set_fields
from roadstead.requests.groups import Reading
from roadstead.requests.wrong import wrong
from roadstead.tables.reading import read_privately
from roadstead.verbs.evaluate.rehearsal import rehearsed
from roadstead.verbs.evaluate.release import judged
from roadstead.verbs.evaluate.result import FIGURES, LINES, EvaluationFinding, check_folder
from roadstead.verbs.evaluate.settings import classifiers_of, rehearsal_of
from roadstead.verbs.opening import opened
from roadstead.verbs.synthesize.domains import declarations_of
from roadstead.verbs.synthesize.run import require_opendp
from roadstead.verbs.synthesize.sets import sets_of
from roadstead.verbs.synthesize.texts import classes_of

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.request import EvaluateRequest

_OF_RELEASES = ("tree", "boosted")
_OF_REHEARSALS = ("tree",)
_FOR_RELEASES = {
    *("data", "held_out", "sets", "delimiter_in_sets", "sequences", "longest"),
    *("base", "classifiers", "seed", "out", "force", *options_of(Reading)),
}
"""The fields that a judgment of a release takes; a release says the rest itself."""


def deliver(request: EvaluateRequest, observer: Observer) -> Delivery[EvaluationFinding]:
    """Evaluate, write the figures, and say what was found."""
    out = request.out
    if out is not None:
        check_folder(out, force=request.force)
    found = evaluation_of(request, observer)
    observer.finished()
    lines, document = found.lines, found.to_dict()
    if out is None:
        note = f"Nothing was written; give {option('out', 'DIR')} to write the figures."
        return Delivery(found, tuple(lines), document, (note,))
    found.write(out, force=request.force)
    lines += ["", f"Written to {out}: {FIGURES}, {LINES}."]
    return Delivery(found, tuple(lines), {**document, "out": str(out)})


def evaluation_of(request: EvaluateRequest, observer: Observer) -> EvaluationFinding:
    """Judge a release, or rehearse a request."""
    seed = 0 if request.seed is None else request.seed
    checks.seed(seed)
    folder = _folder(request.data, request.held_out)
    sets = sets_of(request)
    if folder is not None:
        _only_for_rehearsals(request)
        learning = classifiers_of(request.classifiers, _OF_RELEASES)
        records = opened(request.held_out, request, observer, read_privately)
        return EvaluationFinding(judged(folder, records, sets, learning, seed))
    declared = declarations_of(request)
    source = opened(request.data, request, observer, read_privately)
    classes = classes_of(request.classes or (), request.target, source.columns)
    learning = classifiers_of(request.classifiers, _OF_REHEARSALS)
    settings = rehearsal_of(request, classes, learning, seed)
    require_opendp()
    return EvaluationFinding(rehearsed(source, settings, declared, ExactMechanisms(), observer))


def _folder(data: object, held_out: object) -> Path | None:
    """Find the release to be judged; None where a request is to be rehearsed."""
    folder = Path(data) if isinstance(data, str | Path) and Path(data).is_dir() else None
    if folder is None and held_out is not None:
        raise wrong(
            "held_out",
            "held-out records are given, and no folder of a release to judge by them",
            "name the release's folder, or leave it out to rehearse a request on the table",
        )
    if folder is not None and held_out is None:
        raise SettingError(
            "a folder is given, and no records to judge it by",
            where=str(folder),
            fix=f"add {option('held_out', 'FILE')} with records that were not in the release; or "
            "name a table, to rehearse a request on it",
        )
    return folder


def _only_for_rehearsals(request: EvaluateRequest) -> None:
    """Refuse what a release says itself; a project file may say it, for rehearsals."""
    origin = request.origin
    own = set_fields(request) if origin.project.path is None else origin.given
    for key in options_of(type(request)):
        if key not in _FOR_RELEASES and own.get(key) is not None:
            raise wrong(
                key,
                "it is for rehearsing a request; a release that is there says so itself",
                "leave it out, or name a table instead of a release",
            )
