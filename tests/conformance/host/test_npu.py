"""What an NPU host lacks is named, with what it prevents and what to do."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.devices.cards import Card, Claim, lock_folder
from conformance.devices.finding import Finding
from conformance.devices.probes import FOLDER
from conformance.host.npu import cann_version, driver_version, npu_findings
from conformance.host.roots import Roots
from tests.conformance.host.fake_host import FakeHost, fake_host


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    return fake_host(tmp_path)


def named(roots: Roots, name: str) -> Finding:
    (finding,) = [finding for finding in npu_findings(roots) if finding.name == name]
    return finding


def test_a_whole_host_lacks_nothing(host: FakeHost) -> None:
    (probes := host.root / "probes").mkdir()
    (probes / "libmoe_kernels.so").write_bytes(b"kernelFunctionProbeGetWorkspaceSize")
    roots = host.roots(**{FOLDER: str(probes)})
    found = {finding.name: finding.found for finding in npu_findings(roots)}
    assert found == {
        "driver": f"25.2.0 ({host.driver})",
        "manager nodes": "davinci_manager, devmm_svm, hisi_hdc",
        "access to nodes": "all 5",
        "cards": f"2 of 2 free (locks in {host.root / 'cards'})",
        "CANN version": "8.5.0",
        "CANN tree": "runtime, compiler",
        "operator packages": "built-in",
        "libascendcl.so": str(host.home / "lib64" / "libascendcl.so"),
        "libopapi.so": str(host.home / "lib64" / "libopapi.so"),
        "function probe": str(probes / "libmoe_kernels.so"),
    }


def test_without_a_probe_of_functions_it_is_told_what_has_no_bound(host: FakeHost) -> None:
    finding = named(host.roots(), "function probe")
    assert not finding.found
    assert finding.prevents == "bounding values that are computed through exp, ln, sqrt or division"
    assert f"{FOLDER}=DIR" in finding.advice
    (host.root / "other").mkdir()
    (host.root / "other" / "libmoe_kernels.so").touch()
    other = named(host.roots(**{FOLDER: str(host.root / "other")}), "function probe")
    assert not other.found
    assert "libmoe_kernels.so has no function probe: build" in other.advice
    empty = named(host.roots(**{FOLDER: str(host.root)}), "function probe")
    assert not empty.found
    assert f"{FOLDER}={host.root}: it has no libmoe_kernels.so" in empty.advice


def test_a_host_that_only_simulates_is_asked_for_nothing(tmp_path: Path) -> None:
    assert list(npu_findings(Roots(devices=tmp_path, environment={}))) == []


def test_a_missing_driver_is_told_for_hosts_and_containers(host: FakeHost) -> None:
    shutil.rmtree(host.driver)
    assert driver_version(host.roots()) == ""
    advice = named(host.roots(), "driver").advice
    assert "on the host, install the driver" in advice
    assert f"-v {host.driver}:{host.driver}:ro" in advice


def test_a_manager_node_that_was_not_passed_on_is_named_with_its_option(host: FakeHost) -> None:
    (host.devices / "hisi_hdc").unlink()
    finding = named(host.roots(), "manager nodes")
    assert not finding.found
    assert finding.advice.endswith(f"start it with --device {host.devices / 'hisi_hdc'}")


def test_nodes_of_a_group_that_the_user_is_not_in_are_named_with_it(host: FakeHost) -> None:
    node = host.devices / "davinci0"
    node.chmod(0o660)
    number = node.stat().st_gid
    (host.root / "etc" / "group").write_text(f"HwHiAiUser:x:{number}:\n")
    stranger = replace(host.roots(), user=4321, member_of=frozenset({4321}))
    finding = named(stranger, "access to nodes")
    assert not finding.found
    assert "davinci0" in finding.advice
    assert "usermod -a -G HwHiAiUser USER" in finding.advice
    assert finding.advice.endswith(f"--group-add {number}")
    for other in host.devices.iterdir():
        other.chmod(0o660)
    member = replace(stranger, member_of=frozenset({number}))
    assert named(member, "access to nodes").found == "all 5"


def test_a_card_that_somebody_holds_is_told_with_the_holder(host: FakeHost) -> None:
    roots = host.roots()
    held = Claim(Card(0, 0), lock_folder(roots.environment))
    found = named(roots, "cards").found
    assert found.startswith("1 of 2 free")
    assert f"npu:0 is claimed by process {os.getpid()}" in found
    other = Claim(Card(1, 1), lock_folder(roots.environment))
    assert named(roots, "cards").advice.endswith("wait, or ask who they are")
    other.release()
    held.release()


def test_a_variable_that_leaves_no_card_is_named(host: FakeHost) -> None:
    finding = named(host.roots(ASCEND_RT_VISIBLE_DEVICES=" 0"), "cards")
    assert finding.advice.startswith("ASCEND_RT_VISIBLE_DEVICES= 0 leaves none")


@pytest.mark.parametrize(
    "where", ["aarch64-linux/ascend_cann_install.info", "runtime/version.info"]
)
def test_the_version_is_read_where_that_version_of_cann_leaves_it(
    host: FakeHost, where: str
) -> None:
    (host.home / "aarch64-linux" / "ascend_toolkit_install.info").unlink()
    assert named(host.roots(), "CANN version").advice.startswith("no file of ASCEND_HOME_PATH")
    (host.home / where).write_text("Version=9.0.0\n")
    assert cann_version(host.roots()) == "9.0.0"


def test_a_tree_that_is_not_whole_is_told(host: FakeHost) -> None:
    (host.home / "compiler").rmdir()
    assert named(host.roots(), "CANN tree").advice.startswith(f"{host.home} has no compiler")
    roots = host.roots(ASCEND_OPP_PATH="/nowhere")
    shutil.rmtree(host.home / "opp")
    assert named(roots, "operator packages").advice.startswith("ASCEND_OPP_PATH=/nowhere is no")


def test_a_library_that_the_loader_does_not_find_is_named(host: FakeHost) -> None:
    finding = named(host.roots(LD_LIBRARY_PATH="/nowhere"), "libopapi.so")
    assert finding.advice == "no folder of LD_LIBRARY_PATH has it: source CANN's set_env.sh"
