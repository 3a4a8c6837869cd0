"""An operator is there where both of its functions and a kernel are; nothing is loaded for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.devices.finding import Finding
from conformance.devices.packages.symbols import exports
from conformance.host.operators import kernels_of, operator_findings
from conformance.host.roots import Roots
from tests.conformance.devices.fakes import compile_fakes, fake_operator
from tests.conformance.host.fake_host import FakeHost, fake_host

ADD = fake_operator("FakeAdd")


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    return fake_host(tmp_path)


def found_of(roots: Roots) -> dict[str, Finding]:
    return {finding.name: finding for finding in operator_findings(roots, [ADD])}


def test_an_operator_with_functions_and_kernels_is_told_with_both(host: FakeHost) -> None:
    host.operator("FakeAdd", "aclnnFakeAdd")
    found = found_of(host.roots())["FakeAdd"].found
    assert found == "libopapi_transformer.so; kernels for ascend910b"


def test_an_operator_without_functions_or_kernels_says_which_and_what_to_install(
    host: FakeHost,
) -> None:
    finding = found_of(host.roots())["FakeAdd"]
    assert finding.prevents == "judging it on an NPU"
    functions, kernels = finding.advice.splitlines()
    assert functions.startswith(
        "aclnnFakeAddGetWorkspaceSize is not in libopapi_transformer.so, libopapi.so: "
    )
    assert kernels.endswith("FakeAdd/*.o: install the kernels of your SoC")


def test_one_function_of_two_is_not_enough(host: FakeHost) -> None:
    (host.home / "lib64" / "libopapi.so").write_bytes(b"\0aclnnFakeAddGetWorkspaceSize\0")
    assert "is not in" in found_of(host.roots())["FakeAdd"].advice


def test_a_name_is_found_in_the_tables_of_a_real_library(tmp_path: Path) -> None:
    compile_fakes(tmp_path)
    library = tmp_path / "libopapi.so"
    assert exports(library, ["aclnnFakeAddGetWorkspaceSize", "aclnnFakeAdd"])
    assert not exports(library, ["aclnnFakeAd"])
    assert not exports(library, ["aclnnMoeTokenPermute"])
    assert not exports(tmp_path / "absent.so", ["aclnnFakeAdd"])


def test_kernels_below_a_folder_of_their_repository_are_found_too(host: FakeHost) -> None:
    host.operator("ops_transformer/FakeAdd", "aclnnFakeAdd", soc="ascend910_93")
    assert kernels_of("FakeAdd", host.roots()) == ["ascend910_93"]


def test_a_custom_package_is_asked_before_the_built_in_one(host: FakeHost) -> None:
    host.operator("FakeAdd", "aclnnFakeAdd")
    library = host.package("mine", "aclnnFakeAdd")
    found = found_of(host.roots())
    config = host.home / "opp" / "vendors" / "config.ini"
    asked = f"{library}, asked as number 1 (by load_priority of {config})"
    assert found["package mine"].found == asked
    assert found["FakeAdd"].found == "libcust_opapi.so; kernels for ascend910b"
    named = Path(host.root / "named")
    (named / "op_api" / "lib").mkdir(parents=True)
    (named / "op_api" / "lib" / "libcust_opapi.so").write_bytes(library.read_bytes())
    listed = [package.name for package in host.roots(ASCEND_CUSTOM_OPP_PATH=f"{named}:").packages()]
    assert listed == ["named", "mine"]


def test_a_package_of_another_user_is_told_as_torch_npu_passes_it_over(host: FakeHost) -> None:
    host.package("mine", "aclnnFakeAdd")
    finding = found_of(replace(host.roots(), user=4321))["package mine"]
    assert finding.prevents.endswith("the built-in operator is called in its place")
    assert "is passed over, it is of user" in finding.advice
    assert finding.advice.endswith("chown 4321 libcust_opapi.so")


def test_without_cann_no_operator_is_looked_for(host: FakeHost) -> None:
    assert found_of(host.roots(ASCEND_HOME_PATH="")) == {}
