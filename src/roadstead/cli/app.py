"""The commands and their options; each calls its verb."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roadstead import __version__
from roadstead.cli.commands import command_of
from roadstead.cli.options import (
    Absent,
    Data,
    Delimiter,
    Encoding,
    Header,
    Hierarchies,
    Identifying,
    Insensitive,
    Into,
    Json,
    Missing,
    PopulationCounts,
    ProjectFile,
    Quasi,
    Release,
    Sensitive,
    TimeLimit,
)
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.apply.request import ApplyRequest
from roadstead.verbs.demo.request import DemoRequest
from roadstead.verbs.evaluate.request import EvaluateRequest
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.verify.request import VerifyRequest

app = typer.Typer(
    name="roadstead",
    help="Find out how health data can be shared beyond Safe Harbor, and prove how safe that is.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(*, wanted: bool) -> None:
    if wanted:
        from roadstead.cli.show import show  # noqa: PLC0415 - as all that commands need

        show([f"roadstead {__version__}"])
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Share health data beyond Safe Harbor, and prove how safe that is."""


@app.command("frontier")
def _frontier(  # noqa: PLR0913 - one parameter an option
    data: Data = None,
    *,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifying: Identifying = None,
    insensitive: Insensitive = None,
    release: Release = None,
    hierarchies: Hierarchies = None,
    population: Annotated[
        str | None,
        typer.Option("--population", metavar="DATA", help="Table of the population, like DATA."),
    ] = None,
    population_counts: PopulationCounts = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            "--margin",
            metavar="DATA",
            help="Numbers of people by some of the quasi-identifiers, to estimate a population "
            "from; repeatable.",
        ),
    ] = None,
    absent: Absent = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            "--order", metavar="A=V,W,X", help="The values of a column in order; repeatable."
        ),
    ] = None,
    risk_measure: Annotated[
        str | None,
        typer.Option(
            "--risk-measure", metavar="RISK", help="Risk: population or at-risk.  [population]"
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option("--gamma", help="Exponent on the people alike in the population risk.  [1]"),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", help="Records among fewer people than these are at risk.  [5]"),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            "--quality",
            metavar="MEASURE",
            help="Loss: divergence, loss, entropy, discernibility, class-size.  [divergence]",
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            metavar="SEARCH",
            help="Search strategy: combined, steepest, closure, segmentation, "
            "pareto-segments, sublattice-heuristic, random-chain; exact for levels of "
            "hierarchies; with a threshold bisecting or directed.  [combined]",
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            "--threshold",
            metavar="RISK",
            help="Look for policies at the edge of this risk: safe-harbor, or a share of the "
            "original data's; or models, for those of --privacy.",
        ),
    ] = None,
    privacy: Annotated[
        list[str] | None,
        typer.Option(
            "--privacy",
            metavar="MODEL:A=1,B=2",
            help="Privacy model that stands for the threshold; repeatable.",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", help="Policies at the threshold to look for.  [100]"),
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", help="Most policies whose classes are counted."),
    ] = None,
    time_limit: TimeLimit = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the random choices; recorded.  [0]")
    ] = None,
    choose: Annotated[
        int | None,
        typer.Option(
            "--choose", metavar="INDEX", help="Release under the policy of this index, too."
        ),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            "--risk",
            metavar="R",
            help="Release under the policy that loses least of those of at most this risk, too.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="New folder for page and points.")
    ] = None,
    into: Into = None,
    project: ProjectFile = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    header: Header = None,
    missing: Missing = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a former frontier.")] = False,
    json: Json = False,
) -> int:
    """Find every good trade between risk and loss, and where Safe Harbor lies."""
    from roadstead.cli.frontier import FrontierOptions, frontier  # noqa: PLC0415 - heavy

    given = FrontierOptions(
        data=data,
        quasi=quasi,
        sensitive=sensitive,
        identifying=identifying,
        insensitive=insensitive,
        release=release,
        hierarchies=hierarchies,
        population=population,
        population_counts=population_counts,
        margin=margin,
        absent=absent,
        order=order,
        risk_measure=risk_measure,
        gamma=gamma,
        k=k,
        quality=quality,
        search=search,
        threshold=threshold,
        privacy=privacy,
        iterations=iterations,
        evaluations=evaluations,
        time_limit=time_limit,
        seed=seed,
        choose=choose,
        risk=risk,
        out=out,
        into=into,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        missing=missing,
    )
    return frontier(given, project, force=force, as_json=json)


for _kind in (
    ScanRequest,
    RiskRequest,
    AnonymizeRequest,
    SynthesizeRequest,
    EvaluateRequest,
    ApplyRequest,
    VerifyRequest,
    DemoRequest,
):
    app.command(_kind.verb)(command_of(_kind))


@app.command("reproduce")
def _reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="A paper, such as prasser2016.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="New folder for tables and pictures."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small part of it, in half a minute.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a former reproduction.")] = False,
    json: Json = False,
) -> int:
    """Run a paper's experiments, and print ours beside the published figures."""
    from roadstead.cli.reproduce import reproduce  # noqa: PLC0415 - heavy

    return reproduce(paper, out, quick=quick, force=force, as_json=json)
