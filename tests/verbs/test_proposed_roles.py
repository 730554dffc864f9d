"""``roles=`` accepts the result of a scan, as a command accepts the scan's project file."""

from __future__ import annotations

import pyarrow as pa
import pytest
from small_tables import PATIENTS, patients

import roadstead as rs

TABLE = pa.table([pa.array(one) for one in zip(*patients(200), strict=True)], names=list(PATIENTS))


def test_roles_and_hierarchies_are_those_of_the_proposal() -> None:
    """As if each had been named."""
    proposal = rs.scan(TABLE)
    decided = proposal.deciding(dict.fromkeys(proposal.names(None), "identifiers"))
    found = rs.anonymize(TABLE, roles=decided, suppression=1.0)
    named = rs.anonymize(
        TABLE,
        quasi=decided.names("quasi"),
        sensitive=decided.names("sensitive"),
        identifiers=decided.names("identifiers"),
        unchanged=decided.names("unchanged"),
        declared={c.name: c.hierarchy for c in decided.columns if c.hierarchy},
        suppression=1.0,
    )
    assert found.policy == named.policy
    assert rs.frontier(TABLE, roles=decided, search="exact").members


def test_a_column_that_is_named_goes_before_the_proposal() -> None:
    """Its role and its hierarchy."""
    proposal = rs.scan(TABLE)
    decided = proposal.deciding(dict.fromkeys(proposal.names(None), "identifiers"))
    found = rs.anonymize(
        TABLE,
        roles=decided,
        identifiers=["zip"],
        declared={"age": {"kind": "flat"}},
        suppression=1.0,
    )
    assert "zip" not in found.roles.quasi
    assert found.policy.attributes[found.roles.quasi.index("age")].levels == 2


@pytest.mark.nightly
def test_what_waits_for_a_person_is_withheld() -> None:
    """Or refused, where the request says so."""
    proposal = rs.scan(TABLE)
    waiting = proposal.deciding({})
    columns = tuple(
        type(one)(one.name, None if one.name == "diagnosis" else one.role, one.reason, one.profile)
        for one in waiting.columns
    )
    waiting = type(waiting)(waiting.source, columns)
    with pytest.raises(rs.RoleError, match=r"'diagnosis'.* no role"):
        rs.anonymize(TABLE, roles=waiting, undecided="refuse")
    found = rs.anonymize(TABLE, roles=waiting, suppression=1.0)
    assert "diagnosis" in found.withheld


def test_only_what_a_scan_returned_is_taken() -> None:
    """A mapping is refused, because its meaning is unclear."""
    with pytest.raises(rs.SettingError, match="roles: the value is not the result of a scan"):
        rs.anonymize(TABLE, roles={"age": "quasi"})
