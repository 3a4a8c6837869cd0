"""The functions of CANN that torch_npu binds: held against the wheels, and refused by name."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from conformance.devices.torch_npu.wheel import Wheel, bound, check_known, known, versions
from conformance.errors import EnvironmentFailure
from device_kernels.build import build
from device_kernels.shims import exported, shims
from tests.torch_npu.conftest import ENVIRONMENT, Program

WITHOUT = ("2.9.0", "2.12.0", "2.14.0")
"""Versions whose functions are compared, and with which nothing is run."""


@pytest.mark.parametrize("version", WITHOUT)
def test_a_wheel_binds_the_functions_that_its_list_names(version: str, tmp_path: Path) -> None:
    found = sorted((ENVIRONMENT / "wheels").glob(f"torch_npu-{version}-*.whl"))
    if not found:
        pytest.skip(f"no wheel of torch_npu {version}: make {ENVIRONMENT.name}/.ready")
    zipfile.ZipFile(found[0]).extractall(tmp_path)
    (torch,) = ENVIRONMENT.glob("lib/python*/site-packages/torch")
    assert bound(tmp_path / "torch_npu", torch) == known(version)


def test_the_installed_wheel_binds_the_functions_that_its_list_names(
    run: Program, tmp_path: Path
) -> None:
    ask = (
        "import json; from conformance.devices.torch_npu.wheel import installed; one = installed();"
        "print(json.dumps([one.version, sorted(one.binds)]))"
    )
    ended = run("-c", ask, folder=tmp_path)
    version, names = json.loads(ended.stdout)
    assert version == "2.13.0"
    assert frozenset(names) == known(version)
    assert len(names) == 84


def test_the_lists_are_those_of_the_compatibility_table() -> None:
    assert versions() == ["2.12.0", "2.13.0", "2.14.0", "2.9.0"]
    assert known("2.14.0") == known("2.13.0")
    assert known("2.12.0") < known("2.13.0")
    assert len(known("2.9.0") - known("2.13.0")) == 10
    page = (ENVIRONMENT.parent / "docs" / "how-to" / "torch-npu.md").read_text()
    rows = dict(re.findall(r"^\| (\d+\.\d+\.\d+) \| (\d+) \|", page, re.M))
    assert rows == {version: str(len(known(version))) for version in versions()}


def test_a_wheel_that_binds_what_nobody_knows_is_refused_with_the_names() -> None:
    newer = Wheel("2.15.0", Path("/there/torch_npu"), known() | {"aclrtBrandNew", "HcclAnother"})
    with pytest.raises(EnvironmentFailure) as told:
        check_known(newer)
    assert str(told.value) == (
        "torch_npu 2.15.0 (/there/torch_npu) binds 2 functions of CANN that the simulated device "
        "does not know: HcclAnother, aclrtBrandNew. Known are those of torch_npu 2.12.0, 2.13.0, "
        "2.14.0, 2.9.0"
    )


def test_a_folder_without_the_libraries_is_no_torch_npu(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="is no torch_npu: it has none of lib/libtorch"):
        bound(tmp_path)


def test_only_what_the_simulator_lacks_refuses_and_nothing_is_added() -> None:
    lib = build(quiet=True).lib
    folder = shims(lib, known("2.13.0"))
    there = exported(lib / "libascendcl.so") | exported(lib / "libopapi.so")
    refusing = exported(folder / "libhccl.so") - {"HcclSetConfig"}
    assert refusing == known("2.13.0") - there
    assert shims(lib, known("2.13.0")) == folder


def test_a_function_that_the_simulator_lacks_refuses_with_its_name(
    run: Program, tmp_path: Path
) -> None:
    ask = (
        "import ctypes, os, pathlib\n"
        "from device_kernels.shims import shims\n"
        "from conformance.devices.torch_npu.wheel import known\n"
        "lib = pathlib.Path(os.environ['SUITE_LIBRARIES'])\n"
        "acl = ctypes.CDLL(str(lib / 'libascendcl.so'))\n"
        "acl.aclGetRecentErrMsg.restype = ctypes.c_char_p\n"
        "print(ctypes.CDLL(str(shims(lib, known('2.13.0')) / 'libhccl.so')).aclrtMapMem())\n"
        "print(acl.aclGetRecentErrMsg().decode())\n"
    )
    ended = run("-c", ask, folder=tmp_path)
    assert ended.stdout.splitlines() == [
        "207000",
        "aclrtMapMem: the simulated device does not have it",
    ], ended.stderr
