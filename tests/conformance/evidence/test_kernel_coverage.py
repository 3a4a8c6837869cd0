"""Coverage of C++ sources: what was run, per instance of a template, over several processes."""

import os
import subprocess

import pytest

from conformance.errors import EnvironmentFailure
from conformance.evidence import kernel_coverage
from conformance.evidence.summary import read_evidence
from device_kernels.toolchain import compiler
from tests.conformance.front_door import ONE_OPERATOR, conformance, with_one_kernel

QUICK = ("--", "-k", "test_examples and README")

SOURCE = """\
#include <cstdlib>
template <int step> int Walk(int from) {
    if (from > 2) {
        return from - step;
    }
    return from + step;
}
int main(int count, char** words) {
    const int from = std::atoi(words[1]);
    return count > 2 ? Walk<1>(from) : Walk<2>(from);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counted")
    (folder / "walk.cpp").write_text(SOURCE)
    command = [compiler(), "--coverage", "-O1", str(folder / "walk.cpp"), "-o", "walk"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


def ran(program, counters, *arguments):
    environment = {**os.environ, **kernel_coverage.environment(counters)}
    subprocess.run([program / "walk", *arguments], env=environment)


def test_lines_and_branches_of_every_run_are_added_up(program, tmp_path):
    ran(program, tmp_path, "1", "x")
    ran(program, tmp_path, "5", "x")
    ran(program, tmp_path, "1")
    (found,) = kernel_coverage.measure(tmp_path, program, [program])
    assert found.file == "walk.cpp"
    assert found.missed_lines == [4], "Walk<2> never takes the branch that Walk<1> does"
    assert found.missed_branches == [3]
    assert (found.lines - found.lines_run, found.branches - found.branches_run) == (1, 1)


def test_everything_is_run_once_all_instances_took_all_branches(program, tmp_path):
    for arguments in (("1",), ("5",), ("1", "x"), ("5", "x")):
        ran(program, tmp_path, *arguments)
    (found,) = kernel_coverage.measure(tmp_path, program, [program])
    assert (found.lines_run, found.branches_run) == (found.lines, found.branches)
    assert found.lines > 5
    assert found.branches > 3


def test_a_run_without_counters_is_an_error_and_not_full_coverage(program, tmp_path):
    with pytest.raises(EnvironmentFailure, match="no device process left coverage counters"):
        kernel_coverage.measure(tmp_path, program, [program])


@pytest.mark.slow
def test_a_run_tells_what_it_reached_of_the_kernels_and_keeps_it_in_the_evidence(
    tmp_path, checkout
):
    environment = with_one_kernel(checkout, tmp_path / "cache")
    command = ("run", *ONE_OPERATOR, "--kernel-coverage", *QUICK)
    done = conformance(*command, folder=tmp_path, **environment)
    assert "kernel.cpp: " in done.err
    assert "lines with a branch not taken: " in done.err
    evidence = read_evidence(tmp_path / "reports" / "latest")
    assert evidence is not None
    found = {one.file.rpartition("_")[2]: one for one in evidence.kernel_coverage}
    assert set(found) == {"kernel.cpp", "tiling.cpp", "grad.cpp"}
    assert all("moe_init_routing_v2_grad" in one.file for one in evidence.kernel_coverage)
    assert 0 < found["kernel.cpp"].lines_run < found["kernel.cpp"].lines
    assert not (tmp_path / "reports" / "latest" / "counters").exists()
