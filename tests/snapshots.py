"""Texts that are pinned as files, in each language that people read them in."""

from __future__ import annotations

import os
from pathlib import Path

from conformance.catalogue.message import within

UPDATE = "UPDATE_SNAPSHOTS"


def pinned(path: Path, text: str) -> None:
    """Compare a text with ``path``, its Chinese with the file of the name before ``.zh.txt``.

    With UPDATE_SNAPSHOTS=1 in the environment both are written anew.
    """
    both_pinned(path, text, within(text, "zh"))


def both_pinned(path: Path, english: str, chinese: str) -> None:
    """As `pinned`, of a text that was shown in each language."""
    english_pinned(path, english)
    english_pinned(path.with_suffix(".zh.txt"), chinese)


def english_pinned(path: Path, text: str) -> None:
    """As `pinned`, of a text that nobody is told in another language."""
    text = text.rstrip("\n") + "\n"
    if os.environ.get(UPDATE) == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
