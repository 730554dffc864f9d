"""A small release, and a file of answers to every question."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import undrawn
from small_tables import PATIENTS, QUASI, patients, write_csv

import roadstead as rs
from roadstead.determination.answers import questions
from roadstead.release.documents import fingerprint

OF_OTHER_KINDS = {
    "expert.date": "2026-03-01",
    "expert.expires": "2028-03-01",
    "recipient.model": '"outside"',
    "threshold.measure": '"maximum"',
    "threshold.value": "0.09",
    "attackers.probability": "0.25",
}
"""Answers that are not free text, as TOML."""
COLUMNS = ("age", "sex", "zip", "diagnosis")


def small_release(folder: Path, k: int = 5) -> Path:
    """Release 400 made-up patients with ages, sexes and ZIP codes generalized."""
    write_csv(folder / "patients.csv", PATIENTS, patients(400))
    found = rs.anonymize(
        folder / "patients.csv",
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
        k=k,
        suppression=0.05,
    )
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        found.write(folder / "release")
    return folder / "release"


def certificate_of(release: Path) -> str:
    """Give the SHA-256 of a release's certificate."""
    return fingerprint(release / "certificate.json").sha256


def all_answered(certificate: str, text: str = "Yes.", **other: str) -> str:
    """Write a file with an answer to each question, a text or a value as TOML."""
    lines = ["[[release]]", f'certificate = "{certificate}"', 'name = "Patients of 2026"']
    for key in questions():
        section, _, name = key.partition(".")
        if f"[{section}]" not in lines:
            lines.append(f"[{section}]")
        if key != "data.variables":
            value = other.get(key.replace(".", "_"), OF_OTHER_KINDS.get(key, f"'''{text}'''"))
            lines.append(f"{name} = {value}")
    reasons = [f"{column} = '''{text}'''" for column in COLUMNS]
    return "\n".join([*lines, "[data.variables]", *reasons]) + "\n"
