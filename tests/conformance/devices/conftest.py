"""A fake Ascend device for the tests of the device process, compiled from C on first use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.devices.device import Device
from conformance.devices.open import open_device
from tests.conformance.devices.fakes import compile_fakes


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fake libascendcl.so and libopapi.so."""
    folder = tmp_path_factory.mktemp("fake_ascend")
    compile_fakes(folder)
    return folder


@pytest.fixture(scope="session")
def fake_device(fake_libraries: Path) -> Iterator[Device]:
    """One fake device for all tests: each must leave it fit for the next."""
    device = open_device("sim", libraries=fake_libraries, time_limit=1.5, memory_limit=128 << 20)
    yield device
    device.close()
