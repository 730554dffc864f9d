"""Which system the values of a column have, and when none is chosen."""

from __future__ import annotations

import pytest

from roadstead.code_systems.recognition import recognized
from roadstead.tables.identifiers.postal import country_of
from roadstead.tables.identifiers.vocabulary import is_called, words
from roadstead.verbs.defaults import proposed_hierarchy

GERMAN = [f"{area:02d}{place:03d}" for area in (1, 10, 20, 48, 80, 97, 99) for place in range(9)]
LARGE = [*GERMAN, *(f"{area}01" for area in (213, 343, 345, 348, 353, 419, 428, 429))]
SPANISH = [f"{area:02d}{place:03d}" for area in (8, 28, 41, 46) for place in range(9)]
BRITISH = ["SW1A 1AA", "N1 9GU", "EH1 1YZ", "CF10 1EP", "BT1 5GS", "M1 1AE"]
CANADIAN = ["K1A 0B1", "H2X 1Y4", "V6B 1A1", "M5V 2T6", "T2P 1J9"]
DUTCH = ["1012 AB", "3511 LX", "9711 LM", "6211 CR", "2513 AA"]
DIGITS = ["1010", "2000", "3000", "4000", "5020"]


@pytest.mark.parametrize(
    ("name", "values", "chosen", "by"),
    [
        ("PLZ", GERMAN, "postcode_de", "name"),
        ("plz_wohnort", ["1010", "8010"], None, "values"),  # Austria or Switzerland
        ("code_postal", [*GERMAN[:9], "75001"], "postcode_fr", "name"),
        ("codigo_postal", SPANISH, None, "values"),  # Spain or Mexico
        ("codigo_postal", ["1000-205", "4050-313"], "postcode_pt", "name"),
        ("postcode", BRITISH, "postcode_gb", "name"),
        ("postcode", DIGITS, None, "values"),  # Australia, Belgium, the Netherlands
        ("postcode", ["0800", "2600", "3000"], "postcode_au", "name"),
        ("residence", BRITISH, "postcode_gb", "form"),
        ("postal_code", CANADIAN, "postcode_ca", "form"),
        ("zip", CANADIAN, "postcode_ca", "form"),
        ("postal_code", DUTCH, "postcode_nl", "form"),
        ("zip", GERMAN, "postcode_us", "name"),
        ("zip", LARGE, None, "values"),  # so many of them are not in use in the US
        ("postal_code", GERMAN, None, "values"),
        ("postal_code", [*GERMAN[:4], "12345-6789"], None, "values"),
        ("plz", ["10115", "20095", "80331", "unbekannt"], "postcode_de", "name"),
        ("country_of_birth", ["Germany", "PT", "Brasil"], "country", "name"),
        ("atc_code", ["A10BA02", "C07"], "atc", "name"),
        ("medication", ["A10BA02", "C07AB02", "N02BE01", "B01AC06", "J01CA04"], "atc", "form"),
        ("isco08", ["2211", "5120"], "isco08", "name"),
        ("naics_code", ["622110", "31"], "naics", "name"),
        ("nuts_3", ["DE300", "PT170"], "nuts", "name"),
        ("icd9_code", ["4019", "V27.0", "E932"], "icd9", "values"),
        ("icd10gm", ["I21.4", "E11.90"], "icd10who", "name"),
        ("icd10cm", ["I21.4", "E11.9"], "icd10", "name"),
        ("diagnosis", ["I21.4", "E11.9"], None, "values"),
        ("dx1", ["I21.4", "E119", *["J45.901"] * 18, "S72.001A"], "icd10", "values"),
    ],
)
def test_a_system_is_chosen_only_if_no_other_is_left(
    name: str, values: list[str], chosen: str | None, by: str
) -> None:
    """By a name of its own, by a form that no other system has, or by the values."""
    found = recognized(words(name), values, postal=is_called(name, "zip"))
    assert found is not None
    assert (found.chosen.name if found.chosen else None, found.by) == (chosen, by)
    assert found.chosen is not None or len(found.possible) > 1


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("state", ["CA", "DE", "AL", "CO"]),  # also codes of countries
        ("stage", ["T2N0M0", "T1N1M0", "T3N0M1", "T2N1M1", "T4N2M0"]),  # like K1A0B1
        ("salary", GERMAN),
        ("code", ["1012AB", "1013AC"]),
        ("country", ["Narnia", "Utopia"]),
        ("name", ["Ann", "Bob"]),
        ("diagnosis", ["Ann", "Bob"]),
        ("zip", ["2139", "2140", "2141"]),  # US ZIP codes that lost a zero, of no other country
    ],
)
def test_other_columns_have_no_system(name: str, values: list[str]) -> None:
    """A form that other texts have, too, needs a name."""
    assert recognized(words(name), values, postal=is_called(name, "zip")) is None


def test_what_is_said_of_a_column() -> None:
    """The codes, what decided, and for codes of several countries the line to write."""
    (said,) = proposed_hierarchy("PLZ", [*GERMAN, "unbekannt", ""]).said()
    assert said == (
        "Roadstead reads PLZ as German postal codes, because of its name and its values: 98% of "
        "the distinct values fit. They also fit Mexican postal codes and US ZIP codes."
    )
    unclear = proposed_hierarchy("postal code", GERMAN)
    assert unclear.declaration["kind"] == "prefix"
    (said,) = unclear.said()
    assert '"postal code" = {kind = "codes", book = "postcode_de"}' in said
    assert "German postal codes, Mexican postal codes and US ZIP codes" in said
    assert [*proposed_hierarchy("zip", ["02139", "37212"]).said()] == []


@pytest.mark.parametrize(
    ("name", "values", "country"),
    [
        ("zip", ["02139", "37212"], "us"),
        ("zip", ["021**", "2139"], "us"),
        ("zip", CANADIAN, "other"),
        ("zip", LARGE, "unclear"),
        ("zip", DIGITS, "unclear"),  # a zero is missing, or they are Swiss
        ("plz", GERMAN, "other"),
        ("codigo_postal", SPANISH, "other"),
        ("postal_code", GERMAN, "unclear"),
        ("postal_code", ["one", "two"], "unclear"),
        ("postal_code", [*["02139-1234"] * 4, "37212-0001"], "us"),
    ],
)
def test_only_us_zip_codes_have_the_rule_of_safe_harbor(
    name: str, values: list[str], country: str
) -> None:
    """Codes that could be of two countries are not known to be ZIP codes."""
    assert country_of(name, values) == country
