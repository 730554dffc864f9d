"""Numbers in words neither omit nor invent anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports import wording


def test_a_risk_reads_as_one_in_n_where_that_says_more() -> None:
    """Half and above is clearer in percent alone; what is not whole is about."""
    assert wording.odds(0.2) == "20% (1 in 5)"
    assert wording.odds(1 / 39.4) == "2.54% (about 1 in 39)"
    assert wording.odds(1.0) == "100%"
    assert wording.odds(0.0) == "0%"
    assert wording.odds(4e-7) == "4e-5% (1 in 2,500,000)"
    assert wording.one_in(0.75) == ""


def test_counts_have_separators_and_stay_readable_when_huge() -> None:
    """25 attributes span lattices of many digits."""
    assert wording.format_count(10_000_000) == "10,000,000"
    assert wording.format_count(5**25) == "about 2.9 \N{MULTIPLICATION SIGN} 10¹⁷"
    assert wording.format_count(10**15 - 1) == "999,999,999,999,999"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.0, "1.00"),
        (2.163, "2.16"),
        (42.57, "42.6"),
        (512.4, "512"),
        (3755.2, "3,755"),
    ],
)
def test_a_mean_has_three_digits_that_count(number: float, text: str) -> None:
    """Large means are whole."""
    assert wording.decimal(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "less than 0.01 s"),
        (0.052, "0.05 s"),
        (12.34, "12.3 s"),
        (125.0, "2 min 5 s"),
        (72_180.0, "20 h 3 min"),
    ],
)
def test_a_time_in_the_unit_it_is_thought_of(seconds: float, text: str) -> None:
    """From hundredths of a second to hours."""
    assert wording.duration(seconds) == text


def test_a_moment_is_told_in_utc() -> None:
    """Other zones are converted; other texts are unchanged."""
    assert wording.moment("2025-03-04T05:06:07Z") == "4 March 2025, 05:06 UTC"
    assert wording.moment("2025-03-04T05:06:07+05:00") == "4 March 2025, 00:06 UTC"
    assert wording.moment("2025-03-04T05:06:07") == "4 March 2025, 05:06 UTC"
    assert wording.moment("some day") == "some day"


def test_nouns_follow_their_number() -> None:
    """One record, two records, two policies."""
    assert wording.counted(1, "record") == "1 record"
    assert wording.counted(2_000, "record") == "2,000 records"
    assert wording.counted(2, "policy", "policies") == "2 policies"


def test_names_in_a_sentence() -> None:
    """One, two and more names."""
    assert wording.listed(["a"]) == "a"
    assert wording.listed(["a", "b"]) == "a and b"
    assert wording.listed(["a", "b", "c"]) == "a, b and c"


def test_what_cannot_be_shown_is_marked() -> None:
    """Control characters, lone surrogates and marks that reverse the text."""
    assert wording.legible("a\x00b\x1bc\ud800d\u202ee") == r"a\x00b\x1bc\ud800d\u202ee"
    assert wording.legible("Größe 身長 العمر\nx") == "Größe 身長 العمر\nx"


@given(st.text(st.characters()))
def test_whatever_is_shown_can_be_written(text: str) -> None:
    """Legible text is encodable, even where a file name was not."""
    wording.legible(text).encode()


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("short", "short"),
        ("exactly ten", "exactly t\N{HORIZONTAL ELLIPSIS}"),
        ("ten column", "ten column"),
        ("cut after a space", "cut after\N{HORIZONTAL ELLIPSIS}"),
        ("身長身長身", "身長身長身"),
        ("身長身長身長", "身長身長\N{HORIZONTAL ELLIPSIS}"),
    ],
)
def test_long_names_are_cut_with_a_mark(text: str, cut: str) -> None:
    """Short names stay whole; wide characters use the room of two."""
    assert wording.shortened(text, 10) == cut


@given(st.text(st.characters()), st.integers(2, 40))
def test_a_shortened_text_fits(text: str, columns: int) -> None:
    """The result is never longer than requested, and it is a beginning of the whole."""
    cut = wording.shortened(text, columns)
    assert len(cut) <= columns
    assert text.startswith(cut.removesuffix("\N{HORIZONTAL ELLIPSIS}"))


@pytest.mark.parametrize(
    ("unit", "sentence"),
    [
        (
            wording.CountedUnit(),
            "This counts records, not people. If a person can have several records, name the "
            "person ID column with person=COLUMN.",
        ),
        (
            wording.CountedUnit(first="run anonymize again, and "),
            "This counts records, not people. If a person can have several records, run "
            "anonymize again, and name the person ID column with person=COLUMN.",
        ),
        (
            wording.CountedUnit(suspects=("pid",)),
            "This counts records, not people. The column pid looks like a person ID. To count "
            'people, use person="pid".',
        ),
        (
            wording.CountedUnit(suspects=("pid", "mrn"), first="run anonymize again, and "),
            "This counts records, not people. The columns pid and mrn look like person IDs. To "
            "count people, run anonymize again, and use person=COLUMN.",
        ),
        (
            wording.CountedUnit("pid"),
            "This counts people, not records. The person ID column is pid.",
        ),
    ],
)
def test_what_is_counted_is_said_with_the_way_to_change_it(
    unit: wording.CountedUnit, sentence: str
) -> None:
    """Records are counted until the person ID column is named; a report names no setting."""
    assert unit.sentence == sentence
    assert unit.to_dict()["unit"] == ("records" if unit.person is None else "persons")
    assert "person=" not in unit.stated
    assert unit.stated.startswith(sentence.split(". ", maxsplit=1)[0])
