"""Define the Python function `synthesize`, which is generated from the request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.synthesize.request import SynthesizeRequest

synthesize = function_of(SynthesizeRequest)
