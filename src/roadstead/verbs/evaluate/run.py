"""Say how good a differentially private release is, or would be: two questions, one verb.

Of a release that is there: how well does a classifier that learned from it predict records that
were not in it, and what is kept of their marginals? Of a release that is only planned: the same,
rehearsed on parts of the table, with the mean over runs and its confidence interval, and beside it
what the records as they are, k-anonymity and a noisy contingency table would bring.

The answers are counted from records as they are. They are not private, and to choose by them spends
privacy that no ledger shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from roadstead.differential.chance.mechanisms import ExactMechanisms
from roadstead.errors import MissingExtraError, SettingError
from roadstead.front_end import option
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.verbs.evaluate.finding import EvaluationFinding
from roadstead.verbs.evaluate.progress import EvaluationWatch
from roadstead.verbs.evaluate.rehearsal import rehearsed
from roadstead.verbs.evaluate.release import judged
from roadstead.verbs.evaluate.settings import (
    BANDS,
    COMPARATORS,
    RUNS,
    SHARE,
    K,
    Rehearsal,
    Several,
    classifiers_of,
    comparators_of,
    requests_of,
    runs_of,
    share_of,
    whole_of,
)
from roadstead.verbs.settings import check_seed, names_of
from roadstead.verbs.synthesize.domains import Declared, Range, Tree
from roadstead.verbs.synthesize.sets import Described, item_sets
from roadstead.verbs.synthesize.settings import AUTO, Epsilon

_OF_RELEASES = ("tree", "boosted")
_OF_REHEARSALS = ("tree",)


def evaluate(  # noqa: PLR0913 - one parameter an option
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    held_out: Any = None,  # noqa: ANN401 - as data
    epsilon: Several | None = None,
    target: str | None = None,
    classes: Sequence[str] | None = None,
    quasi: Sequence[str] | None = None,
    ranges: Mapping[str, Range] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
    taxonomies: Mapping[str, Tree] | None = None,
    fanout: int | Mapping[str, int] | None = None,
    hierarchies: str | Path | None = None,
    declared: Mapping[str, Mapping[str, Any]] | None = None,
    sets: Mapping[str, Described] | None = None,
    identifying: Sequence[str] | None = None,
    specializations: Several | None = None,
    score: str | None = None,
    outside: str | None = None,
    base: Path | None = None,
    runs: int | None = None,
    held_out_share: Epsilon | None = None,
    classifiers: str | Sequence[str] | None = None,
    comparators: str | Sequence[str] | None = None,
    k: int | None = None,
    bands: int | None = None,
    seed: int = 0,
    watch: EvaluationWatch | None = None,
) -> EvaluationFinding:
    """Evaluate a differentially private release, or a request for one.

    The figures are not private: they are counted from records without noise.

    Parameters
    ----------
    data
        The folder of a release to be judged; or, to rehearse a request, a `Source`, the path of a
        file, a data frame, an Arrow table or an Ibis table.
    held_out
        To judge a release: records that were not in it, given like a table.
    epsilon, specializations
        To rehearse: one or several, as a list or in a text with commas; each is tried with each.
    target, classes, quasi, ranges, values, taxonomies, fanout, hierarchies, declared
        To rehearse: as for `synthesize`.
    sets
        As for `synthesize`; to judge a release, where the held-out records have its sets.
    identifying, score, outside, base
        To rehearse: as for `synthesize`.
    runs
        How often the table is parted anew; 10 if left out.
    held_out_share
        The part of its records that is predicted; 1/3 if left out.
    classifiers
        Of ``tree`` and ``boosted``; for releases both, for rehearsals the first if left out.
    comparators
        Of ``top-down`` and ``contingency``, or ``none``; both if left out.
    k
        The least size of a group in top-down specialization; 5 if left out.
    bands
        Into how many bands the contingency table parts numbers; 2 if left out.
    seed
        Of the parting, and of chance in classifiers. The noise has no seed.
    watch
        Is told of each step, and asked after each run whether to stop.

    Returns
    -------
    EvaluationFinding

    Raises
    ------
    InputError
        When the request, a table or the release is wrong, or a library is not installed.
    VerificationError
        When the release is damaged.
    """
    check_seed(seed)
    folder = _folder(data, held_out)
    if folder is not None:
        _only_for_rehearsals(
            {
                "epsilon": epsilon,
                "target": target,
                "classes": classes,
                "quasi": quasi,
                "range": ranges,
                "values": values,
                "taxonomy": taxonomies,
                "fanout": fanout,
                "hierarchies": hierarchies,
                "declared": declared,
                "identifying": identifying,
                "specializations": specializations,
                "score": score,
                "outside": outside,
                "runs": runs,
                "held-out-share": held_out_share,
                "comparators": comparators,
                "k": k,
                "bands": bands,
            }
        )
        learning = classifiers_of(_OF_RELEASES if classifiers is None else classifiers)
        records = held_out if isinstance(held_out, Source) else read_privately(held_out)
        return EvaluationFinding(judged(folder, records, item_sets(sets or {}), learning, seed))
    asked = Rehearsal(
        requests=requests_of(
            epsilon,
            target,
            classes or (),
            AUTO if specializations is None else specializations,
            score or "max",
            outside or "leave-out",
        ),
        classifiers=classifiers_of(_OF_REHEARSALS if classifiers is None else classifiers),
        comparators=comparators_of(COMPARATORS if comparators is None else comparators),
        runs=runs_of(RUNS if runs is None else runs),
        share=share_of(SHARE if held_out_share is None else held_out_share),
        k=whole_of(K if k is None else k, 1, option("k"), "records in a group"),
        bands=whole_of(BANDS if bands is None else bands, 1, option("bands"), "bands"),
        seed=seed,
    )
    if find_spec("opendp") is None:
        raise MissingExtraError(
            "differential privacy needs OpenDP", fix="pip install 'roadstead[dp]'"
        )
    known = Declared(
        ranges or {},
        values or {},
        taxonomies or {},
        fanout if isinstance(fanout, Mapping) else {} if fanout is None else {"": fanout},
        declared or {},
        None if hierarchies is None else Path(hierarchies),
        base or Path(),
    )
    found = rehearsed(
        data if isinstance(data, Source) else read_privately(data),
        asked,
        known,
        item_sets(sets or {}),
        quasi=names_of(quasi or (), option("quasi")),
        identifying=names_of(identifying or (), "identifying"),
        mechanisms=ExactMechanisms(),
        watch=watch,
    )
    return EvaluationFinding(found)


def _folder(data: object, held_out: object) -> Path | None:
    """Find the release to be judged; None where a request is to be rehearsed.

    Raises
    ------
    SettingError
        Held-out records are given and no release, or the other way round.
    """
    folder = Path(data) if isinstance(data, str | Path) and Path(data).is_dir() else None
    if folder is None and held_out is not None:
        raise SettingError(
            "held-out records are given, and no folder of a release to judge by them",
            where=option("held_out"),
            fix="name the release's folder, or leave it out to rehearse a request on the table",
        )
    if folder is not None and held_out is None:
        raise SettingError(
            "a folder is given, and no records to judge it by",
            where=str(folder),
            fix=f"add {option('held_out', 'FILE')} with records that were not in the release; or "
            "name a table, "
            "to rehearse a request on it",
        )
    return folder


def _only_for_rehearsals(given: Mapping[str, object]) -> None:
    """Refuse what a release says itself."""
    for name, value in given.items():
        if value is not None:
            raise SettingError(
                "it is for rehearsing a request; a release that is there says so itself",
                where=option(name),
                fix="leave it out, or name a table instead of a release",
            )
