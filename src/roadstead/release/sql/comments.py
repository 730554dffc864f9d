"""Write the comments at the start of a statement. They describe its effect and the policy."""

from __future__ import annotations

import hashlib
import textwrap

from roadstead.front_end import worded
from roadstead.policies.document import SUPPRESSED, Policy, to_json
from roadstead.release.certificate import promise_of
from roadstead.release.documents import json_text
from roadstead.release.sql.counting import leaves_out_persons
from roadstead.release.sql.sql_release import SqlRelease

_LINE = 96


def policy_fingerprint(policy: Policy) -> str:
    """Return the SHA-256 hash of ``policy.json`` as Roadstead writes this file."""
    return hashlib.sha256(json_text(to_json(policy)).encode()).hexdigest()


def header(release: SqlRelease) -> str:
    """Return the header of the statement that produces a release."""
    policy = release.policy
    limit = f"{policy.suppression.limit * 100:.10g}%"
    units = "people" if leaves_out_persons(release.persons) else "records"
    kept, unseen = "left out", "The result is empty if a value is not covered by a rule."
    if release.masks:
        nothing = " and empty cells in interval columns" if policy.two_columns else ""
        kept = f"kept with {SUPPRESSED} in every quasi-identifier{nothing}, "
        kept += "or left out if they are fewer "
        kept += f"than {release.k}"
    if release.suppress_unseen:
        unseen = "A record with a value that no rule covers is suppressed."
    counted = worded(command="--sql-check", python="as_sql with check=True")
    return comment(
        f"The release of {'.'.join(release.table)} under a policy, for {release.dialect}.",
        f"Policy: SHA-256 {policy_fingerprint(policy)}.",
        f"Privacy requirement: {promise_of(policy, release.models)}",
        *(f"{name}: {does}." for name, does in policy.words.items()),
        f"Suppressed records are {kept}. The result is empty if more than {limit} of the "
        f"{units} would be suppressed. To see these numbers in advance, run the statement of "
        f"{counted}.",
        unseen,
        *_of_persons(release),
        "Assumptions: names are spelled as in the policy, including upper and lower case. "
        "Comparisons of text distinguish case and accents. Quasi-identifiers are text, or a "
        "cast changes them to text with this form: dates such as 2026-01-31, whole numbers such "
        "as 47, other numbers such as 4.5, and true and false. Empty text is a missing value.",
    )


def _of_persons(release: SqlRelease) -> list[str]:
    model = release.persons
    if model is None:
        return []
    out = (
        "Records are left out"
        if model.leaves_out == "rows"
        else "People are left out with all their records"
    )
    return [
        f"This counts people by the column {model.person}, which is not released. {out} if fewer "
        f"than {release.k} people are in a group. The result is empty if a record has no person ID."
    ]


def comment(*paragraphs: str) -> str:
    """Return text as comments. Each paragraph becomes one line, so no name can end a comment."""
    lines = []
    for paragraph in paragraphs:
        flat = " ".join("".join(c if c.isprintable() else " " for c in paragraph).split())
        lines += textwrap.wrap(
            flat,
            _LINE,
            initial_indent="-- ",
            subsequent_indent="--   ",
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"
