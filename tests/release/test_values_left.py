"""What is left of a column whose released values are all in one open band."""

from __future__ import annotations

import roadstead as rs
from roadstead.release.identifiers_left import identifiers_left

BIRTHS = [f"19{20 + at % 10}-03-{1 + at % 28:02}" for at in range(60)]


def test_a_level_at_which_everything_is_in_the_band_shows_no_day() -> None:
    """Fault class: "by day" for a column that only shows "before 1940"."""
    made = rs.anonymize({"birth_date": BIRTHS}, quasi=["birth_date"], k=5)
    assert set(made.to_pandas()["birth_date"]) == {"before 1940"}
    assert made.content.attributes[0].does.startswith("only before 1940 left (the rule: by day")


def test_the_band_has_its_own_share_if_levels_differ() -> None:
    """Fault class: with levels that differ between groups, the band counted as days."""
    births = BIRTHS + [f"19{50 + at // 9}-0{1 + at % 9}-11" for at in range(300)]
    made = rs.anonymize(
        {"birth_date": births}, quasi=["birth_date"], k=5, recoding="local", time_limit=2
    )
    (parts,) = made.content.parts
    shares = dict(parts.shares)
    assert shares["only before 1940"] == 60 / 360
    assert not any(how.startswith("by day") for how in shares)
    assert not any(one.startswith("19") and len(one) > 5 for one in made.to_pandas()["birth_date"])
    assert list(identifiers_left(made.policy)) == []


def test_a_hierarchy_without_rules_has_no_bands() -> None:
    """Its levels are lists of labels, and levels may differ between groups."""
    towns = ["a", "b", "c", "d"] * 30
    levels = {"kind": "mapping", "groups": {"north": ["a", "b"], "south": ["c", "d"]}}
    made = rs.anonymize(
        {"town": towns}, quasi=["town"], k=5, recoding="local", declared={"town": levels}
    )
    assert set(made.to_pandas()["town"]) <= {"a", "b", "c", "d", "north", "south"}
