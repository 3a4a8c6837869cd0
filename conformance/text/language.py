"""In which language people are told; programs (``--json``, evidence) are told in English."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook
from rich.segment import Segment
from rich.styled import Styled
from rich.table import Table

from conformance.catalogue.message import LANGUAGES, within
from conformance.errors import UsageError, choice
from conformance.printable import printable

LANGUAGE_OPTION = "--lang"
VARIABLE = "MOE_CONFORMANCE_LANG"
"""The language where no option names one; the locale does not count, so that logs stay alike."""

HAS_ITS_OWN = "report"
"""The command whose page is in the language, too: it reads the option itself."""


def language_of(arguments: list[str]) -> tuple[list[str], str]:
    """The arguments without the language, which may stand anywhere before ``--``, and it."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept, language, at = [], os.environ.get(VARIABLE, "en") or "en", 0
    while at < end:
        name, joined, value = arguments[at].partition("=")
        if name == LANGUAGE_OPTION and (joined or at + 1 < end):
            language = value if joined else arguments[at + 1]
            at += 1 if joined else 2
            continue
        kept.append(arguments[at])
        at += 1
    if kept[:1] == [HAS_ITS_OWN]:
        kept += [LANGUAGE_OPTION, language]
    return kept + arguments[end:], language


def check_language(language: str) -> None:
    """Raise `UsageError` for a language that nothing is told in."""
    if language not in LANGUAGES:
        raise UsageError("lang", language, choice(language, LANGUAGES))


class Speaking(Console):
    """A console that says the suite's sentences in a language, and obeys nothing that they quote.

    What is printed may come from anybody's file: it is no markup, and `printable`.
    """

    def __init__(self, language: str = "en", **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)
        self.language = language
        self.push_render_hook(_Harmless())

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, texts and tables in the console's language."""
        super().print(*(shown(one, self.language) for one in objects), **options)


class _Harmless(RenderHook):
    """Makes what a console shows printable, after the console has laid it out."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(one) for one in renderables]


class _Printable:
    def __init__(self, shown: RenderableType) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for one in console.render(self._shown, options):
            yield one if one.control else Segment(printable(one.text), one.style)


def shown(what: Any, language: str) -> Any:
    """A text or a table in a language, the headings, title and cells of a table too."""
    if isinstance(what, str):
        return within(what, language)
    return _table(what, language) if isinstance(what, Table) else what


def _table(table: Table, language: str) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", title=_cell(table.title, language))
    made.title_justify = table.title_justify
    for column in table.columns:
        made.add_column(
            _cell(column.header, language),
            justify=column.justify,
            no_wrap=column.no_wrap,
            min_width=column.min_width,
        )
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        made.add_row(*(_cell(one, language) for one in cells))
    return made


def _cell(cell: Any, language: str) -> Any:
    if isinstance(cell, Styled):
        return Styled(_cell(cell.renderable, language), cell.style)
    return within(cell, language) if isinstance(cell, str) else cell


def put(text: str, console: Console | None = None) -> None:
    """Tell people a text on standard output, in the console's language."""
    language = getattr(console, "language", "en")
    print(printable(within(text, language)), flush=True)
