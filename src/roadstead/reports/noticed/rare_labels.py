"""Report how many labels of values a release leaves out, because few records have the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roadstead.printable import named
from roadstead.reports.wording import counted, listed

_MOST = 12
"""The maximum number of columns that a sentence names."""


def rare_labels(left_out: Mapping[str, int], fewest: int, person: str | None) -> Iterator[str]:
    """Yield a sentence about the labels that a release leaves out, without the labels.

    `left_out` contains the number of labels by column. `fewest` is the number of records that a
    value must have. If `person` names the person ID column, `fewest` is a number of people.
    """
    if not left_out:
        return
    columns = [f"{counted(many, 'label')} of {named(name)}" for name, many in left_out.items()]
    if more := len(columns[_MOST:]):
        columns = [*columns[:_MOST], f"labels of {counted(more, 'more column')}"]
    units = "released records" if person is None else "people in the release"
    several = len(left_out) > 1 or max(left_out.values()) > 1
    yield (
        f"The release leaves out {listed(columns)}, and shows the "
        f"{'codes' if several else 'code'} instead, because fewer than {fewest} {units} have "
        f"{'each of these values' if several else 'this value'}. A rare label can be a name."
    )
