"""What the gate says of a run beside its baseline, and of its device: status and text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.errors import UsageError
from conformance.evidence.lines import DeviceLine
from tests.conformance.gate.asking import accepted, gate
from tests.conformance.gate.runs import (
    CELLS,
    KERNEL,
    OPERATOR,
    device,
    every_cell,
    example,
    order,
    refused,
    run,
    verdict,
)


def test_the_accepted_run_itself_is_accepted_beside_its_baseline(tmp_path: Path) -> None:
    folder = run(tmp_path / "run")
    name = accepted(tmp_path / "b", folder)
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert (judgement.status, judgement.baseline) == (0, name)
    assert text.endswith(f"beside baseline {name}")


def test_a_cell_that_only_the_baseline_declares_is_rejected(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    fewer = [line for line in every_cell() if getattr(line, "digest", "") != "tailfloat32"]
    folder = run(tmp_path / "now", fewer, cells=CELLS[:3])
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == 1
    assert "missing cell  permute-tail-float32: the baseline has this cell" in text


@pytest.mark.parametrize("kind", ["corpus", "regression"])
def test_a_case_that_stays_is_compared_by_its_name(tmp_path: Path, kind: str) -> None:
    named: dict[str, Any] = {"judged_as": kind, "name": "tail float16 pairs 01", "mode": "tail"}
    accepted(tmp_path / "b", run(tmp_path / "before", every_cell(verdict("c", **named))))
    now = run(tmp_path / "now", every_cell(refused("c", **named)))
    judgement, text = gate(now, baselines=tmp_path / "b")
    assert judgement.status == 1
    assert f"newly failing  permute/{kind}/tail float16 pairs 01: was accepted" in text
    without = run(tmp_path / "without")
    text = gate(without, baselines=tmp_path / "b")[1]
    assert f"missing case  permute/{kind}/tail float16 pairs 01" in text


def test_simulated_evidence_is_rejected_where_an_npu_is_required(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run"), require_device="npu")
    assert judgement.status == 1
    assert (
        "device  Ascend910B1: the evidence is a simulation (simulated Ascend910B1, 48 vector"
        " cores); npu is required" in text
    )


def test_evidence_of_an_npu_is_accepted_where_one_is_required(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", on=device(kind="npu", name="npu:0"))
    assert gate(folder, require_device="npu")[0].status == 0


def test_a_kernel_that_is_the_baselines_is_rejected_where_a_change_is_claimed(
    tmp_path: Path,
) -> None:
    folder = run(tmp_path / "run")
    accepted(tmp_path / "b", folder)
    judgement, text = gate(folder, baselines=tmp_path / "b", changed=True)
    assert judgement.status == 1
    assert (
        f"stale kernel  libraries: a change is claimed, but libopapi.so (sha256 {KERNEL[:16]})"
        in text
    )


def test_another_kernel_is_accepted_where_a_change_is_claimed(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    other = device(
        libraries={
            "libopapi.so": {"path": "x", "sha256": "two"},
            "libascendcl.so": {"path": "x", "sha256": "runtime"},
        }
    )
    assert (
        gate(run(tmp_path / "now", on=other), baselines=tmp_path / "b", changed=True)[0].status == 0
    )


def test_a_change_is_not_believed_where_no_library_is_known(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    folder = run(tmp_path / "now", on=device(libraries={}))
    judgement, text = gate(folder, baselines=tmp_path / "b", changed=True)
    assert judgement.status == 1
    assert "the run does not say which libraries it judged" in text


def test_a_named_call_that_fails_now_is_newly_failing(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    failing = [
        msgspec.structs.replace(line, ok=False, headline="wrong")
        if getattr(line, "name", "")
        else line
        for line in every_cell()
    ]
    judgement, text = gate(run(tmp_path / "now", failing), baselines=tmp_path / "b")
    assert [finding.kind for finding in judgement.findings] == ["failure", "newly failing"]
    assert "newly failing  permute/example/README: was accepted in the baseline" in text


def test_a_named_call_that_is_gone_is_rejected(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", every_cell(example("second", "ex2"))))
    judgement, text = gate(run(tmp_path / "now"), baselines=tmp_path / "b")
    assert judgement.status == 1
    assert "missing case  permute/example/second: the baseline has a verdict on it" in text


def test_a_named_call_with_other_inputs_is_not_compared_and_told(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", every_cell(example("two", "old"))))
    changed = example("two", "new", exact=1, step="order-drift")
    folder = run(tmp_path / "now", every_cell(changed))
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == 0
    assert "note: not compared, as their inputs are others than the baseline's: " in text


@pytest.mark.parametrize(("exact", "status"), [(100, 0), (99, 1)])
def test_the_bit_exact_share_of_named_calls_may_not_fall_by_one_element(
    tmp_path: Path, exact: int, status: int
) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", every_cell(example("two", "e2"))))
    folder = run(tmp_path / "now", every_cell(example("two", "e2", exact=exact)))
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == status
    told = (
        "bit-exact share  permute-whole-float16: 199 of 200 elements of its named calls are"
        " bit-exact, were 200 of 200 (fewer in permute/example/two)"
    )
    assert (told in text) == bool(status)


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ([order("pairwise")], "was added in order sequential, now in order pairwise"),
        ([], "was added in order sequential; this run recovered no order"),
        (
            [order(merges=((0, 2), (0, 1)))],
            "was added in order sequential, now in order another sequential",
        ),
    ],
)
def test_another_order_of_additions_is_drift(tmp_path: Path, now: list[Any], words: str) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    lines = [line for line in every_cell() if not hasattr(line, "merges")]
    judgement, text = gate(run(tmp_path / "now", [*lines, *now]), baselines=tmp_path / "b")
    assert judgement.status == 1
    assert f"order drift  permute float32 3 slots: {words}" in text


@pytest.mark.parametrize(("step", "status"), [("declared order", 0), ("order-drift", 1)])
def test_a_named_call_that_leaves_its_declared_order_is_drift(
    tmp_path: Path, step: str, status: int
) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", every_cell(example("two", "e2"))))
    folder = run(tmp_path / "now", every_cell(example("two", "e2", step=step)))
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == status
    assert ("off the order that the contract declares" in text) == bool(status)


@pytest.mark.parametrize(
    ("before", "now", "status"), [(3, 3, 0), (3, 4, 1), (3, None, 1), (None, 4, 0)]
)
def test_a_changed_tiling_key_is_rejected(
    tmp_path: Path, before: int | None, now: int | None, status: int
) -> None:
    was = every_cell(example("two", "e2", tiling_key=before))
    accepted(tmp_path / "b", run(tmp_path / "before", was))
    folder = run(tmp_path / "now", every_cell(example("two", "e2", tiling_key=now)))
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == status
    assert ("tiling key  permute/example/two: tiling key 3 -> " in text) == bool(status)


def test_a_clause_without_a_document_is_unconfirmed_on_an_npu(tmp_path: Path) -> None:
    npu = device(kind="npu", name="npu:0")
    folder = run(tmp_path / "run", every_cell(refused(unconfirmed=("ties keep order",))), on=npu)
    judgement, text = gate(folder)
    assert judgement.status == 0
    assert "unconfirmed: permute: ties keep order (no document states it; in test_values[" in text


def test_a_clause_that_was_measured_rejects(tmp_path: Path) -> None:
    npu = device(kind="npu", name="npu:0")
    before = run(tmp_path / "before", on=npu)
    accepted(tmp_path / "b", before, measured=["permute: ties keep order"])
    folder = run(tmp_path / "run", every_cell(refused(unconfirmed=("ties keep order",))), on=npu)
    assert gate(folder, baselines=tmp_path / "b")[0].status == 1


def test_a_clause_without_a_document_rejects_on_the_simulator(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused(unconfirmed=("ties keep order",))))
    assert gate(folder)[0].status == 1


def test_a_part_of_the_operators_is_compared_where_that_is_asked(tmp_path: Path) -> None:
    other = ("other", "whole", "float16")
    more = [
        verdict("o", operator="other", item="t.py::t[other-whole-float16]"),
        example("far", "far", operator="other", item="t.py::e[other-far]"),
        order(operator="other"),
    ]
    before = run(
        tmp_path / "before", every_cell(*more), cells=[*CELLS, other], operators=[OPERATOR, "other"]
    )
    accepted(tmp_path / "b", before)
    folder = run(tmp_path / "now")
    judgement, _ = gate(folder, baselines=tmp_path / "b")
    assert [one.kind for one in judgement.findings] == [
        "order drift",
        "missing case",
        "missing cell",
    ]
    assert gate(folder, baselines=tmp_path / "b", operators=(OPERATOR,))[0].status == 0
    with pytest.raises(UsageError, match="operator is 'other': is not in the run; it judged: perm"):
        gate(folder, baselines=tmp_path / "b", operators=("other",))


def test_the_bit_exact_share_of_drawn_cases_is_shown_and_not_judged(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    folder = run(tmp_path / "now", every_cell(verdict("drawn", exact=10)))
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == 0
    assert (
        "permute-whole-float16: bit-exact share 70.000%, of other draws (baseline 100.000%)" in text
    )


def test_device_time_and_workspace_are_shown_and_not_judged(tmp_path: Path) -> None:
    slow = every_cell(example("two", "e2", call_seconds=9.5, workspace_bytes=10**9))
    accepted(tmp_path / "b", run(tmp_path / "before", every_cell(example("two", "e2"))))
    judgement, text = gate(run(tmp_path / "now", slow), baselines=tmp_path / "b")
    assert judgement.status == 0
    assert "shown: time on the device of 2 named calls: 9.5 s (baseline 0 s)" in text
    assert "shown: workspace of 2 named calls: 1e+09 B (baseline 0 B)" in text


def test_a_cell_whose_named_calls_have_no_element_any_more_is_rejected(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    lines = [one for one in every_cell() if not getattr(one, "name", "")]
    folder = run(tmp_path / "now", [*lines, example(elements=0, exact=0)])
    judgement, text = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == 1
    assert "no element of its named calls is judged any more, were 100" in text


def of_a_package(library: str, binary: str, name: str = "Permute_1.o") -> DeviceLine:
    """The profile of a device on which a package is judged, with these hashes."""
    files = {"libcust_opapi.so": library, f"ascend910b/permute/{name}": binary}
    files |= {"libopapi.so": KERNEL, "ascend910b/permute/Permute_1.json": library}
    return device(libraries={name: {"path": name, "sha256": sha} for name, sha in files.items()})


def test_the_old_kernel_binary_beside_a_library_that_was_linked_again_is_rejected(
    tmp_path: Path,
) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", on=of_a_package("linked", "binary")))
    now = run(tmp_path / "now", on=of_a_package("again", "binary", "Permute_2.o"))
    judgement, text = gate(now, baselines=tmp_path / "b", changed=True)
    assert judgement.status == 1
    assert "a change is claimed, but ascend910b/permute/Permute_2.o (sha256 binary)" in text


def built(library: str, **archives: str) -> DeviceLine:
    """The profile of a device whose operators were built, with these hashes of their archives."""
    files = {f"lib{name}.a": sha for name, sha in archives.items()} | {"libopapi.so": library}
    return device(libraries={name: {"path": name, "sha256": sha} for name, sha in files.items()})


def test_the_old_kernel_that_was_linked_with_fewer_others_is_rejected(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", on=built("both", one="1", two="2")))
    now = run(tmp_path / "now", on=built("one", one="1"))
    judgement, text = gate(now, baselines=tmp_path / "b", changed=True)
    assert judgement.status == 1
    assert "a change is claimed, but libone.a (sha256 1) is that of the baseline" in text
    edited = run(tmp_path / "edited", on=built("other", one="3"))
    assert gate(edited, baselines=tmp_path / "b", changed=True)[0].status == 0


def test_another_kernel_binary_of_a_package_is_accepted_where_a_change_is_claimed(
    tmp_path: Path,
) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before", on=of_a_package("linked", "binary")))
    now = run(tmp_path / "now", on=of_a_package("linked", "other"))
    assert gate(now, baselines=tmp_path / "b", changed=True)[0].status == 0
