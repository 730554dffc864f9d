"""Set up the template engine so that text never becomes markup.

Every value is escaped unless another template of this package generated it. An unknown name in a
template is an error. Characters that cannot be displayed are replaced before escaping.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from roadstead.reports import wording
from roadstead.reports.numbers import percent
from roadstead.reports.sources import keys_of

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment, Template
    from jinja2.bccache import Bucket


def filled(formula: str, cited: Markup, target: str) -> Markup:
    """Insert citations and the name of a column into the HTML that a model provides."""
    return Markup(formula).format(cited=cited, target=wording.legible(target))  # noqa: S704 - the model's words, and `format` escapes the name


def unbroken(command: str) -> Markup:
    """Allow line breaks between the words of a command, but not within an option."""
    words = wording.legible(command).split(" ")
    return Markup(" ").join(
        Markup('<span class="unbroken">{}</span>').format(word) if word.startswith("-") else word
        for word in words
    )


class PageHeading(NamedTuple):
    """A heading on a page, and its anchor."""

    id: str
    says: Markup


def headings(body: Markup) -> list[PageHeading]:
    """Return the second-level headings, for a table of contents.

    The body must come from a template of this package, because the headings are not escaped.
    """
    return [PageHeading(name, Markup(says)) for name, says in _HEADING.findall(body)]  # noqa: S704 - ours


_HEADING = re.compile(r'<h2 id="([\w-]+)">(.*?)</h2>')
_FILTERS = (
    filled,
    headings,
    keys_of,
    wording.counted,
    wording.decimal,
    wording.duration,
    wording.listed,
    wording.moment,
    wording.odds,
    wording.one_in,
    percent,
    unbroken,
    wording.format_count,
)


def template(name: str) -> Template:
    """Load a template of this package."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    return of_package("roadstead.reports")


def of_package(package: str) -> Environment:
    """Return the engine for the templates of a package."""
    import jinja2  # noqa: PLC0415 - only here

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_bytecode(),
    )
    environment.filters.update({function.__name__: function for function in _FILTERS})
    return environment


def _bytecode() -> BytecodeCache | None:
    """Keep compiled templates next to the package's own bytecode, if possible.

    The cache is valid only for the current version of the template engine, and of this file, which
    defines the escaping.
    """
    import jinja2  # noqa: PLC0415 - as above

    class Kept(jinja2.FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            with contextlib.suppress(OSError):  # A page also works without a cache.
                super().dump_bytecode(bucket)

    folder = Path(__file__).with_name("__pycache__")
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return None
    own = hashlib.sha256(jinja2.__version__.encode() + Path(__file__).read_bytes()).hexdigest()
    return Kept(str(folder), f"__jinja2_{own[:16]}_%s.cache")


def _shown(value: object) -> object:
    text = isinstance(value, str) and not isinstance(value, Markup)
    return wording.legible(str(value)) if text else value
