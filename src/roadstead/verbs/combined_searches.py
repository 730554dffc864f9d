"""Convert searches and recodings to parts of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roadstead.capabilities import Component, Feature, Kind, Reason
from roadstead.front_end import option
from roadstead.search.recoding.registry import CAPABILITIES as RECODINGS
from roadstead.search.registry import SearchEntry


def search_part(entry: SearchEntry[Any], *, suppresses: bool = False) -> Component:
    """Convert a search to a part. `suppresses` is true if records may be suppressed."""
    cuts = entry.kind == "partition"
    brings = {
        Feature.CUTS: cuts,
        Feature.INFERENCE: entry.infers,
        Feature.INFERENCE_SUPPRESSED: entry.infers and suppresses,
    }
    return Component(
        "search",
        entry.name,
        "search",
        frozenset(feature for feature, there in brings.items() if there),
        capabilities=entry.capabilities,
        otherwise=_CUTS if cuts else _INFERENCE,
        instead="{search=exact}",
    )


_CUTS: Mapping[Kind, Reason] = {
    "privacy": Reason(
        "{other} judges groups only by their size, which is not enough for {part}",
        "leave the model out, or use {search=exact}",
    ),
    "quality": Reason(
        "{other} minimizes discernibility or the classification metric, not {part}",
        "use {quality=discernibility}, or {quality=classification} with {target}",
    ),
}


_INFERENCE: Mapping[Kind, Reason] = {
    "privacy": Reason(
        "{other} assumes that a policy meets the requirements if a finer policy meets them, but "
        "{part} does not guarantee this if records may be suppressed",
        "use {search=exact}",
        ("search",),
    )
}


def recoding_part(kind: str) -> Component:
    """Convert a recoding to a part."""
    intervals = {Feature.INTERVALS} if kind == "intervals" else set[Feature]()
    return Component(
        "recoding",
        option("recoding", kind),
        "recoding",
        frozenset({Feature.RECODING, *intervals}),
        capabilities=RECODINGS[kind],
        otherwise={
            "privacy": Reason(
                "this recoding judges each group separately, and {part} cannot be judged that way",
                "use {recoding=global}, or leave the model out",
            ),
            "quality": Reason(
                "{other} minimizes Iyengar's loss, not {part}", "leave {quality} out"
            ),
        },
    )
