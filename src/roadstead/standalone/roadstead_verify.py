"""Check a Roadstead release: ``python roadstead_verify.py RELEASE [--signed-by KEY.pub]``.

The program needs only Python (3.9 or later). It compares the files of the folder RELEASE with the
certificate, the table with the policy, and the groups of records with the privacy requirements. The
verdict is "verified", "verified in part" (no check failed, but some checks were not possible), or
"refused". The exit code is 0 for the first two, 1 for "refused", and 2 for an invalid request. This
program is a second opinion: it does not share code with Roadstead. A release may be forged, so the
program does not trust any size, name, or text. It prints no record, and escapes all texts.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import math
import os
import re
import stat
import sys
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta, timezone
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate, combinations, combinations_with_replacement
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

PASSED, FAILED, UNKNOWN = "passed", "failed", "not checked"
LARGEST_DOCUMENT, LARGEST_LINE = 256 * 2**20, 64 * 2**20  # the largest number of bytes to read

Json = Any
Labels = tuple[str, ...]


class Damaged(Exception):
    """A file does not have the expected form. The message gives the reason, without a period."""


class WrongRequest(Exception):
    """The request is invalid. The message explains how to fix it."""


_HIDING, VERSION = ("everything", "groups", "beginnings"), "0.1.0"  # rules that show *; Roadstead's
PAGE = "6486732adb8af4d9a215ea76058d9f7acc207333419f7c07b29c2ef7f7df2fcf"  # SHA-256 of verify.html
_INVALID = (Damaged, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)


class Findings:
    """All checks of a release, facts that files cannot show, and further notes for the reader."""

    def __init__(self) -> None:
        self.checks: list[dict[str, str]] = []
        self.limits: list[str] = []
        self.notes: list[str] = []

    def add(self, name: str, passed: bool | None, claim: str, detail: str = "") -> bool:
        """Add the result of a check, or None if this program cannot run the check."""
        status = UNKNOWN if passed is None else PASSED if passed else FAILED
        sentence = f"{claim}: {detail}." if detail else f"{claim}."
        self.checks.append({"id": name, "status": status, "sentence": sentence})
        return bool(passed)

    def same(self, name: str, what: str, found: int, certified: int) -> None:
        """Add a check that compares a number with the certificate."""
        claim = f"{what} matches the certificate"
        self.add(name, found == certified, claim, f"{found:,} found, {certified:,} certified")

    @property
    def verdict(self) -> str:
        """Return the verdict that follows from the checks."""
        found = {check["status"] for check in self.checks}
        good = "verified in part" if UNKNOWN in found else "verified"
        return "refused" if FAILED in found or PASSED not in found else good


def shown(text: object, most: int = 60) -> str:
    """Convert a string from a file to one short, escaped line that is safe to print."""
    cut = str(text) if len(str(text)) <= most else str(text)[: most - 1] + "\u2026"
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in cut)


def listed(names: Iterable[str]) -> str:
    """List up to five names, and state how many names there are in total."""
    first, *_ = every = [shown(one) for one in sorted(names)] or [""]
    return first if len(every) == 1 else f"{', '.join(every[:5])} ({len(every)})"


class Folder:
    """The folder of a release. Only regular files directly in the folder are opened."""

    def __init__(self, path: Path) -> None:
        self.path, self.names = path, sorted(os.listdir(path))

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open a regular file in the folder, or raise `Damaged`."""
        if name not in self.names:  # this also rejects a name with a path
            raise Damaged("the file is missing")
        path = self.path / name
        flags = [getattr(os, one, 0) for one in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK")]
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise Damaged("this is not a regular file, but a link, a folder, or a device")
            descriptor = os.open(path, os.O_RDONLY | sum(flags))
        except OSError as error:
            raise Damaged(f"the file cannot be opened, {error.strerror}") from None
        with os.fdopen(descriptor, "rb") as file:
            yield file

    def content(self, name: str) -> bytes:
        """Read a whole document."""
        with self.opened(name) as file:
            found = file.read(LARGEST_DOCUMENT + 1)
        if len(found) > LARGEST_DOCUMENT:
            raise Damaged("the file is larger than a document may be")
        return found

    def fingerprint(self, name: str) -> tuple[str, int]:
        """Return the SHA-256 and the size of a file in bytes."""
        hashed = hashlib.sha256()
        with self.opened(name) as file:
            for block in iter(lambda: file.read(2**20), b""):
                hashed.update(block)
            return hashed.hexdigest(), file.tell()


def parsed(content: bytes) -> Json:
    """Read a JSON object. Reject invalid UTF-8, repeated keys, and infinite numbers."""

    def entries(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise Damaged("an entry is written twice")
        return dict(pairs)

    try:
        found = json.loads(content.decode("utf-8"), object_pairs_hook=entries)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # rejects lone surrogates
    except (ValueError, RecursionError):
        raise Damaged("it is not a JSON document in UTF-8") from None
    if not isinstance(found, dict):
        raise Damaged("it is not a JSON object")
    return found


def _is_invisible(one: str, unassigned: bool) -> bool:
    code, kind = ord(one), unicodedata.category(one)
    if kind == "Cn":  # a newer version of Unicode may assign this character
        return unassigned
    selects = 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    empty = one in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
    return selects or empty or kind in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")


def _visible(text: str) -> str:
    return "".join(one for one in text if not _is_invisible(one, unassigned=False))


def _quoted(text: str, unassigned: bool) -> str:
    plain = json.dumps(text, ensure_ascii=False)
    if plain.isascii() and "\x7f" not in plain:
        return plain
    return "".join(
        json.dumps(one)[1:-1].replace("\x7f", "\\u007f") if _is_invisible(one, unassigned) else one
        for one in plain
    )


def _written(value: Json, unassigned: bool, indent: str = "\n", recoding: bool = False) -> str:
    """Write JSON in canonical form. Inside `recoding`, a short list is on one line."""
    if isinstance(value, str):
        return _quoted(value, unassigned)
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value)
    more, parts = indent + "  ", []
    for one in value:
        if isinstance(value, dict):
            inner = recoding or (one == "recoding" and indent == "\n")
            text = _written(value[one], unassigned, more, inner)
            parts.append(f"{_quoted(one, unassigned)}: {text}")
        elif recoding and isinstance(one, list) and not any(type(c) in (dict, list) for c in one):
            parts.append("[" + ", ".join(_written(cell, unassigned) for cell in one) + "]")
        else:
            parts.append(_written(one, unassigned, more, recoding))
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return opened + more + ("," + more).join(parts) + indent + closed


def has_one_form(content: bytes, document: Json) -> bool:
    """Return whether a document has the canonical form of releases and so hides nothing."""
    return any(content == (_written(document, u) + "\n").encode("utf-8") for u in (True, False))


SHAPES = r"""
Certificate: roadstead_certificate 2; table File|Elsewhere; files [File]; policy Policy; counts
 Counts; risk Risk; loss MEASURE|null; search Search|null; settings Settings; software created text;
 format Form; seed int|null; population? [count]; kept_at_least? [share]; added Added; identifiers
 [Identifier]; expected_below_k? Expected; persons? Persons; attacks? [{any}]; earlier_releases?
 Earlier; below_promise? Below; plugins? [Plugin] ## File: name text; sha256 hash; bytes count ##
 Elsewhere: name engine text; records count; content hash ## Policy: roadstead_policy 2; attributes
 [Attribute]; privacy [MODEL]; suppression Suppression; columns Columns; persons? PersonRules;
 recoding? Recoding; treatments? [Rounding|Averaging] ## Attribute: name text; level levels count;
 rule RULE; missing_codes? [text] ## Suppression: limit share; records 'mask'|'drop' ## Columns:
 sensitive unchanged removed forced? undecided forced_quasi? [text]; reasons? {reason} ##
 PersonRules: column text; link 'none'|'pseudonym'; dates? [DateRule]; shift? Shift|null; ids? {any}
 ## DateRule: column text; form 'interval'|'shifted-anchor'|'since'|'age'|'shift'|'shift-time';
 anchor text|null ## Shift: days 1..36500; weeks keyed bool ## RULE identity: values? [text]|null ##
 RULE prefix: keep count; length? count|null; mask? text ## RULE bands: width origin? text; integer?
 bool; bottom? top? text|null; form? text ## RULE cuts: cuts [text]; integer? bool; form? text ##
 RULE range-bands: width count; top? int|null; spreadsheet_dates? bool ## RULE calendar: unit text;
 form? text|null; pivot? int|null; serials? bool; bottom? int|null ## RULE groups: groups [[any]] ##
 RULE beginnings: groups [[any]]; book part other? text; forms? [text]; whole? bool ## RULE
 code-parts: book part text; keep count; forms first? [text]; width? count; other? text ## RULE
 everything: text? text ## Recoding: kind 'cells'|'local'|'intervals'; attributes [Nodes|Intervals];
 classes [[count]] ## Nodes: levels [count]; rules [RULE]; parts [[count|text]]; missing_codes?
 [text]; kind 'nodes' ## Intervals: order text; parts [[text|null]]; labels [text]; missing?
 [count]; listed? [text]; form? text|null; pivot? int|null; serials? bool; released_as?
 'text'|'columns'; missing_codes? [text]; kind 'intervals' ## Rounding: column base text; low high
 text|null; kind 'rounding' ## Averaging: columns [text]; k 3..2147483648; function
 'mean'|'median'|'mode'|'interval'; within 'table'|'classes'; groups 'mdav'|'whole'; ends? [Ends];
 kind 'microaggregation' ## Ends: column text; cuts [text]; whole bool
MODEL k-anonymity k-map: k 2.. ## MODEL estimated-k-map: k 2..; fraction part; estimator? name;
 significance? part; smallest? count ## MODEL person-anonymity: k 2..; person text; knows
 1..3|'all'; leaves_out? name ## MODEL values-of-persons: model MODEL; person text; knows 1|'all' ##
 MODEL distinct-l-diversity: column text; l 2..; blank? name ## MODEL entropy-l-diversity
 grassberger-l-diversity: column text; l number; blank? name ## MODEL recursive-cl-diversity: column
 text; c number; l 2..; blank? name ## MODEL t-closeness: column text; t part; distance? name;
 order? [text]; hierarchy? [[text]] ## MODEL beta-likeness: column text; beta number; enhanced? bool
 ## MODEL delta-disclosure: column text; delta number; every_value? bool ## MODEL delta-presence:
 minimum maximum part; everybody? bool ## MODEL average-risk strict-average-risk sample-uniqueness
 records-at-risk: average? maximum? at_risk? part ## MODEL population-risk: maximum part; gamma?
 number ## MODEL population-uniqueness: maximum part; people count; estimator? name ## MODEL
 no-attack no-attack-journalist: gain cost number ## MODEL profitability profitability-journalist:
 benefit loss gain cost number; domains? {count}
Counts: records released suppressed masked dropped count ## Risk: maximum average float; classes
 smallest_class count; maximum_before average_before share; maximum_of_masked? share; if_undone?
 Undone ## Undone: columns quasi [text]; maximum share; unit 'record'|'person'; at_least bool ##
 MEASURE ambiguity bits class-size classification discernibility divergence entropy loss payout
 precision widths: aggregate? name; weights? [number]|null; average_over? name; gs_factor? number;
 monotone? bool; gs_formula? name; target? function? text; stakes? {number}; attacker? name; loss?
 part; by_attribute? variance_lost? {part} ## Search: name name; optimal? bool; lower_bound? gap?
 part; evaluated queries? int; lattice_size int|text; ending
 'complete'|'budget'|'iterations'|'time_limit'|'interrupted'; recoding? name; members? int; area?
 risk? number; risk_measure? {text|number} ## Settings: unseen_values? {count}; quasi? [text];
 privacy? [MODEL]; added? MODEL; suppression? suppression_of_policy? share; suppressed_records?
 name; quality? MEASURE; search? name; time_limit? number|null; levels_allowed? {[count]};
 births_compared_with? {int}; population? text; missing? {[text]}; missing_rare? [text] ## Form:
 kind name; delimiter quote encoding text|null; header compressed bool|null; newline text|null;
 decimal_commas? columns [text]|null; writer text|null ## Added: k records count; quasi together
 Two; columns {Two}; groups_of? 'persons'; people? Rows ## Rows: knows int|'all'; persons count;
 unique below_k count|null ## Two: unique below_k count ## Identifier: column text; number
 1..18|null; objection name|null; forced bool ## Expected: records count; share share; low high k
 released count; estimated bool ## Persons: column text; knows 1..3|'all'|null; linkage
 'none'|'pseudonym'; pseudonyms 'keyed'|'forgotten'|null; persons released in_part left_out count;
 unit 'person'; near_ends? {count} ## Earlier: same_policy other_policy same_table count; findings
 [Finding]; not_laid [NotLaid]; changed_sets {count}; unit? 'person'; cut_short? no_size? bool;
 joined? {count}; unlike? {text}; partly? [Partly]; strange? apart? count ## Finding: kind name;
 earlier text; classes least 1..; smallest count|null; column text|null; unit? 'person'; others?
 [text]; masked? bool ## NotLaid: earlier text; why name ## Partly: earlier text; why name; columns
 [text] ## Below: declared [MODEL]; reason reason ## Plugin: kind name package version text ##
 Database: roadstead_database 2; k 1..; knows 1..2; tables {Released}; tables_left_out [text];
 persons {count}; dates {any}|null; keys 'keyed'|'forgotten'; numbered bool; policy Policy; software
 created text; files? [File]; earliest_birth? int ## Released: file File; form Form; rules {any};
 columns [[text]]; left_out [text]; rows_of_source rows count; lost {count}; people? codes? {count}
 ## Private: roadstead_private_certificate 3; epsilon float; exact text; protects
 'records'|'persons'; rows_per_person 1..|null; second_tables [text]; ledger [Step]; spent text;
 specializations public [any]; released {any}; files [File]; source text; settings Asked; software
 created text; attacks? [{any}]; seal hash ## Step: step any; epsilon float; exact text ## Asked:
 epsilon text; delta? share; for? name; levels? name|{count}; share? text; specializations?
 count|name; score? outside? name; target? text|null; classes? [text]; person? text;
 rows_per_person? 1..; per_person? {text}; widths? {any}
"""
"""The entries of each object, in order, with types. Entries with a question mark may be absent.
``[T]``: list, ``{T}``: any names, ``1..3``: whole number. ``kind`` chooses a RULE or a MODEL."""


def _is(pattern: str) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, str) and bool(re.fullmatch(pattern, value, re.ASCII))


ATOMS: dict[str, Callable[[Json], bool]] = {
    "any": lambda value: value is not ...,
    "text": lambda value: isinstance(value, str),
    "name": _is("[a-z][a-z0-9_-]*"),
    "reason": lambda value: _is(".{1,300}")(value) and value == " ".join(_visible(value).split()),
    "day": lambda value: the_day(value) is not None,
    "int": lambda value: type(value) is int,
    "count": lambda value: type(value) is int and 0 <= value < 2**63,
    "float": lambda value: type(value) is float and math.isfinite(value),
    "share": lambda value: type(value) is float and 0 <= value <= 1,
    "number": lambda value: type(value) in (int, float) and math.isfinite(value),
    "part": lambda value: type(value) in (int, float) and 0 <= value <= 1,
    "bool": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "hash": _is("[0-9a-f]{64}"),
    "kind": lambda value: isinstance(value, dict) and ATOMS["name"](value.get("kind")),
}
TYPES: dict[str, dict[str, tuple[str, bool]]] = {}  # types of entries; whether they are required
for _names, _own in re.findall(r"(?m)(\S[^;#]*?): (.*?)(?: ##|$)", re.sub(r"\n +", " ", SHAPES)):
    _family, *_kinds = _names.split()
    for _kind in _kinds or [""]:
        _entries = map(str.split, (f"{_own}; kind '{_kind}'" if _kind else _own).split("; "))
        _flat = {key: kind for *keys, kind in _entries for key in keys}
        TYPES[_family + _kind] = {key.rstrip("?"): (_flat[key], key[-1] != "?") for key in _flat}


def require(value: Json, kind: str, place: str = "") -> None:
    """Raise `Damaged` at the first place where a document does not have the required form."""
    if kind.isupper() and isinstance(value, dict):  # a kind of another package has any form
        chosen = f"{kind}{value.get('kind')}"
        kind = chosen if chosen in TYPES or kind == "RULE" else "kind"
    options = re.findall(r"(?:\[[^\]]*\]+|\{[^}]*\}|'[^']*'|[^|])+", kind)
    here, inner, fits = place or "the top", kind[1:-1], False
    if len(options) > 1:
        for option in options:
            with suppress(Damaged):
                require(value, option, place)
                fits = True
    elif kind[0] in "[{":
        fits = isinstance(value, list if kind[0] == "[" else dict)
        named: Any = value.items() if isinstance(value, dict) else enumerate(value if fits else ())
        for at, one in named:
            require(one, inner, f"{here}.{shown(at)}")
    elif kind in ATOMS:
        fits = ATOMS[kind](value)
    elif ".." in kind:
        low, high = kind.split("..")
        fits = type(value) is int and int(low) <= value <= int(high or 2**63)
    elif kind not in TYPES:
        expected = int(kind) if kind.isdigit() else inner.replace("_", " ")
        fits = value == expected and type(value) is type(expected)
    elif isinstance(value, dict):
        entries = TYPES[kind]
        here = next((f"{here}.{shown(key)}" for key in value if key not in entries), here)
        ordered = kind[0] == "M" or [*value] == [key for key in entries if key in value]
        fits = {*value} <= {*entries} and ordered  # parameters of models are in any order
        for key, (own, needed) in entries.items() if fits else ():
            if needed or key in value:
                require(value.get(key, ...), own, f"{place}.{key}".lstrip("."))
    if not fits:
        raise Damaged(f"the entry {here} is not valid")


_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
_KEY_HEADER = bytes.fromhex("302a300506032b6570032100")
_STATEMENT = ("https://in-toto.io/Statement/v1", "urn:roadstead:release-signed:v1")
_TYPES = ("application/vnd.in-toto+json", *_STATEMENT)
_ENVELOPE = {"payload", "payloadType", "signatures"}

Point = tuple[int, int]


def _added(p: Point, q: Point) -> Point:
    t = _D * p[0] * p[1] * q[0] * q[1] % _P
    x, y = p[0] * q[1] + p[1] * q[0], p[1] * q[1] + p[0] * q[0]
    return x * pow(1 + t, -1, _P) % _P, y * pow(1 - t, -1, _P) % _P


def _times(factor: int, point: Point) -> Point:
    found: Point = (0, 1)
    while factor:
        found = _added(found, point) if factor & 1 else found
        point, factor = _added(point, point), factor >> 1
    return found


def _point(encoded: bytes) -> Point | None:
    sign, y = divmod(int.from_bytes(encoded, "little"), 2**255)
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    x = x * _ROOT % _P if (x * x - square) % _P else x
    if y >= _P or (x * x - square) % _P or (x == 0 and sign):
        return None
    return (_P - x if x & 1 != sign else x, y)


def ed25519_fits(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a 64-byte signature of a message is valid for a 32-byte public key."""
    base, point = _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little")), _point(key)
    scalar = int.from_bytes(signature[32:], "little")
    if len(key) != 32 or len(signature) != 64 or not point or scalar >= _ORDER or not base:
        return False
    hashed = hashlib.sha512(signature[:32] + key + message).digest()
    factor = int.from_bytes(hashed, "little") % _ORDER
    x, y = _added(_times(scalar, base), _times(factor, (_P - point[0], point[1])))
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def _raw_key(text: str) -> bytes:
    der = base64.b64decode(text, validate=True)
    if len(der) != 44 or not der.startswith(_KEY_HEADER):
        raise Damaged("this is not an Ed25519 public key")
    return der[len(_KEY_HEADER) :]


def read_public_key(path: Path) -> bytes:
    """Read a public key of 32 bytes from a PEM file, or raise `WrongRequest`."""
    pem = r"\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*"
    try:
        with open(path, "rb") as file:
            body = re.fullmatch(pem, file.read(10_000).decode("ascii"))
        return _raw_key("".join(body.group(1).split()) if body else "")
    except (OSError, ValueError, Damaged) as error:
        why = error if isinstance(error, Damaged) else "the file cannot be read"
        raise WrongRequest(f"the public key {shown(path, 200)}: {why}") from None


def the_day(text: Json) -> date | None:
    """Parse a day, for example 2027-06-30, or return None for any other string."""
    try:
        return date(*map(int, text.split("-"))) if _is(r"\d{4}-\d\d-\d\d")(text) else None
    except ValueError:
        return None


def check_signature(folder: Folder, trusted: Sequence[bytes], day: date, to: Findings) -> None:
    """Check who signed the release, what was signed, and until when the signature is valid."""
    if "signature.json" not in folder.names:
        if trusted:
            to.add("signer", False, "The release is signed with the expected key", "not signed")
        to.notes.append("Not signed: the files do not show who made the release.")
        return
    try:
        envelope = parsed(folder.content("signature.json"))
        payload = base64.b64decode(envelope["payload"], validate=True)
        signatures = [base64.b64decode(one["sig"], validate=True) for one in envelope["signatures"]]
        statement = parsed(payload)
        kinds = (envelope["payloadType"], statement["_type"], statement["predicateType"])
        if kinds != _TYPES or not 1 <= len(signatures) <= 16 or envelope.keys() - _ENVELOPE:
            raise Damaged("it is not an envelope around a statement about a release")
        message = f"DSSEv1 {len(kinds[0])} {kinds[0]} {len(payload)} ".encode("ascii") + payload
        said = statement["predicate"]
        own = _raw_key(said["signer"]["publicKey"])
        subjects = [(one["name"], one["digest"]["sha256"]) for one in statement["subject"]]
        signed, expires = the_day(said["signed"]), the_day(said.get("expires"))
        key = hashlib.sha256(_KEY_HEADER + own).hexdigest()
        name = f"{shown(said['signer']['name'])}, key {key}"
        if signed is None or (expires is None and said.get("expires") is not None):
            raise Damaged("a day of the signature is not a day")
        valid = any(ed25519_fits(own, message, one) for one in signatures)
    except _INVALID as error:
        why = str(error) if isinstance(error, Damaged) else "it has another form"
        to.add("signature", False, "The signature can be read", why)
        return
    to.add("signature", valid, "The signature is valid", "Ed25519")
    files = [one["id"][5:] for one in to.checks if one["id"].startswith("file:")]
    now = dict.fromkeys(["certificate.json", *files], "missing")
    for file in now:
        with suppress(Damaged):
            now[file] = folder.fingerprint(file)[0]
    wrong = {file for file, _ in set(subjects) ^ set(now.items())}
    fits = not wrong and len(subjects) == len(now)
    detail = f"{listed(wrong)} differs" if wrong else f"{len(now)} files"
    to.add("signature-files", fits, "The signature is for this release", detail)
    fits = expires is None or day <= expires
    to.add("signature-expiry", fits, "The signature has not expired", f"last day: {expires}")
    fits = signed <= max(datetime.now(timezone.utc).date(), day) + timedelta(days=1)
    to.add("signature-day", fits, "The day of the signature is not in the future", str(signed))
    if trusted:
        fits = own in trusted and valid
        to.add("signer", fits, "The release is signed with the expected key", name)
    elif valid:
        to.notes.append(f"Signed by {name}. Without --signed-by, anyone can claim this name.")


_EXACT = Context(prec=400)
_NUMBER = r"-?[0-9]{1,60}(?:\.[0-9]{1,60})?"


def _number(text: Json) -> Decimal:
    if not _is(_NUMBER)(text):
        raise Damaged("a rule has a number that is not written as one")
    return Decimal(text)


def _plain(value: Decimal) -> str:
    return format(_EXACT.normalize(value), "f") if value else "0"


def interval_label(low: Decimal | None, high: Decimal | None, whole: bool) -> str:
    """Write an interval that includes its lower end but not its upper end."""
    if low is None:
        return "any number" if high is None else f"<{_plain(high)}"
    if high is None:
        return f"{_plain(low)}+"
    last = _EXACT.subtract(high, Decimal(1))
    if not whole:
        return f"[{_plain(low)}, {_plain(high)})"
    return _plain(low) if last == low else f"{_plain(low)}-{_plain(last)}"


def _number_of(label: str) -> Decimal:
    """Return a number in a label's interval: the lower end, or the upper end minus 1."""
    ends = re.fullmatch(rf"\[?({_NUMBER})(?:\+|-{_NUMBER}|, {_NUMBER}\))?|<({_NUMBER})", label)
    if ends is None:
        return Decimal(0)  # its label differs, except for "any number"
    low, high = ends.groups()
    return Decimal(low) if high is None else _EXACT.subtract(Decimal(high), Decimal(1))


def _label_of(rule: Json, value: Decimal) -> str:
    if rule["kind"] == "cuts":
        cuts = [_number(cut) for cut in rule["cuts"]]
        low = max((cut for cut in cuts if cut <= value), default=None)
        high = min((cut for cut in cuts if cut > value), default=None)
        return interval_label(low, high, rule.get("integer", True))
    width, origin = _number(str(rule["width"])), _number(rule.get("origin", "0"))
    whole, ends = rule.get("integer", True), (rule.get("bottom"), rule.get("top"))
    bottom, top = (None if one is None else _number(str(one)) for one in ends)
    steps = math.floor(Fraction(_EXACT.subtract(value, origin)) / Fraction(width))
    start = _EXACT.add(origin, _EXACT.multiply(width, Decimal(steps)))
    end = _EXACT.add(start, width)
    if top is not None and (value if rule["kind"] == "bands" else start) >= top:
        return interval_label(top, None, whole)
    if bottom is not None and value < bottom:
        return interval_label(None, bottom, whole)
    start = start if bottom is None else max(start, bottom)
    return interval_label(start, end if top is None else min(end, top), whole)


_UNITS = {"year": "", "decade": "(?<=0)s", "quarter": "-Q[1-4]", "month": "-(?:0[1-9]|1[0-2])"}


def _is_date(unit: str, bottom: int, label: str) -> bool:
    """Return whether a label is a calendar unit that ends in or after `bottom`, or "before" it."""
    if label == f"before {bottom:04d}":
        return bottom > 1
    if unit in _UNITS:
        fits = re.fullmatch("[0-9]{4}" + _UNITS[unit], label) and not label.startswith("0000")
        return bool(fits) and int(label[:4]) + 9 * (unit == "decade") >= bottom
    day, begins = the_day(label[-10:]), {"day": "", "week": "week of "}[unit]
    fits = day is not None and label[:-10] == begins and not (begins and day.weekday())
    last = (day or date.min).toordinal() + 6 * bool(begins)
    return fits and last >= date(bottom, 1, 1).toordinal()


def can_produce(rule: Json, label: str) -> bool:
    """Return whether a rule can produce a label. Most rules keep the missing value, ""."""
    kind = rule["kind"]
    if kind == "everything":
        return bool(label == rule.get("text", "*"))
    if kind in _HIDING[1:]:
        missing = kind == "beginnings" or not any("" in values for _, values in rule["groups"])
        other = kind == "beginnings" and label == rule.get("other", "not in the code book")
        return other or (not label and missing) or any(label == own for own, _ in rule["groups"])
    if kind == "identity":
        return rule.get("values") is None or label in ("", *rule["values"])
    if kind == "prefix":
        keep, length, mask = rule["keep"], rule.get("length"), rule.get("mask", "*")
        shown_length = length if mask or length is None else min(keep, length)
        fits = length is None or len(label) == shown_length
        return not label or (fits and set(label[keep:]) <= {mask})
    if kind == "calendar":
        return not label or _is_date(rule["unit"], rule.get("bottom") or 1, label)
    if kind == "code-parts":
        return True  # the policy does not list all forms of codes
    other = label == "other" and rule.get("form", "plain") != "plain"
    return not label or other or _label_of(rule, _number_of(label[:200])) == label


_DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_DATES = defaultdict(lambda: "0|-?[1-9][0-9]{0,4}", shift=_DAY, age="[1-8]?[0-9]|90")
_DATES["shift-time"] = rf"(?s:{_DAY}([ T].*)?)"


def _fit_dates(persons: Json, quasi: Sequence[str], columns: Json) -> bool:
    rules = persons.get("dates", [])
    fits = bool(rules) == ("dates" in persons) == ("shift" in persons)
    shifts = any(one["form"].startswith("shift") for one in rules)
    fits = fits and shifts == (persons.get("shift") is not None)
    fits = fits and len({one["column"] for one in rules} - {persons["column"]}) == len(rules)
    for one in rules:
        moved, within = one["form"] in ("shift", "shift-time"), one["form"] in ("since", "age")
        fits = fits and (one["anchor"] is None if moved else one["anchor"] or not within)
        free = one["column"] in columns.get("forced", ())
        fits = fits and free == (moved or one["column"] not in quasi)
    return bool(fits)


def _unpacked(file: BinaryIO) -> BinaryIO:
    """Open the content of a gzip file, or raise `Damaged` if it is not one plain member."""
    unpacker, packed = zlib.decompressobj(31), file.read(2**16)
    fits = packed[:8] == b"\x1f\x8b\x08" + bytes(5)  # without a name, a comment, or a time
    with suppress(zlib.error):  # the end is then not found
        while fits and packed and not unpacker.eof:
            unpacker.decompress(packed, 2**20)
            packed = unpacker.unconsumed_tail or file.read(2**16)
    if not fits or not unpacker.eof or unpacker.unused_data or file.read(1):
        raise Damaged("the gzip file is damaged, or holds more than the table")
    file.seek(0)
    return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]


class TextTable:
    """The records of a text file. A file without the form of a release is `Damaged`."""

    def __init__(self, file: BinaryIO, form: Json) -> None:
        self.delimiter, mark = form["delimiter"], form["encoding"]
        known = self.delimiter in (",", ";", "\t", "|") and mark in ("utf-8", "utf-8-sig")
        known = known and (form["quote"], form["newline"], form["writer"]) == ('"', "\n", None)
        if not known or None in (form["compressed"], form["header"]):
            raise Damaged("the certificate does not describe a text file as Roadstead writes it")
        self.lines = _unpacked(file) if form["compressed"] else file
        end = re.escape(self.delimiter)
        self.cell = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{end}]*))(?={end}|\Z)', re.DOTALL)
        self.mark: bool | None = mark == "utf-8-sig"
        self.columns: list[str] = form["columns"] or []
        if form["header"]:
            if form["columns"] is not None:
                raise Damaged("the certificate names the columns, but the file has its own names")
            self.columns = next(iter(self), [])
        comma = "," if self.delimiter != "," else "\ufeff"
        odd = any(not one or comma in one or one[0] == "\ufeff" for one in self.columns)
        if not self.columns or len({*self.columns}) < len(self.columns) or odd:
            raise Damaged("two columns have the same name, or a name is missing or ambiguous")

    def __iter__(self) -> Iterator[list[str]]:
        for line in iter(self._line, ""):
            yield self._cells(line) if '"' in line else line.split(self.delimiter)

    def _line(self) -> str:
        parts = [self.lines.readline(LARGEST_LINE)]
        size, odd = len(parts[0]), parts[0].count(b'"') % 2
        while odd and parts[-1] and size < LARGEST_LINE:
            parts.append(self.lines.readline(LARGEST_LINE))
            size, odd = size + len(parts[-1]), (odd + parts[-1].count(b'"')) % 2
        line = b"".join(parts).decode("utf-8")
        if self.mark is not None:
            if line.startswith("\ufeff") != self.mark:
                raise Damaged("the byte-order mark is not the one that the certificate describes")
            line, self.mark = line[self.mark :], None
        if not line:
            return ""
        body = line[:-1]
        strange = "\0" in body or (("\r" in body or "#" in body) and '"' not in body)
        if line[-1] != "\n" or not body or strange or size > LARGEST_LINE:
            raise Damaged("a line is empty, too long, or does not end as the certificate describes")
        return body

    def _cells(self, line: str) -> list[str]:
        cells, at = [], 0
        while at <= len(line):
            found = self.cell.match(line, at)
            if found is None:
                raise Damaged("a cell has a quotation mark in a place where it cannot be")
            inside, needing = found.group(1), (self.delimiter, '"', "\n", "\r", "#")
            if inside is not None and line != '""' and not any(one in inside for one in needing):
                raise Damaged("a cell has quotation marks that it does not need")
            cells.append(found.group(2) if inside is None else inside.replace('""', '"'))
            at = found.end() + 1
        return cells


_ALL, _LABELS = "\0all", "\0labels"


class Group(NamedTuple):
    """A group of records with the same labels, and counts of the values that models use."""

    labels: Labels
    size: int
    values: dict[str, dict[str, int]]


class Counted:
    """Counts from one pass. Memory holds the current group, and numbers of linked rows."""

    def __init__(self, columns: list[str], plan: Plan, population: list[int] | None) -> None:
        self.plan, self.width, self.population = plan, len(columns), population
        self.records, self.undated, self.in_order = 0, 0, True
        self.keyed = [columns.index(one) for one in plan.labels]
        self.person = None if plan.pseudonym is None else columns.index(plan.pseudonym)
        self.others = [at for at in range(len(columns)) if at not in self.keyed]
        known = [at for at in self.others if at != self.person]
        self.keys = [*((columns[at], [at]) for at in known), (_ALL, known)]
        self.judged = plan.judged & {*columns}
        dates = ((columns.index(c), _DATES[form]) for c, form in plan.dates.items())
        self.dates = [(at, re.compile(rf"({form}|\*)?")) for at, form in dates]
        places = [([columns.index(c) for c in own], two) for own, two in plan.treated]
        kind: Any = Counter if self.person is None else lambda: defaultdict(set)
        self.places, self.treated = places, [kind() for _ in places]
        self.labels: list[set[str]] = [set() for _ in self.keyed]
        self.groups: list[Group] = []
        self.masked: list[Group] = []
        self.unique, self.below = Counter[str](), Counter[str]()
        self.rows, self.whole = (defaultdict[str, list[int]](list) for _ in range(2))
        self.seen: set[Labels] = set()
        self.ids: dict[Any, int] = {}  # the records that differ in any column
        self._open()

    def _open(self) -> None:
        self.size = 0  # of the current group
        self.counters: list[Any] = [Counter() for _ in self.keys]
        self.owners: list[Any] = [defaultdict(set) for _ in self.keys]
        self.members: Any = Counter()
        self.buffer: list[list[str]] = []

    @property
    def people(self) -> list[int]:
        """Return the certified number of people in each group."""
        found = self.population or []
        if len(found) != len(self.sizes) or any(f < n for f, n in zip(found, self.sizes)):
            raise Damaged("the list of people does not fit the groups")
        return found

    def count(self, records: Iterable[list[str]]) -> Counted:
        """Count all records. Raise `Damaged` if a group is split or a record is cut off."""
        labels: Labels | None = None
        last: list[str] = []
        for cells in records:
            if len(cells) != self.width:
                raise Damaged("a record has more or fewer cells than there are columns")
            own = tuple([cells[at] for at in self.keyed])
            if own != labels:
                if labels is not None:
                    self._close(labels)
                if own in self.seen:
                    raise Damaged("its records are in a different order")
                masked = self.plan.suppressed
                if labels is not None and (labels == masked or (own != masked and labels > own)):
                    self.in_order = any(self.plan.split)
                labels = own
            elif next((not a or "" != b < a for a, b in zip(last, cells) if a != b), False):
                self.in_order = False  # the labels are the same, so another column decides
            last = cells
            self.buffer.append(cells)
            if len(self.buffer) >= 20_000:
                self._absorb()
        if labels is None:
            raise Damaged("it has no records")
        self._close(labels)
        self.every = sorted([*self.groups, *self.masked], key=lambda group: group.labels)
        self.sizes: list[int] = [group.size for group in self.every]
        return self

    def _absorb(self) -> None:
        rows, self.buffer, person, ids = self.buffer, [], self.person, self.ids
        self.size += len(rows)
        labels = tuple([rows[0][at] for at in self.keyed])
        self.undated += sum(not one.fullmatch(row[at]) for row in rows for at, one in self.dates)
        for (places, within), shared in zip(self.places, self.treated):
            for row in rows:
                key: Labels = (*[row[at] for at in places], *(labels if within else ()))
                if person is None:
                    shared[key] += 1
                else:
                    shared[key].add(row[person])
        for (_, places), counter, owners in zip(self.keys, self.counters, self.owners):
            found: list[Any] = [row[places[0]] for row in rows] if len(places) == 1 else []
            found = found or [tuple([row[at] for at in places]) for row in rows]
            counter.update(found)
            for key, row in zip(found, rows if person is not None else ()):
                owners[key].add(row[person or 0])
        for key, row in zip(found, rows if person is not None else ()):  # the last has all columns
            self.whole[row[person or 0]].append(ids.setdefault((labels, key), len(ids)))
            self.members[row[person or 0]] += 1

    def _close(self, labels: Labels) -> None:
        if self.buffer:
            self._absorb()
        self.records += self.size
        self.seen.add(labels)
        names = [name for name, _ in self.keys]
        own = dict(zip(names, self.counters))
        group = Group(labels, self.size, {one: dict(own[one]) for one in self.judged})
        number = -1 if labels == self.plan.suppressed else len(self.groups)
        (self.masked if number < 0 else self.groups).append(group)
        for place, label in zip(self.labels, labels if number >= 0 else ()):
            place.add(label)
        for person, rows in self.members.items():
            self.rows[person].extend([number] * rows)
        whole: Any = (_LABELS, {"": self.size}, {"": self.members})
        for name, counter, owners in (whole, *zip(names, self.counters, self.owners)):
            for key, n in counter.items():
                size = n if self.person is None else len(owners[key])
                self.below[name] += n * (size < self.plan.k)
                self.unique[name] += n * (size == 1)
        self._open()


Judgment = tuple[bool, str]  # whether the release satisfies a model, and the finding
_MORE = 1 + Fraction(1, 10**9)  # the tolerance of a share above its limit


def exact(value: Json) -> Fraction:
    """Parse a parameter of a model as an exact decimal fraction."""
    return Fraction(repr(value))


def _each(fits: Iterable[bool], what: str) -> Judgment:
    found = list(fits)
    return all(found), f"{found.count(False):,} of {len(found):,} groups {what}"


def _at_least(sizes: Iterable[int], least: int, what: str) -> Judgment:
    found = list(sizes)
    smallest = min(found, default=0)
    return smallest >= least, f"{len(found):,} groups, the smallest with {smallest:,} {what}"


def _is_diverse(settings: Json, values: Mapping[str, int]) -> bool:
    counts = [n for value, n in values.items() if value.strip()]
    blanks = sum(values.values()) - sum(counts)
    counts += [blanks] if settings.get("blank", "no-value") == "value" and blanks else []
    counts.sort(reverse=True)
    kind, least, n = settings["kind"], exact(settings["l"]), sum(counts)
    if not counts or least <= 1 or kind == "distinct-l-diversity":
        return len(counts) >= least > 1
    if kind == "recursive-cl-diversity":
        return counts[0] < exact(settings["c"]) * sum(counts[int(settings["l"]) - 1 :])
    if kind == "entropy-l-diversity":
        return -math.fsum(c / n * math.log(c / n) for c in counts) >= math.log(float(least)) - 1e-9
    g = [0.0, *accumulate(2 / (2 * m - 1) for m in range(1, n // 2 + 1))]  # Grassberger's G
    entropy = g[n // 2] - math.fsum(c / n * g[c // 2] for c in counts)
    return len(counts) >= least and entropy >= math.log(float(least)) - 1e-9


def _diversity(settings: Json, of: Counted) -> Judgment:
    fits = (_is_diverse(settings, group.values[settings["column"]]) for group in of.every)
    return _each(fits, "have too few different values, or values that are too unequal")


def _by_column(settings: Json, of: Counted) -> tuple[list[dict[str, int]], dict[str, int]]:
    groups, whole = [group.values[settings["column"]] for group in of.every], Counter[str]()
    for one in groups:
        whole.update(one)
    return groups, whole


def _closeness(settings: Json, of: Counted) -> Judgment:
    groups, whole = _by_column(settings, of)
    kind, order = settings.get("distance", "equal"), settings.get("order")
    every, distances = sum(whole.values()), []
    if kind == "equal":
        for own in groups:
            n, rest = sum(own.values()), every - sum(whole[value] for value in own)
            moved = sum(abs(c * every - whole[value] * n) for value, c in own.items())
            distances.append(Fraction(moved + n * rest, 2 * n * every))
    elif kind == "ordered":
        if order is None and all(map(_is(_NUMBER), whole)):
            order = sorted(whole, key=Decimal) if len({*map(Decimal, whole)}) == len(whole) else ()
        order = [value for value in order or () if value in whole]  # the others have no place
        if len(order) < len(whole):
            raise NotImplementedError("the place of a value in the order is not clear")
        for own in groups:
            n = sum(own.values())
            steps = (own.get(v, 0) * every - whole.get(v, 0) * n for v in order[:-1])
            moved = sum(map(abs, accumulate(steps)))
            distances.append(Fraction(moved, n * every * max(len(order) - 1, 1)))
    else:
        raise NotImplementedError("this program does not compute this distance")
    what = f"are too far from the table; the largest distance is {float(max(distances)):.4g}"
    return _each((one <= exact(settings["t"]) * _MORE for one in distances), what)


def _likeness(settings: Json, of: Counted) -> Judgment:
    groups, whole = _by_column(settings, of)
    every = sum(whole.values())
    if settings["kind"] == "beta-likeness":
        beta, enhanced, most = float(exact(settings["beta"])), settings.get("enhanced", True), {}
        for value, n in whole.items():
            gain = min(beta, -math.log(n / every)) if enhanced else beta
            most[value] = n / every * (1 + gain) * (1 + 1e-9)
        fits = [all(c / sum(own.values()) <= most[v] for v, c in own.items()) for own in groups]
        return _each(fits, "have a value that is too frequent")
    delta = float(exact(settings["delta"])) * (1 - 1e-9)
    logs = [[c * every / (sum(own.values()) * whole[v]) for v, c in own.items()] for own in groups]
    fits = [all(abs(math.log2(ratio)) < delta for ratio in own) for own in logs]
    if settings.get("every_value", True):
        fits = [fit and len(own) == len(whole) for fit, own in zip(fits, groups)]
    return _each(fits, "have a value that is too frequent, too rare, or absent")


def _presence(settings: Json, of: Counted) -> Judgment:
    low, high = (exact(settings[key]).limit_denominator(10**9) for key in ("minimum", "maximum"))
    fits = (low <= Fraction(n, f) <= high for n, f in zip(of.sizes, of.people))
    return _each(fits, "have a share outside the bounds")


def _estimated_k_map(settings: Json, of: Counted) -> Judgment:
    """Check estimated k-map: each group has at least k' records, where the rule gives k' <= k."""
    k, p, rule = settings["k"], float(exact(settings["fraction"])), settings.get("estimator", "d4")
    bound, least = float(exact(settings.get("significance", 0.1))), settings["k"]
    if not 0 < p <= 1 or rule not in ("d3", "d4") or k > 10**6:
        raise NotImplementedError("this program does not have this rule")
    at_least, term = 1.0, math.exp(-p * k)  # X is Poisson, and at least 1 for d4
    given = -math.expm1(-p * k) if rule == "d4" else 1.0
    for c in range(1, k):
        at_least, term = at_least - term, term * p * k / c
        if at_least / given <= bound:
            least = c
            break
    fits, found = _at_least(of.sizes, least, f"records; the rule requires {least}")
    return fits and settings.get("smallest", least) == least, found


def _population_risk(settings: Json, of: Counted) -> Judgment:
    gamma, bound, worst = settings.get("gamma", 1.0), exact(settings["maximum"]), Fraction(0)
    people = of.sizes if of.population is None else of.people
    for left_out in ([], of.masked):
        records: dict[int, int] = Counter()
        for group, f in zip(of.every, people):
            records[f] += 0 if group in left_out else group.size
        if gamma not in range(1, 9):
            raise NotImplementedError("this program computes whole exponents only")
        mean = sum((Fraction(c, f ** int(gamma)) for f, c in records.items()), Fraction(0))
        worst = max(worst, mean / max(sum(records.values()), 1))
    return worst <= bound, f"the mean risk is {float(worst):.4g}, the bound {float(bound):.4g}"


def _mean(settings: Json, of: Counted) -> Judgment:
    kind, fits, found = settings["kind"], True, ""
    for groups in (of.groups, of.every):
        sizes = [group.size for group in groups]
        n, unique = max(sum(sizes), 1), sizes.count(1)
        if kind == "population-uniqueness" and unique:
            raise NotImplementedError("this program does not make estimates")
        if "uniqueness" in kind:
            fits = fits and unique <= exact(settings["maximum"]) * n
            found = found or f"{unique:,} of {n:,} records are unique"
            continue
        fits = fits and len(sizes) <= exact(settings.get("average", 1)) * _MORE * n
        found = found or f"the mean risk is {len(sizes) / n:.4g}"
        if kind != "average-risk":
            most, share = exact(settings["maximum"]), exact(settings.get("at_risk", 0))
            fits = fits and sum(size for size in sizes if size * most < 1) <= share * n
    return fits, found


def matches(rows: Mapping[str, Sequence[int]], knows: Json) -> list[int]:
    """For each person, return the smallest number of people who match any `knows` of the rows."""
    profiles: dict[tuple[int, ...], int] = Counter(tuple(sorted(own)) for own in rows.values())
    if knows == "all":
        return [n for n in profiles.values() for _ in range(n)]
    sets: dict[tuple[int, ...], set[Any]] = {}
    known: dict[Any, int] = Counter()
    for own, n in profiles.items():
        limit = Counter(own)
        if len(limit) ** knows > 2_000_000 or len(known) > 20_000_000:
            raise NotImplementedError("there are too many combinations of rows")
        sets[own] = {
            one
            for most in range(1, min(knows, len(own)) + 1)
            for one in combinations_with_replacement(sorted(limit), most)
            if all(one.count(row) <= limit[row] for row in one)
        }
        for one in sets[own]:
            known[one] += n
    return [min(known[one] for one in sets[own]) for own, n in profiles.items() for _ in range(n)]


def _persons(settings: Json, of: Counted) -> Judgment:
    if not of.rows:
        return _at_least(of.sizes, settings["k"], "rows; no file shows how many people they are")
    fewest = min(matches(of.rows, settings["knows"]))
    return fewest >= settings["k"], f"at least {fewest:,} people match what an attacker may know"


def _values_of_persons(settings: Json, of: Counted) -> Judgment:
    if of.rows or settings["knows"] != 1 or settings["model"]["kind"] != "distinct-l-diversity":
        raise NotImplementedError("this program does not count people for each value")
    return _diversity(settings["model"], of)


MODELS: dict[str, Callable[[Json, Counted], Judgment]] = {
    "k-anonymity": lambda s, of: _at_least(of.sizes, s["k"], "records"),
    "k-map": lambda s, of: _at_least(of.people, s["k"], "certified people"),
    "estimated-k-map": _estimated_k_map,
    "t-closeness": _closeness,
    **dict.fromkeys(("beta-likeness", "delta-disclosure"), _likeness),
    "delta-presence": _presence,
    "population-risk": _population_risk,
    "person-anonymity": _persons,
    "values-of-persons": _values_of_persons,
    "recursive-cl-diversity": _diversity,
    **{f"{one}-l-diversity": _diversity for one in ("distinct", "entropy", "grassberger")},
    **{f"{one}-risk": _mean for one in ("average", "strict-average")},
    **dict.fromkeys(("records-at-risk", "sample-uniqueness", "population-uniqueness"), _mean),
    "no-attack": lambda s, of: _at_least(of.sizes, _implied_size(s), "records"),
    "no-attack-journalist": lambda s, of: _at_least(
        of.people, exact(s["gain"]) // exact(s["cost"]) + 1, "people"
    ),
}


def check_files(folder: Folder, content: bytes, document: Json, known: str, to: Findings) -> None:
    """Check the fingerprint of each file, the names of files, and the form of the certificate."""
    tables = [document["table"]] if "table" in document else []
    tables += [one["file"] for one in document.get("tables", {}).values()]
    files, software = [*tables, *document.get("files", ())], document["software"]
    names = [one["name"] for one in files]
    for one in files:
        claim, detail = f"{shown(one['name'])} matches the certificate", ""
        try:
            if folder.fingerprint(one["name"]) != (one["sha256"], one["bytes"]):
                detail = "the file was changed after certification"
        except Damaged as error:
            detail = str(error)
        to.add(f"file:{one['name']}", not detail, claim, detail)
    page = "verify.html" in names and hashlib.sha256(folder.content("verify.html")).hexdigest()
    if page and (software, page) != (VERSION, PAGE):
        claim = "verify.html is not the page of this version, so do not use it"
        to.add("page", None if software != VERSION else False, claim)
    strange = {*folder.names, *names} - {*names, "certificate.json", "signature.json"}
    strange |= {*names} - {*known.split(), "verify.html", "report.html", *names[: len(tables)]}
    fits = not strange and len(set(names)) == len(names)
    to.add("folder", fits, "The folder contains no other files", listed(strange))
    form = r"[0-9]+(\.[0-9]+)*((a|b|rc)[0-9]+)?(\.post[0-9]+)?(\.dev[0-9]+)?(\+[a-z0-9.]+)?"
    time = r"T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\+00:00"
    day, fits = the_day(document["created"][:10]), _is(time)(document["created"][10:])
    fits = fits and day is not None and _is(form)(software) and has_one_form(content, document)
    to.add("certificate-form", fits, "The certificate is written as Roadstead writes it")
    if fits and day and day > datetime.now(timezone.utc).date() + timedelta(days=1):
        to.add("created", None, "The certificate says that the release was made in the future")


_LATIN = str.maketrans("авеһікмнорстухѕјԁԛԝүαβεζηικμνορτυχ", "abehikmhopctyxsjdqwyabeznikmvoptyx")


def _as_read(name: str) -> str:
    """Return a name as a person reads it, to compare names."""
    plain = unicodedata.normalize("NFKC", name)
    small = unicodedata.normalize("NFKC", _visible(plain).casefold())
    return " ".join(small.translate(_LATIN).split())


class Plan:
    """The columns that a policy releases, and what to count for each column."""

    def __init__(self, policy: Json) -> None:
        persons, own = policy.get("persons") or {"link": "none", "column": ""}, policy["columns"]
        names = [one["name"] for one in policy["attributes"]]
        parts = (policy.get("recoding") or {"attributes": [{}] * len(names)})["attributes"]
        self.policy, kinds = policy, {n["name"]: n["rule"]["kind"] for n in policy["attributes"]}
        self.split = [one.get("released_as") == "columns" for one in parts]
        nested = [[f"{n}_low", f"{n}_high"] if two else [n] for n, two in zip(names, self.split)]
        self.labels = [column for pair in nested for column in pair]
        marks = [cell for two in self.split for cell in (["", ""] if two else ["*"])]
        self.suppressed = None if {*kinds.values()} == {"everything"} else tuple(marks)
        self.pseudonym = persons["column"] if persons["link"] == "pseudonym" else None
        self.dates = {one["column"]: one["form"] for one in persons.get("dates", [])}
        anchor = {"anchor_date": "shift"} if "shifted-anchor" in self.dates.values() else {}
        more = ({self.pseudonym} - {None}) | {*anchor, *own.get("forced", [])}
        shown_plainly = ("identity", "calendar") if policy.get("recoding") is None else ()
        for name in names:  # other rules generalize the days or years
            if kinds[name] not in shown_plainly:
                self.dates.pop(name, None)
        self.dates |= anchor
        self.columns = {*self.labels, *own["sensitive"], *own["unchanged"], *more}
        treatments = [(t.get("columns") or [t["column"]], t) for t in policy.get("treatments", [])]
        self.treated = [(one, t.get("within") == "classes") for one, t in treatments]
        self.judged = {str((m.get("model") or m).get("column")) for m in policy["privacy"]}
        given = [*names, *own["sensitive"], *own["unchanged"], *own["removed"]]
        given += [*own.get("forced", ()), *([self.pseudonym] if self.pseudonym else [])]
        once = all(len({*one}) == len(one) for one in (given, own["undecided"]))
        fits = once and len(parts) == len(names) and {*own["undecided"]} <= {*own["unchanged"]}
        fits = fits and {*own.get("forced_quasi", ())} <= {*names}
        if not fits or not policy["privacy"] or not _fit_dates(persons, names, own):
            raise Damaged("the policy names a column twice, or contradicts itself")
        self.k = max([k for k in map(_implied_size, policy["privacy"]) if k > 1], default=5)


def _implied_size(settings: Json) -> int:
    kind, get = settings["kind"], settings.get
    if kind in ("k-anonymity", "person-anonymity", "estimated-k-map"):
        return int(get("smallest", get("k", 0)))
    if kind in ("no-attack", "profitability"):
        gain, cost = exact(settings["gain"]), exact(settings["cost"])
        if kind == "no-attack":
            return gain // cost + 1
        worth = exact(settings["loss"]) / exact(settings["benefit"])
        return min(math.ceil(gain / cost) - 1 if cost else 2**62, math.floor(worth)) + 1
    if kind == "strict-average-risk" or (kind == "records-at-risk" and get("at_risk") == 0):
        return math.ceil(1 / exact(settings["maximum"]))
    return 0


class TableRelease:
    """A release of one table, and the checks that apply to such a release."""

    def __init__(self, folder: Folder, content: bytes, certificate: Json, to: Findings) -> None:
        require(certificate, "Certificate")
        if "engine" in certificate["table"]:
            raise WrongRequest("the table is in a database; use roadstead verify --table ADDRESS")
        self.folder, self.content, self.certificate, self.to = folder, content, certificate, to
        self.policy, self.people = certificate["policy"], certificate.get("persons")
        self.plan = Plan(self.policy)

    def verify(self) -> None:
        """Run all checks of a release of one table."""
        to, folder = self.to, self.folder
        check_files(folder, self.content, self.certificate, "policy.json attacks.html", to)
        self._check_policy()
        self._check_levels()
        counted = self._read_table()
        self._check_counts(counted)
        self._check_people(counted)
        if "attacks" in self.certificate or "attacks.html" in folder.names:
            both = "attacks" in self.certificate and "attacks.html" in folder.names
            claim = "This program does not check the results of attacks, and needs their page"
            to.add("attacks", None if both else False, claim)
        if self.certificate.get("plugins"):
            to.add("plugins", None, "This program does not have the models of other packages")
        checks = [self._check_labels, self._check_treatments, self._check_models, self._check_risk]
        if counted is not None:
            for check in (*checks, self._check_added, self._check_expected):
                check(counted)
        how = "how the policy was found, its loss, the risk before the release, what was left out"
        made = "whether the table was made from the original, and levels that rules do not record"
        rest = "what columns released unchanged reveal about a person, the text of report.html"
        to.limits += [how, made, rest]
        if (earlier := self.certificate.get("earlier_releases")) is not None:
            missed = any(x["why"] != "private" for x in earlier["not_laid"])
            missed = bool(missed or {"unlike", "partly"} & {*earlier})
            to.limits.append("the comparison with earlier releases" + " (incomplete)" * missed)
            risky = bool(earlier["findings"])
            to.notes += ["Caution: with earlier releases, it can single out people."] * risky

    def _check_policy(self) -> None:
        policy, people, settings = self.policy, self.people, self.certificate["settings"]
        same = False
        with suppress(Damaged):
            same = has_one_form(self.folder.content("policy.json"), policy)
        self.to.add("policy", same, "policy.json and the certificate have the same policy")
        names, kept = [one["name"] for one in policy["attributes"]], policy["suppression"]
        expected = {"quasi": names, "privacy": policy["privacy"], "suppression": kept["limit"]}
        expected["suppressed_records"] = kept["records"]
        applied = self.certificate["loss"] is None and self.certificate["search"] is None
        fits = all(settings[k] == v if k in settings else applied for k, v in expected.items())
        loss, search = self.certificate["loss"] or {}, self.certificate["search"] or {}
        whole, bound, gap = loss.get("loss", 1), search.get("lower_bound", 0), search.get("gap", 0)
        fits = fits and bound <= whole + 1e-9 and {*loss.get("by_attribute", ())} <= {*names}
        if search.get("optimal"):
            fits = fits and gap <= 1e-9 and (bound, search["ending"]) == (whole, "complete")
        self.to.add("settings", fits, "The settings match the policy")
        undecided = policy["columns"]["undecided"]
        detail = f"without a decision: {listed(undecided)}" if undecided else ""
        self.to.add("decisions", True, "The policy records who decided", detail)
        if (own := self.certificate["risk"].get("if_undone")) is not None:
            columns, quasi, most, *unit = own.values()
            fits = unit == (["person", people["knows"] != 1] if people else ["record", False])
            fits = fits and {*columns} <= {*policy["columns"].get("forced", ())} and most > 0
            fits = fits and {*quasi} <= {*names} and [] not in (columns, quasi)
            why = f"because {listed(columns)} determines {listed(quasi)}"
            self.to.add("undone", fits, f"The certified risk {why} is possible", f"{most:.4g}")
            self.to.limits.append(f"the risk {why}")

    def _check_levels(self) -> None:
        wrong, levels = [], dict(self.certificate["settings"].get("levels_allowed", {}))
        for one in self.policy["attributes"]:
            rule, level, last = one["rule"], one["level"], one["levels"] - 1
            try:
                can_produce(rule, "2024")  # raises an error if the rule contradicts itself
                low, high = levels.pop(one["name"], (0, last))
                whole = rule["kind"] == "prefix" and rule.get("length") in range(rule["keep"] + 1)
                fits = low <= level <= high <= last
                fits = fits and (level > 0 or whole or rule["kind"] != "prefix")
                fits = fits and (last == 0 or (level == last) == (rule["kind"] == "everything"))
            except _INVALID:
                fits = False
            wrong += [] if fits else [one["name"]]
        wrong += levels  # of attributes that the policy does not have
        self.to.add("levels", not wrong, "The rules fit their levels", listed(wrong))

    def _read_table(self) -> Counted | None:
        form, plan, to, detail, counted = self.certificate["format"], self.plan, self.to, "", None
        if form["kind"] != "csv":
            kind = f"This program cannot read a table of the kind {shown(form['kind'])}"
            to.add("table", None, f"{kind}, so columns, labels, groups, and counts are unchecked")
            return None
        try:
            with self.folder.opened(self.certificate["table"]["name"]) as file:
                table = TextTable(file, form)
                removed = set(map(_as_read, self.policy["columns"]["removed"]))
                leaked = {c for c in table.columns if _as_read(c) in removed} - {plan.pseudonym}
                claim = "No direct identifier is released"
                to.add("identifiers", not leaked, claim, listed(leaked))
                wrong = {*table.columns} ^ plan.columns
                if not to.add("columns", not wrong, "The columns match the policy", listed(wrong)):
                    return None
                people = self.certificate.get("population")
                counted = Counted(table.columns, plan, people).count(table)
                if form["compressed"] or any(plan.split) or not form["header"]:
                    claim = "Packed bytes, the order of ends, or a missing header is unchecked"
                    to.add("packing", None, claim)
                detail = "" if counted.in_order else "its records are in a different order"
        except (Damaged, UnicodeDecodeError) as error:
            detail = str(error) if isinstance(error, Damaged) else "it is not in UTF-8"
        to.add("table", not detail, "The table is written as Roadstead writes it", detail)
        return counted

    def _recoded_groups(self) -> set[Labels]:
        shows: list[list[Labels]] = []
        policy, recoding = self.policy, self.policy["recoding"]
        every = recoding["classes"]
        for rule, own, two in zip(policy["attributes"], recoding["attributes"], self.plan.split):
            codes, kind = rule.get("missing_codes", []), recoding["kind"]
            levels, rules = own.get("levels", [0]), own.get("rules", [rule["rule"]])
            fits = own.get("missing_codes", []) == codes and levels[-1] < rule["levels"]
            fits = fits and (kind != "cells" or {r["kind"] for r in rules[1:]} <= {"everything"})
            fits = fits and (rule["level"], rule["rule"]) == (levels[0], rules[0])
            if not fits or (kind == "intervals") != (own["kind"] == "intervals"):
                raise Damaged("the rules of its groups and of its quasi-identifiers do not match")
            if own["kind"] == "nodes":
                if not all(x in codes or can_produce(rules[at], x) for at, x in own["parts"]):
                    raise Damaged("a label does not follow from its rule")
                shows.append([(label,) for _, label in own["parts"]])
            elif two:
                missing, parts = own.get("missing", []), enumerate(own["parts"])
                shows.append([("" if i in missing else a or "", b or "") for i, (a, b) in parts])
            else:
                shows.append([(label,) for label in own["labels"]])
            if len(own["parts"]) != len(shows[-1]) or {*map(len, every)} != {len(self.plan.split)}:
                raise Damaged("a group or an interval does not have a label")
        return {tuple(cell for at, own in zip(one, shows) for cell in own[at]) for one in every}

    def _check_labels(self, counted: Counted) -> None:
        if self.plan.dates:
            detail = f"{counted.undated:,} cells do not" if counted.undated else ""
            self.to.add("dates", not detail, "Dates are shown as the policy states", detail)
        if self.policy.get("recoding"):
            try:
                groups = self._recoded_groups()
                strange = sum(group.labels not in groups for group in counted.groups)
                detail = f"{strange:,} of {len(counted.groups):,} do not" if strange else ""
            except _INVALID as error:
                detail = str(error) if isinstance(error, Damaged) else "the policy is damaged"
            self.to.add("groups", not detail, "Every group belongs to the policy", detail)
            return
        for one, labels in zip(self.policy["attributes"], counted.labels):
            wrong, known = len(labels), one["rule"]["kind"] != "code-parts"
            with suppress(*_INVALID):
                codes = one.get("missing_codes", ())
                wrong = sum(x not in codes and not can_produce(one["rule"], x) for x in labels)
            claim = f"{shown(one['name'])} is generalized by its rule"
            detail = f"{wrong:,} of {len(labels):,} labels do not follow from it" if wrong else ""
            detail = detail if known else "this program does not have the code book of the column"
            self.to.add(f"labels:{shown(one['name'])}", not wrong if known else None, claim, detail)

    def _check_treatments(self, counted: Counted) -> None:
        for one, shared in zip(self.policy.get("treatments", []), counted.treated):
            columns = one.get("columns") or [one["column"]]
            name, unit = listed(columns), "people" if self.plan.pseudonym else "records"
            if one["kind"] == "rounding":
                keys = [*(key[0] for key in shared), one["low"] or "", one["high"] or ""]
                fits = all(_is_rounded(key, one) for key in keys if key)
                claim = f"{name} is rounded to multiples of its base"
                self.to.add(f"treatment:{name}", fits, claim)
                continue
            sizes = {key: n if isinstance(n, int) else len(n) for key, n in shared.items()}
            small = sum(n < one["k"] for key, n in sizes.items() if any(key[: len(columns)]))
            claim = f"At least {one['k']} {unit} share each value of {name}"
            detail = f"{small:,} values do not" if small else ""
            self.to.add(f"treatment:{name}", not small, claim, detail)
            intervals = columns if one["function"] == "interval" else []
            fits = [ends["column"] for ends in one.get("ends", [])] == intervals
            fits = fits and (one["groups"] == "mdav" or one["within"] == "classes")
            self.to.add(f"settings:{name}", fits, f"The settings of {name} fit each other")
            for at, ends in enumerate(one.get("ends", [])):
                whole, cuts = ends["whole"], [None, *sorted(map(_number, ends["cuts"])), None]
                each, later = one["within"] == "table" and len(columns) == 1, cuts[1:]
                pairs = zip(cuts, later) if each else combinations(cuts, 2)
                labels = {interval_label(a, b, whole) for a, b in pairs}
                claim = f"The intervals of {shown(ends['column'])} are those of the policy"
                fits = {key[at] for key in shared} <= {*labels, ""}
                self.to.add(f"intervals:{shown(ends['column'])}", fits, claim)
            self.to.limits.append(f"whether the values of {name} are those of their groups")

    def _check_models(self, counted: Counted) -> None:
        for at, settings in enumerate(self.policy["privacy"]):
            kind, fits = settings["kind"], None
            try:
                if kind not in MODELS:
                    raise NotImplementedError("this program does not support it")
                fits, found = MODELS[kind](settings, counted)
            except NotImplementedError as error:
                found = f"it was not judged, because {error}"
            except _INVALID as error:
                fits, found = False, str(error) if isinstance(error, Damaged) else "it is not valid"
            self.to.add(f"model:{at}:{shown(kind)}", fits, shown(kind), found)

    def _check_counts(self, counted: Counted | None) -> None:
        c, to, people = self.certificate["counts"], self.to, self.people
        if counted is not None:
            to.same("records", "The number of records", counted.records, c["released"])
            masked = sum(group.size for group in counted.masked) - self._only_stars(counted)
            to.same("suppressed", "The number of suppressed records", masked, c["masked"])
        out, every = c["suppressed"], c["records"]
        fits = c["released"] + c["dropped"] == every and c["masked"] <= c["released"]
        star = 1 / c["masked"] if c["masked"] else None
        fits = fits and self.certificate["risk"].get("maximum_of_masked") == star
        to.add("counts", fits and out == c["masked"] + c["dropped"], "The certified counts add up")
        if people and any(m.get("leaves_out") == "persons" for m in self.policy["privacy"]):
            out, every = people["left_out"], people["persons"]
        most = math.floor(exact(self.policy["suppression"]["limit"]) * every)
        detail = f"{out:,} of {every:,}, limit {most:,}"
        to.add("limit", out <= most, "Suppression is within the limit", detail)

    def _only_stars(self, of: Counted) -> int:
        """Return how many records show only ``*`` because of the policy, not by suppression."""
        more: int = sum(group.size for group in of.masked) - self.certificate["counts"]["masked"]
        with suppress(*_INVALID):
            if self.policy.get("recoding"):
                return max(more, 0) * (self.plan.suppressed in self._recoded_groups())
            rules = [one["rule"] for one in self.policy["attributes"]]
            return max(more, 0) * all(r["kind"] in _HIDING and can_produce(r, "*") for r in rules)
        return 0

    def _check_risk(self, of: Counted) -> None:
        said = self.certificate["risk"]
        fits = 0 < said["average_before"] <= said["maximum_before"] + 1e-9
        fewest = sizes = [n for n in (*(g.size for g in of.groups), self._only_stars(of)) if n]
        average, classes = len(sizes) / max(sum(sizes), 1), len(sizes)
        claim = "The risk matches the certificate"
        if self.people is not None and of.rows:
            try:
                fewest = matches(of.rows, self.people["knows"])
            except NotImplementedError as error:
                self.to.add("risk", None, f"The risk of people was not counted: {error}")
                return
            average = math.fsum(1 / one for one in fewest) / len(fewest)
        smallest = min(fewest, default=0)
        if self.people is not None and not of.rows:  # the exact figures are unknown
            smallest = max(min(said["smallest_class"], smallest), self.plan.k)
            claim, average = "The certified risk fits the sizes of the groups", said["average"]
            fits = (1 - 1e-9) / max(sizes, default=1) <= average <= (1 + 1e-9) / max(smallest, 1)
        highest = 1 / smallest if smallest else 0.0
        pairs = [(said["maximum"], highest), (said["average"], average)]
        fits = fits and (said["smallest_class"], said["classes"]) == (smallest, classes)
        fits = fits and all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs)
        self.to.add("risk", fits, claim, f"highest {highest:.4g}, average {average:.4g}")
        star = said.get("maximum_of_masked", 0.0)
        worst = max(highest, star, said.get("if_undone", said)["maximum"])
        self.to.notes += ["Caution: a record may have a risk above 50%."] * (worst > 0.5)
        self.to.notes += [f"Suppressed records are one more group (risk {star:.4g})."] * bool(star)

    def _check_added(self, counted: Counted) -> None:
        plan, said = self.plan, self.certificate["added"]
        keys = [_LABELS, _ALL, *(plan.columns - {*plan.labels, plan.pseudonym})]
        two = {key: {"unique": counted.unique[key], "below_k": counted.below[key]} for key in keys}
        found = {"k": plan.k, "records": counted.records, "quasi": two.pop(_LABELS)}
        found |= {"together": two.pop(_ALL), "columns": two}
        found |= {"groups_of": "persons"} if plan.pseudonym and two else {}
        detail = f"{counted.unique[_ALL]:,} records are unique if all columns are known"
        if plan.pseudonym and two and (knows := self.people["knows"]) != 1:
            found["people"], detail = said.get("people"), f"{knows} rows were not counted"
            with suppress(NotImplementedError):  # the risk check states the reason
                fewest = matches(counted.whole, knows)
                few = {"unique": fewest.count(1), "below_k": sum(n < plan.k for n in fewest)}
                found["people"] = {"knows": knows, "persons": len(fewest), **few}
                detail = f"{few['unique']:,} people are unique if {knows} whole rows are known"
        elif (of := self.people) and not plan.pseudonym and "people" in said:  # cannot be counted
            found["people"] = said["people"] | {"persons": of["released"], "knows": of["knows"]}
        claim = "The risk from the released columns matches the certificate"
        self.to.add("added", said == found, claim, detail)

    def _check_expected(self, counted: Counted) -> None:
        said, sizes = self.certificate.get("expected_below_k"), [g.size for g in counted.groups]
        ks = [m.get("k") for m in self.policy["privacy"] if m["kind"].endswith("k-map")]
        fits = False
        if said is not None and ks:
            most = min(said["high"], sum(size for size in sizes if size < ks[0]))
            fits = (said["k"], said["released"]) == (ks[0], sum(sizes))
            fits = fits and 0 <= said["low"] <= said["records"] <= most
        if said is not None or ks:
            self.to.add("expectation", fits, "The expected number below k fits the groups")

    def _check_people(self, counted: Counted | None) -> None:
        policy, people, counts, to = self.policy, self.people, self.certificate["counts"], self.to
        rules = policy.get("persons")
        model = next((m for m in policy["privacy"] if m["kind"] == "person-anonymity"), None)
        claim = "Policy and certificate agree on the person ID"
        if rules is None or people is None or model is None:
            if any((rules, people, model)):
                to.add("person-id", False, claim)
            return
        linked = rules["link"] == "pseudonym"
        released, out, part = people["released"], people["left_out"], people["in_part"]
        fits = rules["column"] == people["column"] == model.get("person")
        fits = fits and (people["knows"], people["linkage"]) == (model.get("knows"), rules["link"])
        fits = fits and (people["pseudonyms"] is not None) == linked
        if linked and rules.get("shift"):
            fits = fits and rules["shift"]["keyed"] == (people["pseudonyms"] == "keyed")
        to.add("person-id", fits, claim)
        fits = people["persons"] == released + out and part <= released <= counts["released"]
        fits = fits and out + part <= counts["suppressed"] <= (out + part) * counts["records"]
        fits = fits and (part == 0 or model.get("leaves_out") == "rows")
        to.add("people", fits, "The certified numbers of people add up", f"{part:,} in part")
        if linked and counted is not None:
            made = sum(map(_is("[a-z2-7]{26}"), counted.rows))
            to.same("people-found", "The number of people", len(counted.rows), released)
            to.same("pseudonyms", "The number of pseudonyms", made, released)
        elif not linked:
            to.add("people-found", None, "People per group and average risk", "rows are not linked")


def _is_rounded(text: str, rule: Json) -> bool:
    value, base = Fraction(_number(text)), Fraction(_number(rule["base"]))
    low, high = (value if rule[end] is None else _number(rule[end]) for end in ("low", "high"))
    return base > 0 and value % base == 0 and low <= value <= high


def verify_private(folder: Folder, content: bytes, certificate: Json, to: Findings) -> None:
    """Check the files, the seal, and the privacy budget of a differentially private release."""
    known = "groups.csv records.csv margins.csv cut.json attacks.html"
    check_files(folder, content, certificate, known, to)
    require(certificate, "Private")
    blank = content.replace(f'"seal": "{certificate["seal"]}"'.encode(), b'"seal": ""')
    fits = hashlib.sha256(blank).hexdigest() == certificate["seal"]
    to.add("seal", fits, "The certificate is as it was sealed")
    parts = [(Fraction(one["exact"]), one["epsilon"]) for one in certificate["ledger"]]
    whole, epsilon = Fraction(certificate["exact"]), certificate["epsilon"]
    asked, spent = Fraction(certificate["settings"]["epsilon"]), Fraction(certificate["spent"])
    fits = sum(part for part, _ in parts) == whole == spent == asked and float(whole) == epsilon
    fits = fits and all(part > 0 and float(part) == said for part, said in parts)
    to.add("budget", fits, "The steps of the privacy budget add up to epsilon", f"{epsilon:g}")
    claim = "This program does not check that groups, margins, and records follow from the cut"
    to.add("records", None, f"{claim}, or that the steps of the budget belong to such a release")
    to.limits += ["whether noise was added", "whose rows were used", "the text of report.html"]


def verify_database(folder: Folder, content: bytes, certificate: Json, to: Findings) -> None:
    """Check the files of the release of a whole database."""
    check_files(folder, content, certificate, "", to)
    require(certificate, "Database")
    people, fits = certificate["persons"], []
    most = math.floor(exact(certificate["policy"]["suppression"]["limit"]) * people["source"])
    for one in certificate["tables"].values():
        own, lost, columns = one.get("people", people), one["lost"], {c for c, _ in one["columns"]}
        kept = one["rows_of_source"] - sum(lost.values()) + lost["generalized"]
        bare, rules, has = one["rules"]["person"] is None, one["rules"], one["rows"]  # no people
        fits += [not bare or not any(map(rules.get, ("dates", "code", "details", "root")))]
        fits += [lost["generalized"] <= has, bare or has == kept, not columns & {*one["left_out"]}]
        fits += [own["released"] <= min(own["source"], people["released"])]
        fits += [own is people or own["source"] <= one["rows_of_source"]]
    fits += [people["source"] - people["released"] == people["left_out"] <= most]
    to.add("counts", all(fits), "The certified numbers of people and rows add up")
    to.add("tables", None, "This program does not check the tables of a whole database")


def verify(path: Path, trusted: Sequence[bytes] = (), on: date | None = None) -> Findings:
    """Check a release, and whether a signature by a `trusted` key is valid `on` a day, or today."""
    if not path.is_dir():
        raise WrongRequest(f"{shown(path, 200)} is not a folder; name the folder of a release")
    to, folder = Findings(), Folder(path)
    try:
        content = folder.content("certificate.json")
        certificate = parsed(content)
        if "roadstead_private_certificate" in certificate:
            verify_private(folder, content, certificate, to)
        elif "roadstead_database" in certificate:
            verify_database(folder, content, certificate, to)
        else:
            TableRelease(folder, content, certificate, to).verify()
    except (*_INVALID, RecursionError) as error:
        why = str(error) if isinstance(error, Damaged) else "an entry is not valid"
        to.add("certificate", False, "The certificate can be read", why)
    check_signature(folder, trusted, on or datetime.now(timezone.utc).date(), to)
    return to


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program, and return the exit code."""
    parser = argparse.ArgumentParser("roadstead-verify", description="Check a Roadstead release.")
    parser.add_argument("release", help="the folder of the release")
    what = "a public key that you trust; repeatable"
    parser.add_argument("--signed-by", action="append", metavar="FILE.pub", help=what)
    parser.add_argument("--on", metavar="DATE", help="the day on which the signature must be valid")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    try:
        if asked.on is not None and the_day(asked.on) is None:
            raise WrongRequest("--on: give a day, for example 2027-06-30")
        release, keys = Path(asked.release), [Path(one) for one in asked.signed_by or ()]
        if any(release.resolve() in one.resolve().parents for one in keys):
            raise WrongRequest("--signed-by: the key came with the release; get it from its signer")
        found = verify(release, [read_public_key(one) for one in keys], the_day(asked.on))
    except (WrongRequest, OSError) as error:
        print(f"roadstead-verify: {shown(error, 300)}", file=sys.stderr)
        return 2
    marks = {PASSED: "  ok      ", FAILED: "  FAILED  ", UNKNOWN: "  not checked: "}
    lines = [f"{marks[one['status']]}{one['sentence']}" for one in found.checks] + found.notes
    lines += [f"No file can show: {'; '.join(found.limits)}."] if found.limits else []
    document = {"verdict": found.verdict, **vars(found)}
    print(json.dumps(document) if asked.json else "\n".join([*lines, f"Verdict: {found.verdict}"]))
    return 1 if found.verdict == "refused" else 0


if __name__ == "__main__":
    sys.exit(main())
