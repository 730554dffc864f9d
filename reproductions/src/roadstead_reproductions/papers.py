"""The papers whose experiments can be run."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from roadstead.errors import SettingError
from roadstead_reproductions.reproduction import Reproduction, Tell

PAPERS = {
    "benitez2010": "roadstead_reproductions.benitez2010.experiments",
    "elemam2008": "roadstead_reproductions.elemam2008.experiments",
    "mohammed2013": "roadstead_reproductions.mohammed2013.experiments",
    "prasser2016": "roadstead_reproductions.prasser2016.experiments",
    "xia2013": "roadstead_reproductions.xia2013.experiments",
}
"""Where the experiments of each paper are: a module with a `run` and an `expected_seconds`."""


class Experiments(Protocol):
    """The experiments of a paper."""

    def expected_seconds(self, *, quick: bool) -> float:
        """Estimate how long they take."""
        ...

    def run(self, tell: Tell, *, quick: bool) -> Reproduction:
        """Run them."""
        ...


def experiments_of(paper: str) -> Experiments:
    """Look up the experiments of a paper.

    Raises
    ------
    SettingError
        When there are none.
    """
    if paper not in PAPERS:
        raise SettingError(
            f"there are no experiments of a paper {paper!r}", fix="use " + ", ".join(PAPERS)
        )
    return cast("Experiments", import_module(PAPERS[paper]))
