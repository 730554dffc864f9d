"""What the demonstration is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import NEW_FOLDER, SWITCH, WHOLE

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.result import Anonymization  # noqa: F401 - in a text below


@request
class DemoRequest(VerbRequest["Anonymization"]):
    """Run the main job, end to end, on patients that do not exist."""

    verb: ClassVar = "demo"
    out: Path = option(
        "New folder for the demonstration.",
        NEW_FOLDER,
        default=Path("roadstead-demo"),
        metavar="DIR",
        usual="roadstead-demo",
    )
    patients: int = option("How many patients to make up.", WHOLE, default=20_000, usual="20000")
    seed: int = option("Seed of the made-up patients.", WHOLE, default=2026, usual="2026")
    force: bool = option("Replace a former demonstration.", SWITCH, default=False)
