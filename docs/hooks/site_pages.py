# noqa: INP001 - a hook of MkDocs, not a package
"""Pages of the site that are not Markdown files in docs, and the links to them.

The notebooks become pages. The files for contributors, the changelog, and the benchmarks get a
place in the site. A link to a file that is not part of the site becomes plain text.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Files outside docs that are pages of the site, with the names of these pages."""

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s]+)\)")
_CODE = re.compile(r"(^```.*?^```$|``.+?``|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401 - MkDocs has no public type
    """Add the pages that are made from other files."""
    for source, name in OUTSIDE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    for notebook in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        name = f"tutorials/{notebook.stem}.md"
        files.append(File.generated(config, name, content=from_notebook(notebook)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ANN401, ARG001 - MkDocs calls it so
    """Give every link the place that its target has in the site."""
    uri = page.file.src_uri
    there = {file.src_uri for file in files}
    parts = _CODE.split(markdown)
    return "".join(
        part if at % 2 else _LINK.sub(lambda link: _linked(link, uri, there), part)
        for at, part in enumerate(parts)
    )


def from_notebook(notebook: Path) -> str:
    """Write the cells of a notebook as Markdown, with what they print."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    pieces: list[str] = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            pieces.append(source)
            continue
        pieces.append(f"```python\n{source}\n```")
        pieces.extend(filter(None, map(_shown, cell["outputs"])))
    return "\n\n".join(pieces) + "\n"


def _shown(output: dict[str, Any]) -> str:
    """Write one output: a table as a table, all other output as text."""
    data = output.get("data", {})
    if table := _TABLE.search("".join(data.get("text/html", ""))):
        return re.sub(r"\n\s*|(?<=<table) [^>]*|(?<=<tr) [^>]*", "", table[0])
    text = "".join(output.get("text", "")) or "".join(data.get("text/plain", ""))
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""


def source_of(uri: str) -> str:
    """Name the file of the repository that a page of the site is made from."""
    outside = {name: source for source, name in OUTSIDE.items()}
    if uri in outside:
        return outside[uri]
    notebook = ROOT / "docs" / uri.replace(".md", ".ipynb")
    return f"docs/{uri.replace('.md', '.ipynb') if notebook.exists() else uri}"


def _linked(link: re.Match[str], uri: str, there: set[str]) -> str:
    path, mark, anchor = link["target"].partition("#")
    if "://" in path or path.startswith("mailto:") or not path:
        return link[0]
    folder = posixpath.dirname(source_of(uri))
    source = posixpath.normpath(posixpath.join(folder, path))
    name = OUTSIDE.get(source) or source.removeprefix("docs/").replace(".ipynb", ".md")
    if name not in there:
        return link["text"]
    near = posixpath.relpath(name, posixpath.dirname(uri) or ".")
    return f"{link['image']}[{link['text']}]({near}{mark}{anchor})"
