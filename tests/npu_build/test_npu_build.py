"""libmoe_kernels.so as a host with CANN builds it, in both ways, against a stand-in for CANN."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.devices.kernel_copies import copy_kernel
from conformance.devices.open import open_device
from conformance.errors import OperatorUnavailable
from conformance.judge.examples import judge_example
from conformance.record.functions import CORRECT
from conformance.session.function_probe import probed_functions, probes_of
from conformance.suite import records as suite
from device_kernels.build import ROOT as DEVICE
from device_kernels.build import build
from device_kernels.toolchain import BuildError, compile_libraries, compiler
from tests.slow import slow_but

HERE = Path(__file__).parent
OPERATOR = "moe_token_permute_grad"
OTHER = DEVICE.parent / "tests" / "simulator" / "programs" / "operators"


@pytest.fixture(scope="module")
def cann(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a build looks for of CANN: tree, headers, libraries; its operators are others."""
    home = tmp_path_factory.mktemp("cann")
    (home / "compiler" / "tikcpp").mkdir(parents=True)
    shutil.copytree(
        HERE / "cann" / "ascendc_kernel_cmake",
        home / "compiler" / "tikcpp" / "ascendc_kernel_cmake",
    )
    (home / "include").symlink_to(DEVICE / "simulator" / "include")
    lib = build(OTHER, quiet=True).lib
    (home / "lib64").mkdir()
    for name, source in {
        "libascendcl.so": "libascendcl.so",
        "libopapi.so": "libopapi.so",
        "libnnopbase.so": "libopapi.so",
    }.items():
        (home / "lib64" / name).symlink_to(lib / source)
    return home


def built(cann: Path, way: str, folder: Path) -> Path:
    """The folder of libmoe_kernels.so with one operator."""
    kernels = folder / "kernels"
    copy_kernel(DEVICE / "kernels" / OPERATOR, kernels)
    definitions = {
        "SUITE_TARGET": "npu",
        "SUITE_KERNELS": str(kernels),
        "SUITE_NPU_COMPILER": way,
        "CMAKE_CXX_FLAGS_SUITE": "-O0 -Wall -Wextra",  # four calls: compiled soonest
        "ASCEND_CANN_PACKAGE_PATH": str(cann),
    }
    compile_libraries(DEVICE, folder / "tree", compiler(), definitions)
    return folder / "tree" / "lib"


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_PROJECT", str(DEVICE))


@pytest.mark.parametrize("way", slow_but(["ascendc"], ["ascendc", "asc"]))
def test_our_kernels_run_beside_the_vendors_on_route_kernel(
    cann: Path, way: str, tmp_path: Path
) -> None:
    lib = built(cann, way, tmp_path)
    exported = subprocess.run(
        ["nm", "-D", "--defined-only", lib / "libmoe_kernels.so"], capture_output=True, text=True
    ).stdout
    assert "kernelMoeTokenPermuteGradGetWorkspaceSize" in exported
    for name in ("libascendcl.so", "libopapi.so"):
        (lib / name).symlink_to((cann / "lib64" / name).resolve())
    (operator,) = suite.chosen(suite.records(), [OPERATOR])
    whole = [one for one in operator.examples if one.case.mode == "whole"][:4]
    with closing(open_device("npu", libraries=lib, route="kernel")) as device:
        assert device.profile.libraries.keys() >= {"libmoe_kernels.so"}
        for example in whole:
            made = replace(example, case=replace(example.case, machine=None))
            verdict = judge_example(made, operator, device.run(operator, made.case))
            assert verdict.ok, str(verdict)
        with probes_of(device) as probes:
            found = dict(probed_functions(probes))
        assert set(found.values()) == {CORRECT}
    with (
        closing(open_device("npu", libraries=lib)) as device,
        pytest.raises(OperatorUnavailable, match="not available on route aclnn"),
    ):
        device.run(operator, replace(whole[0].case, machine=None))


def test_a_host_without_the_kernels_build_of_cann_is_told_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    with pytest.raises(BuildError) as told:
        built(tmp_path / "nowhere", "auto", tmp_path)
    assert "it has no tikcpp/ascendc_kernel_cmake" in " ".join(str(told.value).split())


def test_a_way_that_there_is_not_is_refused_by_name(cann: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="SUITE_NPU_COMPILER is tbe; it must be ascendc, asc"):
        built(cann, "tbe", tmp_path)
    assert os.environ["STAND_IN_PROJECT"] == str(DEVICE)
