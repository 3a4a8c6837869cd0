"""The fake device of the tests of the device process, for these tests, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.devices.fakes import compile_fakes


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fake libascendcl.so and libopapi.so."""
    folder = tmp_path_factory.mktemp("fake_ascend")
    compile_fakes(folder)
    return folder
