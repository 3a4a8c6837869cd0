"""Settings of numpy and torch for a whole process: a function must leave them as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.catalogue import python_route as say

OF_TORCH = (
    ("get_default_dtype", "set_default_dtype"),
    ("is_grad_enabled", "set_grad_enabled"),
    ("are_deterministic_algorithms_enabled", "use_deterministic_algorithms"),
    ("get_float32_matmul_precision", "set_float32_matmul_precision"),
    ("get_num_threads", "set_num_threads"),
    ("get_default_device", "set_default_device"),
)
"""By what function of torch each is told, and by what other one it is set."""

Setting = tuple[Callable[[], Any], Callable[[Any], Any]]


class Settings:
    """The settings, each by the name of the function that tells it."""

    def __init__(self, torch: Any = None) -> None:
        self._each: dict[str, Setting] = {
            "numpy.geterr": (np.geterr, lambda before: np.seterr(**before))
        }
        for told, changed in OF_TORCH if torch is not None else ():
            if hasattr(torch, told):
                self._each[f"torch.{told}"] = (getattr(torch, told), getattr(torch, changed))

    def now(self) -> Mapping[str, Any]:
        """What each is."""
        return {name: told() for name, (told, _) in self._each.items()}

    def restored(self, before: Mapping[str, Any]) -> str:
        """Set each to what it was; in words the first that was not, "" if all were."""
        found = ""
        for name, (told, change) in self._each.items():
            if (now := told()) != before[name]:
                change(before[name])
                named = {"name": name, "before": str(before[name]), "now": str(now)}
                found = found or str(say.SETTING_CHANGED(**named))
        return found
