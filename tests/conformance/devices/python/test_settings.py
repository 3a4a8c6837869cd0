"""Settings of a process are compared and restored."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.devices.python.settings import Settings


class Torch:
    """What of torch tells and sets its default dtype."""

    dtype = "float32"

    def get_default_dtype(self) -> str:
        return self.dtype

    def set_default_dtype(self, dtype: str) -> None:
        self.dtype = dtype


def test_what_was_changed_is_named_and_restored() -> None:
    torch: Any = Torch()
    settings = Settings(torch)
    before = settings.now()
    assert settings.restored(before) == ""
    torch.dtype = "float64"
    with np.errstate(divide="raise"):
        told = settings.restored(before)
        assert np.geterr() == before["numpy.geterr"]
    assert told.startswith("numpy.geterr() is {'divide': 'raise'")
    assert torch.dtype == "float32"
    torch.dtype = "float64"
    assert settings.restored(before) == (
        "torch.get_default_dtype() is float64 after the call, and was float32: it must be as it was"
    )
