"""Roadstead with every sentence replaced by another one, in a process of its own.

Every text of the package with a word and a blank is replaced while its modules are imported. The
unchanged package makes documents, and this one reads them. A difference appears if code stores a
sentence in a document and compares it with a new one.

As a program, it checks the releases in a folder, and prints its results as JSON.
"""

from __future__ import annotations

import ast
import importlib.machinery
import json
import re
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

_WORD = re.compile(r"[A-Za-z]{2,}")
_SQL = re.compile(
    r"\b(?!(?:SHA|CSV|JSON|UTC|UTF|WARNING|REFUSED|FAILED|CDM|OMOP|ICD|HTML|PDF|ZIP)\b)[A-Z]{3,}\b"
    r"|\b(?:AS|BY|OR|TO|IN|ON|IS)\b|\w\("
)
"""Words in capitals and calls, as statements of SQL have them and sentences have not."""
_NO_WORDS = ("roadstead.kernels", "roadstead.tables.stores", "roadstead.tables.engine")
"""Rooms whose texts with blanks are of engines and compilers."""
_CELLS = {
    "roadstead.differential.domains": ("words",),  # 20 to 29
    "roadstead.differential.margins.frequent_items": ("OTHERS",),
    "roadstead.differential.margins.long_lists": ("OTHERS",),
    "roadstead.release.private.margins": ("HEADER", "OTHERS"),
    "roadstead.release.documents": ("_RECODING",),  # a key, with the blanks before it
    "roadstead.release.private.cut": ("names_of",),
    "roadstead.release.private.tables": ("groups_header",),
}
"""Functions and constants whose texts are cells of released tables or keys, and no sentence."""


def other(text: str) -> str:
    """Return another text where it has a word and a blank, and the same where it has not."""
    if " " not in text.strip() and not (" " in text and _WORD.search(text)):
        return text
    if not _WORD.search(text) or _SQL.search(text):
        return text
    return f"in other words {text}" if text[:1].isalpha() else text.replace(" ", " other ", 1)


class OtherWords(ast.NodeTransformer):
    """Puts other sentences into a module; not into documentation, SQL, patterns and cells."""

    def __init__(self, cells: Sequence[str] = ()) -> None:
        self.cells = frozenset(cells)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Leave documentation unchanged."""
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave functions that name cells unchanged."""
        return node if node.name in self.cells else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Leave constants that name cells unchanged."""
        names = {
            part.id
            for target in node.targets
            for part in ast.walk(target)
            if isinstance(part, ast.Name)
        }
        return node if names & self.cells else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave patterns unchanged."""
        function = node.func
        of = function.value if isinstance(function, ast.Attribute) else None
        return node if isinstance(of, ast.Name) and of.id == "re" else self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Replace the parts of a text that is put together, unless it is SQL."""
        parts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
        if _SQL.search(" ".join(parts)):
            return node
        return self.generic_visit(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """Replace what is put in, and leave its format."""
        node.value = self.visit(node.value)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Replace a text."""
        if isinstance(node.value, str):
            return ast.copy_location(ast.Constant(other(node.value)), node)
        return node


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path))
        changed = ast.fix_missing_locations(OtherWords(_CELLS.get(fullname, ())).visit(tree))
        return compile(changed, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("roadstead.") or fullname.startswith(_NO_WORDS):
            return None
        others = (one for one in sys.meta_path if one is not self)
        found = (one.find_spec(fullname, path, target) for one in others)
        spec = next((one for one in found if one is not None), None)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def looked_at(release: Path, rules: Path) -> dict[str, Any]:
    """Return what is decided on a release, and the words of its checks."""
    import roadstead as rs  # noqa: PLC0415 - once sentences are replaced
    from roadstead.determination.figures import measured  # noqa: PLC0415 - as above

    verification = rs.verify(release)
    return {
        "failed": [f"{one.check}: {one.detail}" for one in verification.failed],
        "gate": rs.gate(release, rules=rules).passed,
        "figures": sorted(measured(release, verification).figures),
        "signature": None if verification.signature is None else verification.signature.state,
        "words": sorted(one.check for one in verification.checks),
    }


def main(folder: Path) -> None:
    """Look at every release in a folder with other words."""
    sys.meta_path.insert(0, _Finder())
    rules = folder / "gate.toml"
    found = {path.parent.name: looked_at(path, rules) for path in sorted(folder.glob("*/release"))}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
