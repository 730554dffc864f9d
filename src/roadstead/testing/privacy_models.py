"""What every privacy model promises to searches and reports, checked on random tables.

::

    check_privacy_model(Uncertainty("sensitive", 0.9))

A model that looks at a column is made with that of the tables, ``sensitive``. What fails is an
`AssertionError` that says which promise was broken.
"""

from __future__ import annotations

import json
from itertools import product

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes, inside, keep
from roadstead.policies.full_domain import Levels
from roadstead.policies.label_bits import KeptAtLevels
from roadstead.privacy.combination import with_labels
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.privacy.releasable import release_bounds
from roadstead.reports.sentences import measured
from roadstead.testing.tables import RandomTable, check_sources, random_tables


def check_privacy_model(model: PrivacyModel, *, tables: int = 50, seed: int = 0) -> None:
    """Check all that a privacy model promises.

    Parameters
    ----------
    model
        The model, with parameters that some classes of small tables satisfy and others do not.
    tables, seed
        How many tables are drawn, and from which seed.

    Raises
    ------
    AssertionError
        Says which promise is broken.
    """
    check_words(model)
    check_settings(model)
    for table in random_tables(tables, seed):
        bound = model.bind(table.table)
        specific, _, general = table.chain()
        fine, coarse = table.classes(specific), table.classes(general)
        at_fine = _at(bound, table, specific)
        check_answers(at_fine, fine)
        check_monotone_part(at_fine, fine, coarse)
        if bound.merges:
            check_merging(at_fine, fine, table)
        check_bounds(bound, table, specific, general)
        figure = measured(model, table.table, keep(fine, at_fine.satisfied(fine))[0])
        assert figure is None or (figure.what and figure.found and figure.allowed), (
            "a figure says what was measured, what was found and what is allowed"
        )


def check_words(model: PrivacyModel) -> None:
    """Check that people can read of the model, and where it was published."""
    assert model.kind, "the model has no kind"
    assert model.name, "the model has no name"
    assert model.promise.endswith("."), "what is promised is a full sentence"
    assert 0.0 < model.threshold <= 1.0, "the threshold is a risk: 1 where none is bounded"
    check_sources(model.sources)


def check_settings(model: PrivacyModel) -> None:
    """Check that a policy can hold the model: its settings are JSON, and make it again."""
    settings = json.loads(json.dumps(model.settings()))
    kind = settings.pop("kind", None)
    assert kind == model.kind, f"settings name the kind {kind!r}, and not {model.kind!r}"
    again = type(model)(**settings)
    assert again.settings() == model.settings(), "settings do not make the same model again"


def check_answers(bound: BoundPrivacy, classes: Classes) -> None:
    """Check that there is an answer for each class, and that it depends on what it may."""
    marked = bound.satisfied(classes)
    assert marked.shape == classes.sizes.shape, "there is one answer for each class"
    assert marked.dtype == np.bool_, "answers are True or False"
    none = np.zeros(classes.sizes.size, dtype=np.bool_)
    assert bound.satisfied(keep(classes, none)[0]).size == 0, "no classes have no answers"
    assert bound.satisfied(keep(classes, marked)[0]).all(), (
        "the classes marked satisfy the model when all others are suppressed"
    )
    if bound.per_class:
        for number in range(classes.sizes.size):
            alone = none.copy()
            alone[number] = True
            assert bound.satisfied(keep(classes, alone)[0])[0] == marked[number], (
                "per_class: the answer for a class does not depend on the others"
            )


def check_monotone_part(bound: BoundPrivacy, fine: Classes, coarse: Classes) -> None:
    """Check that the monotone part is weaker than the model, and monotone."""
    part = bound.monotone_part
    assert part.monotone_part is part, "the monotone part is its own monotone part"
    assert not (bound.satisfied(fine) & ~part.satisfied(fine)).any(), (
        "what satisfies the model satisfies its monotone part"
    )
    assert _rows(part, fine) <= _rows(part, coarse), (
        "a class that satisfies the monotone part does so with any other records"
    )


def check_bounds(bound: BoundPrivacy, table: RandomTable, lower: Levels, upper: Levels) -> None:
    """Check what a model says that policies between two release at most, if it says anything."""
    bounds = release_bounds(_at(bound, table, lower))
    if not bounds:
        return
    whole, fine = table.classes(upper), table.classes(lower)
    kept, _ = keep(whole, bound.monotone_part.satisfied(whole))
    failing = ~_at(bound, table, upper).satisfied(kept)
    blocks = inside(fine, kept)
    known = [bounds.below(kept, failing, table.encoding.counts)]
    if bounds.by_block:
        known.append(bounds.between(kept, failing, blocks))
    known += [bounds.fewer(room, kept, blocks) for room in known]
    for levels in product(*map(range, lower, [level + 1 for level in upper])):
        classes = table.classes(levels)
        released, _ = keep(classes, _at(bound, table, levels).satisfied(classes))
        for room in known:
            assert released.records <= room.records, (
                "no policy between releases more records than the model says"
            )
            assert not np.isin(released.rows, room.barred).any(), (
                "no policy between releases a row that the model bars"
            )
            assert room.classes is None or released.sizes.size <= room.classes, (
                "no policy between releases more classes than the model says"
            )


def check_merging(bound: BoundPrivacy, classes: Classes, table: RandomTable) -> None:
    """Check that classes that satisfy the model satisfy it when two of them become one."""
    kept, _ = keep(classes, bound.satisfied(classes))
    if kept.sizes.size > 1:
        one, other = table.chance.choice(kept.sizes.size, 2, replace=False)
        assert bound.satisfied(_merged(kept, int(one), int(other))).all(), (
            "merges: two classes that satisfy the model satisfy it together"
        )


def _at(bound: BoundPrivacy, table: RandomTable, levels: Levels) -> BoundPrivacy:
    """Tell a model what the labels of a policy keep, if it asks."""
    return with_labels(bound, KeptAtLevels(table.encoding, levels))


def _rows(bound: BoundPrivacy, classes: Classes) -> set[int]:
    return set(keep(classes, bound.satisfied(classes))[0].rows.tolist())


def _merged(classes: Classes, one: int, other: int) -> Classes:
    """Make two of the classes one, and number all without gaps."""
    number: NDArray[np.int64] = np.arange(classes.sizes.size)
    number[other] = one
    number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    sizes = np.zeros(classes.sizes.size - 1, dtype=np.int64)
    np.add.at(sizes, number, classes.sizes)
    return Classes(classes.members, number[classes.numbers].astype(np.uint32), sizes)
