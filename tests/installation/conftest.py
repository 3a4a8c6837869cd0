"""One installation for all tests of this folder."""

from __future__ import annotations

import pytest

from tests.installation.installed import Installed, install


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(tmp_path_factory.mktemp("installed"))
