r"""What the values of a column read like, one text at a time.

Each function says whether a text is, or holds, one kind of identifier. Those with a check digit or
a number plan are held to it: VIN, UDI and IBAN to their check digits, telephone numbers to the
North American plan, social security numbers to parts that are not all zeros, IP
addresses to the standard library. Telephone numbers, e-mail and web addresses and social security
numbers are found inside longer texts too, as in notes.
"""

from __future__ import annotations

import ipaddress
import json
import re

from roadstead.tables.identifiers.vocabulary import GIVEN_NAMES


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


_TITLED = _form(r"(mr|mrs|ms|miss|dr)\.? [a-z'-]+( [a-z'-]+)*")
_WORDS = re.compile(r"[^\W\d_][\w'.-]*(,? [^\W\d_][\w'.-]*){0,3}")
_TRAILING_DIGITS = "0123456789."

_STREET = _form(
    r"\d{1,6}[a-z]?(-\d+)?( [\w.'-]+){1,5}? (street|st|avenue|ave|av|road|rd|drive|dr|lane|ln"
    r"|boulevard|blvd|court|ct|circle|cir|place|pl|way|terrace|ter|parkway|pkwy|highway|hwy|square"
    r"|sq|trail|trl|loop|alley|run|pike|mews|row|park|knoll|manor|grove|heights|ridge|crossing"
    r"|crescent|bridge|plaza|meadow|vale|view|path|walk)\.?"
    r"( (n|s|e|w|ne|nw|se|sw)\.?)?"
    r"(,? (apt|apartment|unit|suite|ste|floor|fl|#)\.? ?[\w-]+)?(,.*)?"
    r"|\d{1,6}( [\w.'-]+){1,5}? (apt|apartment|unit|suite|ste)\.? ?[\w-]+"
    r"|p\.? ?o\.? box \d+.*"
)
_ZIP_PLUS_4 = _form(r"\d{5}-\d{4}")
_STATE_AND_ZIP = re.compile(r".*\w,? [A-Z]{2},? \d{5}(-\d{4})?", re.ASCII)
_POINT = _form(r"\(?-?\d{1,3}\.\d{3,}[,; ] ?-?\d{1,3}\.\d{3,}\)?|(srid=\d+;)?point ?\(.+\)")
_PHONE = _form(
    r"(?<![\w.+-])(\+1[-. ]?|1[-. ])?(\([2-9]\d\d\) ?|[2-9]\d\d[-. ])([2-9]\d\d)[-. ]\d{4}"
    r"( ?(x|ext\.?) ?\d+)?(?![\w-])"
)
_PHONE_ABROAD = _form(r"\+[1-9][\d .()/-]{6,20}")
_FEWEST_DIGITS, _MOST_DIGITS = 8, 15
_EMAIL = _form(r"(?<![\w.+-])[\w.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}")
_SSN = _form(r"(?<![\w-])(?!000|666)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])")
_RECORD = _form(r"mrn[-_#: ]*\d{3,}")
_BENEFICIARY = _form(
    r"[1-9][ac-hjkmnp-rt-y][ac-hjkmnp-rt-y0-9]\d-?[ac-hjkmnp-rt-y][ac-hjkmnp-rt-y0-9]\d"
    r"-?[ac-hjkmnp-rt-y]{2}\d\d"
)
_IBAN = re.compile(r"[A-Z]{2}\d\d[A-Z0-9]{11,30}", re.ASCII)
_VIN = _form(r"(?=.*[a-z])(?=.*\d)[a-hj-npr-z0-9]{17}")
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = {
    **{str(digit): digit for digit in range(10)},
    **dict(zip("ABCDEFGH", range(1, 9), strict=True)),
    **dict(zip("JKLMN", range(1, 6), strict=True)),
    "P": 7,
    "R": 9,
    **dict(zip("STUVWXYZ", range(2, 10), strict=True)),
}
_UDI = _form(r"\(01\)(\d{14})(\(.*)?")
_HARDWARE = _form(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}")
_URL = _form(r"(?<!\w)((https?|ftp)://[^\s/]+|www\.[\w-]+\.[a-z]{2,})")
_IP = _form(r"(?P<four>\d{1,3}(?:\.\d{1,3}){3})(?:[:/]\d+)?|(?P<six>[0-9a-f:.]{6,45})(?:/\d+)?")
_IMAGE = _form(r".*\.(jpe?g|png|gif|bmp|tiff?|heic|webp)(\?.*)?")
_IMAGE_HEADS = ("/9j/", "iVBORw0KGgo", "R0lGOD", "data:image/")
_BIOMETRIC = _form(r".*\.(wsq|fmr|iso-fmr|nist|an2)|rk1s[a-z0-9+/=]{20,}")
_UUID = _form(r"(urn:uuid:)?\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?")
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{6,}={1,2}", re.ASCII)
_FILE = _form(
    r".*\.(dcm|dicom|nii|pdf|docx?|rtf|txt|xlsx?|csv|xml|json|hl7|zip|gz|wav|mp[34]|edf|svs)"
)
_HASH = _form(r"(?=.*[a-f])(?=.*\d)([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")


def is_name(text: str) -> bool:
    """Whether a text of up to four words begins with a common given name or a title."""
    if _TITLED.fullmatch(text):
        return True
    if not _WORDS.fullmatch(text):
        return False
    first, comma, rest = text.partition(", ")
    word = (rest if comma else first).split()[0].rstrip(_TRAILING_DIGITS)
    return word.casefold() in GIVEN_NAMES


def is_street(text: str) -> bool:
    """Whether a text is a street address or a post office box."""
    return _STREET.fullmatch(text) is not None


def is_postal(text: str) -> bool:
    """Whether a text is a ZIP+4 code, or ends in a state and a ZIP code."""
    return bool(_ZIP_PLUS_4.fullmatch(text) or _STATE_AND_ZIP.fullmatch(text))


def is_point(text: str) -> bool:
    """Whether a text is a pair of coordinates."""
    return _POINT.fullmatch(text) is not None


def has_phone(text: str) -> bool:
    """Whether a text holds a telephone number of North America, or is one with a country code."""
    found = _PHONE.search(text)
    if found:
        return not found[3].endswith("11")
    digits = sum(map(str.isdigit, text))
    return bool(
        text.startswith("+")
        and _FEWEST_DIGITS <= digits <= _MOST_DIGITS
        and _PHONE_ABROAD.fullmatch(text)
    )


def has_email(text: str) -> bool:
    """Whether a text holds an e-mail address."""
    return "@" in text and _EMAIL.search(text) is not None


def has_ssn(text: str) -> bool:
    """Whether a text holds a social security or taxpayer number, with its hyphens or spaces."""
    return _SSN.search(text) is not None


def is_record_number(text: str) -> bool:
    """Whether a text says itself that it is a medical record number."""
    return _RECORD.fullmatch(text) is not None


def is_beneficiary(text: str) -> bool:
    """Whether a text has the form of a Medicare Beneficiary Identifier."""
    return _BENEFICIARY.fullmatch(text) is not None


def is_iban(text: str) -> bool:
    """Whether a text is an international bank account number; ISO 13616, modulo 97."""
    plain = text.replace(" ", "")
    if not _IBAN.fullmatch(plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_vin(text: str) -> bool:
    """Whether a text is a vehicle identification number with its check digit; 49 CFR 565.15."""
    if not _VIN.fullmatch(text):
        return False
    vin = text.upper()
    total = sum(w * _VIN_VALUES[sign] for w, sign in zip(_VIN_WEIGHTS, vin, strict=True))
    return vin[8] == "0123456789X"[total % 11]


def is_device(text: str) -> bool:
    """Whether a text is a unique device identifier of GS1, or the hardware address of a device."""
    found = _UDI.fullmatch(text)
    if not found:
        return _HARDWARE.fullmatch(text) is not None
    digits = [int(sign) for sign in found[1]]
    return (3 * sum(digits[0::2]) + sum(digits[1::2])) % 10 == 0


def has_url(text: str) -> bool:
    """Whether a text holds a web address."""
    return "." in text and _URL.search(text) is not None


def is_ip(text: str) -> bool:
    """Whether a text is an IP address; four single digits are rather a code, such as EC 1.1.1.1."""
    found = _IP.fullmatch(text)
    if not found or (found["six"] and text.count(":") < 2):  # noqa: PLR2004 - it has two at least
        return False
    if found["four"] and all(len(part) == 1 for part in found["four"].split(".")):
        return False
    try:
        ipaddress.ip_address(found["four"] or found["six"])
    except ValueError:
        return False
    return True


def is_image(text: str) -> bool:
    """Whether a text names an image file or holds an image in base 64."""
    return text.startswith(_IMAGE_HEADS) or _IMAGE.fullmatch(text) is not None


def is_biometric(text: str) -> bool:
    """Whether a text names a file of finger prints or holds a finger minutiae record in base 64."""
    return _BIOMETRIC.fullmatch(text) is not None


def is_pseudonym(text: str) -> bool:
    """Whether a text is a UUID or a hash, which stands for one thing in the world."""
    return bool(_UUID.fullmatch(text) or _HASH.fullmatch(text))


def is_base64(text: str) -> bool:
    """Whether a text is in base 64, as its padding tells; what it says nobody has read."""
    return len(text) % 4 == 0 and _BASE64.fullmatch(text) is not None


def is_file(text: str) -> bool:
    """Whether a text is the name of a file; people are named in those of scans and letters."""
    return _FILE.fullmatch(text) is not None


def is_json(text: str) -> bool:
    """Whether a text is an object or a list of JSON, whose parts no detector looks at."""
    if not text.startswith(("{", "[")) or not text.endswith(("}", "]")):
        return False
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(parts, dict | list)
