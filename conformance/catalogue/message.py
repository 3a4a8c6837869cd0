"""Messages, of which the catalogue is made, and what is said with them, in English and Chinese.

A `Message` has the words in both languages, with named fields. Called with its arguments it gives a
`Said`: a text that is its own English, and that knows its Chinese.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from rich.cells import cell_len

LANGUAGES = ("en", "zh")
COMMA = {"en": ", ", "zh": "、"}
"""Between the items of an argument that is a tuple."""

WIDEST = 1000
"""Columns that a field fills at most: a width may come from a file of anybody's."""

Packed: TypeAlias = "str | dict[str, Any] | list[Any]"
"""What is said, as JSON: a plain text, a message with its arguments, or parts in a row."""

KNOWN: dict[str, Message] = {}
"""The messages of the catalogue by their ids (conformance/catalogue/__init__.py)."""


class Message:
    """A sentence or a phrase in both languages; ``id`` is its module and name in the catalogue.

    A field ``{rows}`` takes any text, number, `Said`, or a tuple of such; ``{count:,}`` a number in
    a format of Python; ``{count:row|rows}`` the first word for one, else the second;
    ``{kind:{width}}`` what is said in so many columns of a terminal.
    """

    def __init__(self, english: str, chinese: str) -> None:
        self.id = ""
        self.words = {"en": english, "zh": chinese}

    @cached_property
    def _pieces(self) -> dict[str, tuple[_Piece, ...]]:
        """The words in parts: taken apart at the first use, as a process says few of all."""
        return {language: _pieces(words) for language, words in self.words.items()}

    @cached_property
    def _names(self) -> set[str]:
        pieces = [one for some in self._pieces.values() for one in some]
        widths = {width.name for one in pieces for width in _pieces(one.how)}
        return ({one.name for one in pieces} | widths) - {""}

    def __call__(self, **arguments: Any) -> Said:
        """What the message says. Raises `TypeError` unless each field has its argument."""
        if arguments.keys() != self._names:
            raise TypeError(f"{self.id or self.words['en']} takes {sorted(self._names)}")
        return Said(self, arguments)

    def within(self, language: str, arguments: Mapping[str, Any]) -> str:
        """The words in a language."""
        return "".join(
            one.before
            + (_shown(arguments[one.name], one.format(arguments), language) if one.name else "")
            for one in self._pieces[language]
        )

    def fields(self, language: str) -> set[str]:
        """The names of the fields that show their argument, and do not only choose a word."""
        return {one.name for one in self._pieces[language] if one.name and "|" not in one.how}


class _Piece(NamedTuple):
    """Literal words, and the field behind them: its name, "" for none, and its format."""

    before: str
    name: str
    how: str

    def format(self, arguments: Mapping[str, Any]) -> str:
        """The format, with the width that it names. Raises `ValueError` for one beyond `WIDEST`."""
        if "{" not in self.how:
            return self.how
        width = self.how.format_map(arguments)
        if not 0 <= int(width) <= WIDEST:
            raise ValueError(f"{self.name} is to fill {width} columns: allowed: 0 to {WIDEST}")
        return width


def _pieces(words: str) -> tuple[_Piece, ...]:
    parsed = string.Formatter().parse(words)
    return tuple(_Piece(before, name or "", how or "") for before, name, how, _ in parsed)


def _shown(value: Any, how: str, language: str) -> str:
    """An argument in a format, as a message in a language shows it."""
    one, chooses, more = how.partition("|")
    if chooses:
        return one if value == 1 else more
    if isinstance(value, tuple | list):
        return COMMA[language].join(_shown(each, how, language) for each in value)
    if not isinstance(value, Said):
        return format(value, how)
    text = within(value, language)
    return text + " " * (int(how) - cell_len(text)) if how.isdigit() else text


class Said(str):
    """A text in English that knows its Chinese: of one message, or of parts in a row.

    ``+`` keeps both languages, as do `row`, `splitlines`, `removeprefix`, `translate` and
    `changed`; all other operations of a string, an f-string too, give the plain English.
    """

    __slots__ = ("arguments", "message", "parts")
    message: Message | None
    arguments: Mapping[str, Any]
    parts: tuple[str, ...]

    def __new__(cls, message: Message, arguments: Mapping[str, Any]) -> Said:
        """What a message says."""
        made = super().__new__(cls, message.within("en", arguments))
        made.message, made.arguments, made.parts = message, arguments, ()
        return made

    @staticmethod
    def of(parts: Iterable[str]) -> Said:
        """Texts in a row."""
        flat = tuple(_flat(parts))
        made = str.__new__(Said, "".join(flat))
        made.message, made.arguments, made.parts = None, {}, flat
        return made

    def within(self, language: str) -> str:
        """The text in a language."""
        if language == "en":
            return str.__str__(self)
        if self.message is not None:
            return self.message.within(language, self.arguments)
        return "".join(within(part, language) for part in self.parts)

    def __add__(self, other: str) -> Said:
        return Said.of((self, other))

    def __radd__(self, other: str) -> Said:
        return Said.of((other, self))

    def splitlines(self, keepends: bool = False) -> list[str]:
        """The lines. A message is one line, unless its arguments have more."""
        lines: list[list[str]] = [[]]
        for part in self.parts or (self,):
            pieces = [part] if isinstance(part, Said) else part.split("\n")
            for at, piece in enumerate(pieces):
                if at:
                    lines.append([])
                lines[-1] += [piece] if piece else []
        if not lines[-1]:
            lines.pop()
        end = "\n" if keepends else ""
        return [_one(line) + end for line in lines]

    def removeprefix(self, prefix: str, /) -> str:
        """Without a prefix; in English alone if that is not plain text."""
        first, *rest = self.parts or (self,)
        if isinstance(first, Said) or not first.startswith(prefix):
            return super().removeprefix(prefix) if self.startswith(prefix) else self
        return _one([first.removeprefix(prefix), *rest])

    def translate(self, table: Any, /) -> str:
        """With other characters in what the catalogue has not: plain texts and arguments."""
        return changed(self, lambda text: text.translate(table))

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked, (packed(self),)


def row(parts: Iterable[str], between: str | Message = "") -> str:
    """Texts in a row, with something between them; a `Said` if one of them is."""
    between = between() if isinstance(between, Message) else between
    made: list[str] = []
    for part in parts:
        made += [between, part] if made and between else [part]
    return _one(made)


def within(text: str, language: str) -> str:
    """A text in a language; a plain one stays as it is."""
    return text.within(language) if isinstance(text, Said) else text


def changed(text: str, change: Callable[[str], str]) -> str:
    """A text with each plain text in it changed: arguments, and what stands between messages."""
    if not isinstance(text, Said):
        return change(text)
    if text.message is None:
        return Said.of(changed(part, change) for part in text.parts)
    return Said(text.message, {name: _changed(one, change) for name, one in text.arguments.items()})


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_changed(one, change) for one in value)
    return changed(value, change) if isinstance(value, str) else value


def packed(said: str) -> Packed:
    """What is said as JSON, for `unpacked`; a message that is not of the catalogue as English."""
    if not isinstance(said, Said):
        return str(said)
    if said.message is None:
        return [packed(part) for part in said.parts]
    if said.message.id not in KNOWN:
        return str.__str__(said)
    arguments = {name: _argument(value) for name, value in said.arguments.items()}
    return {"id": said.message.id, **({"arguments": arguments} if arguments else {})}


def unpacked(told: Packed) -> str:
    """What `packed` gave. Raises `LookupError`, `TypeError` and `ValueError` on anything else."""
    if isinstance(told, str):
        return told
    if isinstance(told, list):
        return Said.of(map(unpacked, told))
    arguments = told.get("arguments", {})
    return KNOWN[told["id"]](**{name: _unpacked(value) for name, value in arguments.items()})


def _argument(value: Any) -> Any:
    if isinstance(value, Said):
        return {"said": packed(value)}
    if isinstance(value, tuple | list):
        return [_argument(one) for one in value]
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return value.item() if hasattr(value, "item") else str(value)


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return unpacked(value["said"])
    return tuple(map(_unpacked, value)) if isinstance(value, list) else value


def _flat(parts: Iterable[str]) -> Iterable[str]:
    """The parts, those of a row in its place, plain texts beside each other as one."""
    plain = ""
    for part in parts:
        for one in part.parts if isinstance(part, Said) and part.message is None else (part,):
            if isinstance(one, Said):
                if plain:
                    yield plain
                yield one
                plain = ""
            else:
                plain += one
    if plain:
        yield plain


def _one(parts: Sequence[str]) -> str:
    """Parts in a row as one text, plain if all are."""
    if len(parts) == 1:
        return parts[0]
    return Said.of(parts) if any(isinstance(one, Said) for one in parts) else "".join(parts)
