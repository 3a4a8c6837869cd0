"""A parser whose help is in a language; argparse's own few words stay English."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator
from functools import partial
from typing import Any

from rich.cells import cell_len

from conformance.catalogue.message import within
from conformance.printable import printable

DESCRIPTION_WIDTH = 99
"""Of a line of several that are laid out by hand; a longer one is wrapped."""

UNIT = re.compile(r"（*(?:[!-~]+|.)[，。；：、）]*")
"""What stays together in a line: a word of Latin letters or a Chinese character, and its marks."""


def parser_class(language: str) -> type[argparse.ArgumentParser]:
    """Parsers of commands, whose help is in a language."""

    class Parser(argparse.ArgumentParser):
        def __init__(self, prog: str | None = None, **options: Any) -> None:
            super().__init__(prog, formatter_class=partial(_Help, language), **options)

        def _print_message(self, message: str, file: Any = None) -> None:
            super()._print_message(printable(message), file)

    return Parser


class _Help(argparse.HelpFormatter):
    """Shows descriptions, headings and helps in a language."""

    def __init__(self, language: str, prog: str) -> None:
        super().__init__(prog)
        self._language = language

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and within(heading, self._language))

    def add_text(self, text: str | None) -> None:
        super().add_text(text and within(text, self._language))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and within(action.help, self._language)

    def _split_lines(self, text: str, width: int) -> list[str]:
        if self._language == "en":
            return super()._split_lines(text, width)
        return list(_lines(text, width))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            lines = self._split_lines(text, width - len(indent))
        elif self._language == "en":
            lines = [one for line in text.split("\n") for one in _kept(line)]
        else:
            lines = [one for line in text.split("\n") for one in _lines(line, DESCRIPTION_WIDTH)]
        return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def _kept(line: str) -> list[str]:
    """A line of a description as it is; a long one in several."""
    wrapped = textwrap.wrap(line, DESCRIPTION_WIDTH) if len(line) > DESCRIPTION_WIDTH else [line]
    return wrapped or [line]


def _lines(text: str, width: int) -> Iterator[str]:
    """A text in lines of so many columns; no line begins with a mark."""
    line, spaces = "", True
    for unit in UNIT.findall(text):
        if line.strip() and cell_len(line + unit) > width:
            yield line.rstrip()
            line, spaces = "", False
        if line or spaces or unit != " ":
            line += unit
    yield line.rstrip()
