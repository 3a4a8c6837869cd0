"""By what a call is one of a mode, of each operator."""

from __future__ import annotations

from typing import Any

from tests.cases.constraints import MODULES


def each(name: str) -> dict[str, Any]:
    """What the modules that have it say, by operator."""
    return {
        operator: getattr(module, name)
        for operator, module in MODULES.items()
        if hasattr(module, name)
    }


MODES = each("MODES")
IN_NONE = each("IN_NONE")
AT_THE_BORDER = each("AT_THE_BORDER")
FREELY_AT_THE_BORDER = each("FREELY_AT_THE_BORDER")
