"""Define the output of `gate`."""

from __future__ import annotations

from roadstead.schemas.shared import ClosedJSON


class GateRuleJSON(ClosedJSON):
    rule: str
    passed: bool
    detail: str


class GateJSON(ClosedJSON):
    passed: bool
    rules: list[GateRuleJSON]
    requires_signature: bool
    reassures: bool
