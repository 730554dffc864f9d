"""Whether two versions give the same answers: the JSON of every command, and the files written.

    python benchmarks/same_answers.py record ROADSTEAD FOLDER DATA [CASE ...]
    python benchmarks/same_answers.py compare FOLDER FOLDER

`record` runs one version's command on a made-up cohort, Adult, Eunomia, and MIMIC-III's
demonstration, and keeps for each case its JSON, exit code and message, and the text files it wrote;
DATA is the folder of the real data. A case may run several commands: the last answer is kept. The
cases of the page have its forms filled in as a browser does. `compare` prints what differs. Times,
dates, versions, digests of files and what chance decides are left out of both.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CHANCE = re.compile(r"seconds|created|version|sha256|environment|fingerprint|python|libraries")
"""Keys whose values differ from run to run, or from version to version."""
ADULT_QUASI = "age,sex,race,marital-status,education,native-country,workclass,occupation"


def cases(made: Path, data: Path) -> dict[str, list[list[str]]]:
    """Return the commands of every case by its name; ``OUT`` represents a new folder."""
    single = {name: [arguments] for name, arguments in of_one_command(made, data).items()}
    return single | of_persons(data) | of_recodings(made, data) | of_private(data) | of_checks(made)


def of_persons(data: Path) -> dict[str, list[list[str]]]:
    """Return the cases of people with several records, and of sets of tables."""
    mimic = data / "mimic3_demo"
    stays = [str(mimic / "ICUSTAYS.csv"), "--person", "subject_id", "--k", "2"]
    stays += ["--quasi", "first_careunit,last_careunit", "--sensitive", "los"]
    stays += ["--suppression", "0.3"]
    admissions = [str(mimic / "ADMISSIONS.csv"), "--person", "subject_id", "--k", "2"]
    admissions += ["--quasi", "admission_type,insurance,ethnicity", "--suppression", "0.5"]
    conditions = [str(data / "synthea" / "conditions.csv.gz"), "--person", "PATIENT"]
    conditions += ["--quasi", "START,STOP", "--sensitive", "DESCRIPTION", "--suppression", "0.2"]
    omop = f"omop:{data / 'eunomia_gibleed'}"
    found = {
        "persons-one": [["anonymize", *stays, "--knows", "1", "--out", "OUT/r"]],
        "persons-two": [["anonymize", *stays, "--knows", "2", "--out", "OUT/r"]],
        "persons-all": [["anonymize", *stays, "--knows", "all", "--out", "OUT/r"]],
        "persons-out": [["anonymize", *stays, "--leave-out", "persons", "--out", "OUT/r"]],
        "persons-weigh": [["anonymize", *stays, "--average-over", "persons", "--out", "OUT/r"]],
        "persons-admissions": [["anonymize", *admissions, "--out", "OUT/r"]],
        "persons-verify": [
            ["anonymize", *admissions, "--knows", "2", "--out", "OUT/r"],
            ["verify", "OUT/r"],
        ],
        "persons-apply": [
            ["anonymize", *stays, "--knows", "1", "--out", "OUT/r"],
            ["apply", "OUT/r/policy.json", stays[0], "--out", "OUT/s"],
        ],
        "persons-risk": [["risk", *admissions[:3], "--quasi", "admission_type,insurance"]],
        "persons-frontier": [["frontier", *admissions[:3], "--quasi", "admission_type,insurance"]],
        "persons-dates": [["anonymize", *conditions, "--date", "STOP=since:START", "--knows", "1"]],
        "persons-scan": [["scan", str(mimic / "DIAGNOSES_ICD.csv"), "--out", "OUT/p.toml"]],
        "sets": [["anonymize", omop, "--tables", "person,visit_occurrence", "--out", "OUT/r"]],
        "sets-verify": [
            ["anonymize", omop, "--tables", "person,observation_period", "--out", "OUT/r"],
            ["verify", "OUT/r"],
        ],
    }
    return found | {
        "wrong-person": [["anonymize", stays[0], "--person", "subject", "--quasi", "los"]],
        "wrong-knows": [["anonymize", *stays, "--knows", "5"]],
    }


def of_recodings(made: Path, data: Path) -> dict[str, list[list[str]]]:
    """Return the cases of cells, levels and intervals that differ between classes."""
    project = ["--project", str(made / "patients.toml"), "--time-limit", "1000"]
    adult = [str(data / "adult" / "adult.csv"), "--quasi", "age,sex,race"]
    adult += ["--hierarchies", str(data / "adult" / "hierarchies")]
    near = ["--sensitive", "occupation", "--privacy", "t-closeness:column=occupation,t=0.3"]
    numbers = [str(data / "adult" / "adult.csv"), "--quasi", "age", "--recoding", "intervals"]
    return {
        "cells-adult": [["anonymize", *adult, "--recoding", "cells", "--out", "OUT/r"]],
        "cells-near": [["anonymize", *adult, *near, "--recoding", "cells", "--out", "OUT/r"]],
        "local-adult": [["anonymize", *adult, "--recoding", "local", "--out", "OUT/r"]],
        "local-near": [["anonymize", *adult, *near, "--recoding", "local", "--out", "OUT/r"]],
        "intervals-age": [["anonymize", *numbers, "--out", "OUT/r"]],
        "intervals-columns": [
            ["anonymize", *numbers, "--intervals", "columns", "--out", "OUT/r"],
            ["verify", "OUT/r"],
        ],
        "local-verify": [
            ["anonymize", *adult, "--recoding", "local", "--out", "OUT/r"],
            ["verify", "OUT/r"],
        ],
        "local-apply": [
            ["anonymize", *adult, "--recoding", "cells", "--out", "OUT/r"],
            ["apply", "OUT/r/policy.json", adult[0], "--out", "OUT/s"],
        ],
        "wrong-recoding": [["anonymize", *project, "--recoding", "cells", "--search", "flash"]],
    }


def of_private(data: Path) -> dict[str, list[list[str]]]:
    """Return the cases of differentially private releases, whose figures chance decides."""
    adult = [str(data / "adult" / "adult.csv"), "--epsilon", "1", "--range", "age=17..90"]
    adult += ["--values", "sex=Male,Female", "--values", "salary-class=<=50K\\,>50K"]
    target = [*adult[:5], "--values", "sex=Male,Female", "--target", "salary-class"]
    target += ["--classes", "<=50K,>50K"]
    everything = [*adult[:5], "--values", "sex=Male,Female", "--for", "everything"]
    sample = [*everything[:-1], "sample", "--delta", "0.0001"]
    made = {"target": target, "everything": everything, "sample": sample}
    runs = {
        f"private-{name}": [["synthesize", *arguments, "--out", "OUT/r"]]
        for name, arguments in made.items()
    }
    checks = {
        f"private-{name}-verify": [
            ["synthesize", *arguments, "--out", "OUT/r"],
            ["verify", "OUT/r"],
        ]
        for name, arguments in made.items()
    }
    return runs | checks


def of_checks(made: Path) -> dict[str, list[list[str]]]:
    """Return the cases of what is asked about a release, and of the page."""
    release, table = str(made / "release"), str(made / "patients.csv")
    ledger = ["anonymize", "--project", str(made / "patients.toml"), "--ledger", "OUT/l"]
    return {
        "attack": [["attack", release, "--original", table, "--attempts", "200"]],
        "attack-alone": [["attack", release]],
        "gate": [["gate", release, "--policy", "OUT/gate.toml"]],
        "determine": [["determine", release, "--out", "OUT/d"]],
        "evaluate-release": [
            ["evaluate", release, "--original", table, "--runs", "1", "--target", "outcome"]
        ],
        "ledger": [[*ledger, "--out", "OUT/r"], [*ledger, "--k", "7", "--out", "OUT/s"]],
        "page": [["PAGE", str(made / "patients.toml"), "OUT"]],
        "page-k": [["PAGE", str(made / "patients.toml"), "OUT", "k = 5", "k = 9"]],
        "page-drop": [["PAGE", str(made / "patients.toml"), "OUT", "0.05", "0.01"]],
    }


def of_one_command(made: Path, data: Path) -> dict[str, list[str]]:
    """Return the arguments of the cases that run one command."""
    patients = str(made / "patients.csv")
    project = ["--project", str(made / "patients.toml")]
    roles = ["--quasi", "birth_date,sex,race,zip", "--identifiers", "name"]
    adult = str(data / "adult" / "adult.csv")
    levels = ["--hierarchies", str(data / "adult" / "hierarchies")]
    known = ["--quasi", ADULT_QUASI, *levels]
    omop = f"omop:{data / 'eunomia_gibleed'}"
    policy = str(made / "release" / "policy.json")
    domains = ["--range", "age=17..90", "--values", "sex=Male,Female"]
    private = ["--epsilon", "1", "--target", "salary-class", "--classes", "<=50K,>50K", *domains]
    found = {
        "scan-demo": ["scan", patients, "--out", "OUT/p.toml"],
        "scan-adult": ["scan", adult, "--out", "OUT/p.toml"],
        "scan-omop": ["scan", omop, "--out", "OUT/p.toml"],
        "anonymize-demo": ["anonymize", *project, "--out", "OUT/r"],
        "anonymize-demo-drop": ["anonymize", *project, "--suppressed", "drop", "--k", "7"],
        "anonymize-partition": [
            *["anonymize", adult, "--quasi", "sex,race,education", "--search", "partition-greedy"],
            *["--quality", "discernibility", *levels],
        ],
        "anonymize-adult": ["anonymize", adult, *known, "--out", "OUT/r"],
        "anonymize-omop": [
            "anonymize",
            omop,
            "--quasi",
            "year_of_birth,gender,race",
            "--out",
            "OUT/r",
        ],
        "apply-demo": ["apply", policy, patients, "--out", "OUT/r"],
        "apply-sql": ["apply", policy, patients, "--sql"],
        "verify-demo": ["verify", str(made / "release")],
        "verify-table": ["verify", patients, "--quasi", "sex,race", "--k", "5"],
        "risk-demo": ["risk", *project, "--out", "OUT/r"],
        "risk-adult": ["risk", adult, "--quasi", ADULT_QUASI, "--sampling-fraction", "0.01"],
        "risk-advise": [
            *["risk", adult, "--quasi", "age,sex,race", "--advise", "--no-whole-population"],
            *["--sampling-fraction", "0.01", "--membership-known"],
        ],
        "risk-omop": ["risk", omop, "--quasi", "gender,race"],
        "frontier-demo": ["frontier", patients, *roles, "--out", "OUT/r"],
        "frontier-adult": ["frontier", adult, "--quasi", "age,sex,race", "--out", "OUT/r"],
        "frontier-choose": [
            *["frontier", adult, "--quasi", "age,sex,race"],
            *["--risk", "0.5", "--choose-reason", "an example to compare", "--out", "OUT/r"],
        ],
        "frontier-exact": [
            *["frontier", adult, "--quasi", "age,sex,race", *levels, "--search", "exact"],
        ],
        "frontier-threshold": [
            *["frontier", adult, "--quasi", "age,sex,race", "--threshold", "0.5", "--iterations"],
            "3",
        ],
        "evaluate-adult": ["evaluate", adult, *private, "--runs", "1", "--specializations", "2"],
        "synthesize-seed": ["synthesize", adult, *private, "--seed", "1"],
        "synthesize-adult": ["synthesize", adult, *private, "--specializations", "2"],
    }
    for search in ("best-first", "flash", "ola", "incognito", "lattice-based", "igreedy"):
        found[f"anonymize-adult-{search}"] = ["anonymize", adult, *known, "--search", search]
    found["anonymize-adult-genetic"] = [
        *["anonymize", adult, "--quasi", "age,sex,race", *levels, "--search", "genetic"],
        *["--seed", "3"],
    ]
    for quality in ("precision", "entropy", "discernibility", "class-size", "divergence"):
        quasi = ["--quasi", "age,sex,race,education", *levels]
        found[f"anonymize-adult-{quality}"] = ["anonymize", adult, *quasi, "--quality", quality]
    models = {
        "t-closeness": "t-closeness:column=occupation,t=0.3",
        "distinct": "distinct-l-diversity:column=occupation,l=4",
        "entropy-l": "entropy-l-diversity:column=occupation,l=3",
        "recursive": "recursive-cl-diversity:column=occupation,c=4,l=3",
        "beta": "beta-likeness:column=occupation,beta=3",
        "average": "average-risk:average=0.01",
        "estimated": "estimated-k-map:k=5,fraction=0.1",
    }
    for name, model in models.items():
        quasi = ["--quasi", "age,sex,race,education", "--sensitive", "occupation", *levels]
        found[f"anonymize-adult-{name}"] = ["anonymize", adult, *quasi, "--privacy", model]
    wrong = {
        "no-table": ["anonymize"],
        "no-file": ["anonymize", "nowhere.csv", "--quasi", "age"],
        "no-column": ["anonymize", adult, "--quasi", "agee"],
        "k-half": ["anonymize", adult, "--quasi", "age", "--k", "0.5"],
        "k-many": ["anonymize", adult, "--quasi", "age", "--k", "1000000"],
        "limit": ["anonymize", adult, "--quasi", "age", "--suppression", "5"],
        "search": ["anonymize", adult, "--quasi", "age", "--search", "quick"],
        "weight": ["anonymize", adult, "--quasi", "age", "--weight", "sex=2"],
        "privacy": ["anonymize", adult, "--quasi", "age", "--privacy", "t-closeness:t"],
        "into": ["anonymize", adult, "--quasi", "age", "--into", "duckdb://x.duckdb?table=y"],
        "project": ["anonymize", "--project", "nowhere.toml"],
        "order": ["frontier", adult, "--quasi", "sex", "--order", "sex"],
        "choose": ["frontier", adult, "--quasi", "sex", "--choose", "1"],
        "threshold": ["frontier", adult, "--quasi", "sex", "--threshold", "low"],
        "fraction": ["risk", adult, "--quasi", "sex", "--sampling-fraction", "2"],
        "advise": ["risk", adult, "--quasi", "sex", "--whole-population"],
        "epsilon": ["synthesize", adult, "--epsilon", "0", "--target", "sex"],
        "range": ["synthesize", adult, "--epsilon", "1", "--range", "age"],
        "sql-out": ["apply", policy, "--sql", "--out", "OUT/r"],
        "dialect": ["apply", policy, patients, "--dialect", "duckdb"],
        "unknown": ["anonymize", adult, "--quassi", "age"],
    }
    return found | {f"wrong-{name}": arguments for name, arguments in wrong.items()}


def steady(value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON
    """Leave out what differs from run to run."""
    if CHANCE.search(key):
        return "..."
    if isinstance(value, dict):
        return {name: steady(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [steady(one) for one in value]
    return value


def answered(command: str, call: list[str]) -> subprocess.CompletedProcess[str]:
    """Return how a command ended, or how the page did that made a release of a project."""
    if call[0] != "PAGE":
        run = [command, *call, "--json"]
    else:
        run = [str(Path(command).with_name("python")), __file__, "page", *call[1:]]
    return subprocess.run(run, check=False, capture_output=True, text=True)


def page(project: str, out: str, before: str = "", after: str = "") -> None:
    """Make a release on the page, as a browser does, with one text of the project changed."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    from workbench import served  # noqa: PLC0415 - a browser's part, of the tests

    table = Path(project).with_name("patients.csv")
    text = Path(project).read_text("utf-8").replace('"patients.csv"', json.dumps(str(table)))
    with served(Path(out) / "state", [Path(out), table.parent]) as bench:
        piece = bench.begin()
        bench.open(piece, str(table))
        bench.choose(piece, text.replace(before, after))
        bench.post(f"{piece}/release/prepare")
        prepared = bench.wait(piece, "prepare")["state"]
        bench.post(f"{piece}/release/write", out=f"{out}/r")
        written = bench.wait(piece, "write")["state"]
    print(json.dumps({"prepared": prepared, "written": written}))


def record(command: str, folder: Path, data: Path, chosen: list[str]) -> None:
    """Run the chosen cases, or every case, and keep what came of them."""
    folder.mkdir(parents=True, exist_ok=bool(chosen))
    made = Path(tempfile.gettempdir()) / "roadstead-same-answers"
    subprocess.run(
        [command, "demo", "--out", str(made), "--patients", "4000", "--force"],
        check=True,
        capture_output=True,
    )
    every = cases(made, data)
    for name, commands in ((name, every[name]) for name in chosen or every):
        with tempfile.TemporaryDirectory() as out:
            Path(out, "l").mkdir(mode=0o700)
            Path(out, "gate.toml").write_text("[promise]\nk = 5\n[measured]\nloss = 0.9\n", "utf-8")
            for arguments in commands:
                call = [argument.replace("OUT", out) for argument in arguments]
                ended = answered(command, call)
            told = ended.stderr.replace(out, "OUT")
            plain = ended.stdout.replace(out, "OUT")
            kept: dict[str, Any] = {"exit": ended.returncode}
            if name.startswith("wrong-") or not plain:
                kept["told"] = told
            try:
                kept["json"] = steady(json.loads(plain)) if plain else None
            except ValueError:
                kept["json"] = plain
            if name.startswith(("synthesize-adult", "private-")):
                kept["json"] = sorted(kept["json"] or {})
            files = (one for one in sorted(Path(out).rglob("*")) if one.is_file())
            for file in files:
                at = str(file.relative_to(out))
                if name.startswith("private-") or at.startswith("state"):
                    kept[at] = "written"
                elif file.suffix == ".json":
                    kept[at] = steady(json.loads(file.read_text("utf-8")))
                elif file.suffix in (".csv", ".toml"):
                    kept[at] = file.read_text("utf-8").replace(out, "OUT")
                else:
                    kept[at] = "written"
        (folder / f"{name}.json").write_text(json.dumps(kept, indent=1), "utf-8")
        print(f"{name}: exit {ended.returncode}", flush=True)


def differences(old: Any, new: Any, at: str = "") -> list[str]:  # noqa: ANN401 - any JSON
    """Name every place where two answers differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for key in dict.fromkeys((*old, *new))
            for line in differences(old.get(key), new.get(key), f"{at}.{key}")
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            line
            for number, pair in enumerate(zip(old, new, strict=True))
            for line in differences(*pair, f"{at}[{number}]")
        ]
    return [] if old == new else [f"{at}: {str(old)[:300]} -> {str(new)[:300]}"]


def compare(old: Path, new: Path) -> int:
    """Print what differs."""
    files = sorted(file.name for file in old.iterdir())
    found = 0
    for name in files:
        one, other = (json.loads((at / name).read_text("utf-8")) for at in (old, new))
        lines = differences(one, other)
        found += len(lines)
        for line in lines:
            print(f"{name.removesuffix('.json')}{line}")
    print(f"{len(files)} cases, {found} differences")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=("record", "compare", "page"))
    parser.add_argument("places", nargs="+")
    given = parser.parse_args()
    if given.do == "compare":
        sys.exit(1 if compare(*map(Path, given.places)) else 0)
    elif given.do == "page":
        page(*given.places)
    else:
        command, folder, data, *names = given.places
        record(command, Path(folder), Path(data), names)
