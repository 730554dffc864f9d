"""Define the output of `attack`, and the file with the results of attacks."""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT
from roadstead.release.documents import Fingerprint
from roadstead.release.evidence import CertifiedAttack
from roadstead.schemas.shared import ClosedJSON


@checked_dataclass(frozen=True, config=STRICT, kw_only=True)
class FoundAttackJSON(CertifiedAttack):
    """The result of an attack in a certificate, and the sentence that describes the result."""

    sentence: str


class UntriedAttackJSON(ClosedJSON):
    attack: str
    why: str


class AttacksJSON(ClosedJSON):
    """The printed and saved results of attacks."""

    release: str
    convicted: bool
    seed: int
    attacks: list[FoundAttackJSON]
    untried: list[UntriedAttackJSON]


class PrintedAttacksJSON(AttacksJSON):
    out: NotRequired[str]
    signature_removed: NotRequired[bool]


class CertifiedAttacksJSON(AttacksJSON):
    out: NotRequired[str]
    certified: Literal[True]
    signature_removed: bool


AttackJSON = PrintedAttacksJSON | CertifiedAttacksJSON


class AttacksFileJSON(AttacksJSON):
    roadstead_attacks: Literal[1]
    software: str
    created: str
    files: list[Fingerprint]
