"""A call whose error is an answer too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def attempt(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a call answers, or the error that it raises."""
    try:
        return function(*arguments, **named)
    except Exception as error:
        return error
