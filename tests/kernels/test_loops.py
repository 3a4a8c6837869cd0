"""Every loop of a kernel and its host tiling goes round at least twice in some case of smoke.

A mistake in the step from one round to the next shows in no other case.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest

from conformance.call.case import Case
from conformance.devices.open import open_device
from conformance.draw.profiles import PROFILES
from conformance.mutants.drawn_cases import cell_cases
from conformance.record.operator import Operator
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from tests.kernels import ladders_run, loops
from tests.kernels.automatic_run import sources
from tests.kernels.launches import ROUTE
from tests.slow import OF_EACH_KIND, slow_but

SEED = 1
ONCE = {
    "shared/gating/gating_batch_kernel.h: for (int64_t i = 0; i < rows; ++i)": (
        "row indices are outputs of MoeGatingTopKSoftmax alone",
        {"moe_gating_top_k_softmax_v2"},
    ),
    "shared/gating/gating_row_kernel.h: for (int64_t expert = 0; expert < experts_;)": (
        "the inputs are chosen by MoeGatingTopKSoftmaxV2 alone",
        {"moe_gating_top_k_softmax"},
    ),
    "shared/slots/slot_copy_kernel.h: for (int64_t i = 0; i < slots; ++i)": (
        "no probability is copied here",
        {
            "moe_token_permute",
            "moe_finalize_routing_v2_grad",
            "moe_init_routing_v2",
            "moe_token_permute_with_routing_map",
            "moe_token_unpermute_grad",
            "moe_token_unpermute_with_ep_grad",
        },
    ),
    "shared/slots/slot_copy_kernel.h: for (int64_t slot = token * topK_; slot < endSlot; "
    "slot += slotsPerBatch_)": (
        "what is copied has one slot a token: more are scaled, by another kernel",
        {
            "moe_finalize_routing_v2_grad",
            "moe_token_unpermute_grad",
            "moe_token_unpermute_with_ep_grad",
        },
    ),
    "shared/slots/slot_shape_check.h: for (uint64_t axis = 1; axis < shape.count; ++axis)": (
        "tokens have two axes",
        {"moe_token_permute_with_routing_map"},
    ),
    "shared/rows/row_sum_cut.h: while (tile + OfNames(names) > bytes)": (
        "rounding up to blocks asks for one name less at most",
        {
            "moe_token_permute_grad",
            "moe_token_permute_with_ep_grad",
            "moe_token_permute_with_routing_map_grad",
        },
    ),
    "shared/slots/slot_grad_cut.h: while (OfNames(slots) > left)": (
        "a slot whose weight lies apart is large: rounding up to blocks asks for one less, and for"
        " two in a few buffers that no case has",
        {"moe_token_unpermute_with_routing_map_grad"},
    ),
    "shared/slots/slot_gather_cut.h: while (slots > 0 && UbBytes(slots, elementBytes) > ubBytes)": (
        "rounding up to blocks asks for one slot less at most, in each buffer of a multiple of 32",
        {"moe_token_permute_with_ep_grad"},
    ),
}
"""Loops that go round once at most: the reason, and the operators of which it holds."""


@pytest.mark.parametrize(
    "name", slow_but(OF_EACH_KIND[:1], (one.name for one in suite.operators()))
)
def test_every_loop_goes_round_twice_in_some_case_of_smoke(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = on_route(suite.chosen(suite.records(), [name])[0], ROUTE)
    counted = loops.compiled(name, sources(operator), tmp_path)
    monkeypatch.setenv(loops.COUNTERS, str(tmp_path / "counters"))
    assert left(name, counted), "a loop counts without a call"
    libraries = {"libraries": counted.lib, "route": ROUTE, "time_limit": 20.0}
    with closing(open_device("sim", **libraries)) as device:  # type: ignore[arg-type]
        for made, case in enumerate(cases(operator), 1):
            device.run(operator, replace(case))
            if made % 16 == 0 and not left(name, counted):
                break
    assert left(name, counted) == []


def test_a_loop_is_named_with_file_line_and_head() -> None:
    text = "int f() {\n    for (int i = 0;\n         i < g(2); ++i) {\n    }\n}\n"
    (loop,) = loops.loops_of("shared/f.h", text)
    assert str(loop) == "shared/f.h:2: for (int i = 0; i < g(2); ++i)"
    assert "{ loop7.Round();" in loops.counting(text, 7)


def test_a_loop_without_braces_is_refused() -> None:
    with pytest.raises(ValueError, match="must have braces"):
        loops.loops_of("shared/f.h", "    while (f())\n        g();\n")


def left(name: str, counted: loops.Counted) -> list[str]:
    """The loops of an operator that were to go round twice, and did not."""
    return [str(one) for one in counted.once() if not reason(name, one)]


def reason(name: str, loop: loops.Loop) -> str:
    """Why a loop goes round once at most, "" if it is to go round twice."""
    told, of = ONCE.get(f"{loop.file}: {loop.head}", ("", set()))
    return told if name in of else ""


def cases(operator: Operator) -> Iterator[Case]:
    """The cases of a smoke run: documented and refused ones, then one of each kind by turns."""
    yield from (one.case for one in (*operator.examples, *operator.rejections))
    kinds = [
        cell_cases(operator, mode, dtype, PROFILES["smoke"], SEED, beside=operator.dtypes_in(mode))
        for mode, dtype in operator.declared_cells
    ]
    climbs = (case for _, case in ladders_run.climbs(operator, SEED, "smoke"))
    for turn in zip_longest(*kinds, climbs):
        yield from (case for case in turn if case is not None)
