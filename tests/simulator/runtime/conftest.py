"""Builds the libraries with one small test operator, and opens them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import c_uint64
from pathlib import Path

import pytest

from device_kernels.build import build
from tests.simulator.runtime.driver import PROGRAMS, Acl


@pytest.fixture(scope="session")
def lib() -> Path:
    return build(PROGRAMS / "operators", quiet=True).lib


@pytest.fixture
def acl(lib: Path) -> Iterator[Acl]:
    """ACL as a program finds it, with device 0 current and no text left."""
    acl = Acl(lib)
    acl.aclFinalize()
    assert acl.aclrtSetDevice(0) == 0
    acl.text()  # this thread's
    acl.text()  # those of others
    assert acl.text() is None
    yield acl
    acl.ascendsimConfigure(None, 0, 0)
    acl.aclrtSynchronizeDevice()
    acl.ascendcl.ascendsimTakeDiagnostics(ctypes.create_string_buffer(1 << 16), c_uint64(1 << 16))
