"""Define the output of `determine`: a determination, or the file with the questions."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.determination.document import Determination
from roadstead.schemas.shared import ClosedJSON, Count


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"), kw_only=True)
class PrintedDetermination(Determination):
    """A determination, and its folder."""

    out: str = ""


class NewQuestionsJSON(ClosedJSON):
    new: str
    questions: Count


DetermineJSON = PrintedDetermination | NewQuestionsJSON
