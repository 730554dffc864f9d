"""Define the headings of the options in the help of a command."""

from __future__ import annotations

from enum import StrEnum


class Heading(StrEnum):
    """A heading of options. The help prints the headings in this order."""

    COLUMNS = "Columns"
    PROTECTION = "Protection"
    ADVICE = "Advice on the attacker"
    DOCUMENTS = "Documents"
    CHECKS = "Checks"
    SIGNATURE = "Signature"
    COMPARISON = "Comparison with the original table"
    ATTACKER = "Knowledge of the attacker"
    OUTPUT = "Output"
    SQL = "Release in a database with SQL"
    DETAIL = "Detail to keep"
    CHOICE = "Release under a policy on the frontier"
    PEOPLE = "People with several records"
    POPULATION = "Population"
    DOMAINS = "Public domains of the columns"
    SETS = "Sets of values per person"
    SAMPLE = "A private sample of the records"
    TRIALS = "Trial runs of a private release"
    SEARCH = "Search"
    RANDOMNESS = "Random choices"
    EARLIER = "Earlier releases"
    READING = "Reading the table"
    WORKBENCH = "Workbench"
    GENERAL = "General"
