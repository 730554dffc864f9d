"""The page that checks a release in a browser agrees with `roadstead verify`.

The releases are of every kind, and the forgeries are those of a forger who also writes the
certificate again where that helps. Wherever `roadstead verify` refuses, the page refuses.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from browsing import THEMES, fits, violations
from commands import run
from patience import PATIENCE
from second_opinion import verdict as second_verdict
from signed_releases import keys, sign, write_release
from small_tables import write_csv

import roadstead as rs
from roadstead.hierarchies.rules import Rule
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.ledger.facts import Overlay
from roadstead.release.persons.pseudonyms import write_key
from roadstead.release.verification.files import VERIFIER_PAGE, verifier_page
from roadstead.standalone import roadstead_verify as SECOND  # noqa: N812 - a second verifier

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

SOURCE = Path(rs.__file__).parent / "standalone" / VERIFIER_PAGE
_ROWS = "rows => rows.map(row => [row.dataset.id, row.dataset.status, row.cells[1].textContent])"
_REFUSED = "refused"
_ROWS_MEASURED = 200_000
_TICKS = 5
"""Timers that a page must serve while a table of so many rows is read."""


# ---- the page itself


def test_the_policy_of_the_page_names_its_own_script_and_style() -> None:
    """The content policy allows these two texts and a worker, and nothing from elsewhere."""
    page = SOURCE.read_text("utf-8")

    def hashed(tag: str) -> str:
        (text,) = re.findall(rf"<{tag}>(.*)</{tag}>", page, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy == (
        f"default-src 'none'; script-src {hashed('script')}; style-src {hashed('style')}; "
        "worker-src blob:; base-uri 'none'; form-action 'none'"
    )
    assert re.findall(r'const VERSION = "(.*)"', page) == [rs.__version__]
    assert not re.search(r"\beval\b|Function\(|innerHTML|\son[a-z]+=|https?://(?!in-toto)", page)


def test_the_page_knows_each_entry_of_a_comparison_with_earlier_releases() -> None:
    """Fault class: the page refused an honest release whose certificate had a new entry."""
    (listed,) = re.findall(r'\["earlier_releases", "(.*)", "(.*)"\]', SOURCE.read_text("utf-8"))
    assert set(" ".join(listed).split()) == {one.name for one in dataclasses.fields(Overlay)}


# ---- releases and forgeries


def _visits(folder: Path) -> Path:
    draw = random.Random(7)  # noqa: S311 - a made-up table
    rows = [
        (f"p{p}", "FM"[p % 2], str(20 + p % 5), str(draw.randrange(9)))
        for p in range(200)
        for _ in range(draw.choice((1, 1, 2)))
    ]
    return write_csv(folder / "visits.csv", ("patient", "sex", "age", "ward"), rows)


def _stays(folder: Path) -> Path:
    """Write a table with rare records, missing values, and cells that need quotation marks."""
    draw = random.Random(11)  # noqa: S311 - a made-up table
    notes = ("calm", 'said "no"', "a, b", "#1", "", "two\nlines", "ä𝒳")
    rows = [
        (
            draw.choice(("f", "m")),
            draw.choice(("02138", "02139", "02141", "37203", "")),
            str(min(99, int(draw.expovariate(0.03)))),
            draw.choice(notes),
            draw.choice(("home", "died", "moved")),
        )
        for _ in range(400)
    ]
    return write_csv(folder / "stays.csv", ("sex", "zip", "age", "note", "outcome"), rows)


def _of_stays(folder: Path, **more: object) -> None:
    known = {"quasi": ["sex", "zip", "age"], "sensitive": ["outcome"], "unchanged": ["note"]}
    rs.anonymize(_stays(folder), k=3, **{"suppression": 0.1, **known, **more}).write(  # type: ignore[arg-type] # by name
        folder / "release"
    )


def _persons(folder: Path) -> None:
    known = {"quasi": ["sex", "age"], "sensitive": ["ward"], "person": "patient"}
    rs.anonymize(_visits(folder), k=3, link="pseudonym", **known).write(folder / "release")  # type: ignore[arg-type] # by name


def _shifted(folder: Path) -> None:
    """Write a release with a key: its documents describe the person IDs and what the shift cost."""
    rows = [
        (f"{at // 2:03}", "fm"[at // 2 % 2], str(date(2020, 1, 1) + timedelta(at * 7)))
        for at in range(120)
    ]
    write_key(folder / "key")
    rs.anonymize(
        write_csv(folder / "visits.csv", ("patient", "sex", "seen"), rows),
        quasi=["sex", "seen"],
        person="patient",
        link="pseudonym",
        key=folder / "key",
        dates={"seen": "shift:first"},
        shift_days=30,
        k=3,
        suppression=0.5,
        out=folder / "release",
    )


def _unlinked(folder: Path) -> None:
    """Release people whose rows are not linked, with at least two wards in each group."""
    rs.anonymize(
        _visits(folder),
        quasi=["sex", "age"],
        sensitive=["ward"],
        person="patient",
        k=5,
        privacy=[{"kind": "distinct-l-diversity", "column": "ward", "l": 2}],
        out=folder / "release",
    )


def _dates(folder: Path) -> None:
    """Release people with linked rows and shifted dates."""
    days = [
        date(2020, 1, 1) + timedelta(p * 37 % 900 + later) for p in range(60) for later in (0, 9)
    ]
    rows = [(f"p{at // 2}", "FM"[at // 2 % 2], str(day)) for at, day in enumerate(days)]
    rs.anonymize(
        write_csv(folder / "visits.csv", ("who", "sex", "seen"), rows),
        quasi=["sex"],
        person="who",
        link="pseudonym",
        dates={"seen": "shift"},
        shift_days=30,
        release_anyway=["seen"],
        k=2,
        suppression=0.5,
        suppressed="drop",
        out=folder / "release",
    )


def _private(folder: Path) -> None:
    rs.synthesize(
        _stays(folder),
        epsilon=1,
        target="outcome",
        classes=["home", "died", "moved"],
        values={"sex": ["f", "m"]},
        ranges={"age": "0..99"},
        specializations=2,
    ).write(folder / "release")


def _stars(folder: Path) -> None:
    """Release a group that shows only ``*``, although none of its records is suppressed."""
    rows = [(str(at), f"x{at}") for at in range(8)] + [("50", "y")] * 12
    table, flat = write_csv(folder / "people.csv", ("age", "code"), rows), {"kind": "flat"}
    rs.anonymize(
        table,
        quasi=["age", "code"],
        k=4,
        hierarchies={"age": flat, "code": flat},
        suppression=0.0,
        recoding="cells",
        time_limit=2,
    ).write(folder / "release")


def _codes(folder: Path, **settings: Any) -> None:  # noqa: ANN401 - of a test
    """Apply a policy that keeps a declared missing code to a text file with the code's label."""
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    ages = [-9.0 if at % 9 == 0 else 20.0 + at % 9 for at in range(180)]
    pyreadstat.write_sav(
        pandas.DataFrame({"age": ages}),
        str(folder / "ages.sav"),
        variable_value_labels={"age": {-9: "declined"}},
        missing_ranges={"age": [-9]},
    )
    policy = rs.anonymize(folder / "ages.sav", quasi=["age"], k=3, **settings).policy
    rows = [("declined" if age < 0 else str(int(age)),) for age in ages]
    table = write_csv(folder / "ages.csv", ("age",), rows)
    rs.apply(policy, table).write(folder / "release")
    assert "declined" in (folder / "release" / "ages.csv").read_text("utf-8")


def _exact(folder: Path) -> None:
    """Release all values exactly, except a few masked records of a rare race."""
    draw = random.Random(3)  # noqa: S311 - a made-up table
    rows = [(draw.choice("fm"), draw.choice("abc"), draw.choice("xyz")) for _ in range(300)]
    rows += [("f", "rare", "x"), ("m", "rare", "y"), ("m", "other", "z"), ("f", "odd", "z")]
    rows += [("f", "odd", "x"), ("m", "odder", "x")]
    table = write_csv(folder / "people.csv", ("sex", "race", "outcome"), rows)
    rs.anonymize(table, quasi=["sex", "race"], sensitive=["outcome"], k=5).write(folder / "release")


def _undone(folder: Path) -> None:
    """Release a column that shows the ZIP code of each record, and masked records."""
    rows = [(f"C{at}", f"021{at % 6:02}", "fm"[n % 2]) for at in range(12) for n in range(8)]
    rows += [("D1", "30300", "f"), ("D1", "30300", "f"), *[("D2", "40400", "m")] * 3]
    rs.anonymize(
        write_csv(folder / "people.csv", ("cluster", "zip", "sex"), rows),
        quasi=["zip", "sex"],
        release_anyway=["cluster"],
        count_records=True,
        suppression=0.1,
        k=5,
        max_level={"zip": 1, "sex": 0},
    ).write(folder / "release")


_RULED: dict[str, tuple[dict[str, Any], int, tuple[str, str, str]]] = {
    "sex": ({"kind": "flat"}, 0, ("f", "m", "x")),
    "town": ({"kind": "flat"}, 1, ("Ayr", "Bern", "Cork")),
    "zip": ({"kind": "prefix", "keep": [3]}, 1, ("02138", "37203", "10025")),
    "age": ({"kind": "intervals", "widths": [10]}, 1, ("34", "57", "71")),
    "bmi": ({"kind": "cuts", "cuts": [[20, 30]]}, 1, ("18", "24", "31")),
    "stay": ({"kind": "ranges", "widths": [20]}, 1, ("0-9", "10-19", "20-29")),
    "day": ({"kind": "dates", "units": ["month"]}, 0, ("2024-01-05", "2024-02-07", "2024-03-09")),
    "stage": (
        {"kind": "ordered", "order": ["I", "II", "III"], "groups": [2]},
        1,
        ("I", "II", "III"),
    ),
    "country": ({"kind": "codes", "book": "country"}, 1, ("DE", "FR", "US")),
    "icd": ({"kind": "codes", "book": "icd10"}, 1, ("E11.9", "I10", "J45.909")),
    "icd_block": ({"kind": "codes", "book": "icd10"}, 2, ("E11.9", "I10", "J45.909")),
    "atc": ({"kind": "codes", "book": "atc"}, 1, ("A10BA02", "C09AA05", "N02BE01")),
    "nuts": ({"kind": "codes", "book": "nuts"}, 1, ("DE111", "DE212", "FR101")),
    "post": ({"kind": "codes", "book": "postcode_gb"}, 1, ("M1 1AE", "SW1A 1AA", "EH1 1YZ")),
}
"""For each column: a hierarchy, a level, and the values of three groups of people."""


def _every_rule(folder: Path, **settings: Any) -> None:  # noqa: ANN401 - of a test
    """Release columns under all kinds of rules."""
    rows = [[own[2][at % 3] for own in _RULED.values()] for at in range(60)]
    rs.anonymize(
        write_csv(folder / "ruled.csv", tuple(_RULED), rows),
        quasi=list(_RULED),
        k=5,
        hierarchies={name: own[0] for name, own in _RULED.items()},
        min_level={name: own[1] for name, own in _RULED.items()},
        **settings,
    ).write(folder / "release")


_MODELS = [
    {"kind": "entropy-l-diversity", "column": "outcome", "l": 1.5},
    {"kind": "t-closeness", "column": "outcome", "t": 0.5},
]
KINDS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "plain": ("verified", _of_stays),
    "models": ("verified", lambda folder: _of_stays(folder, privacy=_MODELS, suppression=0.5)),
    "persons": ("verified", _persons),
    "shifted": ("verified", _shifted),
    "unlinked": ("verified in part", _unlinked),
    "local": ("verified", lambda folder: _of_stays(folder, recoding="local", time_limit=2)),
    "stars": ("verified", _stars),
    "exact": ("verified", _exact),
    "undone": ("verified", _undone),
    "codes": ("verified", _codes),
    "codes in groups": ("verified", lambda folder: _codes(folder, recoding="local")),
    "codes or intervals": (
        "verified in part",
        lambda folder: _codes(folder, recoding="intervals"),
    ),
    "dates": ("verified", _dates),
    "every rule": ("verified", _every_rule),
    "every rule in groups": ("verified", lambda folder: _every_rule(folder, recoding="local")),
    "private": ("verified in part", _private),
    "database": ("verified in part", lambda folder: write_release("database", folder / "set")),
}


@dataclass
class Releases:
    """Releases of each kind, made once, and copies of them for forgers."""

    folder: Path
    made: dict[str, Path] = field(default_factory=dict)
    copies: int = 0

    def of(self, kind: str) -> Path:
        """Return the release of a kind."""
        if kind not in self.made:
            folder = self.folder / kind
            folder.mkdir()
            KINDS[kind][1](folder)
            (self.made[kind],) = (one.parent for one in folder.rglob("certificate.json"))
        return self.made[kind]

    def copy(self, kind: str = "plain") -> Path:
        """Return a copy of a release."""
        self.copies += 1
        return Path(shutil.copytree(self.of(kind), self.folder / f"copy{self.copies}"))


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    """Releases of each kind."""
    return Releases(tmp_path_factory.mktemp("releases"))


def _document(folder: Path, name: str = "certificate") -> Any:  # noqa: ANN401 - JSON
    return json.loads((folder / f"{name}.json").read_text("utf-8"))


def _put(folder: Path, document: object, name: str = "certificate") -> None:
    (folder / f"{name}.json").write_text(json_text(document), "utf-8")


def _certify(folder: Path, name: str, change: Callable[[Any], None] = lambda _: None) -> None:
    """Write the fingerprint of a file into the certificate, as a forger does; and change it."""
    document = _document(folder)
    content = (folder / name).read_bytes()
    for one in (document["table"], *document["files"]):
        if one["name"] == name:
            one |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    change(document)
    _put(folder, document)


def _table(folder: Path, change: Callable[[str], str]) -> None:
    """Change the released table, and certify it again."""
    path = folder / "stays.csv"
    before = path.read_bytes().decode()
    after = change(before)
    assert after != before
    path.write_bytes(after.encode())
    _certify(folder, path.name)


def _last(change: Callable[[str], str]) -> Callable[[Path], None]:
    """Forge the last line of the table."""

    def changed(text: str) -> str:
        head, line = text.removesuffix("\n").rsplit("\n", 1)
        return f"{head}\n{change(line)}\n"

    return lambda folder: _table(folder, changed)


def _promise(folder: Path, key: str, value: float) -> None:
    """Change a setting of the privacy model that has it, in the policy and in the certificate."""
    document = _document(folder)
    for one in (*document["policy"]["privacy"], *document["settings"]["privacy"]):
        if key in one:
            one[key] = value
    _put(folder, document)
    _put(folder, document["policy"], "policy")
    _certify(folder, "policy.json")


def _raise_k(folder: Path) -> None:
    _promise(folder, "k", 50)


def _k_in_the_certificate(folder: Path) -> None:
    document = _document(folder)
    document["policy"]["privacy"][0]["k"] = 2
    _put(folder, document)


def _policy(folder: Path) -> None:
    document = _document(folder, "policy")
    document["columns"]["sensitive"] = []
    _put(folder, document, "policy")
    _certify(folder, "policy.json")


def _level(folder: Path) -> None:
    document = _document(folder)
    document["policy"]["attributes"][0]["level"] ^= 1  # of sex, which has two levels
    _put(folder, document)
    _put(folder, document["policy"], "policy")
    _certify(folder, "policy.json")


def _hash(folder: Path) -> None:
    document = _document(folder)
    document["table"]["sha256"] = "0" * 64
    _put(folder, document)


def _column(text: str) -> str:
    return re.sub(r"(?m)$(?=\n(?:[fm*]|\Z))", ",x", text)


def _page(folder: Path) -> None:
    (folder / VERIFIER_PAGE).write_text("<p>Verified</p>", "utf-8")
    _certify(folder, VERIFIER_PAGE)


def _entry(folder: Path) -> None:
    document = _document(folder)
    document["counts"]["note"] = "fine"
    _put(folder, document)


def _twice(folder: Path) -> None:
    text = (folder / "certificate.json").read_text("utf-8")
    (folder / "certificate.json").write_text(text.replace("{", '{\n  "seed": 1,', 1), "utf-8")


FORGERIES: dict[str, Callable[[Path], object]] = {
    "a value": lambda folder: (folder / "stays.csv").write_bytes(
        (folder / "stays.csv").read_bytes().replace(b"home", b"died", 1)
    ),
    "a value, certified": lambda folder: _table(
        folder, lambda text: text.replace("\nf,", "\nm,", 1)
    ),
    "a row less": lambda folder: _table(
        folder, lambda text: re.sub(r"\n[fm],.*(?=\n[fm],)", "", text, count=1)
    ),
    "a row more": _last(lambda line: f"{line}\n{line}"),
    "an unknown label": lambda folder: _table(
        folder, lambda text: re.sub(r"\n([fm]),[^,\n]*,", r"\n\1,nowhere,", text)
    ),
    "k in the certificate": _k_in_the_certificate,
    "k everywhere": _raise_k,
    "a level": _level,
    "a column": lambda folder: _table(folder, _column),
    "a hash": _hash,
    "a file less": lambda folder: (folder / "report.html").unlink(),
    "a file more": lambda folder: (folder / "original.csv").write_text("a\n"),
    "a folder more": lambda folder: shutil.copytree(folder, folder / "more"),
    "the policy": _policy,
    "quotation marks": _last(lambda line: '"*"' + line.removeprefix("*")),
    "the order": lambda folder: _table(
        folder,
        lambda text: "\n".join([*text.split("\n")[:1], *reversed(text.split("\n")[1:-1]), ""]),
    ),
    "the page": _page,
    "an entry": _entry,
    "an entry twice": _twice,
}


# ---- the browser


@dataclass
class Checker:
    """The page in a browser, and everything that it printed on the console."""

    page: Page
    said: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        """Keep a message."""
        self.said.append(message.text)

    def check(self, folder: Path, key: Path | None = None) -> tuple[str, list[list[str]]]:
        """Check a folder; return the verdict, and each check with its status and sentence."""
        self.page.goto(SOURCE.as_uri())
        if key is not None:
            self.page.locator("#key").set_input_files(key)
            self.page.get_by_text("is the key that you expect").wait_for()
        self.page.locator("#folder").set_input_files(folder)
        self.page.locator("#result[data-verdict]").wait_for()
        verdict = self.page.locator("#result").get_attribute("data-verdict")
        rows = self.page.locator("#answer tbody tr").evaluate_all(_ROWS)
        assert not self.said
        return str(verdict), rows


@contextmanager
def _checking(browser: Browser, **settings: Any) -> Iterator[Checker]:  # noqa: ANN401 - Playwright's
    context = browser.new_context(offline=True, **settings)
    context.set_default_timeout(PATIENCE * 1000)
    found = Checker(context.new_page())
    found.page.on("console", found.hear)
    found.page.on("pageerror", lambda error: found.said.append(str(error)))
    try:
        yield found
    finally:
        context.close()


@pytest.fixture(scope="module")
def checker(browser: Browser) -> Iterator[Checker]:
    """One page for all checks."""
    with _checking(browser) as found:
        yield found


def test_the_page_knows_its_own_bytes(checker: Checker) -> None:
    """So it can tell whether the page in a folder is the same page."""
    checker.page.goto(SOURCE.as_uri())
    assert str(checker.page.evaluate("OWN")).encode() == SOURCE.read_bytes() == verifier_page()


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_verified(checker: Checker, releases: Releases, kind: str) -> None:
    """Fully, or in part where the page cannot make some checks; it says which."""
    assert rs.verify(releases.of(kind)).passed
    verdict, rows = checker.check(releases.of(kind))
    assert (verdict, [row for row in rows if row[1] == "failed"]) == (KINDS[kind][0], [])
    assert any(row[1] == "not checked" for row in rows) == (verdict == "verified in part")


def test_the_page_knows_each_kind_of_rule(checker: Checker, releases: Releases) -> None:
    """Fault class: the page refused each release with a code book, because of an unknown rule."""
    folder = releases.of("every rule")
    attributes = _document(folder)["policy"]["attributes"]
    known = {one.__dataclass_fields__["kind"].default for one in get_args(Rule)}
    assert {one["rule"]["kind"] for one in attributes} == known
    for kind in ("every rule", "every rule in groups"):
        verdict, rows = checker.check(releases.of(kind))
        assert (verdict, [row for row in rows if row[1] != "passed"]) == ("verified", [])


@pytest.mark.quick(1)
@pytest.mark.parametrize(("label", "forged"), [("SW1A", "SW1a"), ("E11", "e11"), ("DE", "DEX")])
def test_the_page_refuses_labels_that_no_code_has(
    checker: Checker, releases: Releases, label: str, forged: str
) -> None:
    """A rule for parts of codes has labels of a few forms only."""
    folder = releases.copy("every rule")
    path = folder / "ruled.csv"
    text = path.read_text("utf-8")
    assert label in text
    path.write_text(re.sub(rf"(?<=,){label}", forged, text), "utf-8")
    _certify(folder, path.name)
    assert checker.check(folder)[0] == _REFUSED


def test_a_set_with_rows_of_unknown_people_is_verified(checker: Checker, tmp_path: Path) -> None:
    """Fault class: more people had visits than were in the table of people, which is no forgery."""
    folder = tmp_path / "extract"
    folder.mkdir()
    write_csv(folder / "people.csv", ("pid", "sex"), [(f"p{i}", "FM"[i % 2]) for i in range(60)])
    visits = [(f"p{i % 150}", "abc"[i % 3]) for i in range(300)]
    write_csv(folder / "visits.csv", ("pid", "ward"), visits)
    lines = (
        *('data = "extract"', "[privacy]", "k = 5"),
        *("[tables.people]", 'data = "people.csv"', 'person = "pid"', 'quasi = ["sex"]'),
        *("[tables.visits]", 'data = "visits.csv"', 'person = "pid"', 'kept = ["ward"]'),
    )
    (tmp_path / "set.toml").write_text("\n".join(lines), "utf-8")
    ran = run("anonymize", "--project", tmp_path / "set.toml", "--out", tmp_path / "out")
    assert ran.code == 0, ran.error
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    people = certificate["tables"]["visits"]["people"]
    assert people["source"] > certificate["persons"]["source"]
    assert rs.verify(tmp_path / "out").passed
    assert second_verdict(tmp_path / "out", signed=False) == "verified in part"
    assert checker.check(tmp_path / "out")[0] == "verified in part"


@pytest.mark.quick(9)
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_refused(checker: Checker, releases: Releases, forgery: str) -> None:
    """By the page and by Roadstead."""
    folder = releases.copy()
    FORGERIES[forgery](folder)
    try:
        passed = rs.verify(folder).passed
    except rs.VerificationError:
        passed = False
    assert not passed
    verdict, rows = checker.check(folder)
    assert verdict == _REFUSED
    assert any(row[1] == "failed" for row in rows)


def _mask(folder: Path) -> None:
    """Show only ``*`` in most records, and certify that no record is suppressed."""
    path = folder / "people.csv"
    head, *lines = path.read_text("utf-8").splitlines()
    rows = [line.split(",") for line in lines]
    for at, row in enumerate(rows):
        row[:2] = ["*", "*"] if at % 5 < 3 else row[:2]
    rows.sort(key=lambda row: (row[0] == "*", row))
    path.write_text("\n".join([head, *map(",".join, rows), ""]), "utf-8")
    sizes = Counter(tuple(row[:2]) for row in rows)

    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        document["counts"] |= {"suppressed": 0, "masked": 0}
        document["risk"] |= {
            "maximum": 1 / min(sizes.values()),
            "average": len(sizes) / len(rows),
            "classes": len(sizes),
            "smallest_class": min(sizes.values()),
        }

    _certify(folder, path.name, change)


def _leave_out(*path: str) -> Callable[[Path], None]:
    """Leave an entry out of the certificate."""

    def forge(folder: Path) -> None:
        document = inner = _document(folder)
        for one in path[:-1]:
            inner = inner[one]
        del inner[path[-1]]
        _put(folder, document)

    return forge


def _risk(**change: object) -> Callable[[Path], None]:
    """Change the risks in the certificate."""

    def forge(folder: Path) -> None:
        document = _document(folder)
        for key, value in change.items():
            inner = document["risk"]
            inner |= {key: {**inner[key], **value} if isinstance(value, dict) else value}
        _put(folder, document)

    return forge


@pytest.mark.parametrize(
    ("kind", "forge"),
    [
        ("exact", _mask),
        ("plain", _page),
        ("plain", _leave_out("added")),
        ("plain", _leave_out("identifiers")),
        ("plain", _risk(average_before=0.0)),
        ("exact", _leave_out("risk", "maximum_of_masked")),
        ("exact", _risk(maximum_of_masked=0.05)),
        ("stars", _risk(maximum_of_masked=0.05)),
        ("undone", _risk(if_undone={"columns": ["sex"]})),
        ("undone", _risk(if_undone={"columns": []})),
        ("undone", _risk(if_undone={"quasi": ["cluster"]})),
        ("undone", _risk(if_undone={"maximum": 0.0})),
        ("undone", _risk(if_undone={"unit": "person"})),
        ("undone", _risk(if_undone={"at_least": True})),
        ("undone", _risk(if_undone={"note": "Jane Doe"})),
        ("undone", _risk(if_undone=None)),
        ("persons", lambda folder: _promise(folder, "k", 2)),
    ],
)
def test_three_programs_refuse_a_forgery(
    checker: Checker, releases: Releases, kind: str, forge: Callable[[Path], None]
) -> None:
    """Fault class: a forged figure or page that at least one of the programs accepted."""
    folder = releases.copy(kind)
    forge(folder)
    with suppress(rs.VerificationError):
        assert not rs.verify(folder).passed
    assert checker.check(folder)[0] == _REFUSED
    assert SECOND.verify(folder, [], SECOND.the_day("None")).verdict == _REFUSED


def test_the_page_shows_every_risk_of_a_release(checker: Checker, releases: Releases) -> None:
    """Fault class: it showed the risk of the records with values only."""
    verdict, rows = checker.check(releases.of("undone"))
    assert (verdict, [row for row in rows if row[1] != "passed"]) == ("verified", [])
    figures = checker.page.locator("#answer .figures").inner_text().split("\n")
    assert figures[figures.index("Risk of suppressed records") + 1] == "20%"
    assert figures[figures.index("Risk if a column undoes groups") + 1] == "50%"
    groups = int(figures[figures.index("Groups") + 1]) + 1
    said = f"met by each of {groups} groups, one of which is the suppressed records (*)."
    assert any(said in row[2] for row in rows)
    limits = checker.page.locator("#answer ul").inner_text()
    assert "the risk because cluster determines zip (according to the certificate: 50%)" in limits


def test_the_page_says_how_many_people_lost_some_records(
    checker: Checker, releases: Releases
) -> None:
    """As the other programs do."""
    folder = releases.of("persons")
    own = f"{_document(folder)['persons']['in_part']:,}"
    _, rows = checker.check(folder)
    assert any(f"of which {own} without some of their records" in row[2] for row in rows)
    found = SECOND.verify(folder).checks
    assert any(one["sentence"].endswith(f"add up: {own} in part.") for one in found)


def test_records_that_look_suppressed_in_the_table_are_refused(tmp_path: Path) -> None:
    """They could not be distinguished from suppressed records, unless ``*`` means missing."""
    rows = [(sex, race) for sex in "fm*" for race in "ab*" for _ in range(9)]
    table = write_csv(tmp_path / "people.csv", ("sex", "race"), rows)
    with pytest.raises(rs.Refusal, match=r"9 records have \* in every quasi-identifier"):
        rs.anonymize(table, quasi=["sex", "race"]).write(tmp_path / "release")
    rs.anonymize(table, quasi=["sex", "race"], missing=["*"]).write(tmp_path / "release")


def _one_ward(folder: Path) -> None:
    """Give the rows of one group the same ward, and certify this table."""
    path = folder / "visits.csv"
    head, *lines = path.read_text("utf-8").splitlines()
    rows = [line.split(",") for line in lines]
    at = head.split(",").index("ward")
    labels = [[*row[:at], *row[at + 1 :]] for row in rows]
    for row, own in zip(rows, labels, strict=True):
        row[at] = "0" if own == labels[0] else row[at]
    alike = Counter(map(tuple, rows))
    path.write_bytes("\n".join([head, *(",".join(row) for row in rows), ""]).encode())

    def certified(document: Any) -> None:  # noqa: ANN401 - JSON
        for one in (document["added"]["together"], document["added"]["columns"]["ward"]):
            one["unique"] = sum(n for n in alike.values() if n == 1)
            one["below_k"] = sum(n for n in alike.values() if n < 5)

    _certify(folder, path.name, certified)


def _risk_of_people(**change: float) -> Callable[[Path], None]:
    return lambda folder: _certify(
        folder, "visits.csv", lambda document: document["risk"].update(change)
    )


_OF_PEOPLE = {
    "one ward": _one_ward,
    "a risk above 1/k": _risk_of_people(smallest_class=4, maximum=0.25),
    "an average below all": _risk_of_people(average=1e-4),
    "another maximum": _risk_of_people(maximum=0.01),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("forgery", _OF_PEOPLE)
def test_a_forgery_of_people_is_refused_by_all_verifiers(
    checker: Checker, releases: Releases, forgery: str
) -> None:
    """No file shows the people, but it shows the values of a group, and how many rows it has."""
    folder = releases.copy("unlinked")
    assert second_verdict(folder, signed=True) == "verified in part"
    _OF_PEOPLE[forgery](folder)
    assert len(rs.verify(folder).failed) == 1
    assert second_verdict(folder, signed=True) == _REFUSED
    verdict, rows = checker.check(folder)
    assert (verdict, [row[1] for row in rows].count("failed")) == (_REFUSED, 1)


def _put_in(*path: str | int, value: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for part in path[:-1]:
            document = document[part]
        document[path[-1]] = value

    return change


def _seen(form: str, anchor: str | None, shift: object) -> Callable[[Any], None]:
    """Present the shifted dates as something else."""
    rule = {"column": "seen", "form": form, "anchor": anchor}
    return lambda document: document["policy"]["persons"].update(dates=[rule], shift=shift)


_SHIFT = {"days": 30, "weeks": False, "keyed": False}
_FACTS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "dates as ages": ("dates", _seen("age", "sex", None)),
    "dates as days": ("dates", _seen("interval", None, None)),
    "a shift that is not stated": ("dates", _seen("shift", None, None)),
    "a shift of no days": ("dates", _seen("shift", None, {**_SHIFT, "days": 0})),
    "a rule for another column": (
        "dates",
        lambda document: document["policy"]["persons"]["dates"][0].update(column="sex"),
    ),
    "a table in the settings": ("plain", _put_in("settings", "notes", value="a\nb\n")),
    "records in the search": ("plain", _put_in("search", "records", value=["Ann"])),
    "a sentence in the loss": ("plain", _put_in("loss", "why", value="Ann has it")),
    "a negative loss": ("plain", _put_in("loss", "loss", value=-1.0)),
    "an optimal policy with a gap": ("plain", _put_in("search", "gap", value=0.9)),
    "a risk above 1": ("plain", _put_in("risk", "maximum_before", value=7.0)),
    "a model that requires nothing": (
        "models",
        lambda document: [
            one["privacy"][1].update(l=1.0) for one in (document["policy"], document["settings"])
        ],
    ),
    "a comparison that is cut off": (
        "plain",
        _put_in("earlier_releases", value={"same_policy": 0, "other_policy": 0, "same_table": 0}),
    ),
    "a table in the request": ("private", _put_in("settings", "raw", value="a\nb\n")),
    "more people left out": ("database", _put_in("persons", "left_out", value=9)),
    "a released column left out": (
        "database",
        _put_in("tables", "measurement", "left_out", value=["value_as_number"]),
    ),
    "dates of a table without people": (
        "database",
        _put_in("tables", "concept", "rules", "dates", value=["concept_name"]),
    ),
    "fewer rows lost": (
        "database",
        _put_in("tables", "measurement", "lost", "outside_the_days", value=0),
    ),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("forgery", _FACTS)
def test_a_forged_fact_is_refused_by_the_page_and_by_the_program(
    checker: Checker, releases: Releases, forgery: str
) -> None:
    """The files show that it is impossible, or it is an entry that no certificate has."""
    kind, change = _FACTS[forgery]
    folder = releases.copy(kind)
    document = _document(folder)
    change(document)
    if "policy" in document and (folder / "policy.json").is_file():
        _put(folder, document["policy"], "policy")
        (own,) = (one for one in document["files"] if one["name"] == "policy.json")
        own.update(vars(fingerprint(folder / "policy.json")))
    if "seal" in document:
        document["seal"] = ""
        document["seal"] = hashlib.sha256(json_text(document).encode()).hexdigest()
    _put(folder, document)
    assert second_verdict(folder, signed=True) == _REFUSED
    assert checker.check(folder)[0] == _REFUSED


def test_the_page_follows_the_keys_of_a_set(checker: Checker, releases: Releases) -> None:
    """A visit of another person is refused, and so is a person who is not in the release."""
    for column, why in (("visit_occurrence_id", "a matching row"), ("person_id", "a matching row")):
        folder = releases.copy("database")
        path = folder / "MEASUREMENT.csv"
        head, *lines = path.read_text("utf-8").splitlines()
        at = head.split(",").index(column)
        cells = [line.split(",") for line in lines]
        other = next(row[at] for row in reversed(cells) if row[at] and row[at] != cells[0][at])
        cells[0][at] = other if column == "visit_occurrence_id" else "1234567"
        path.write_text("".join(f"{','.join(row)}\n" for row in ([head], *cells)), "utf-8")
        document = _document(folder)
        document["tables"]["measurement"]["file"] |= vars(fingerprint(path))
        _put(folder, document)
        verdict, rows = checker.check(folder)
        assert verdict == _REFUSED
        (said,) = (row[2] for row in rows if row[:2] == ["keys", "failed"])
        assert said == f"The column {column} of measurement has a key without {why}."


def test_a_removed_column_under_a_name_that_looks_the_same_is_refused(
    checker: Checker, releases: Releases
) -> None:
    """A recipient reads the name as that of the removed column."""
    folder = releases.copy()
    document = _document(folder)
    document["policy"]["columns"]["removed"] = ["N\u043ete "]  # with a Cyrillic o
    _put(folder, document["policy"], "policy")
    _put(folder, document)
    _certify(folder, "policy.json")
    assert second_verdict(folder, signed=True) == _REFUSED
    verdict, rows = checker.check(folder)
    assert (verdict, [row[0] for row in rows if row[1] == "failed"]) == (_REFUSED, ["identifiers"])


def test_frequencies_are_compared_exactly(checker: Checker, tmp_path: Path) -> None:
    """55 is not less than 1.1 times 50, although the product of floats is above 55."""
    assert 1.1 * 50 > 55
    rows = [("f", "home")] * 55 + [("f", "died")] * 50
    write_csv(tmp_path / "equal.csv", ("sex", "outcome"), rows)
    model = {"kind": "recursive-cl-diversity", "column": "outcome", "c": 1.2, "l": 2}
    known = {"quasi": ["sex"], "sensitive": ["outcome"], "privacy": [model]}
    out = tmp_path / "release"
    rs.anonymize(tmp_path / "equal.csv", **known).write(out)  # type: ignore[arg-type] # by name
    assert rs.verify(out).passed
    assert checker.check(out)[0] == "verified"
    _promise(out, "c", 1.1)
    assert not rs.verify(out).passed
    verdict, rows_shown = checker.check(out)
    assert verdict == _REFUSED
    assert any("too frequent" in " ".join(row) for row in rows_shown)


def test_signatures(checker: Checker, releases: Releases) -> None:
    """A signature names its signer; with the expected key, another signer is refused."""
    folder = releases.copy()
    keys(releases.folder, "officer.key", "stranger.key")
    officer, stranger = (releases.folder / f"{one}.key.pub" for one in ("officer", "stranger"))
    assert checker.check(folder, officer)[0] == _REFUSED, "unsigned"
    sign(folder, releases.folder / "officer.key", expires=None)
    assert checker.check(folder)[0] == "verified"
    assert "Ana Ruiz" in checker.page.locator("#answer").inner_text()
    assert checker.check(folder, officer)[0] == "verified"
    assert checker.check(folder, stranger)[0] == _REFUSED
    document = json.loads((folder / "signature.json").read_text("utf-8"))
    signature = bytearray(base64.b64decode(document["signatures"][0]["sig"]))
    signature[5] ^= 1
    document["signatures"][0]["sig"] = base64.b64encode(signature).decode()
    (folder / "signature.json").write_text(json_text(document), "utf-8")
    assert checker.check(folder)[0] == _REFUSED


def test_text_from_files_stays_text(checker: Checker, releases: Releases) -> None:
    """A name that is markup is shown as it is."""
    folder = releases.copy()
    (folder / "<img src=x onerror=alert(1)>.csv").write_text("a\n")
    verdict, rows = checker.check(folder)
    assert verdict == _REFUSED
    assert any("<img src=x" in row[2] for row in rows)
    assert checker.page.locator("#answer img").count() == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("theme", THEMES)
def test_everyone_can_read_the_page(browser: Browser, releases: Releases, theme: str) -> None:
    """In both themes, on a narrow screen, and with a screen reader."""
    narrow = {"width": 390, "height": 800}
    with _checking(browser, color_scheme=theme, viewport=narrow, bypass_csp=True) as found:
        found.check(releases.of("private"))
        assert violations(found.page) == []
        assert fits(found.page)
        status = found.page.get_by_role("status")
        assert status.inner_text() == "The check is complete. Verified in part."


def test_the_page_answers_while_it_reads_a_large_table(
    checker: Checker, releases: Releases
) -> None:
    """The rows are read by a worker, so the page stays responsive; a repeated row is found."""
    folder = releases.copy()
    text = (folder / "stays.csv").read_bytes().decode()
    line = text.removesuffix("\n").rsplit("\n", 1)[1]
    (folder / "stays.csv").write_bytes((text + f"{line}\n" * _ROWS_MEASURED).encode())
    _certify(folder, "stays.csv")
    checker.page.goto(SOURCE.as_uri())
    checker.page.evaluate(
        """() => {
          window.ticks = 0;
          const progress = document.getElementById("progress");
          setInterval(() => { if (!progress.hidden) window.ticks++; }, 10);
        }"""
    )
    checker.page.locator("#folder").set_input_files(folder)
    checker.page.locator("#result[data-verdict=refused]").wait_for()
    assert checker.page.evaluate("window.ticks") >= _TICKS
    found = checker.page.locator('[data-id="records"]').inner_text()
    assert f"{_ROWS_MEASURED + 400:,} records" in found
