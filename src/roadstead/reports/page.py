"""Write a report as one HTML file, and its summary as a table for notebooks.

A security policy in the file forbids scripts and the loading of other files. So a browser blocks
both, even if a value contains markup.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from markupsafe import Markup

from roadstead.privacy.registry import sources_of
from roadstead.publications import Publication
from roadstead.quality.words import words_of
from roadstead.reports.added import added_warning, adds, each_alone, what_to_do
from roadstead.reports.charts.risks import gather_risks
from roadstead.reports.charts.share_bars import gather_class_sizes, gather_losses
from roadstead.reports.charts.svg import Chart, pictures
from roadstead.reports.charts.unicity import unicity_chart
from roadstead.reports.columns_left import columns_left
from roadstead.reports.content import ReportContent
from roadstead.reports.environment import template
from roadstead.reports.notebook import block, drawn, words
from roadstead.reports.promise import promise_line
from roadstead.reports.rounded import about, rounded
from roadstead.reports.sentences import proof, summary
from roadstead.reports.sources import ALWAYS, SEARCHES, keys_of, with_own
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS

if TYPE_CHECKING:
    from roadstead.release.added_risk import AddedRisk
    from roadstead.release.below_promise import BelowPromise


def gather(content: ReportContent) -> dict[str, Chart | None]:
    """Gather the charts of a report by name. A chart is None if there is nothing to show."""
    losses, persons, unicity = gather_losses(content), content.persons, None
    if persons is not None:
        unicity = unicity_chart(persons.unicity_before, persons.unicity_after, persons.k)
    return {
        "risks": gather_risks(content),
        "class_sizes": gather_class_sizes(content),
        "losses": losses if losses.bars else None,
        "unicity": unicity,
    }


def render(content: ReportContent) -> str:
    """Return the report as an HTML document, with losses rounded for sharing.

    Equal contents give equal documents.
    """
    content = content.for_sharing
    published = _published(content)
    charts = gather(content)
    return template("report.html").render(
        content=content,
        summary=summary(content),
        other_columns=tuple(columns_left(content.columns)),
        promise_line=promise_line(content.terms),
        **_of_added(content.added, dict(content.columns.treated)),
        below_block=below_block(content.below_promise),
        iyengar=words_of("loss"),
        about=about,
        rounded=rounded,
        sources=with_own(published),
        cited=_cited(content, published),
        cited_models={g.kind: keys_of(sources_of(g.kind)) for g in content.guarantees},
        cited_searches=SEARCHES,
        bounded=tuple(dict.fromkeys(c for g in content.guarantees for c in g.columns)),
        presence=any(g.kind == "delta-presence" for g in content.guarantees),
        weighted=len({a.weight for a in content.attributes}) > 1,
        charts=charts,
        pictures=pictures(charts),
        notes=content.notes,
    )


def _of_added(added: AddedRisk | None, treated: Collection[str]) -> dict[str, str]:
    """Return the warning about the released columns, or empty strings if they add no risk."""
    people = None if added is None else added.people
    rows = {"rows_known": "one row" if people is None else ROWS_IN_WORDS[people.knows]}
    if added is None or not added.columns or not adds(added):
        return {"added_warning": "", "each_alone": "", "what_to_do": "", **rows}
    warning = added_warning(added)
    return {
        **rows,
        "added_warning": f"{warning[:1].upper()}{warning[1:]}",
        "each_alone": each_alone(added),
        "what_to_do": what_to_do(added, treated),
    }


def below_block(below: BelowPromise | None) -> Markup:
    """Return the warning about requirements that are not met, or "" if all are met."""
    made = "" if below is None else template("below_promise.html").render(below=below)
    return Markup(made)  # noqa: S704 - our template


def render_summary(content: ReportContent, ending: str = "") -> str:
    """Return the release as a compact HTML table with a chart of its risks, for notebooks.

    `ending` contains lines for the end of the table.
    """
    said = template("summary.html").render(
        content=content, promise_line=promise_line(content.terms), proof=_proof(content)
    )
    last = [words(ending)] if ending else []
    return block(Markup(said), drawn(gather_risks(content)), *last)  # noqa: S704 - our template


def _proof(content: ReportContent) -> str | None:
    if content.loss is None or content.search is None:
        return None
    return proof(content.loss, content.search)


def _published(content: ReportContent) -> list[str | Publication]:
    """Return the sources of the models that the report mentions."""
    published = [source for g in content.guarantees for source in sources_of(g.kind)]
    if content.loss is not None:
        published += content.loss.measure.sources
        if not content.loss.measure.by_attribute:
            published += words_of("loss").sources
    return published


def _cited(content: ReportContent, published: list[str | Publication]) -> list[str]:
    """Return the sources that the report cites, in the order of the list."""
    named = {*ALWAYS, *keys_of(published)}
    if content.search is not None:
        named.add(SEARCHES.get(content.search.name, ""))
        named |= {"benitez", "xia"} if content.search.frontier else set()
    if content.persons is not None:
        named |= {"montjoye", "multirelational", "terrovitis"}
    return [name for name in with_own(published) if name in named]
