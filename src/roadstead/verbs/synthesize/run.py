"""Make a differentially private release: generalized records with noisy counts, for a classifier.

The table is summarized where it lies and placed in public domains; DiffGen specializes the
attributes privately, so that the groups tell the target well, and counts the groups with noise
(paper 002). How many specializations is chosen privately too, unless it is said. Chance comes from
generators for cryptography, and no seed is kept: whoever knew it could take the noise off again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from roadstead.differential.chance.mechanisms import ExactMechanisms, Mechanisms
from roadstead.differential.synthesis import Synthesis
from roadstead.errors import MissingExtraError
from roadstead.front_end import option
from roadstead.release.private.promise import amount, factor
from roadstead.reports.numbers import percent
from roadstead.tables.item_sets import ItemSet
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.verbs.settings import names_of
from roadstead.verbs.synthesize.counts import drawn
from roadstead.verbs.synthesize.domains import Declared, Range, Tree
from roadstead.verbs.synthesize.finding import SynthesisFinding
from roadstead.verbs.synthesize.placing import place
from roadstead.verbs.synthesize.progress import Tell, Watched
from roadstead.verbs.synthesize.sets import Described, item_sets
from roadstead.verbs.synthesize.settings import AUTO, LARGE, Epsilon, Request, request_of

_MOST_LISTED = 0.8
"""If fewer of the records stand behind the groups, whoever reads the release is told."""


def synthesize(  # noqa: PLR0913 - one parameter an option
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    epsilon: Epsilon | None,
    target: str | None,
    classes: Sequence[str] = (),
    quasi: Sequence[str] = (),
    ranges: Mapping[str, Range] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
    taxonomies: Mapping[str, Tree] | None = None,
    fanout: int | Mapping[str, int] | None = None,
    hierarchies: str | Path | None = None,
    declared: Mapping[str, Mapping[str, Any]] | None = None,
    sets: Mapping[str, Described] | None = None,
    identifying: Sequence[str] = (),
    specializations: int | str = AUTO,
    score: str = "max",
    outside: str = "leave-out",
    base: Path | None = None,
    watch: Tell | None = None,
) -> SynthesisFinding:
    """Make a differentially private release of a table.

    Domains are public: they are declared, never read off the table, and become part of the release.

    Parameters
    ----------
    data
        A `Source`, the path of a file, a data frame, an Arrow table or an Ibis table, with one
        record a row.
    epsilon
        The privacy budget, above 0; a number, or a text such as ``"1/3"``. It is read as a decimal.
    target, classes
        The column that the release is to tell most of, and all that it can hold.
    quasi
        The attributes to be released beside target and sets; all with a declared domain if left
        out.
    ranges
        Numbers a column can hold, by column: ``"15..95"``, ``"10..60/0.1"`` or ``(10, 60, 0.1)``.
    values
        Values a column, or the items of a set, can have, by name.
    taxonomies
        Trees of values by name: ``"icd9"``, ``"icd10"``, ``"prefix:1+3"`` of the `values`, the path
        of a file (``FILE`` in ARX's form, or ``FILE:CODE:GROUP+GROUP``), or a `Taxonomy`.
    fanout
        The most children that a node of a taxonomy may have, for all or by name; 4 for sets if left
        out.
    hierarchies
        Folder of hierarchy files in ARX's form; the values they list are the domain.
    declared
        Hierarchies as a project file declares them; used where they list values or ends.
    sets
        Set-valued attributes by name: where their items are.
    identifying
        Columns that are never released.
    specializations
        How many; ``auto`` for as many as are chosen privately.
    score
        What a specialization is worth: ``max``, ``max-gain`` or ``info-gain``.
    outside
        Records outside the domains: ``leave-out`` or ``stop``.
    base
        Where relative paths of `declared` start.
    watch
        Is told of each step.

    Returns
    -------
    SynthesisFinding

    Raises
    ------
    InputError
        When the request or a table is wrong, or OpenDP is not installed.
    """
    request = request_of(epsilon, target, classes, specializations, score, outside)
    if find_spec("opendp") is None:
        raise MissingExtraError(
            "differential privacy needs OpenDP", fix="pip install 'roadstead[dp]'"
        )
    known = Declared(
        ranges or {},
        values or {},
        taxonomies or {},
        _fanout(fanout),
        declared or {},
        None if hierarchies is None else Path(hierarchies),
        base or Path(),
    )
    return synthesized(
        data,
        request,
        known,
        item_sets(sets or {}),
        quasi=names_of(quasi, option("quasi")),
        identifying=names_of(identifying, "identifying"),
        mechanisms=ExactMechanisms(),
        watch=watch,
    )


def synthesized(
    data: Any,  # noqa: ANN401 - as above
    request: Request,
    declared: Declared,
    sets: Sequence[ItemSet],
    *,
    quasi: Sequence[str] = (),
    identifying: Sequence[str] = (),
    mechanisms: Mechanisms,
    watch: Tell | None = None,
) -> SynthesisFinding:
    """Make the release that a checked request asks for, with chance from `mechanisms`."""
    began = time.perf_counter()
    source = data if isinstance(data, Source) else read_privately(data)
    placed = place(source, request, declared, sets, quasi=quasi, identifying=identifying)
    asked = mechanisms if watch is None else Watched(mechanisms, watch)
    synthesis, counts = drawn(placed.records, request, asked)
    return SynthesisFinding(
        source=source.name,
        request=request,
        synthesis=synthesis,
        counts=counts,
        unit=placed.unit,
        origins=placed.origins,
        notes=tuple(_notes(request, synthesis, int(counts.sum()))),
        seconds=time.perf_counter() - began,
        private=placed.private,
    )


def _fanout(given: int | Mapping[str, int] | None) -> Mapping[str, int]:
    if given is None:
        return {}
    return given if isinstance(given, Mapping) else {"": given}


def _notes(request: Request, synthesis: Synthesis, released: int) -> list[str]:
    """Say what a reader has to know; none of it depends on the records but through the release."""
    notes = []
    if request.epsilon > LARGE:
        notes.append(
            f"An epsilon of {amount(request.epsilon)} protects hardly anybody: one record may "
            f"change the odds of an output by a factor of e^{amount(request.epsilon)} = "
            f"{factor(request.epsilon)}."
        )
    made, wanted = len(synthesis.steps), request.specializations
    if wanted == 0:
        notes.append("Without a specialization only the distribution of the classes is told.")
    elif synthesis.totals_alone:
        notes.append(
            "No group stands out from the noise, so only the distribution of the classes is told. "
            "More would be with a larger epsilon, fewer specializations, a number that is chosen "
            "privately, or more records."
        )
    elif wanted is not None and made < wanted:
        notes.append(
            f"{made} of {wanted} specializations could be made: nothing can be told finer."
        )
    if not released:
        notes.append(
            "No count stands out from the noise, so no record is released. More would be with a "
            "larger epsilon or more records."
        )
    elif (listed := synthesis.groups.records) < _MOST_LISTED * released:
        notes.append(
            f"The counts that stand out from the noise hold about {percent(listed / released)} of "
            "the records; the others are in groups too small for that, and are released as if they "
            "were distributed like these. A larger epsilon, fewer specializations or a number that "
            "is chosen privately would list more."
        )
    if request.outside == "stop":
        notes.append(
            "The run would have stopped at a record outside the domains, so that there is a "
            "release tells that there was none; the guarantee does not cover this."
        )
    return notes
