"""Whether two versions give the same answers: the JSON of every command, and the files written.

    python benchmarks/same_answers.py record ROADSTEAD FOLDER DATA
    python benchmarks/same_answers.py compare FOLDER FOLDER

`record` runs one version's command on a made-up cohort, Adult and Eunomia, and keeps for each case
its JSON, exit code and message, and the text files it wrote; DATA is the folder of the real data.
`compare` prints what differs. Times, dates, versions, digests of files and what chance decides are
left out of both.
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


def cases(made: Path, data: Path) -> dict[str, list[str]]:
    """Give the arguments of every case by its name; ``OUT`` stands for a new folder."""
    patients = str(made / "patients.csv")
    project = ["--project", str(made / "patients.toml")]
    roles = ["--quasi", "birth_date,sex,race,zip", "--identifying", "name"]
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
        "anonymize-demo-partition": ["anonymize", *project, "--search", "partition-greedy"],
        "anonymize-adult": ["anonymize", adult, *known, "--out", "OUT/r"],
        "anonymize-omop": ["anonymize", omop, "--quasi", "birth_date,sex,race", "--out", "OUT/r"],
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
        "risk-omop": ["risk", omop, "--quasi", "sex,race"],
        "frontier-demo": ["frontier", patients, *roles, "--out", "OUT/r"],
        "frontier-adult": ["frontier", adult, "--quasi", "age,sex,race", "--out", "OUT/r"],
        "frontier-choose": [
            *["frontier", adult, "--quasi", "age,sex,race", "--identifying", "ID"],
            *["--risk", "0.5", "--out", "OUT/r"],
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
        "average": "average-risk:threshold=0.01",
        "estimated": "estimated-k-map:k=5,sampling_fraction=0.1",
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


def record(command: str, folder: Path, data: Path) -> None:
    """Run every case, and keep what came of it."""
    folder.mkdir(parents=True)
    made = Path(tempfile.gettempdir()) / "roadstead-same-answers"
    subprocess.run(
        [command, "demo", "--out", str(made), "--patients", "4000", "--force"],
        check=True,
        capture_output=True,
    )
    for name, arguments in cases(made, data).items():
        with tempfile.TemporaryDirectory() as out:
            call = [one.replace("OUT", out) for one in arguments]
            ended = subprocess.run(
                [command, *call, "--json"], check=False, capture_output=True, text=True
            )
            told = ended.stderr.replace(out, "OUT")
            plain = ended.stdout.replace(out, "OUT")
            kept: dict[str, Any] = {"exit": ended.returncode}
            if name.startswith("wrong-") or not plain:
                kept["told"] = told
            try:
                kept["json"] = steady(json.loads(plain)) if plain else None
            except ValueError:
                kept["json"] = plain
            if name.startswith("synthesize-adult"):
                kept["json"] = sorted(kept["json"] or {})
            files = (one for one in sorted(Path(out).rglob("*")) if one.is_file())
            for file in files:
                at = str(file.relative_to(out))
                if file.suffix == ".json":
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
    parser.add_argument("do", choices=("record", "compare"))
    parser.add_argument("places", nargs="+")
    given = parser.parse_args()
    if given.do == "compare":
        sys.exit(1 if compare(*map(Path, given.places)) else 0)
    record(given.places[0], Path(given.places[1]), Path(given.places[2]))
