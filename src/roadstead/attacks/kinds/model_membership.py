"""Guess membership from a classifier that is fitted to the release.

The classifier may be more certain about people who are in the release. The score of a person is the
probability that the classifier assigns to the person's true value. Members are original records
that were released. Non-members are held-out records that are assigned to the same classes. In a
private release, epsilon limits the share of correct guesses to e^epsilon / (1 + e^epsilon). For any
other release, the share is only reported.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import NOTHING, Findings, HeldAgainst, all_of, not_tried
from roadstead.attacks.kinds.differencing import rows_of
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.membership.scores import allowed_by, by_scores
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.recodings.published import classes_of
from roadstead.attacks.target import Target
from roadstead.release.evidence import Need
from roadstead.rooms import part_of
from roadstead.tables.frequency import FrequencyTable

Codes = NDArray[np.int64]
_MODELS = ("tree", "boosted")
_ROUNDS = 30


class ModelMembership:
    """Guess membership from the certainty of classifiers about a person."""

    name: ClassVar = "model-membership"
    needs: ClassVar[tuple[Need, ...]] = ("original", "held-out")

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Fit and query classifiers for each sensitive column."""
        release = target.release
        assert target.held_out is not None  # noqa: S101 - the attack requires it
        secrets = settings.secrets or release.sensitive
        if not secrets:
            return not_tried(
                self.name,
                "no column is sensitive, so a classifier does not have a column to predict",
            )
        if release.private is None and masked_rows(release).all():
            return not_tried(self.name, "every released record shows * in all quasi-identifiers")
        members, others = target.people, target.rows_of(target.held_out)
        epsilon = release.epsilon
        held = NOTHING if epsilon is None else allowed_by(epsilon, target.release.delta)
        found = []
        for column in secrets:
            learned = [_known(release, people, column) for people in (members, others)]
            if None in learned:
                why = "the original or the held-out records lack a column that the classifier uses"
                found.append(not_tried(self.name, why))
                continue
            found += [self._by(model, column, learned, held, settings) for model in _MODELS]
        return all_of(found)

    def _by(
        self,
        model: str,
        column: str,
        known: list[_Known | None],
        held: HeldAgainst,
        settings: AttackSettings,
    ) -> Findings:
        chance = settings.chance(f"{self.name} {model} {column}")
        mine, theirs = (one for one in known if one is not None)
        fitted = _fitted(model, mine, settings.seed)
        if fitted is None:
            return not_tried(
                self.name,
                "scikit-learn is not installed, or the column to predict has only one value",
            )
        scores = [
            _scores(fitted, own.drawn(settings.attempts, chance), mine.values)
            for own in (mine, theirs)
        ]
        knowledge = {"by": model, "column": column}
        return by_scores(self.name, {**knowledge}, scores[0], scores[1], held, chance)


class _Known:
    """Records as the release shows them, the records' true values, and the training data."""

    def __init__(
        self,
        shown: NDArray[np.float64],
        truth: list[str],
        counts: Codes,
        learned: tuple[NDArray[np.float64], list[str], Codes],
    ) -> None:
        self.shown, self.truth, self.counts, self.learned = shown, truth, counts, learned

    @property
    def values(self) -> list[str]:
        """Return the values that a classifier knows, in the classifier's order."""
        return sorted(set(self.learned[1]))

    def drawn(
        self, most: int, chance: np.random.Generator
    ) -> tuple[NDArray[np.float64], list[str]]:
        """Draw at most `most` records at random."""
        rows = np.repeat(np.arange(self.counts.size), self.counts)
        if rows.size > most:
            rows = chance.choice(rows, size=most, replace=False)
        return self.shown[rows], [self.truth[row] for row in rows.tolist()]


def _known(release: AttackedRelease, people: FrequencyTable, column: str) -> _Known | None:
    """Assign people to the classes or groups of a release, and omit people without a match."""
    if column not in people.attributes:
        return None
    found = _of_classes(release, people, column)
    if release.private is not None:
        found = _of_groups(release, people, column)
    if found is None:
        return None
    place, features, learned = found
    inside = place >= 0
    at = people.attributes.index(column)
    truth = [people.domains[at][code] for code in people.codes[at][inside].tolist()]
    return _Known(features[place[inside]], truth, people.counts[inside], learned)


_Found = tuple[Codes, NDArray[np.float64], tuple[NDArray[np.float64], list[str], Codes]]
"""The class of each row, the features of each class, and the training rows."""


def _of_classes(release: AttackedRelease, people: FrequencyTable, column: str) -> _Found | None:
    policy = release.policy
    if policy is None or not {*policy.quasi} <= {*people.attributes}:
        return None
    found = classes_of(release, policy, people)
    if found is None:
        return None
    place, shown_labels = found
    rows = rows_of(release, policy.quasi, [column])
    numbers: list[dict[str, int]] = [{} for _ in policy.quasi]
    for own, labels in zip(numbers, zip(*(one for one, _ in rows), strict=True), strict=True):
        own.update({label: at for at, label in enumerate(sorted(set(labels)))})

    def features(labels: tuple[str, ...]) -> list[int]:
        return [own[label] for own, label in zip(numbers, labels, strict=True)]

    learned = np.array([features(labels) for labels, _ in rows], dtype=np.float64)
    counts = np.array(list(rows.values()), dtype=np.int64)
    shown = np.array([features(labels) for labels in shown_labels], dtype=np.float64)
    return place.astype(np.int64), shown, (learned, [value for _, (value,) in rows], counts)


def _of_groups(release: AttackedRelease, people: FrequencyTable, column: str) -> _Found | None:
    private = release.private
    if private is None or column != private.target:
        return None
    groups_of = part_of("private releases", "attacks.membership.groups:places_in_groups")
    place = groups_of(private, people)
    if place is None:
        return None
    listed = private.listed
    features = np.stack(listed.groups.codes, axis=1).astype(np.float64)
    group, label = np.nonzero(listed.released > 0)
    counts = listed.released[group, label]
    return place, features, (features[group], [private.classes[at] for at in label], counts)


def _fitted(model: str, known: _Known, seed: int) -> Any:  # noqa: ANN401 - scikit-learn is untyped
    """Fit a classifier to the rows of the release, or return None if this is not possible."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - heavy
        from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415 - heavy

        threads = import_module("threadpoolctl")  # scikit-learn installs this package.
    except ModuleNotFoundError:
        return None
    features, values, counts = known.learned
    if len(set(values)) == 1:
        return None
    made = (
        DecisionTreeClassifier(random_state=seed)
        if model == "tree"
        else HistGradientBoostingClassifier(
            max_iter=_ROUNDS, early_stopping=False, random_state=seed
        )
    )
    # If other processes are also busy, several threads are ten times slower than one thread.
    with threads.threadpool_limits(limits=1, user_api="openmp"):
        return made.fit(features, values, sample_weight=counts)


def _scores(
    fitted: Any,  # noqa: ANN401 - scikit-learn is untyped
    drawn: tuple[NDArray[np.float64], list[str]],
    values: list[str],
) -> NDArray[np.float64]:
    """Return the probability that a classifier assigns to the true value of each record."""
    features, truth = drawn
    if not len(truth):
        return np.zeros(0)
    chances = fitted.predict_proba(features)
    place = {value: at for at, value in enumerate(values)}
    own = np.array([place.get(value, -1) for value in truth], dtype=np.int64)
    return np.where(own >= 0, chances[np.arange(own.size), own], 0.0)
