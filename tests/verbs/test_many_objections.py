"""An error about many columns can be read: it gives the reasons for a few, and names all."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("columns", "more"), [(5, ""), (6, "and 1 more column;"), (40, "and 35 more columns;")]
)
def test_the_reasons_of_a_few_columns_are_given(columns: int, more: str, tmp_path: Path) -> None:
    """Fault class: a wide table fills the terminal with one sentence."""
    names = [f"mail{at}" for at in range(columns)]
    rows = [",".join(["ab"[at % 2], *(f"{n}.{at}@x.org" for n in names)]) for at in range(60)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(["sex", *names]), *rows, ""]), encoding="utf-8")
    ended = run("anonymize", path, "--quasi", "sex", "--unchanged", ",".join(names))
    assert ended.code == 2
    given = [name for name in names if f"'{name}': " in ended.err]
    assert given == names[:5]
    assert more in ended.err
    assert f"--release-anyway {','.join(names)}" in ended.err
