"""Options that say what a differentially private release is to hold, each with its help."""

from __future__ import annotations

from typing import Annotated

import typer

Classes = Annotated[
    list[str] | None,
    typer.Option("--classes", metavar="A,B", help="All that the target can hold."),
]
PrivateTarget = Annotated[
    str | None,
    typer.Option("--target", metavar="D", help="Column that the release is to tell most of."),
]
Attributes = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi", metavar="A,B,C", help="Attributes to be released.  [all with a declared domain]"
    ),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="A=LOW..HIGH",
        help="Numbers a column can hold, ends included; LOW..HIGH/STEP for steps other than 1.",
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--values", metavar="A=X,Y,Z", help="Values a column, or the items of a set, can have."
    ),
]
Taxonomies = Annotated[
    list[str] | None,
    typer.Option(
        "--taxonomy",
        metavar="A=TAXONOMY",
        help="Tree of a column's values or a set's items: icd9, icd10, prefix:1+3 (with "
        "--values), FILE, FILE:CODE:GROUP+GROUP.",
    ),
]
Fanout = Annotated[
    list[str] | None,
    typer.Option(
        "--fanout",
        metavar="N",
        help="Most children of a node of a taxonomy; A=N for one.  [4 for sets]",
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--sets",
        metavar="S=WHERE",
        help="Set-valued attribute: a column, columns a+b+c, or DATA:KEY:CODE[:ORDER].",
    ),
]
DelimiterInSets = Annotated[
    str | None,
    typer.Option("--delimiter-in-sets", help="Character between the items of a set."),
]
Sequences = Annotated[
    list[str] | None,
    typer.Option("--sequence", metavar="S", help="Sets whose items have an order."),
]
Longest = Annotated[
    int | None, typer.Option("--longest", metavar="N", help="How many items in order count.")
]
Score = Annotated[
    str | None,
    typer.Option("--score", help="Worth of a specialization: max, max-gain, info-gain.  [max]"),
]
Outside = Annotated[
    str | None,
    typer.Option("--outside", help="Records outside the domains: leave-out or stop.  [leave-out]"),
]
