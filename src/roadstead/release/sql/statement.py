"""Write a policy as one SQL statement, for engines whose tables never leave the engine.

If every privacy model limits only the size of classes, SQL can express the whole release. The
statement has the same result as `roadstead apply`. If `roadstead apply` would refuse the release,
the statement returns no rows. A second statement returns the counts and the reason for the refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from roadstead.errors import PolicyError, quoted
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.interval_columns import with_ends
from roadstead.release.sql.comments import comment, header, policy_fingerprint
from roadstead.release.sql.counting import CountedNames, counting_steps, leaves_out_persons
from roadstead.release.sql.dialects import WRITTEN, translated
from roadstead.release.sql.ends import EndsSql, ends_of
from roadstead.release.sql.literals import column, text
from roadstead.release.sql.recodings import ClassTables, PartsSql, parts_sql
from roadstead.release.sql.rule_sql import RuleSql
from roadstead.release.sql.rules import keeping, rule_sql
from roadstead.release.sql.sql_release import SqlRelease
from roadstead.release.sql.texts import value_as_text

if TYPE_CHECKING:
    from sqlglot import exp

_FINEST_SHARE = 10**9


def release_statement(release: SqlRelease) -> str:
    """Return the statement that produces the release.

    The statement consists of a header of comments and one SELECT, without a final semicolon. If
    `roadstead apply` would refuse the release, the SELECT returns no rows.
    """
    plan = _plan(release)
    names, quasi = plan.names, release.policy.quasi

    def shown(name: str) -> list[str]:
        own = column(name)
        if name not in quasi:
            return [own]
        if name in plan.ends:
            return [*plan.ends[name].cells(names.is_released)]
        label = f"NULLIF({own}, '')"
        if release.masks:
            label = f"CASE WHEN {names.is_released} = 1 THEN {label} ELSE {text(SUPPRESSED)} END"
        return [f"{label} AS {own}"]

    in_release = f"{names.is_released} = 1"
    if release.masks:
        in_release = f"({in_release} OR {names.suppressed_records} >= {release.k})"
    conditions = [in_release, *(condition for condition, _ in _refusals(release, names))]
    cells = [cell for name in release.columns for cell in shown(name)]
    released = _select(cells, plan.decided)
    released = released.join(plan.totals, join_type="cross")
    steps = [*plan.steps]
    for name, ends in plan.ends.items():
        table = plan.step(f"ends_{quasi.index(name)}")
        steps.append((table, _listed(ends.names, ends.rows)))
        released = released.join(table, on=ends.same(name), join_type="left", dialect=WRITTEN)
    steps.append((plan.released, released.where(*conditions, dialect=WRITTEN)))
    columns = [*map(column, with_ends(release.columns, release.policy.two_columns))]
    last = _select(columns, plan.released).order_by(*columns, dialect=WRITTEN)
    return header(release) + translated(_with(last, steps, release), release.dialect)


def check_statement(release: SqlRelease) -> str:
    """Return the statement that counts the records of the release in one row.

    The last column states that there is a release, or gives the reason for the refusal.
    """
    plan = _plan(release)
    names = plan.names
    cases = " ".join(
        f"WHEN NOT {condition} THEN {text('no release: ' + reason)}"
        for condition, reason in _refusals(release, names)
    )
    verdict = f"CASE {cases} ELSE 'released' END" if cases else "'released'"
    few = names.suppressed_records
    masked = f"CASE WHEN {few} >= {release.k} THEN {few} ELSE 0 END" if release.masks else "0"
    smallest = "smallest_class_released" if release.persons is None else "fewest_persons_alike"
    counted = [
        f"{names.records} AS records",
        f"{names.uncovered_records} AS records_not_covered",
        f"{few} AS records_suppressed",
        f"{masked} AS records_masked",
        f"{names.smallest_class} AS {smallest}",
        f"{verdict} AS verdict",
    ]
    if release.persons is not None:
        out = f"{names.persons} - {names.released_persons}"
        counted[-1:-1] = [f"{names.persons} AS persons", f"{out} AS persons_left_out"]
    found = _with(_select(counted, plan.totals), plan.steps, release)
    return comment(
        f"Counts the records that a release of {'.'.join(release.table)} would have, before the "
        "release is made.",
        f"Policy: SHA-256 {policy_fingerprint(release.policy)}.",
    ) + translated(found, release.dialect)


class _Names(NamedTuple):
    """The quoted names of internal columns. They differ from all column names of the table."""

    is_released: str
    records: str
    uncovered_records: str
    suppressed_records: str
    smallest_class: str
    persons: str
    released_persons: str
    records_of_nobody: str


@dataclass(frozen=True)
class _Plan:
    """The steps of a statement before it decides which classes are released."""

    steps: list[tuple[str, exp.Select]]
    names: _Names
    decided: str
    totals: str
    released: str
    ends: dict[str, EndsSql]  # for quasi-identifiers that are released as two columns
    step: Callable[[str], str]  # returns the name of another step


def _plan(release: SqlRelease) -> _Plan:
    fresh = _fresh_names(release.columns)
    step = _fresh_names((*release.table, *(".".join(release.table),)))
    names = _Names(*(column(fresh(name)) for name in _Names._fields))
    own = CountedNames(*(column(fresh(name)) for name in CountedNames._fields))
    quasi, rules = release.policy.quasi, _rules(release.policy, fresh)
    parts = _parts(release.policy, fresh)
    model = release.persons
    steps: list[tuple[str, exp.Select]] = []
    called: dict[str, str] = {}

    def add(name: str, columns: Sequence[str], source: str | None = None) -> str:
        called[name] = step(name)
        steps.append((called[name], _select(columns, source or steps[-1][0])))
        return called[name]

    def columns(of_quasi: Callable[[str], str]) -> list[str]:
        named = ((column(name), name) for name in release.columns)
        return [f"{of_quasi(name)} AS {own}" if name in quasi else own for own, name in named]

    as_text = columns(lambda name: value_as_text(name, release.kinds.get(name, "other")))
    person = [] if model is None else [own.person]
    if model is not None:
        whose = value_as_text(model.person, release.kinds.get(model.person, "other"))
        as_text.append(f"{whose} AS {own.person}")
    add("columns_as_text", as_text, ".".join(map(column, release.table)))
    for name, added in _needed((*rules.values(), *parts)):
        add(name, ["*", *(f"{found} AS {column(new)}" for new, found in added.items())])
    large = f"{own.is_covered} = 1 AND {own.class_size} >= {release.k}"
    if release.policy.recoding is None:
        add("generalized", [*columns(lambda name: rules[name].label), *person])
    else:
        add("places", ["*", *(f"{e} AS {n}" for one in parts for n, e in one.places.items())])
        classes = ClassTables.of(release.policy.recoding, parts, fresh)
        labels = columns(lambda name: classes.shows(quasi.index(name), rules[name].label))
        steps += _class_steps(classes, quasi, [*labels, *person], steps[-1][0], step)
        called["generalized"] = steps[-1][0]
        large += f" AND {column(quasi[0])} <> {text(classes.nowhere)}"
    for one in counting_steps(model, quasi, own):
        add(one.name, one.columns, one.source and called[one.source])
        name, query = steps[-1]
        if one.group_by is not None:
            query = query.group_by(one.group_by, dialect=WRITTEN)
        if one.join is not None:
            query = query.join(called[one.join[0]], on=one.join[1], dialect=WRITTEN)
        steps[-1] = (name, query)
    decided = add("decided", ["*", f"CASE WHEN {large} THEN 1 ELSE 0 END AS {names.is_released}"])
    totals = add("totals", _totals(names, own, of_persons=model is not None))
    own_parts = () if release.policy.recoding is None else release.policy.recoding.attributes
    ends = ends_of(quasi, own_parts, release.policy.two_columns, fresh)
    return _Plan(steps, names, decided, totals, step("released"), ends, step)


def _listed(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> exp.Select:
    from sqlglot import exp  # noqa: PLC0415 - heavy

    return exp.select("*").from_(
        exp.values([tuple(row) for row in rows], alias="listed", columns=columns)
    )


def _needed(
    parts: Sequence[RuleSql | PartsSql],
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the columns that rules and parts need, for each step."""
    for at, name in enumerate(("shapes", "numbers_and_dates", "bands_and_days")):
        added = {new: found for one in parts for new, found in one.steps[at].items()}
        if added:
            yield name, added


def _totals(names: _Names, own: CountedNames, *, of_persons: bool) -> list[str]:
    """Return SQL for the counts on which the decision is based."""
    counted = [
        f"COUNT(*) AS {names.records}",
        f"SUM(1 - {own.is_covered}) AS {names.uncovered_records}",
        f"SUM(1 - {names.is_released}) AS {names.suppressed_records}",
        f"MIN(CASE WHEN {names.is_released} = 1 THEN {own.class_size} END) "
        f"AS {names.smallest_class}",
    ]
    if of_persons:
        released = f"CASE WHEN {names.is_released} = 1 THEN {own.person} END"
        counted += [
            f"COUNT(DISTINCT {own.person}) AS {names.persons}",
            f"COUNT(DISTINCT {released}) AS {names.released_persons}",
            f"SUM(CASE WHEN {own.person} = '' THEN 1 ELSE 0 END) AS {names.records_of_nobody}",
        ]
    return counted


def _parts(policy: Policy, fresh: Callable[[str], str]) -> list[PartsSql]:
    """Return the parts of all quasi-identifiers, if each class has its own recoding."""
    found = []
    own = () if policy.recoding is None else policy.recoding.attributes
    for at, (name, parts) in enumerate(zip(policy.quasi, own, strict=False)):
        try:
            found.append(parts_sql(name, at, parts, fresh))
        except PolicyError as error:
            raise PolicyError(
                error.what, where=f"the policy, {quoted(name)}", fix=error.fix
            ) from None
    return found


def _class_steps(
    classes: ClassTables,
    quasi: Sequence[str],
    columns: Sequence[str],
    placed: str,
    step: Callable[[str], str],
) -> list[tuple[str, Any]]:
    """Return the steps that find each record's class and insert the labels of the class.

    `columns` lists the columns of the result. `placed` is the table that contains the positions.
    """
    from sqlglot import parse_one  # noqa: PLC0415 - heavy

    found: list[tuple[str, Any]] = []

    def table(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
        found.append((step(name), _listed(columns, rows)))
        return found[-1][0]

    def query(name: str, said: str) -> str:
        found.append((step(name), parse_one(said, dialect=WRITTEN)))
        return found[-1][0]

    tables = [table(f"parts_{at}", one.names, one.rows) for at, one in enumerate(classes.parts)]
    listed = table("classes", classes.columns, classes.rows)
    shown = query("shown", classes.shown(listed, tables))
    vectors = query("vectors", classes.vectors(shown))
    first = query("first_classes", classes.first(quasi, placed, shown, vectors))
    query("generalized", classes.labelled(quasi, columns, (placed, first, shown)))
    return found


def _rules(policy: Policy, fresh: Callable[[str], str]) -> dict[str, RuleSql]:
    rules = {}
    for one in policy.attributes:
        name = one.name
        try:
            rules[name] = keeping(rule_sql(name, one.rule, fresh), name, one.missing_codes)
        except PolicyError as error:
            raise PolicyError(
                error.what, where=f"the policy, {quoted(name)}", fix=error.fix
            ) from None
    return rules


def _refusals(release: SqlRelease, names: _Names) -> list[tuple[str, str]]:
    """Return the conditions for a release, each with the reason for a refusal."""
    found = []
    if release.persons is not None:
        found.append((f"{names.records_of_nobody} = 0", "a record has no person ID"))
    if not release.suppress_unseen:
        found.append((f"{names.uncovered_records} = 0", "the policy does not cover a value"))
    share = Fraction(repr(release.policy.suppression.limit))
    if share.denominator > _FINEST_SHARE:  # rounded down to avoid an integer overflow
        share = Fraction(int(share * _FINEST_SHARE), _FINEST_SHARE)
    if share < 1:
        of, among = names.suppressed_records, names.records
        if leaves_out_persons(release.persons):
            of, among = f"({names.persons} - {names.released_persons})", names.persons
        few = f"{of} * {share.denominator} <= {among} * {share.numerator}" if share else f"{of} = 0"
        found.append((few, "more records would be suppressed than the limit allows"))
    return found


def _fresh_names(taken: Sequence[str]) -> Callable[[str], str]:
    """Return a function that generates unused names. The function ignores case in names."""
    known = {name.casefold() for name in taken}

    def fresh(name: str) -> str:
        while name.casefold() in known:
            name += "_"
        known.add(name.casefold())
        return name

    return fresh


def _select(columns: Sequence[str], source: str) -> exp.Select:
    from sqlglot import select  # noqa: PLC0415 - heavy

    return select(*columns, dialect=WRITTEN).from_(source, dialect=WRITTEN)


def _with(
    query: exp.Select, steps: Sequence[tuple[str, exp.Select]], release: SqlRelease
) -> exp.Select:
    """Return a query with its steps in a WITH clause.

    If a rule reads numbers with units or open ends, the steps are materialized for PostgreSQL.
    Otherwise, PostgreSQL would insert the long expressions of each step into the next step.
    """
    rules = (attribute.rule for attribute in release.policy.attributes)
    written = any(getattr(rule, "form", None) in {"mixed", "ages"} for rule in rules)
    apart = True if written and release.dialect == "postgres" else None
    for name, step in steps:
        query = query.with_(name, as_=step, materialized=apart, dialect=WRITTEN, copy=False)
    return query
