"""``run --package`` at the front door: accepted, refused, or nothing judged."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from conformance.devices.packages.lookup import ACLNN
from conformance.devices.packages.package import KERNELS, TILING
from device_kernels.build import build
from tests.conformance.devices.packages.builds import adding_more
from tests.conformance.devices.packages.trees import package_tree
from tests.conformance.front_door import NAME, Ended, conformance

RECORDS = str(Path(__file__).parents[1] / "fake_records")
FAKE = [("fake_add", "FakeAdd")]


def judged(package: Path, out: Path, *more: str) -> Ended:
    where = ("--device", "sim", "--package", str(package), "--out", str(out), "-n", "0")
    return conformance("run", *where, *more, folder=out.parent)


def told_of(out: Path) -> dict[str, dict[str, str]]:
    evidence = json.loads((out / "evidence.json").read_text())
    libraries: dict[str, dict[str, str]] = evidence["devices"][0]["profile"]["libraries"]
    return libraries


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_right_package_is_accepted_and_the_evidence_has_all_its_parts(tmp_path: Path) -> None:
    """The simulator's own library as a package; all its operators, but kernels of one alone."""
    library = build(quiet=True).lib / "libopapi.so"
    package = package_tree(tmp_path / "vendor", library, [(NAME, "MoeInitRoutingV2Grad")])
    out = tmp_path / "run"
    ended = judged(package, out, "--operator", NAME, "--", "-k", "examples")
    assert ended.status == 0, ended.err
    parts = {path.name: path for path in package.rglob("*") if path.is_file()}
    binary = "MoeInitRoutingV2Grad_0"
    names = {
        "libcust_opapi.so": "libcust_opapi.so",
        TILING: TILING,
        f"ascend910b/{NAME}/{binary}.o": f"{binary}.o",
        f"ascend910b/{NAME}/{binary}.json": f"{binary}.json",
    }
    told = told_of(out)
    for name, file in names.items():
        assert told[name] == {"path": str(parts[file]), "sha256": sha256(parts[file])}
        assert f"  {name} (sha256 {sha256(parts[file])[:16]})" in ended.err
    assert "tiling library and kernel binaries are found and hashed, not run" in " ".join(
        ended.err.split()
    )


def test_a_package_with_a_mistake_is_refused_beside_a_right_library(
    fake_libraries: Path,
    tmp_path: Path,
) -> None:
    wrong = adding_more(tmp_path / "wrong.so", 1, fake_libraries)
    package = package_tree(tmp_path / "vendor", wrong, FAKE)
    beside = ("--operators", RECORDS, "--operator", "fake_add", "--libraries", str(fake_libraries))
    ended = judged(package, tmp_path / "run", *beside, "--", "-k", "test_values and plain")
    assert ended.status == 1, ended.err
    assert f"--package {package.relative_to(tmp_path)}" in ended.err
    assert told_of(tmp_path / "run")["libcust_opapi.so"]["sha256"] == sha256(package / ACLNN)


def test_an_operator_that_was_asked_for_and_is_in_no_package_ends_the_run_with_status_1(
    fake_libraries: Path,
    tmp_path: Path,
) -> None:
    package = package_tree(tmp_path / "vendor", fake_libraries / "libopapi.so", FAKE)
    beside = ("--operators", RECORDS, "--libraries", str(fake_libraries))
    named = ("--operator", "fake_add", "--operator", NAME)
    ended = judged(package, tmp_path / "run", *beside, *named, "--", "-k", "examples and plain")
    assert ended.status == 1, ended.err
    assert ended.err.count(f"not judged: {NAME}: no part of it is in package {package}") == 2
    evidence = json.loads((tmp_path / "run" / "evidence.json").read_text())
    assert evidence["left_out"] == {NAME: f"no part of it is in package {package}"}
    assert (evidence["operators"], evidence["failures"]) == (["fake_add"], [])


def test_a_package_without_kernels_is_not_judged_and_leaves_a_run_that_says_so(
    fake_libraries: Path,
    tmp_path: Path,
) -> None:
    package = package_tree(tmp_path / "vendor", fake_libraries / "libopapi.so", FAKE)
    next((package / KERNELS).rglob("*.o")).unlink()
    beside = ("--operators", RECORDS, "--libraries", str(fake_libraries))
    ended = judged(package, tmp_path / "run", *beside)
    assert ended.status == 3, ended.err
    assert "the package lacks the kernel of fake_add" in ended.err
    evidence = json.loads((tmp_path / "run" / "evidence.json").read_text())
    assert evidence["exit_status"] == 3
    assert "the package lacks the kernel of fake_add" in evidence["environment"][0]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_package_of_another_user_is_not_judged(
    fake_libraries: Path,
    tmp_path: Path,
) -> None:
    package = package_tree(tmp_path / "vendor", fake_libraries / "libopapi.so", FAKE)
    os.chown(package / ACLNN, 4321, -1)
    beside = ("--operators", RECORDS, "--libraries", str(fake_libraries))
    ended = judged(package, tmp_path / "run", *beside)
    assert ended.status == 3, ended.err
    assert "is of user 4321, this process of user 0" in ended.err


def test_a_package_is_called_on_the_route_of_aclnn_alone(tmp_path: Path) -> None:
    ended = judged(tmp_path, tmp_path / "run", "--route", "kernel")
    assert ended.status == 2
    assert "a package is called on route aclnn" in ended.err
