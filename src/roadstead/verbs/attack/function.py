"""Define the Python function `attack`, which is generated from the request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.attack.request import AttackRequest

attack = function_of(AttackRequest)
