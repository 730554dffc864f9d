"""Open the tables of a request, and read the settings of their release."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean
from roadstead.printable import named
from roadstead.release.database.settings import DatabaseSettings
from roadstead.release.persons.shifts import DateShifts
from roadstead.requests.checks import wrong
from roadstead.tables.addresses import locate
from roadstead.tables.database.omop import ANCESTORS, CONCEPT, cdm_rules
from roadstead.tables.database.opening import OpenedSet, open_set
from roadstead.tables.database.rules import TableRules, require_possible
from roadstead.tables.files import existing_file
from roadstead.tables.health import cdm_tables as cdm
from roadstead.tables.health.locations import HealthLocation, parse
from roadstead.tables.locations import CdmLocation, FileLocation
from roadstead.verbs.database.examined_people import require_one_id_each
from roadstead.verbs.database.releasable import require_releasable_columns
from roadstead.verbs.key.use import pseudonyms_by
from roadstead.verbs.persons.dates import longest_shift
from roadstead.verbs.settings import USUAL_K

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.request import AnonymizeRequest

ALL = "all"


def opened_set(request: AnonymizeRequest) -> OpenedSet:
    """Open the tables of a request, which come from a CDM or from a project file."""
    data = request.data
    if isinstance(data, str | os.PathLike):
        data = locate(data)
    health = parse(str(data.path)) if isinstance(data, FileLocation) else None
    if request.described:
        return _described(request, data)
    if health is not None and health.model == "omop":
        return _cdm_in_folder(request, health)
    if isinstance(data, CdmLocation):
        return _cdm_in_database(request, data)
    raise SettingError(
        "the data do not say which tables belong together",
        where=option("tables"),
        fix="give an OMOP CDM (omop:FOLDER), or a project file that describes the tables",
    )


def _cdm_in_folder(request: AnonymizeRequest, health: HealthLocation) -> OpenedSet:
    found = cdm.in_folder(health.folder)
    places = {name: place for name, place in found.items() if isinstance(place, Path)}
    rules = _chosen(request, set(places))
    return open_set(places, rules, health.name, numbered=True)


def _cdm_in_database(request: AnonymizeRequest, location: CdmLocation) -> OpenedSet:
    connection = cdm.connected(location, "2GB")
    try:
        found = cdm.places(connection, location, None)
        rules = _chosen(request, set(found))
        return open_set(found, rules, location.name, numbered=True)
    finally:
        connection.close()


def _chosen(request: AnonymizeRequest, there: set[str]) -> dict[str, TableRules]:
    """Return the rules for the table of people, and for the named CDM tables that exist."""
    known = cdm_rules()
    if "person" not in there:
        raise SettingError(
            "there is no table PERSON", where=str(request.data), fix="give an OMOP CDM"
        )
    known = _with_released_anyway(request, known)
    wanted = [one.lower() for one in request.tables]
    if wanted == [ALL]:
        return {name: rules for name, rules in known.items() if name in there}
    for name in wanted:
        if name not in known or name not in there:
            why = "is not in the data" if name in known else "cannot be released"
            tables = sorted(there & set(known))
            fix = did_you_mean(name, tables, f"use {', '.join(tables)}, or {ALL}")
            raise wrong("tables", f"the table {quoted(name)} {why}", fix)
    always = {"person", CONCEPT, ANCESTORS} & there
    return {name: rules for name, rules in known.items() if name in {*wanted, *always}}


def _with_released_anyway(
    request: AnonymizeRequest, known: Mapping[str, TableRules]
) -> dict[str, TableRules]:
    """Return the rules of a CDM, with the columns that the request releases anyway."""
    columns = {f"{name}.{x}": (name, x) for name, one in known.items() for x in one.measured}
    rules = dict(known)
    for given in request.release_anyway:
        if (found := columns.get(given.lower())) is None:
            what = f"{quoted(given)} is not among the CDM columns that can be released unchanged"
            raise wrong("release_anyway", what, did_you_mean(given, columns, "use TABLE.COLUMN"))
        table, column = found
        own = rules[table]
        rules[table] = replace(own, release_anyway=(*own.release_anyway, column))
    return rules


def _described(request: AnonymizeRequest, data: Any) -> OpenedSet:  # noqa: ANN401 - a location
    if not isinstance(data, FileLocation) or not data.path.is_dir():
        raise SettingError(
            "the folder of the tables is not given", where="data", fix='write data = "FOLDER"'
        )
    places: dict[str, Path] = {}
    rules = {}
    for name, given in (request.described or {}).items():
        own = dict(given)
        file = own.pop("data", None)
        if not isinstance(file, str):
            what, fix = "no file is named", f'write data = "{name}.csv"'
            raise SettingError(what, where=f"tables.{named(name)}", fix=fix)
        places[name] = existing_file(data.path / file)
        if "code" in own:
            own.setdefault("domain", name)
        rules[name] = _rules(name, own)
    _check_described(places, rules)
    require_possible(rules)
    opened = open_set(places, rules, data.path.absolute().name, numbered=False)
    require_one_id_each(opened)
    require_releasable_columns(opened, longest_shift(request))
    return opened


def _check_described(places: Mapping[str, Path], rules: Mapping[str, TableRules]) -> None:
    """Reject a file that is described twice, and a key that refers to an unknown table."""
    files = [place.name for place in places.values()]
    for file in files:
        if files.count(file) > 1:
            raise SettingError(f"the file {quoted(file)} is described twice", where="tables")
    for name, one in rules.items():
        for to in one.refers_to:
            if to not in rules:
                what = f"a key refers to {quoted(to)}, which is not a table of this set"
                raise SettingError(
                    what,
                    where=f"tables.{named(name)}.keys",
                    fix=did_you_mean(
                        to,
                        rules,
                        "describe that table, or remove the key; the column of a removed key is "
                        "left out",
                        show=quoted,
                    ),
                )
            if rules[to].key is None:
                what = f"a key refers to {quoted(to)}, which has no key column"
                fix = f'write key = "COLUMN" below [tables.{to}]'
                raise SettingError(what, where=f"tables.{named(name)}.keys", fix=fix)


def _rules(name: str, given: dict[str, Any]) -> TableRules:
    try:
        return TypeAdapter(TableRules).validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(named(str(part)) for part in first["loc"])
        known = ("data", *TableRules.__dataclass_fields__)
        fix = f"use one of its keys: {', '.join(known)}"
        what = first["msg"]
        if first["type"] == "unexpected_keyword_argument":
            what, fix = "this key is not known", did_you_mean(key, known, fix)
        raise SettingError(
            f"{key}: {what[:1].lower()}{what[1:]}",
            where=f"tables.{named(name)}",
            fix=fix,
        ) from None


def settings_of(request: AnonymizeRequest) -> DatabaseSettings:
    """Return the settings for the release of a set of tables."""
    days = longest_shift(request)
    # a database links the rows of a person, so an attacker may know two codes
    knows = request.knows or "2"
    if knows not in ("1", "2"):
        raise wrong(
            "knows",
            f"the release of a whole database cannot protect against an attacker who knows {knows} "
            "codes of a person",
            "use 1 or 2; for a single table, more known codes are supported",
        )
    k = USUAL_K if request.k is None else request.k
    if k <= 1:
        raise wrong("k", f"k = {k} protects no one", "use 2 or more")
    pseudonyms = pseudonyms_by(request.key, request.out)
    shifts = DateShifts(pseudonyms.secret, days, request.shift_weeks)
    return DatabaseSettings(k, int(knows), shifts, pseudonyms)
