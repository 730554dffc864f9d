"""Options that commands share, each with its help; what only one command has stands with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DATA = (
    "CSV, TSV or Parquet file, also gzipped; a folder of such; DATABASE://...?table=NAME; "
    "omop:FOLDER or omop:DATABASE://...?schema=NAME; or fhir:FOLDER."
)

Data = Annotated[str | None, typer.Argument(metavar="DATA", help=DATA)]
Quasi = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi", metavar="A,B,C", help="Quasi-identifiers: what others may know of a person."
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option("--sensitive", metavar="D", help="Sensitive columns, released as they are."),
]
Identifying = Annotated[
    list[str] | None,
    typer.Option("--identifying", metavar="E,F", help="Columns that are never released."),
]
Insensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--insensitive", metavar="G", help="Other columns, released even if their values are rare."
    ),
]
Release = Annotated[
    list[str] | None,
    typer.Option(
        "--release",
        metavar="H",
        help="Columns to release although they look like an identifier; everything says so.",
    ),
]
Hierarchies = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        metavar="DIR",
        help="Folder of hierarchy files: *_hierarchy_<attribute>.csv or <attribute>.csv.",
    ),
]
K = Annotated[int | None, typer.Option("--k", help="Smallest class to be released.  [5]")]
PrivacyModels = Annotated[
    list[str] | None,
    typer.Option(
        "--privacy",
        metavar="MODEL:A=1,B=2",
        help="Further privacy model that must hold, such as t-closeness:t=0.2; repeatable. Models: "
        "distinct-l-diversity, entropy-l-diversity, recursive-cl-diversity, t-closeness, "
        "beta-likeness, delta-presence, average-risk, strict-average-risk, population-risk; k-map "
        "and estimated-k-map, which replace k-anonymity unless --k asks for it.",
    ),
]
Population = Annotated[
    str | None,
    typer.Option(
        "--population",
        metavar="DATA",
        help="Table of the population, like DATA, for k-map, delta-presence and population-risk.",
    ),
]
PopulationCounts = Annotated[
    str | None,
    typer.Option(
        "--population-counts",
        metavar="COLUMN",
        help="Its column of how many people a row stands for.  [one]",
    ),
]
Absent = Annotated[
    str | None,
    typer.Option(
        "--absent", help="Records that nobody of the population is like: stop or count.  [stop]"
    ),
]
Limit = Annotated[
    float | None,
    typer.Option("--suppression", help="Largest share of records to suppress.  [0.05]"),
]
Quality = Annotated[
    str | None,
    typer.Option(
        "--quality",
        metavar="MEASURE",
        help="Loss to be minimized: loss, precision, entropy, discernibility, class-size, "
        "divergence, classification.  [loss]",
    ),
]
Aggregate = Annotated[
    str | None,
    typer.Option(
        "--aggregate",
        metavar="MEAN",
        help="Mean over attributes of loss, precision and entropy: geometric, arithmetic.  "
        "[geometric]",
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="D", help="Column that --quality classification predicts."),
]
Weight = Annotated[
    list[str] | None,
    typer.Option("--weight", metavar="A=2", help="Weight of an attribute in the loss.  [1]"),
]
MinLevel = Annotated[
    list[str] | None,
    typer.Option("--min-level", metavar="A=1", help="Lowest level allowed for an attribute."),
]
MaxLevel = Annotated[
    list[str] | None,
    typer.Option("--max-level", metavar="A=2", help="Highest level allowed for an attribute."),
]
SearchName = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="SEARCH",
        help="Search strategy: exact, best-first, flash, ola, incognito, lattice-based, igreedy, "
        "datafly, genetic; k-optimize, partition-greedy, partition-genetic.  [exact]",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="End the search with the best so far."),
]
Suppressed = Annotated[
    str | None,
    typer.Option("--suppressed", help="Suppressed records: mask (keep with *) or drop.  [mask]"),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", help="Seed of the random choices of genetic searches; recorded."),
]
Combinations = Annotated[
    int | None,
    typer.Option(
        "--combinations",
        metavar="N",
        help="Most distinct combinations held in memory; where there are more, policies are "
        "evaluated by queries.  [20000000]",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="New folder for the release.")
]
Into = Annotated[
    str | None,
    typer.Option(
        "--into",
        metavar="ADDRESS",
        help="Make the released table a new one in a database, DATABASE://...?table=NAME; its "
        "documents go to --out.",
    ),
]
ProjectFile = Annotated[
    Path | None,
    typer.Option("--project", metavar="FILE", help="Project file; options go before it."),
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="Character between cells.  [found out]")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of the file.  [found out]")
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first row names the columns."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXT",
        help="Text that stands for a missing value, such as '?'; repeatable.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing release.")]
ForceProject = Annotated[bool, typer.Option("--force", help="Replace an existing project file.")]
ForceDemo = Annotated[bool, typer.Option("--force", help="Replace a former demonstration.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
