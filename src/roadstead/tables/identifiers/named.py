"""Recognize columns of names of people, in any script and in the usual spellings.

Names are recognized in four ways: as pairs of words that combine freely, as words from the lists of
frequent names, as logins such as `smithj`, and by the forms of names in a script. Categories, such
as drugs and diagnoses, do not combine freely and are not in the lists.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from roadstead.tables.identifiers import prose
from roadstead.tables.identifiers.contents import may_be_image
from roadstead.tables.identifiers.normal import plain
from roadstead.tables.identifiers.tally import ColumnTally
from roadstead.tables.identifiers.vocabulary import is_called, is_listed, is_ordinary, table_of

_NEARLY_ALL, _MOSTLY, _HALF, _SOME = 0.9, 0.8, 0.5, 0.3
_FEWEST_NAMES: Final = 50
_FEWEST_LISTED, _FEWEST_FOREIGN, _FEWEST_TITLED, _FEWEST_CALLED = 8, 5, 3, 2
_PRODUCT: Final = 1.5
_MARKUP = re.compile(r"</?[a-z][^>]*>", re.IGNORECASE)
_REFERENCE = re.compile(r"(?:[\w:/.-]+/)?(Patient|Person|Practitioner|RelatedPerson)/[\w.-]+")
_TITLE = re.compile(r"(?:dr|prof|mr|mrs|miss|herr|frau|mme)[._ -]{1,2}[^\W\d_]{2,}", re.IGNORECASE)
_INITIAL = re.compile(
    r"[^\W\d_a-z]\. ?(?P<last>[^\W\d_a-z][\w'-]+)|(?P<first>[^\W\d_][\w'-]+),? [^\W\d_a-z]\.?"
)
_HL7 = re.compile(r"[^\W\d_][\w' -]*\^[^\W\d_][\w' -]*\^*[\w^.]*")
_LOGIN = re.compile(r"[a-z]{4,12}")
_OTHER_SCRIPT = (
    r"[\u0370-\u03ff\u1f00-\u1fff]|[\u0400-\u04ff]|[\u0590-\u05ff]|[\u0600-\u06ff]|[\u0900-\u097f]"
    r"|[\u0e00-\u0e7f]"
)
_TWO_FOREIGN = re.compile(rf"(?:{_OTHER_SCRIPT}){{2,}},? (?:{_OTHER_SCRIPT}){{2,}}")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]{4,}")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{2,4}")


def names_of_people(texts: Mapping[str, int], tally: ColumnTally) -> str:
    """Explain why a column of strings may contain names, or return an empty string."""
    if not texts:
        return ""
    plain_texts: Counter[str] = Counter()
    for text, many in texts.items():
        plain_texts[_MARKUP.sub("", text).strip()] += many
    if what := _of_form(plain_texts.keys()):
        return f"its values look like {what}, so they may be {prose.PERSON}"
    return _pairs(plain_texts, tally)


def _of_form(texts: Collection[str]) -> str:
    """Return the form of names that most values have, or an empty string."""
    forms = (
        ("names with a title", _FEWEST_TITLED, _MOSTLY, _is_titled),
        ("names in HL7 messages", _FEWEST_TITLED, _MOSTLY, _HL7.fullmatch),
        ("references to people", _FEWEST_TITLED, _MOSTLY, _REFERENCE.fullmatch),
        ("frequent names", _FEWEST_LISTED, _SOME, _listed),
        ("two words in another script", _FEWEST_FOREIGN, _NEARLY_ALL, _TWO_FOREIGN.fullmatch),
        ("Chinese names", _FEWEST_LISTED, _MOSTLY, _is_han),
        ("Korean names", _FEWEST_LISTED, _MOSTLY, _is_hangul),
    )
    for what, fewest, share, fits in forms:
        if len(texts) >= fewest and sum(map(bool, map(fits, texts))) >= share * len(texts):
            return what
    if _are_slavic(texts):
        return "Slavic surnames"
    if _are_with_initials(texts):
        return "surnames with an initial"
    return "logins of people" if _are_logins(texts) else ""


def _are_with_initials(texts: Collection[str]) -> bool:
    """Return whether values are surnames with an initial, but not species such as "E. coli"."""
    found = [one for text in texts if (one := _INITIAL.fullmatch(text)) is not None]
    listed = sum(is_listed(one["last"] or one["first"]) for one in found)
    return len(found) >= max(_FEWEST_LISTED, _MOSTLY * len(texts)) and listed >= _SOME * len(found)


def _listed(text: str) -> bool:
    """Return whether a value is a word from the lists of names that is not an ordinary word."""
    return " " not in text and is_listed(text)


def _is_titled(text: str) -> bool:
    """Return whether a value consists of a title and a name."""
    return _TITLE.fullmatch(text) is not None and not may_be_image(text)


def _are_slavic(texts: Collection[str]) -> bool:
    """Return whether values are words in Cyrillic letters that end like surnames."""
    words = [plain(text) for text in texts if _CYRILLIC.fullmatch(text)]
    surnames, others = (
        sum(word.endswith(tuple(table_of("people.toml")[key].split())) for word in words)
        for key in ("slavic", "slavic_also")
    )
    fits = surnames + others >= max(_FEWEST_FOREIGN, _NEARLY_ALL * len(texts))
    return fits and surnames >= _SOME * len(texts)


def _is_han(text: str) -> bool:
    return bool(_HAN.fullmatch(text)) and text[0] in _first_signs()["han"]


def _is_hangul(text: str) -> bool:
    return bool(_HANGUL.fullmatch(text)) and text[0] in _first_signs()["hangul"]


@cache
def _first_signs() -> Mapping[str, frozenset[str]]:
    return {key: frozenset(table_of("people.toml")[key]) for key in ("han", "hangul")}


def _are_logins(texts: Collection[str]) -> bool:
    """Return whether words are logins that join a surname and the first letter of a given name."""
    fits = [text for text in texts if _LOGIN.fullmatch(text)]
    if len(fits) < max(_FEWEST_NAMES, _NEARLY_ALL * len(texts)):
        return False
    return any(
        _PRODUCT * len(stems) <= len(fits) and _SOME * len(stems) <= sum(map(is_listed, stems))
        for stems in ({text[:-1] for text in fits}, {text[1:] for text in fits})
    )


def _pairs(texts: Mapping[str, int], tally: ColumnTally) -> str:
    """Find full names, which are pairs of words that look like names and combine freely."""
    fewest = _FEWEST_CALLED if is_called(tally.column, "of_person") else _FEWEST_NAMES
    named = [text for text in texts if prose.has_person(text)]
    if len(named) >= max(fewest, _HALF * len(texts)) and tally.spread(
        {text: texts[text] for text in named}
    ):
        return f"{len(named):,} values contain {prose.PERSON}"
    pairs = {text: pair for text in texts if (pair := prose.pair_of_words(text)) is not None}
    if len(pairs) < max(_FEWEST_NAMES, _NEARLY_ALL * len(texts)):
        return ""
    if not tally.spread({text: texts[text] for text in pairs}):
        return ""
    first, second = {pair[0] for pair in pairs.values()}, {pair[1] for pair in pairs.values()}
    product = len(set(pairs.values())) > _PRODUCT * max(len(first), len(second))
    ordinary = sum(is_ordinary(pair[0]) and is_ordinary(pair[1]) for pair in pairs.values())
    if len(named) >= _SOME * len(texts) or (product and ordinary < _HALF * len(pairs)):
        return f"{tally.distinct:,} different pairs of words, like given names and surnames"
    return ""
