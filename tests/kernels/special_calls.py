"""Calls that no record has, or seldom draws: rows without columns, far ranks, strange experts, and
as many keys as make a real chip sort on another path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor
from conformance.record.operator import Operator
from conformance.values.fill import Fill

BITS = Fill(("bits",), seed=1)
CHIP_KEYS = (6081, 8161, 24321, 97281)
"""One more key than Ascend910B and 910_93 sort at once or merge on a level."""


def listed(array: NDArray[np.int32]) -> Tensor:
    return Tensor(array.shape, "int32", tuple(array.reshape(-1).tolist()))


def example(operator: Operator, mode: str, *names: str) -> Case:
    """The first documented call of a mode with these tensors."""
    return next(
        one.case
        for one in operator.examples
        if one.case.mode == mode and {*names} <= {*one.case.inputs, *one.case.outputs}
    )


def changed(case: Case, tensors: Mapping[str, Tensor], **attributes: Any) -> Case:
    """The call with other tensors and attributes."""
    return replace(
        case,
        inputs={name: tensors.get(name, one) for name, one in case.inputs.items()},
        outputs={name: tensors.get(name, one) for name, one in case.outputs.items()},
        attributes={**case.attributes, **attributes},
    )


def no_columns(operator: Operator) -> Iterator[Case]:
    """Ranks and probabilities alone."""
    case = example(operator, "middle", "probs")
    rows = {**case.inputs, **case.outputs}
    names = ("tokens", "permute_tokens")
    yield changed(case, {n: Tensor((rows[n].shape[0], 0), rows[n].dtype) for n in names})


def chip_sorts(operator: Operator) -> Iterator[Case]:
    """Many keys, some of them the same, on the cores and the buffer of a chip."""
    case = example(operator, operator.modes[0].name)
    for number, slots in enumerate(CHIP_KEYS):
        keys = np.random.default_rng(slots).permutation(slots).astype(np.int32)
        tensors = {
            "tokens": Tensor((slots, 1), case.dtype, fill=BITS),
            "indices": listed(keys % 7 if number % 2 else keys),
            "permute_tokens": Tensor((slots, 1), case.dtype),
            "sorted_indices": Tensor((slots,), "int32"),
        }
        kept = {"rank_range": (0, slots)} if "rank_range" in case.attributes else {}
        plain = changed(case, tensors, num_out_tokens=slots, **kept)
        inputs = {name: one for name, one in plain.inputs.items() if name != "probs"}
        outputs = {name: one for name, one in plain.outputs.items() if name != "permute_probs"}
        machine = Machine((40, 48)[number % 2], 196352)
        yield replace(plain, inputs=inputs, outputs=outputs, machine=machine)


def far_ranks(operator: Operator) -> Iterator[Case]:
    """The same rows, whose first has a rank beyond 16 bits, or the last that an int32 has."""
    case = example(operator, "middle", "permuted_probs_output_grad")
    start, end = case.attributes["rank_range"]
    ranks = case.arrays["sorted_indices"].astype(np.int64)
    for first in (70_000, 2**31 - 1 - int(ranks.max()) + start, -(2**31) + start):
        moved = (ranks + first - start).astype(np.int32)
        last = first + end - start
        yield changed(case, {"sorted_indices": listed(moved)}, rank_range=(first, last))


def strange_experts(operator: Operator) -> Iterator[Case]:
    """Slots that name no expert, and more experts than the smallest machine counts at a time."""
    case = example(operator, "drop_pad", "expert_tokens_before_capacity")
    for experts, lowest in ((4, -3), (130, -1), (400, -2)):
        generator = np.random.default_rng(experts)
        capacity, (tokens, top_k, hidden) = 3, (20, 5, 2)
        idx = generator.integers(lowest, experts + 2, (tokens, top_k)).astype(np.int32)
        idx[0] = -(2**31)
        tensors = {
            "x": Tensor((tokens, hidden), case.dtype, fill=BITS),
            "expert_idx": listed(idx),
            "expanded_x": Tensor((experts, capacity, hidden), case.dtype),
            "expanded_row_idx": Tensor((tokens * top_k,), "int32"),
            "expert_tokens_before_capacity": Tensor((experts,), "int32"),
        }
        yield changed(case, tensors, expert_num=experts, expert_capacity=capacity)


def far_weights(case: Case) -> Iterator[Case]:
    """A call of MoeTokenUnpermuteGrad whose gradients lie far, with probabilities."""
    if case.operator == "moe_token_unpermute_grad":
        shape = (case.inputs["sorted_indices"].size, 1)
        probs = Tensor(shape, "float32", fill=Fill(("gaussian",), seed=2))
        outputs = {**case.outputs, "probs_grad": Tensor(shape, "float32")}
        yield replace(case, mode="uneven", inputs={**case.inputs, "probs": probs}, outputs=outputs)


SPECIAL: Mapping[str, tuple[Callable[[Operator], Iterator[Case]], ...]] = {
    "moe_init_routing_v2": (strange_experts,),
    "moe_token_permute": (chip_sorts,),
    "moe_token_permute_with_ep": (no_columns, chip_sorts),
    "moe_token_permute_with_ep_grad": (far_ranks,),
}


def special(operator: Operator) -> Iterator[tuple[str, Case]]:
    """An operator's calls, each with a name."""
    for made in SPECIAL.get(operator.name, ()):
        for number, case in enumerate(made(operator)):
            yield f"{made.__name__} {number}", case
