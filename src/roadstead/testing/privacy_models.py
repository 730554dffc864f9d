"""Check on random tables that a privacy model meets all requirements of searches and reports.

::

    check_privacy_model(Uncertainty("sensitive", 0.9))

The random tables have the column ``sensitive``. If a model uses a column, pass ``"sensitive"`` as
the name of the column. A failed check raises an `AssertionError` that names the violated
requirement.
"""

from __future__ import annotations

import json
from itertools import product

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Feature
from roadstead.policies.classes import Classes, inside, keep
from roadstead.policies.full_domain import Levels
from roadstead.policies.label_bits import KeptAtLevels
from roadstead.privacy.combination import with_labels
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.privacy.releasable import release_bounds
from roadstead.reports.sentences import measured
from roadstead.testing.tables import RandomTable, check_sources, random_tables


def check_privacy_model(model: PrivacyModel, *, tables: int = 50, seed: int = 0) -> None:
    """Check all requirements for a privacy model.

    Parameters
    ----------
    model
        The model. Choose parameters with which some classes in small tables satisfy the model and
        others do not.
    tables, seed
        The number of random tables, and the seed from which they are generated.

    Raises
    ------
    AssertionError
        If the model violates a requirement. The message names the requirement.
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
        check_declared(model, bound)
        if bound.merges:
            check_merging(at_fine, fine, table)
        check_bounds(bound, table, specific, general)
        figure = measured(model, table.table, keep(fine, at_fine.satisfied(fine))[0])
        assert figure is None or (figure.what and figure.found and figure.allowed), (
            "a figure states what was measured, what was found, and what is allowed"
        )


def check_words(model: PrivacyModel) -> None:
    """Check that the model has a readable description and cites known publications."""
    assert model.kind, "the kind of the model is missing"
    assert model.name, "the name of the model is missing"
    assert model.promise.endswith("."), "the privacy requirement is a full sentence"
    assert 0.0 < model.threshold <= 1.0, (
        "the threshold is a risk, or 1 if the model does not limit the risk"
    )
    check_sources(model.sources)


def check_settings(model: PrivacyModel) -> None:
    """Check that the model's settings can be stored as JSON and recreate the same model."""
    settings = json.loads(json.dumps(model.settings()))
    kind = settings.pop("kind", None)
    assert kind == model.kind, (
        f"the settings name the kind {kind!r}, but the kind is {model.kind!r}"
    )
    again = type(model)(**settings)
    assert again.settings() == model.settings(), "the settings do not create the same model again"


def check_answers(bound: BoundPrivacy, classes: Classes) -> None:
    """Check that the model's answer for each class depends only on permitted information."""
    marked = bound.satisfied(classes)
    assert marked.shape == classes.sizes.shape, "there is one answer for each class"
    assert marked.dtype == np.bool_, "answers are True or False"
    none = np.zeros(classes.sizes.size, dtype=np.bool_)
    assert bound.satisfied(keep(classes, none)[0]).size == 0, (
        "the result for a table without classes is empty"
    )
    assert bound.satisfied(keep(classes, marked)[0]).all(), (
        "the marked classes satisfy the model if all other classes are suppressed"
    )
    if bound.per_class:
        for number in range(classes.sizes.size):
            alone = none.copy()
            alone[number] = True
            assert bound.satisfied(keep(classes, alone)[0])[0] == marked[number], (
                "per_class: the answer for a class does not depend on the other classes"
            )


def check_monotone_part(bound: BoundPrivacy, fine: Classes, coarse: Classes) -> None:
    """Check that the model's monotone part is monotone and not stricter than the model."""
    part = bound.monotone_part
    assert part.monotone_part is part, "the monotone part is its own monotone part"
    assert not (bound.satisfied(fine) & ~part.satisfied(fine)).any(), (
        "a class that satisfies the model also satisfies its monotone part"
    )
    assert _rows(part, fine) <= _rows(part, coarse), (
        "a class that satisfies the monotone part still satisfies it with additional records"
    )


def check_bounds(bound: BoundPrivacy, table: RandomTable, lower: Levels, upper: Levels) -> None:
    """Check the model's bounds on the release under policies between two given policies."""
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
                "no policy between the two releases more records than the model allows"
            )
            assert not np.isin(released.rows, room.barred).any(), (
                "no policy between the two releases a row that the model excludes"
            )
            assert room.classes is None or released.sizes.size <= room.classes, (
                "no policy between the two releases more classes than the model allows"
            )


def check_declared(model: PrivacyModel, bound: BoundPrivacy) -> None:
    """Check that the model declares only the inference features that its properties allow."""
    declared = model.capabilities.supports
    if Feature.INFERENCE in declared:
        assert bound.merges, "capabilities: INFERENCE requires a model that merges"
    if Feature.INFERENCE_SUPPRESSED in declared:
        assert bound.monotone_part is bound, "capabilities: INFERENCE_SUPPRESSED: not monotone"


def check_merging(bound: BoundPrivacy, classes: Classes, table: RandomTable) -> None:
    """Check that the union of two classes satisfies the model if both classes do."""
    kept, _ = keep(classes, bound.satisfied(classes))
    if kept.sizes.size > 1:
        one, other = table.chance.choice(kept.sizes.size, 2, replace=False)
        assert bound.satisfied(_merged(kept, int(one), int(other))).all(), (
            "merges: two classes that satisfy the model also satisfy it after they are merged"
        )


def _at(bound: BoundPrivacy, table: RandomTable, levels: Levels) -> BoundPrivacy:
    """Pass the labels of a policy to the model, if the model uses labels."""
    return with_labels(bound, KeptAtLevels(table.encoding, levels))


def _rows(bound: BoundPrivacy, classes: Classes) -> set[int]:
    return set(keep(classes, bound.satisfied(classes))[0].rows.tolist())


def _merged(classes: Classes, one: int, other: int) -> Classes:
    """Merge two classes, and renumber all classes consecutively."""
    number: NDArray[np.int64] = np.arange(classes.sizes.size)
    number[other] = one
    number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    sizes = np.zeros(classes.sizes.size - 1, dtype=np.int64)
    np.add.at(sizes, number, classes.sizes)
    return Classes(classes.members, number[classes.numbers].astype(np.uint32), sizes)
