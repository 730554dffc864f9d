"""What others may know of a person, and what nobody should learn: by names and by values.

Columns are known by the words of their names. In the Bureau of the Census's public files (ACS PUMS)
columns have short names, such as AGEP or RAC1P; those are known whole. A few things that others
know show in the values too, whatever the column is called: sex, race, marital status.

To know another thing by its name, add a word here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from roadstead.tables.identifiers import other_languages
from roadstead.tables.identifiers.column_names import words

_MOSTLY = 0.9
_MOST_CATEGORIES = 40

_QUASI: Final = re.compile(
    r"(^|_)i?(ages?|aged|alter|dob|yob|dod|born|sex|gender|race|racial|ethnic\w*|hispanic|latin[oa]"
    r"|ancestry|tribe|skin_?colou?r|zip\d?|zip_?codes?|zcta\d?|post(al)?_?codes?|postal|plz|city"
    r"|town|county|district|province|state|statenum|state_?fips|region|country|nation\w*|nativ\w*"
    r"|birth\w*|death\w*|deceased|marit\w*|married|civil_status|spouse|relationship|household"
    r"|children|siblings|parity|educ\w*|school\w*|degree|grade|occup\w*|profession|job\w*|work\w*"
    r"|industry|employ\w*|military|veteran\w*|religi\w*|language|lang|mother_tongue|citizen\w*"
    r"|immigra\w*|migra\w*|admi(t|ts|tted|ttime|ssion|ssions|tting)|dischtime|disch(arge|arged)?"
    r"|insurance|insurer|payer|payor|hospital|facility|clinic|care_?site|care_?units?|careunit"
    r"|(first_|last_)?ward(_?id)?|wards|department|dept|unit|service|speciality|specialty|physician"
    r"|provider|height|weight|bmi|eye_?colou?r|blood_?(type|group)|dates?|visit_date"
    rf"|{other_languages.KNOWN})(_|$)"
    r"|_date$|^date|(admit|disch|death|reg|out|in|transfer)_?time$",
)
_SENSITIVE: Final = re.compile(
    r"diag|icd|condition|disease|disorder|procedure|medic|drug|outcome|died|mortal|expire|income"
    r"|salary|wage|earning|hiv|genetic|genotype|psych|substance|alcohol|smok|tobacco|result|injur"
    r"|symptom|allerg|cancer|tumou?r|diabet|pregnan|abort|suicid|abuse|addict|treatment|therap"
    r"|readmi|criminal|convict|(^|_)(dx|px|drg|hcc|atc|snomed|comorbid\w*"
    rf"|visits|encounters)\d*(_|$)|{other_languages.UNKNOWN}"
)
_NOT_KNOWN: Final = re.compile(
    r"(^|_)(unit|weight)_?(concept|source|of_measure|dose)|expire|mortal"
)
"""Units of measurement, and whether somebody died."""

_OF_PEOPLE: Final = """
agep anc1p anc2p citp cit citwp cow dis dear deye dphy dout ddrs drem drat eng esr esp fer fod1p
fod2p gcl hht hht2 hisp hupac indp jwmnp jwtr jwtrns jwdp jwap jwrip lanp lanx mar marhd marhm
marht marhw marhyp mig migpuma migsp mil mlpa mlpb mlpe naicsp nativity noc nop np npf nr nrc
occp oc paoc pobp powpuma powsp puma puma00 puma10 puma20 qtrbir rac1p rac2p rac3p rac2p19
rac2p23 racaian racasn racblk racnh racnhpi racnum racpi racsor racwht rc region division relp
relshipp relship sch schg schl sciengp sex sfn sfr socp st ten vps veh waob wkhp wkl wkw wkwn
wrk yoep decade drivesp fs hispan bpl statefip countyfip
"""
_CENSUS_QUASI: Final = frozenset(_OF_PEOPLE.split())
"""Persons and households in public files of the American Community Survey, and of IPUMS."""

_OF_MONEY: Final = """
pincp pernp wagp intp oip pap retp ssip ssp semp fincp hincp povpip pov povp hicov hins1 hins2
hins3 hins4 hins5 hins6 hins7 privcov pubcov fs_p inctot incwage ftotinc poverty
"""
_CENSUS_SENSITIVE: Final = frozenset(_OF_MONEY.split())

_SEXES: Final = frozenset(
    ("male", "female", "m", "f", "man", "woman", "men", "women", "boy", "girl")
)
_RACES: Final = frozenset(
    (
        *("white", "black", "asian", "caucasian", "hispanic", "latino", "africanamerican"),
        *("african american", "black or african american", "native american", "american indian"),
        *("asian-pac-islander", "amer-indian-eskimo", "pacific islander"),
    )
)
_MARRIAGES: Final = re.compile(
    r"(never|un|now)?[- ]?(married|divorced|widowed|separated)([- ].*)?|single", re.IGNORECASE
)
_BETWEEN_CODES: Final = re.compile(r"[;,|/ ]+")
_ICD_10: Final = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.ASCII)


def known_to_others(name: str, values: Sequence[str]) -> str:
    """Say why others may know what is in a column; the empty text if nothing suggests it.

    Parameters
    ----------
    name
        What the column is called.
    values
        A sample of its distinct values.
    """
    called = words(name)
    if name.lower() in _CENSUS_QUASI or (_QUASI.search(called) and not _NOT_KNOWN.search(called)):
        return "called like something others may know of a person"
    if not 1 < len(values) <= _MOST_CATEGORIES:
        return ""
    small = [value.casefold() for value in values]
    if all(value in _SEXES for value in small):
        return "values read like sexes"
    if sum(value in _RACES for value in small) > 1:
        return "values read like races"
    if sum(_MARRIAGES.fullmatch(value) is not None for value in small) * 2 > len(small):
        return "values read like marital status"
    return ""


def better_unknown(name: str, values: Sequence[str]) -> str:
    """Say why nobody should learn what is in a column; the empty text if nothing suggests it.

    Parameters
    ----------
    name, values
        As for `known_to_others`.
    """
    called = words(name)
    if name.lower() in _CENSUS_SENSITIVE or _SENSITIVE.search(called):
        return "called like something nobody should learn"
    if values and sum(map(_are_icd_10, values)) >= _MOSTLY * len(values):
        return "reads like diagnosis codes"
    return ""


def _are_icd_10(value: str) -> bool:
    """Whether a text is an ICD-10 code, or several with marks or blanks between them."""
    return all(map(is_icd_10, _BETWEEN_CODES.split(value)))


def is_icd_10(value: str) -> bool:
    """Whether a text has the form of an ICD-10 code."""
    return _ICD_10.fullmatch(value) is not None
