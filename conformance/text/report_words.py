"""The texts of the report in a language, by key."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from conformance.catalogue import page
from conformance.catalogue.message import Message

HTML_LANGUAGE = {"en": "en", "zh": "zh-CN"}


def texts(language: str) -> dict[str, Any]:
    """Every text of the page of a run, as of `texts_of`."""
    return texts_of(page, language)


def texts_of(catalogue: ModuleType, language: str) -> dict[str, Any]:
    """Every text of a catalogue by its name in small letters; one with fields is called with
    them."""
    return {
        name.lower().replace("_", " "): _text(message, language)
        for name, message in vars(catalogue).items()
        if isinstance(message, Message)
    }


def _text(message: Message, language: str) -> Any:
    return partial(_said, message, language) if message.fields("en") else message().within(language)


def _said(message: Message, language: str, **arguments: Any) -> str:
    return message(**arguments).within(language)
