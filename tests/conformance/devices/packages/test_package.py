"""Each of a package's three parts must be there, and be of the package."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from conformance.devices.packages.lookup import ACLNN
from conformance.devices.packages.package import (
    BINARIES,
    KERNELS,
    TILING,
    TILING_FOLDER,
    Wanted,
    open_package,
    soc_folder,
)
from conformance.devices.packages.symbols import strangers
from conformance.errors import EnvironmentFailure
from tests.conformance.devices.packages.trees import MACHINE, package_tree

ADD = Wanted("fake_add", "FakeAdd", "aclnnFakeAdd")
OTHER = Wanted("fake_other", "FakeOther", "aclnnFakeOther")
SOC = "Ascend910B1"
KERNEL = Path(KERNELS, "ascend910b/fake_add/FakeAdd_0.o")
CONFIG = Path(KERNELS, "config/ascend910b", BINARIES)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    library = tmp_path / "libopapi.so"
    library.write_bytes(b"\0aclnnFakeAddGetWorkspaceSize\0aclnnFakeAdd\0")
    return package_tree(tmp_path / "vendor", library, [("fake_add", "FakeAdd")])


def refused(tree: Path) -> str:
    """What is said of a package that is not whole."""
    with pytest.raises(EnvironmentFailure) as failure:
        open_package(tree).kernels(ADD, SOC)
    return str(failure.value)


def test_a_whole_package_has_two_libraries_and_each_binary_with_its_json(tree: Path) -> None:
    package = open_package(tree)
    assert package.libraries == {
        "libcust_opapi.so": tree / ACLNN,
        TILING: tree / TILING_FOLDER / "lib/linux" / MACHINE / TILING,
    }
    assert package.kernels(ADD, SOC) == {
        "ascend910b/fake_add/FakeAdd_0.json": tree / KERNEL.with_suffix(".json"),
        "ascend910b/fake_add/FakeAdd_0.o": tree / KERNEL,
    }


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (ACLNN, "lacks the aclnn library: {tree}/op_api/lib/libcust_opapi.so is no file"),
        (TILING_FOLDER, "lacks the tiling library: no libcust_opmaster_rt2.0.so for"),
        (KERNELS, "lacks the kernel of fake_add for Ascend910B1: {tree}/{kernels}/ascend910b is"),
        (KERNEL, "lists 'ascend910b/fake_add/FakeAdd_0.o', {tree}/{kernel} is no file"),
        (KERNEL.with_suffix(".json"), "lists 'ascend910b/fake_add/FakeAdd_0.json', {tree}/"),
        (CONFIG, "{tree}/{config} cannot be read (No such file or directory)"),
    ],
)
def test_a_part_that_is_missing_is_named_with_the_place_and_what_to_do(
    tree: Path, part: str | Path, told: str
) -> None:
    shutil.rmtree(tree / part) if (tree / part).is_dir() else (tree / part).unlink()
    text = refused(tree)
    assert told.format(tree=tree, kernels=KERNELS, kernel=KERNEL, config=CONFIG) in text
    assert "CANN would take that of another package or its own" in text
    assert "build the package again with it" in text


def test_an_operator_that_the_list_of_binaries_lacks_has_no_kernel(tree: Path) -> None:
    (tree / CONFIG).write_text(json.dumps({"Other": {"binaryList": []}}))
    assert "lists no binary of FakeAdd" in refused(tree)


def test_a_list_that_is_no_json_is_told(tree: Path) -> None:
    (tree / CONFIG).write_text("{")
    assert "is no list of binaries" in refused(tree)


def test_kernels_of_another_soc_are_told_with_those_that_are_there(tree: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"ascend910_93 is not there \(SoCs: ascend910b\)"):
        open_package(tree).kernels(ADD, "Ascend910_9362")


def test_a_tiling_library_for_another_machine_is_none(tree: Path) -> None:
    other = "aarch64" if MACHINE == "x86_64" else "x86_64"
    linux = tree / TILING_FOLDER / "lib/linux"
    (linux / MACHINE).rename(linux / other)
    assert f"for {MACHINE} below" in refused(tree)
    assert f"(there: {linux / other / TILING})" in refused(tree)


@pytest.mark.parametrize("part", [ACLNN, KERNEL, f"{TILING_FOLDER}/lib/linux/{MACHINE}/{TILING}"])
def test_a_part_that_leads_out_of_the_package_is_not_of_it(
    tree: Path, tmp_path: Path, part: str | Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tree / part).rename(elsewhere)
    (tree / part).symlink_to(elsewhere)
    assert f"{tree / part} leads to {elsewhere}" in refused(tree)


def test_a_library_of_another_user_is_refused_before_anything_is_judged(tree: Path) -> None:
    with pytest.raises(EnvironmentFailure) as failure:
        open_package(tree, user=4321)
    text = str(failure.value)
    assert f"is of user {os.getuid()}, this process of user 4321" in text
    assert "calls the built-in operator in its place (specification of op-plugin)" in text
    assert f"chown -R 4321 {tree}" in text


def test_the_folder_of_an_installed_run_package_says_which_folder_is_meant(
    tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "opp" / "vendors").mkdir(parents=True)
    tree.rename(tmp_path / "opp" / "vendors" / "vendor")
    with pytest.raises(EnvironmentFailure, match=f"name its folder: {tmp_path}/opp/vendors/vendor"):
        open_package(tmp_path / "opp")


def test_operators_of_which_a_package_has_a_part_are_judged_and_no_others(tree: Path) -> None:
    package = open_package(tree)
    assert [package.holds(one) for one in (OTHER, ADD)] == [False, True]


def test_half_an_operator_is_not_left_out_in_silence(tree: Path) -> None:
    (tree / ACLNN).write_bytes(b"nothing")
    assert open_package(tree).holds(ADD)


@pytest.mark.parametrize(
    ("soc", "folder"),
    [
        ("Ascend910B1", "ascend910b"),
        ("Ascend910B4-1", "ascend910b"),
        ("Ascend910_9362", "ascend910_93"),
        ("Ascend910A", "ascend910"),
        ("Ascend910B", "ascend910"),
        ("Ascend910ProB", "ascend910"),
        ("Ascend310P3", "ascend310p"),
    ],
)
def test_a_soc_has_one_folder_of_kernels(soc: str, folder: str) -> None:
    assert soc_folder(soc) == folder


def test_a_soc_without_a_known_folder_is_told() -> None:
    with pytest.raises(EnvironmentFailure, match="SoC 'Ascend1': no folder of kernels is known"):
        soc_folder("Ascend1")


def test_custom_libraries_from_elsewhere_are_strangers_and_others_are_not() -> None:
    line = "7f00-7f01 r-xp 00000000 08:01 42    "
    places = ("/pkg/op_api/lib/libcust_opapi.so", "/other/libcust_opmaster_rt2.0.so")
    maps = [line + path for path in (*places, "/cann/lib64/libopapi.so")] + ["7f02-7f03 rw-p 0 0 0"]
    assert strangers(maps, Path("/pkg")) == ["/other/libcust_opmaster_rt2.0.so"]
