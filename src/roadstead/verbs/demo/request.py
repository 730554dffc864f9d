"""Define the request for the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from roadstead.requests.fields import VerbRequest, new_folder, option, output_switch, request
from roadstead.requests.forms import WHOLE
from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.result import Anonymization  # noqa: F401 - in a text below


@request
class DemoRequest(VerbRequest["Anonymization"]):
    """Make a table of 20,000 made-up patients, and de-identify it."""

    verb: ClassVar = "demo"
    example: ClassVar = "{out=roadstead-demo}"
    out: Path = new_folder(
        "New folder for the table, the project file, and the release.",
        default=Path("roadstead-demo"),
    )
    patients: int = option(
        "Number of made-up patients.",
        WHOLE,
        default=20_000,
        heading=Heading.RANDOMNESS,
        common=True,
    )
    seed: int = option(
        "Seed of the random choices. The same seed makes the same patients.",
        WHOLE,
        default=2026,
        heading=Heading.RANDOMNESS,
        common=("demo",),
    )
    force: bool = output_switch("Replace an earlier demonstration.", default=False)
