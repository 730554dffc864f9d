"""What columns are called, as words: ``patientZip`` and ``PATIENT ZIP`` are patient_zip.

The patterns here are for names that more than one part of the house must know: ages, ZIP codes and
places smaller than a state. All are searched in the words of a name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from roadstead.tables.identifiers import other_languages

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD = re.compile(r"\W+")

AGE = re.compile(
    r"(^|_)(i?age|ages|alter|age_?(years|yrs|band|group|cat)|years|age(at|when)\w+"
    rf"|(patient|pt|visit|onset|birth|death|current|maternal|mother|father)age|{other_languages.AGE})"
    r"(_|$)"
)
ZIP = re.compile(
    rf"(^|_)(zip\d?|zip_?codes?|post(al)?_?codes?|postal|zcta\d?|plz|{other_languages.ZIP})(_|$)"
)
STREET = re.compile(
    rf"(^|_)(street\w*|addr(ess)?\d?|address_?line\w*)(_|$)|{other_languages.STREET}"
)
PLACE = re.compile(
    r"(^|_)(city|town|county|counties|parish|borough|precinct|district|municipality|neighbou?rhood"
    r"|village|suburb|(?<!state_)fips\d*|geo_?(id|code)|census_?(tract|block)|block_?group|birth_?place"
    r"|place_of_(birth|death)|lat|lon|lng|intptlat|intptlong"
    rf"|latitude|longitude|coordinates|(mig|pow)?puma\d*|{other_languages.PLACE})(_|$)"
    r"|^tract(_?(id|no|code|fips))?$"
)

_CODE = re.compile(
    r"(^|_)i?(codes?|cd|type|status|category|kind|flag|indicator|source|disposition|wards?|unit"
    r"|drg|icd\d*|dx\d*|diag\w*|race|ethnic\w*|hispanic|sex|gender|marital\w*|occupation|industry"
    r"|state|statenum|statefip|county|countyfip|country|nation\w*|region|division|fips\d*|tract"
    r"|geoid|language|religion|department|special(i)?ty|insurance|payer|location|outcome|drug"
    r"|procedure|concept)(_|$)"
)
_ID = re.compile(r"(^|_)(\w*id|key)$|(^|_)concept_id")
_CENSUS_CODES = frozenset(
    (
        *(
            "st",
            "puma",
            "puma00",
            "puma10",
            "puma20",
            "migpuma",
            "migsp",
            "powpuma",
            "powsp",
            "mar",
        ),
        *(
            "rac1p",
            "rac2p",
            "rac3p",
            "hisp",
            "schl",
            "schg",
            "sch",
            "occp",
            "indp",
            "socp",
            "naicsp",
        ),
        *(
            "nativity",
            "pobp",
            "cit",
            "mil",
            "dis",
            "cow",
            "esr",
            "relp",
            "relshipp",
            "anc1p",
            "anc2p",
        ),
        *("lanp", "fod1p", "fod2p", "jwtr", "jwtrns", "mig", "hht", "ten", "waob", "vps", "bpl"),
    )
)
"""Columns of codes in public files of the American Community Survey, and of IPUMS."""


def words(name: str) -> str:
    """Write a column's name with underscores between its words, in small letters, no accents."""
    parts = unicodedata.normalize("NFKD", name.replace("\N{LATIN SMALL LETTER SHARP S}", "ss"))
    plain = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return _NO_WORD.sub("_", _BETWEEN_WORDS.sub("_", plain)).lower()


def is_age(name: str) -> bool:
    """Whether a column is called like an age."""
    return AGE.search(words(name)) is not None


def is_zip(name: str) -> bool:
    """Whether a column is called like a ZIP code."""
    return ZIP.search(words(name)) is not None


def is_place(name: str) -> bool:
    """Whether a column is called like a place smaller than a state that is no ZIP code."""
    return any(form.search(words(name)) for form in (STREET, PLACE))


def meaning(name: str) -> Literal["any", "code", "id", "zip"]:
    """Say what the numbers of a column mean, as far as it is called so; ``any`` if nothing tells.

    Numbers of an ``id`` or a ``code`` have no neighbors: 11 is not nearly 12.
    """
    called = words(name)
    if is_zip(name):
        return "zip"
    if is_age(name):
        return "any"
    if _ID.search(called):
        return "id"
    return "code" if name.lower() in _CENSUS_CODES or _CODE.search(called) else "any"
