"""The texts of the report in a language, by key."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.catalogue import page
from conformance.catalogue.message import Message

HTML_LANGUAGE = {"en": "en", "zh": "zh-CN"}


def texts(language: str) -> dict[str, Any]:
    """Every text of `conformance.catalogue.page` by its name in small letters; one with fields is
    called with them.
    """
    return {
        name.lower().replace("_", " "): _text(message, language)
        for name, message in vars(page).items()
        if isinstance(message, Message)
    }


def _text(message: Message, language: str) -> Any:
    return partial(_said, message, language) if message.fields("en") else message().within(language)


def _said(message: Message, language: str, **arguments: Any) -> str:
    return message(**arguments).within(language)
