"""Write the report of a set of tables as one HTML file, from the facts in its certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead import __version__
from roadstead.policies.document import from_json
from roadstead.release.database.certificate import promise_of
from roadstead.release.kinds.database import uses_in_a_set
from roadstead.reports.environment import template
from roadstead.reports.tables.sentences import (
    moved_dates,
    new_keys,
    not_counted,
    oldest_births,
    people_released,
    why_lost,
)
from roadstead.reports.tables.uneven_loss import uneven_loss

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate


def render_set(certificate: DatabaseCertificate) -> str:
    """Return the report as an HTML document. It contains only what the certificate contains."""
    policy = from_json(certificate.policy, where="policy")
    tables = certificate.tables
    return template("tables.html").render(
        certificate=certificate,
        promise=promise_of(certificate.rules, certificate.k, certificate.knows),
        people=people_released(certificate),
        warnings=list(not_counted(certificate)),
        lost=list(uneven_loss(certificate, {})),
        known=[(one.name, one.does) for one in policy.attributes],
        done=[*oldest_births(certificate), moved_dates(certificate), new_keys(certificate)],
        why={name: why_lost(certificate, one) for name, one in tables.items()},
        uses=uses_in_a_set(certificate, policy),
        withheld=[f"{name}.{column}" for name, one in tables.items() for column in one.left_out],
        created=certificate.created,
        version=__version__,
    )
