"""How each identifier shows: what its column is called, and what its values read like.

A *trace* says both for one identifier. A name alone counts only if most values could be such
identifiers: ``phone_calls`` with small numbers holds no telephone numbers, and ``ip_days`` no IP
addresses. Of the traces that a name fits, the first counts. To know another identifier by its name
or its values, add a line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from roadstead.tables.identifiers import column_names, contents, other_languages
from roadstead.tables.identifiers.dates import is_date
from roadstead.tables.identifiers.rule import (
    KEEP_AREA,
    KEEP_STATE,
    KEEP_YEAR,
    ONE_YEAR,
    REMOVE,
)

_YEAR = re.compile(r"(1[89]|2[012])\d\d", re.ASCII)
_SHORT_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d*\.?\d*(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_MASKED = re.compile(r"[\W_]+")
_ONE = 1e-9
"""A share for forms that nothing else has: one value among all that are looked at tells."""
_DIGITS_OF_A_PHONE, _SIGNS_OF_AN_AREA, _MARKS_OF_AN_IP = 7, 3, 2


def _is_anything(text: str) -> bool:
    return bool(text)


def _is_text(text: str) -> bool:
    return not _NUMBER.fullmatch(text)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_long_number(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= _DIGITS_OF_A_PHONE


def _is_whole_code(text: str) -> bool:
    return len(_MASKED.sub("", text)) > _SIGNS_OF_AN_AREA


def _has_marks(text: str) -> bool:
    return sum(text.count(mark) for mark in ".:") >= _MARKS_OF_AN_IP


def _is_year(text: str) -> bool:
    return _YEAR.fullmatch(text) is not None


def _is_no_year(text: str) -> bool:
    return not _SHORT_NUMBER.fullmatch(text)


@dataclass(frozen=True)
class Trace:
    """How an identifier shows.

    Attributes
    ----------
    identifier
        Its number in the rule.
    what
        What the values are, in the plural.
    remedy
        What is to be done with the column.
    called
        What the column is called, in words; None if any name will do.
    could_be
        Whether a text could be such a value, if the column is called so.
    reads
        Whether a text is such a value, or holds one; None if that cannot be seen.
    enough
        The least share of values that tells.
    of_one
        Whether a column that is called so numbers people one by one, so that few numbers in many
        records are few people with many records each, and no categories.
    """

    identifier: int
    what: str
    remedy: str = REMOVE
    called: re.Pattern[str] | None = None
    could_be: Callable[[str], bool] = _is_anything
    reads: Callable[[str], bool] | None = None
    enough: float = 0.05
    of_one: bool = False

    @property
    def is_number(self) -> bool:
        """Whether each person has an identifier of their own, so that a column has many."""
        return 4 <= self.identifier <= 13 or self.identifier == 18  # noqa: PLR2004 - the rule's


_NO = r"_?(id|no|nr|nbr|num|number|code|key)"

TRACES: Final = (
    Trace(
        6,
        "e-mail addresses",
        REMOVE,
        re.compile(rf"e_?mail|{other_languages.MAIL}"),
        _is_text,
        contents.has_email,
        enough=_ONE,
    ),
    Trace(
        15,
        "IP addresses",
        REMOVE,
        re.compile(r"(^|_)ip(v[46])?(_?addr\w*)?(_|$)"),
        _has_marks,
        contents.is_ip,
    ),
    Trace(
        14,
        "web addresses",
        REMOVE,
        re.compile(r"(^|_)(ur[li]s?|web_?(site|page|address)|home_?page)(_|$)"),
        _is_text,
        contents.has_url,
    ),
    Trace(5, "fax numbers", REMOVE, re.compile(r"(^|_)(tele)?fax"), _is_long_number),
    Trace(
        4,
        "telephone numbers",
        REMOVE,
        re.compile(rf"phone|(^|_)(tel|mobile|cell|pager)({_NO})?$|{other_languages.PHONE}"),
        _is_long_number,
        contents.has_phone,
        enough=_ONE,
    ),
    Trace(
        7,
        "social security numbers",
        REMOVE,
        re.compile(r"ssn|social_?sec|(^|_)(tax|taxpayer)_?id|(^|_)itin(_|$)"),
        _has_digit,
        contents.has_ssn,
        enough=_ONE,
    ),
    Trace(
        1,
        "names",
        REMOVE,
        re.compile(
            r"(^|_)(first|last|middle|given|family|maiden|full|patient|person|sur|nick|birth|legal"
            r"|preferred|mothers?|fathers?|spouse|contact|guardian|member|subject|client|employer"
            r"|relative|insured|user|former)_?names?(_|$)|^names?(_(first|last|full|family|given))?$"
            r"|(^|_)(surname|forename|initials|next_of_kin|employer)(_|$)"
            r"|^(first|last|middle|maiden|given|family|(name_?)?(prefix|suffix|title)|salutation)$"
            rf"|{other_languages.NAME}"
        ),
        _is_text,
        contents.is_name,
        enough=0.3,
    ),
    Trace(
        12,
        "vehicle identifiers",
        REMOVE,
        re.compile(rf"(^|_)(vin|vehicle(_?serial)?{_NO}|(licen[sc]e_?|number_?)?plates?({_NO})?)$"),
        _has_digit,
        contents.is_vin,
        enough=0.5,
    ),
    Trace(
        13,
        "device identifiers",
        REMOVE,
        re.compile(
            rf"(^|_)(((device|implant|pacemaker|equipment)_?(serial\w*|identifier|{_NO[2:]}))"
            rf"|serial|udi|imei|imsi|mac_?addr\w*)$"
        ),
        _has_digit,
        contents.is_device,
    ),
    Trace(2, "ZIP codes", KEEP_AREA, column_names.ZIP, _is_whole_code, contents.is_postal, 0.3),
    Trace(2, "street addresses", REMOVE, column_names.STREET, reads=contents.is_street, enough=0.2),
    Trace(2, "places", KEEP_STATE, column_names.PLACE),
    Trace(2, "coordinates", KEEP_STATE, reads=contents.is_point),
    Trace(
        3,
        "years of birth",
        ONE_YEAR,
        re.compile(
            r"(^|_)(yob|birth_?year|year_of_birth|year_?born)(_|$)"
            rf"|{other_languages.BIRTH_YEAR}"
        ),
        _is_year,
    ),
    Trace(
        3,
        "days or months",
        KEEP_YEAR,
        re.compile(
            r"(birth|death|admission|discharge)_?(day|month|mon)$"
            r"|(^|_)(day|month)_of_(birth|death|admission|discharge|visit|service)(_|$)"
        ),
    ),
    Trace(
        3,
        "dates",
        KEEP_YEAR,
        re.compile(
            r"(^|_)(dob|dod|date_of_\w+)(_|$)|(birth|death)_?date$|^dates?$|_dates?$"
            rf"|{other_languages.DATE}"
        ),
        _is_no_year,
        is_date,
    ),
    Trace(
        8,
        "medical record numbers",
        REMOVE,
        re.compile(
            rf"(^|_)(mrn|(med(ical)?_?)?rec(ord)?{_NO}|(chart|hospital|hadm){_NO}|medical_?record)"
            rf"(_|$)|{other_languages.RECORD}"
        ),
        _has_digit,
        contents.is_record_number,
    ),
    Trace(
        9,
        "health plan numbers",
        REMOVE,
        re.compile(
            rf"(^|_)(((health_?)?plan|member|subscriber|beneficiary|insured|insurance|policy_?holder"
            rf"|policy|medicaid|medicare){_NO}|mbi|hicn)(_|$)|{other_languages.INSURED}"
        ),
        _has_digit,
        contents.is_beneficiary,
    ),
    Trace(
        10,
        "account numbers",
        REMOVE,
        re.compile(
            rf"(^|_)((account|acct|bank_?account|credit_?card|card|billing){_NO}(_|$)"
            r"|(account|acct|iban|credit_?card)$)"
            rf"|{other_languages.ACCOUNT}"
        ),
        _has_digit,
        contents.is_iban,
    ),
    Trace(
        11,
        "certificate or license numbers",
        REMOVE,
        re.compile(
            rf"(^|_)(drivers?(_?lic\w*|{_NO})?|licen[sc]e({_NO})?|certificate({_NO})?|cert{_NO}"
            rf"|passport({_NO})?)$|{other_languages.LICENSE}"
        ),
        _has_digit,
    ),
    Trace(
        16,
        "biometric identifiers",
        REMOVE,
        re.compile(
            r"biometric|finger_?prints?|voice_?prints?"
            r"|(^|_)((retina|iris|palm)_?(scan|print|code|template)|face_?(id|template|embedding))"
        ),
        _is_text,
        contents.is_biometric,
    ),
    Trace(
        17,
        "images",
        REMOVE,
        re.compile(
            r"(^|_)(photos?(graphs?)?|portraits?|mug_?shot|head_?shot|selfie|face_?(image|picture)"
            r"|(picture|image)s?(_?(file|path|name))?)(_|$)"
        ),
        _is_text,
        contents.is_image,
    ),
    Trace(
        18,
        "national identity, tax or health service numbers",
        called=re.compile(other_languages.NATIONAL),
        could_be=_has_digit,
        of_one=True,
    ),
    Trace(18, "texts in base 64", reads=contents.is_base64, enough=0.3),
    Trace(
        18,
        "names of files",
        called=re.compile(r"(^|_)(file|path|dateiname|ficheiro|fichero|fichier)(_?(name|path))?$"),
        could_be=_is_text,
        reads=contents.is_file,
        enough=0.3,
    ),
    Trace(
        18,
        "UUIDs or hashes",
        reads=contents.is_pseudonym,
        enough=0.5,
    ),
    Trace(
        18,
        "numbers of a person",
        REMOVE,
        re.compile(
            rf"(^|_)(patient|person|pat|pt|subject|subj|usubj|participant|respondent|client|donor"
            rf"|resident|student|child|infant|mother|father|sibling|family|household|user|nhs"
            rf"|national|identity){_NO}(_|$)"
            r"|^(patient|person|subject|participant|usubjid|id|uid|guid|uuid|key|pseudonym"
            rf"|serial{_NO})$"
        ),
        _has_digit,
        of_one=True,
    ),
    Trace(
        18,
        "numbers of a case",
        REMOVE,
        re.compile(
            rf"(^|_)(case|encounter|visit|admission|stay|icustay|episode|specimen|sample"
            rf"|accession){_NO}(_|$)|^(encounter|specimen|accession)$"
        ),
        _has_digit,
    ),
    Trace(
        18,
        "identifiers",
        REMOVE,
        re.compile(
            r"^(?!.*(concept|type|status|source|category|class|group|disposition|specialty|unit"
            r"|department|provider|physician|doctor|site|hospital|facility|location|language|country"
            r"|state|race|gender|sex|ethnicity|drug|product|test|item|vocabulary|domain|ward|room"
            r"|payer|insurer)_?(id|key)$)"
            r"(.*_)?(id|uid|guid|uuid|key|pseudonym)$"
        ),
    ),
)
