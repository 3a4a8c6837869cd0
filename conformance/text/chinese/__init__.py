"""The suite's sentences in Chinese: phrase by phrase, so that evidence stays in one language.

A phrase is a pattern of an English sentence and its Chinese words. Names, numbers, code, and what
records quote from documents stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from conformance.catalogue.message import within
from conformance.text.chinese import commands

QUOTED = (
    "契约：",
    "复现命令：",
    "较大用例的复现命令：",
    "回归用例名：",
    "保留原因：",
    "公开报告：",
)
"""How lines begin that quote: a document's words, a command, a record's."""

MARKS = re.compile(r"(?<=[\u4e00-\u9fff）」”])([,;:])(?: |$)|([,;])(?: )(?=推测|即|第)| (?=（)")
FULL_WIDTH = {",": "，", ";": "；", ":": "："}
"""Marks beside a Chinese character are written as wide as that, and nothing before a bracket."""

Words = str | Callable[[re.Match[str]], str]


@cache
def _rules() -> tuple[tuple[re.Pattern[str], Words], ...]:
    phrases = commands.PHRASES
    return tuple((re.compile(pattern), words) for pattern, words in phrases)


def in_chinese(text: str) -> str:
    """A text of the suite in Chinese, line by line; what has no phrase stays as it is."""
    return "\n".join(map(_line, within(text, "zh").split("\n")))


def _line(line: str) -> str:
    bare = line.lstrip()
    if bare.startswith(QUOTED):
        return line
    said = line
    for pattern, words in _rules():
        said = pattern.sub(words, said)
    if said == line:
        return line
    said = said.removesuffix(".") + "。" if said.endswith(".") else said
    return MARKS.sub(lambda mark: FULL_WIDTH.get(mark[1] or mark[2], ""), said)
