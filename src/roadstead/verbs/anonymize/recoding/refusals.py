"""What releases whose classes differ in what they show cannot carry, refused before any work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.axes import Axis
from roadstead.policies.recodings.ends import collision, end_columns
from roadstead.policies.recodings.making import has_ends
from roadstead.privacy.combination import sees_labels
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.protocol import QualityModel
from roadstead.quality.suppression_prices import EVEN
from roadstead.requests.checks import wrong
from roadstead.verbs.persons.settings import known_rows, links

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.request import AnonymizeRequest


def check_recoding(
    request: AnonymizeRequest, quality: QualityModel, models: Sequence[PrivacyModel]
) -> None:
    """Refuse what releases of this kind cannot carry."""
    kind = option("recoding", request.recoding)
    for model in models:
        if sees_labels([model]):
            what = (
                f"{model.name} looks at how much of its information a class keeps, which differs "
                f"from class to class with {kind}, and is not measured there"
            )
            raise wrong("privacy", what, f"leave it out, or use {option('recoding', 'global')}")
    if quality.name != "loss":
        what = f"{kind} minimizes Iyengar's loss, and not {quality.name}"
        raise wrong("quality", what, f"leave {option('quality')} out")
    if request.gs_factor != EVEN or request.monotone:
        what = f"{kind} counts suppression as losing everything"
        field = "monotone" if request.monotone else "gs_factor"
        raise wrong(field, what, f"leave {option(field)} out")
    if request.weigh == "persons":
        what = f"{kind} counts each record alike in the loss"
        raise wrong("weigh", what, f"leave {option('weigh')} out")
    if request.population is not None or request.population_counts is not None:
        what = f"{kind} makes classes of the table's records, and knows no other people"
        raise wrong("population", what, f"leave it out, or use {option('recoding', 'global')}")
    if request.origin.given.get("aggregate") == "geometric":
        what = f"{kind} minimizes the arithmetic mean, and tells the geometric one too"
        raise wrong("aggregate", what, f"leave {option('aggregate')} out")
    if request.person is not None and (
        known_rows(request.knows, linked=links(request)) != 1 or request.leave_out == "persons"
    ):
        raise SettingError(
            f"{kind} protects persons of whom one row is known, does not link rows, and leaves out "
            "rows",
            where=f"{option('knows')}, {option('link')}, {option('leave_out')}",
            fix=f"use {option('knows', 1)} alone, or {option('recoding', 'global')}",
        )
    if request.recoding == "intervals" and (request.min_level or request.max_level):
        raise SettingError(
            f"{kind} takes intervals of values, which have no levels to choose from",
            where=f"{option('min_level')}, {option('max_level')}",
            fix="leave them out",
        )


def check_two_columns(request: AnonymizeRequest) -> None:
    """Refuse two columns where what stands in one is no interval."""
    if request.intervals == "columns" and request.recoding != "intervals":
        raise wrong(
            "intervals",
            f"{option('recoding', request.recoding)} releases labels of hierarchies, and two "
            "columns are of intervals",
            f"add {option('recoding', 'intervals')}, or leave {option('intervals')} out",
        )


def require_free_names(
    axes: Sequence[Axis], hierarchies: Sequence[Hierarchy], columns: Sequence[str]
) -> None:
    """Refuse a table that has a column called like one of the two that are to be released."""
    own = zip(axes, hierarchies, strict=True)
    names = (of.attribute for axis, of in own if has_ends(axis, of))
    pairs = {name: end_columns(name) for name in names}
    if (found := collision(pairs, columns)) is not None:
        name, taken = found
        raise SettingError(
            f"{quoted(name)} would be released as {' and '.join(map(quoted, pairs[name]))}, and "
            f"the table has a column {quoted(taken)}, in upper or lower case",
            where=option("intervals", "columns"),
            fix=f"rename that column, or use {option('intervals', 'text')}",
        )


def too_many_to_recode(most: int) -> SettingError:
    """Refuse a table whose combinations are not held in memory."""
    return SettingError(
        f"there are more than {most:,} distinct combinations of the quasi-identifiers, and classes "
        "that differ in what they show are made of combinations in memory",
        where=option("recoding"),
        fix=f"use {option('recoding', 'global')}, fewer quasi-identifiers, or a larger "
        f"{option('combinations')}",
    )
