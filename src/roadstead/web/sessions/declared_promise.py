"""Find the privacy requirements of a session that a candidate or a policy does not meet.

The user sets the requirements (a k and privacy models) in the step Columns. For a candidate that
does not meet all requirements, the user must type a reason, which appears in the certificate and in
the report.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.privacy.settings import model_from
from roadstead.regular_files import content_of
from roadstead.release.below_promise import names_of, not_kept
from roadstead.release.certificate import MeasuredRisk
from roadstead.verbs.settings import k_alongside
from roadstead.web.sessions.choices import Choices

CERTIFICATE = "certificate.json"
_K_ANONYMITY = "k-anonymity"


@dataclass(frozen=True)
class DeclaredOnPage:
    """The declared k (None if a model replaces k) and the settings of the models.

    `of_people` indicates whether the k counts people.
    """

    k: int | None
    models: tuple[Mapping[str, Any], ...]
    of_people: bool = False

    @property
    def words(self) -> str:
        """The names of the declared requirements."""
        own = () if self.k is None else ({"kind": _K_ANONYMITY, "k": self.k},)
        return " and ".join(self.names((*own, *map(dict, self.models))))

    def names(self, models: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return the names of requirements, given their settings."""
        people = [" of people" * (self.of_people and one["kind"] == _K_ANONYMITY) for one in models]
        return tuple(map(str.__add__, names_of(models), people))

    def missing(self, smallest: int, certified: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return the requirements that the smallest group and the certified models do not meet."""
        return self.names(not_kept(self.k, self.models, smallest, certified))

    def not_kept_by(self, folder: Path) -> tuple[dict[str, Any], ...]:
        """Return the settings of the models that a finished release does not meet."""
        found = certificate_in(folder)
        if "policy" not in found:
            return ()
        smallest = MeasuredRisk(**found["risk"]).smallest_group
        return not_kept(self.k, self.models, smallest, found["policy"]["privacy"])


def declared_of(choices: Choices) -> DeclaredOnPage:
    """Read the declared requirements. The default k applies unless a model replaces it."""
    models = tuple(dict(one) for one in choices.get("privacy.models", ()))
    made = [model_from(dict(one), where="privacy.models") for one in models]
    k = k_alongside(choices.get("privacy.k"), made)
    return DeclaredOnPage(k, models, choices.person is not None)


def certificate_in(folder: Path) -> dict[str, Any]:
    """Read the certificate in a folder, or return an empty dictionary."""
    try:
        found = json.loads(content_of(folder / CERTIFICATE, own=True))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
