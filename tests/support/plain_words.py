"""The patterns of speech that readers stumble over, and a search for them in the prose of a file.

Each pattern has its plain form. The prose of a page is its text without code, addresses, and
output. The prose of a module is its string literals that are sentences, or, with an option, its
docstrings and comments.

``python tests/support/plain_words.py FILE...`` lists the finds by line. ``--source`` reads
docstrings and comments instead. ``--rate`` prints the finds per 1,000 words of each file.
``--record`` lowers the numbers of ``plain_words.toml`` to the finds; ``--record-afresh`` replaces
them.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plain_limits import checked_files, record

_START = r"(?:^|(?<=[.:;!?] )|(?<=[.:;!?]\) )|(?<=\*\* )|(?<=\| )|(?<=- ))"
"""Where a sentence, a cell of a table, or an item of a list begins."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of speech, and how to write instead."""

    name: str
    found: re.Pattern[str]
    instead: str


def _pattern(name: str, found: str, instead: str, *, case: bool = False) -> Pattern:
    return Pattern(name, re.compile(found, 0 if case else re.IGNORECASE), instead)


PATTERNS: tuple[Pattern, ...] = (
    _pattern("tell", r"\b(?:told|tells?|telling)\b", "report, show, reveal, distinguish"),
    _pattern(
        "somebody", r"\b(?:some|any|no)body\b|\bwhoever\b|\bwhosoever\b", "an attacker, anyone"
    ),
    _pattern(
        "who-clause",
        _START + r"Who (?!is |are |can |may |should |will |must )\w+(?![^.]*\?)"
        r"|\b(?:to|for|by|than|of) who\b(?! [a-z]+s?\?)",
        "an attacker who, anyone who",
    ),
    _pattern("whose each", r"\bwhose (?:each|every)\b", "person ID column"),
    _pattern("alongside", r"\balongside\b|\bbeside\b", "also, with, next to, in addition to"),
    _pattern("stand", r"\b(?:stands?|standing|stood)\b(?! ?ard)", "is, appears, is listed"),
    _pattern("alike", r"\balike\b", "the same way, identical"),
    _pattern(
        "is no",
        r"\b(?<!there )(?:is|are|was|were|be|has been) (?:no(?! longer| more than| less than"
        r"| later than| fewer than| better than| worse than| larger than| smaller than"
        r"| riskier than)|none)\b",
        "is not a, does not have",
    ),
    _pattern("ask for", r"\bask(?:s|ed|ing)? for\b", "require, request, specify"),
    _pattern("anew", r"\banew\b", "again"),
    _pattern("taken for", r"\b(?:take|takes|took|taken) for\b", "treat as, assume"),
    _pattern(
        "hold against", r"\b(?:hold|holds|held|holding)(?: \w+){0,3} against\b", "compare with"
    ),
    _pattern("lay over", r"\b(?:lay|lays|laid|laying) (?:\w+ )?over\b", "compare, match, link"),
    _pattern("go before", r"\b(?:go|goes|going|went) before\b", "override, take precedence over"),
    _pattern("but for", r"\bbut for\b", "except, except for"),
    _pattern("better (verb)", r"\bbetters\b|\bno other better\b", "beat, improve on"),
    _pattern(
        "one a",
        r"\b(?:one|a) (?:row|line|level|column|value|record|cell|file|folder|table|entry) an? "
        r"(?:row|line|level|column|value|record|person|cell|file|table|rule|attribute|class)\b",
        "one X per Y",
    ),
    _pattern("parted", r"\b(?:parted|parting)\b", "split, separate"),
    _pattern("as it is", r"\bas (?:it|they) (?:is|are|was|were)\b(?! \w)", "unchanged"),
    _pattern(
        "fronted of",
        _START + r"Of (?:an?|the|what|all|these|those|each|such|this|that)\b",
        "For ...: or In ...,",
        case=True,
    ),
    _pattern("what-clause", _START + r"What (?:\w+ ){2,}(?![^.|]*\?)", "name the thing", case=True),
    _pattern(
        "that-item",
        r"^(?:\s*[-*] )?That (?:it|a|an|the|they|no)\b",
        "a positive sentence",
        case=True,
    ),
    _pattern("be it", r"\bbe it\b|\bwere it\b|\bso that it be\b", "if, even if"),
    _pattern("would do", r"\b(?:would|will) do\b(?= *[.,;:)]|$)", "is enough, works"),
    _pattern("as DATE", r"\bas (?:`)?\d{4}-\d\d", "for example, or such as"),
    _pattern("convict", r"\b(?:convict|acquit)\w*\b", "fails, passes"),
    _pattern(
        "made of", r"\b(?:made|drawn|known|said) of\b", "made from, sampled from, known about"
    ),
    _pattern("persons", r"\bpersons\b", "people; person for the unit"),
    _pattern("space before %", r"\d[ \u00a0\u202f]%", "4.6%"),
    _pattern(
        "would be had", r"\bto be had\b|\ball the same\b|\bof its own accord\b", "say it plainly"
    ),
)


@dataclass(frozen=True, slots=True)
class Find:
    """A pattern in the prose of a file, with the line where its paragraph begins."""

    line: int
    pattern: Pattern
    text: str


def prose_of(path: Path, *, source: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a file with their first lines; `source`: docstrings and comments."""
    text = path.read_text(encoding="utf-8")
    match path.suffix:
        case ".py" | ".pyi":
            yield from _in_source(text) if source else _in_strings(text)
        case ".md":
            yield from _in_markdown(text)
        case ".ipynb":
            for cell in json.loads(text)["cells"]:
                if cell["cell_type"] == "markdown":
                    yield from _in_markdown("".join(cell["source"]))
        case ".html":
            yield from _in_page(text)
        case ".toml":
            yield from _in_lines(text)


def finds_in(path: Path, *, source: bool = False) -> list[Find]:
    """List the patterns in the prose of a file."""
    return [
        Find(line, pattern, _around(text, found.start(), found.end()))
        for line, text in prose_of(path, source=source)
        for pattern in PATTERNS
        for found in pattern.found.finditer(text)
    ]


def rate_of(path: Path, *, source: bool = False) -> tuple[int, int]:
    """Count the finds and the words of the prose of a file."""
    words = sum(len(text.split()) for _, text in prose_of(path, source=source))
    return len(finds_in(path, source=source)), words


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - 50) : end + 50]


def _in_markdown(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, items, and lines of tables, without code, addresses, and comments."""
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    held: list[str] = []
    first, fenced = 1, False
    for number, written in enumerate([*text.split("\n"), ""], 1):
        fence = written.lstrip().startswith(("```", "~~~"))
        line = "" if fence or fenced or written.startswith("    $ ") else written
        fenced ^= fence
        apart = line.lstrip().startswith(("|", "- ", "* ", "#", "1. ")) or not line.strip()
        if apart and held:
            yield first, _plain(" ".join(held))
            held = []
        if line.strip():
            first = first if held else number
            held.append(line.strip().lstrip("#> "))


def _plain(text: str) -> str:
    """Take code, addresses, and marks out of a paragraph of Markdown."""
    text = re.sub(r"``.+?``|`[^`]*`", "`x`", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^(?:[-*] |\d+\. )", "", text)
    return re.sub(r"</?[a-z][^>]*>|\*\*|(?<!\w)\*|\*(?!\w)", "", text).replace("`x`", "X")


def _in_page(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a template, between its tags, and those of its titles and labels."""

    def gone(match: re.Match[str]) -> str:
        return " " + "\n" * match[0].count("\n")

    text = re.sub(
        r"<(script|style|svg)\b.*?</\1>|<!--.*?-->|\{#.*?#\}", gone, text, flags=re.DOTALL
    )
    said = re.sub(r"\{\{.*?\}\}", "X", re.sub(r"\{%.*?%\}", gone, text, flags=re.DOTALL))
    labels = re.compile(r'\b(?:title|aria-label|placeholder|alt|hx-confirm)="([^"]*)"')
    for number, line in enumerate(said.split("\n"), 1):
        for label in labels.findall(line):
            yield number, label
    inline = re.sub(r"</?(?:b|i|em|strong|code|a|small|span|abbr|var)\b[^>]*>", "", said)
    inline = re.sub(r"<[^>]*>", lambda m: "\x00" + "\n" * m[0].count("\n"), inline, flags=re.DOTALL)
    number = 1
    for piece in inline.split("\x00"):
        if piece.strip():
            yield number + len(piece) - len(piece.lstrip("\n")), " ".join(piece.split())
        number += piece.count("\n")


def _in_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file of words in TOML."""
    for number, line in enumerate(text.split("\n"), 1):
        value = line.split("=", 1)[-1].strip() if not line.lstrip().startswith("#") else ""
        if " " in value.strip("\"'"):
            yield number, value.strip("\"'").rstrip("\\")


def _in_strings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module that are prose: two words or more, no docstrings."""
    tree = ast.parse(text)
    documents = set(_documents(tree))
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            said = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in inner or id(node) in documents:
                continue
            said = node.value
        else:
            continue
        if re.search(r"[a-z]{2,}[,:]? [a-z]{2,}", said) and "SELECT" not in said:
            yield node.lineno, " ".join(_plain(said).split())


def _documents(tree: ast.AST) -> Iterator[int]:
    """Yield the identities of the nodes that are docstrings, or texts below an attribute."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                yield id(statement.value)


def _in_source(text: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a module."""
    tree = ast.parse(text)
    documents = set(_documents(tree))
    for node in ast.walk(tree):
        if id(node) in documents and isinstance(node, ast.Constant) and isinstance(node.value, str):
            for number, paragraph in enumerate(node.value.split("\n\n")):
                yield node.lineno + number, " ".join(_plain(paragraph.strip()).split())
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(("# noqa", "# type")):
            yield token.start[0], token.string.lstrip("# ")


def _main(arguments: list[str]) -> None:
    flags = {one for one in arguments if one.startswith("--")}
    if flags & {"--record", "--record-afresh"}:
        finds = {name: len(finds_in(path)) for name, path in checked_files().items()}
        record(finds, afresh="--record-afresh" in flags)
    for name in (one for one in arguments if one not in flags):
        path = Path(name)
        if "--rate" in flags:
            count, words = rate_of(path, source="--source" in flags)
            _say(f"{1000 * count / max(words, 1):6.1f} {count:5} {words:6}  {path}")
            continue
        for find in finds_in(path, source="--source" in flags):
            pattern = find.pattern
            _say(f"{path}:{find.line}: {pattern.name} -> {pattern.instead}: ...{find.text}...")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
