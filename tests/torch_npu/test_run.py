"""The suite through torch_npu: a sample of what `run --route torch_npu` judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.devices.kernel_copies import copy_kernel
from conformance.names import cell_id
from conformance.record.operator import Operator
from conformance.record.torch_binding import TORCH_NPU, Binding
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from device_kernels.build import build
from tests.kernels.mutants import apply
from tests.kernels.mutation_run import KERNELS, MUTANTS
from tests.torch_npu.conftest import PROGRAMS, Program

PASSED_ON = """
MOE_EXPORTED aclnnStatus aclnnOtherGetWorkspaceSize(const aclTensor*, int64_t, const aclTensor*,
                                                    uint64_t*, aclOpExecutor**);
MOE_EXPORTED aclnnStatus aclnnOther(void*, uint64_t, aclOpExecutor*, aclrtStream);
MOE_EXPORTED aclnnStatus aclnnMoeComputeExpertTokensGetWorkspaceSize(
    const aclTensor* sortedExperts, int64_t numExperts, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return aclnnOtherGetWorkspaceSize(sortedExperts, numExperts, out, workspaceSize, executor);
}
MOE_EXPORTED aclnnStatus aclnnMoeComputeExpertTokens(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream) {
    return aclnnOther(workspace, workspaceSize, executor, stream);
}
MOE_TWO_PHASE(Other,"""
"""The function of the operator's name, which passes its calls on to one of another name."""

REACHED = [one for one in suite.operators() if isinstance(one.torch_npu, Binding)]


def cell_of(operator: Operator) -> str:
    """The last mode of which torch_npu makes a documented call, in one of the data types."""
    asked = on_route(operator, TORCH_NPU)
    unreached = asked.unreached or (lambda case: "")
    modes = [one.case.mode for one in asked.examples if not unreached(one.case)]
    last = max(modes, key=[mode.name for mode in asked.modes].index)
    return cell_id(asked.name, last, asked.dtypes[len(asked.dtypes) // 2])


def judged(run: Program, folder: Path, *arguments: str) -> tuple[int, str]:
    command = ("-m", "conformance", "run", "--device", "sim", "--route", TORCH_NPU, "--out", "out")
    ended = run(*command, *arguments, folder=folder)
    return ended.returncode, ended.stdout + ended.stderr


def test_each_function_has_the_arguments_that_its_record_gives_it(
    run: Program, tmp_path: Path
) -> None:
    bindings = [one.torch_npu for one in REACHED if isinstance(one.torch_npu, Binding)]
    names = sorted({one.function for one in bindings})
    ended = run(str(PROGRAMS / "schemas.py"), *names, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    schemas = json.loads(ended.stdout.splitlines()[-1])
    for operator, binding in zip(REACHED, bindings, strict=True):
        schema = schemas[binding.function]
        for one in operator.examples:
            given = {name for name, _ in binding.call(one.case).arguments}
            assert given <= schema.keys(), (operator.name, one.name)
            assert {name for name, needed in schema.items() if needed} <= given, one.name


@pytest.mark.slow
def test_a_cell_of_every_reachable_operator_is_accepted(run: Program, tmp_path: Path) -> None:
    some = " or ".join(f"test_values[{cell_of(one)}]" for one in REACHED)
    libraries = ("--libraries", str(build(quiet=True).lib))
    _, told = judged(run, tmp_path, *libraries, "-n", "0", "--", "-k", some)
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    assert evidence["failures"] == [], told
    assert evidence["errors"] == {}, told
    assert {cell["operator"] for cell in evidence["cells"] if cell["cases"]} == {
        one.name for one in REACHED
    }
    assert evidence["cases"] > 1000
    called = {one["operator"]: one for one in evidence["torch_functions"]}
    assert called.keys() == {one.name for one in REACHED}
    for one in called.values():
        assert one["called"], one
        assert one["called"].keys() <= set(one["declared"]), one
    # V4 serves the record of V2: the name of the operator does not tell what is called.
    assert called["moe_finalize_routing_v2"]["called"].keys() == {"aclnnMoeFinalizeRoutingV4"}
    assert (
        "not reachable on route torch_npu: moe_init_routing_v2_grad (no function of torch_npu "
        "calls it)"
    ) in told
    assert "route torch_npu" in told


@pytest.mark.slow
def test_a_function_that_calls_what_its_record_does_not_declare_is_named_and_judged(
    run: Program, tmp_path: Path
) -> None:
    name = "moe_compute_expert_tokens"
    folder = tmp_path / "kernels"
    copy_kernel(KERNELS / name, folder)
    entry = folder / name / f"aclnn_{name}.cpp"
    passed_on = entry.read_text().replace("MOE_TWO_PHASE(MoeComputeExpertTokens,", PASSED_ON)
    entry.write_text(passed_on)
    libraries = ("--libraries", str(build(folder, quiet=True).lib))
    cell = cell_of(next(one for one in REACHED if one.name == name))
    only = ("--operator", name, "-n", "0", "--", "-k", f"test_values[{cell}]")
    status, told = judged(run, tmp_path, *libraries, *only)
    assert status == 0, told
    assert (
        "called: npu_moe_compute_expert_tokens -> aclnnOther (the record of"
        " moe_compute_expert_tokens declares aclnnMoeComputeExpertTokens)"
    ) in told


@pytest.mark.slow
def test_a_kernel_with_a_mistake_is_rejected_through_torch_npu(
    run: Program, tmp_path: Path
) -> None:
    name = "moe_token_permute_grad"
    mutant = MUTANTS[name][0]
    apply(mutant, name, KERNELS, tmp_path / "kernels")
    libraries = ("--libraries", str(build(tmp_path / "kernels", quiet=True).lib))
    only = ("--operator", name, "-n", "0", "--", "-x", "-k", f"test_values and {mutant.dtypes[0]}")
    status, told = judged(run, tmp_path, *libraries, *only)
    assert status == 1, told
    assert "--route torch_npu" in told  # the line that replays it
    (failure,) = (tmp_path / "out" / "failures").iterdir()
    again = run(
        *("-m", "conformance", "replay", str(failure), "--device", "sim", *libraries),
        folder=tmp_path,
    )
    assert again.returncode == 1, again.stdout + again.stderr
    assert json.loads((failure / "manifest.json").read_text())["route"] == TORCH_NPU
