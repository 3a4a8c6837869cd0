"""The simulated device on both entries of the project's own kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.operator import TWO_PHASE


@pytest.fixture(scope="module")
def devices() -> Iterator[dict[str, Device]]:
    """One for each route of two phases."""
    with ExitStack() as opened:
        yield {
            route: opened.enter_context(closing(open_device("sim", route=route)))
            for route in TWO_PHASE
        }
