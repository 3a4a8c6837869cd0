"""The signature of MoeInitRoutingV2Grad, its calls, drawn sizes, and the indices of each mode."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases.operators._interface import INVALID, checked, in_document, null, typed
from cases.operators._moe_init_routing_v2_grad_limits import LINES, least_ub_bytes, tile_columns
from cases.operators._slot_sum import EVERY, Indices, Shape, TokenSum, slot_sum_call, source_of
from conformance.call.case import Case, numpy_dtype
from conformance.draw.machines import machines
from conformance.draw.patterns import PLACES, Mask, place_patterns, placed, rank_patterns, ranked
from conformance.draw.routings import DROPPED as DROPPED_INDEX
from conformance.draw.routings import positions, ranks
from conformance.draw.sizes import hiddens, token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.clause import inferred, source_read
from conformance.record.signature import Form, Signature, number, tensor
from conformance.record.sizes import Further, Size

NAME = "moe_init_routing_v2_grad"
README = "MoeInitRoutingV2Grad README"
ACLNN = "aclnnMoeInitRoutingV2Grad document"
KERNELS = "ops-transformer, moe_init_routing_v2_grad/op_kernel"
TILING = "ops-transformer, moe_init_routing_v2_grad_tiling_base.cpp"
DTYPES = ("float16", "bfloat16", "float32")
GRAD, INDICES, OUT = "grad_expanded_x", "expanded_row_idx", "grad_x"

stated = in_document(ACLNN)
ANY_PLACE = source_read("rows of experts and places are not compared with the indices", TILING)
FIRST_AXIS = source_read("the first axis alone is compared", TILING)
TWO_OR_THREE = stated("without drop/pad the rank is 2 or 3")
TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", least=1), Size("hidden")
ROW, ACTIVE_ROW = Size("row", product=TOKEN * SLOT), Size("row", least=1)
EXPERT, PLACE = Size("expert", free=ANY_PLACE), Size("place", free=ANY_PLACE)
indices = partial(
    tensor, INDICES, TOKEN * SLOT, dtype="int32", further=Further(FIRST_AXIS, least=1)
)
SIGNATURE = Signature(
    NAME,
    (
        tensor(GRAD, ROW, HIDDEN, further=Further(TWO_OR_THREE, most=1, least=1)),
        indices(numbers=ROW),
        number("top_k", SLOT),
        number("drop_pad_mode", least=0, most=1),
        number("active_num", least=0),
        tensor(OUT, TOKEN, HIDDEN, role="output", acl="out"),
    ),
    rules=(
        null(stated("the tensor is required")),
        typed(stated("float16, bfloat16 or float32, the same for input and output; indices int32")),
        checked(
            inferred("the indices have an axis", f"{README}, inferred"),
            INDICES,
            kinds=("rank",),
            status=INVALID,
        ),
        *(
            checked(stated(f"{name} is {limits}"), name, kinds=("attribute",))
            for name, limits in (
                ("drop_pad_mode", "0 or 1"),
                ("top_k", "above 0"),
                ("active_num", "0 or more"),
            )
        ),
        checked(
            stated("grad_expanded_x has rank 2 or 3, and rank 3 in drop/pad mode"),
            GRAD,
            kinds=("rank",),
        ),
        checked(
            stated("active: as many rows of grad_expanded_x as active_num"),
            "row",
            kinds=("extent",),
        ),
        checked(
            source_read("dropless: as many rows of grad_expanded_x as indices", TILING),
            GRAD,
            kinds=("extent",),
        ),
        checked(stated("top_k divides the number of indices"), INDICES, kinds=("extent",)),
        checked(
            source_read("no dim of the indices, or of dropless rows, is 0", TILING),
            kinds=("limit",),
        ),
        checked(stated("out is [tokens, hidden]"), OUT),
    ),
    forms={
        "drop_pad": Form(
            {"drop_pad_mode": 1},
            (tensor(GRAD, EXPERT, PLACE, HIDDEN), indices(numbers=EXPERT * PLACE)),
        ),
        "active": Form(
            {"active_num": ACTIVE_ROW},
            (tensor(GRAD, ACTIVE_ROW, HIDDEN, further=Further(TWO_OR_THREE, most=1)),),
        ),
    },
)
call = slot_sum_call(SIGNATURE, GRAD, INDICES)


MOST_INDICES = 5_000
LARGEST_CASE = 60_000
"""Elements that one drawn case may add up: bounds its time, not what a kernel can do."""


class Routed(TokenSum):
    """Its sums: the indices of each mode, and places of experts in drop/pad mode."""

    def most_values(self, mode: str) -> int:
        """Three rows, and what names none if a mode has that."""
        return 3 if mode == "dropless" else 4

    def scope(
        self, mode: str, tuples: Indices, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """Leading shape of the gradient, and the indices of all tuples in a drawn order."""
        indices = generator.permutation(tuples).ravel()
        values = int(tuples.max()) + 1
        if mode == "drop_pad":
            rows = values - 1
            return ((rows, 1) if generator.random() < 0.5 else (1, rows)), indices - 1
        if mode == "active":
            return (int(generator.integers(1, values)),), indices
        return (indices.size,), indices

    def routed(
        self, mode: str, routing: str, mask: Mask, few: bool, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """Leading shape of the gradient, and the indices of all slots."""
        kept = int(np.count_nonzero(~mask))
        indices = np.full(mask.size, DROPPED_INDEX, np.int64)
        if mode == "drop_pad":
            most_experts = 8 if few else 2
            experts, capacity, indices[~mask] = placed(routing, kept, generator, most_experts)
            return (experts, capacity), indices
        indices[~mask] = ranked(routing, kept, generator)
        if mode == "dropless":
            return (mask.size,), indices
        rows = kept + int(generator.choice([0, 0, 3]))
        if kept < mask.size:
            rows = max(1, min(rows, mask.size - 1))
        beyond = generator.integers(rows, max(mask.size, rows + 1), mask.size - kept)
        beyond[:1] = rows
        indices[mask] = generator.permutation(beyond)
        return (rows,), indices

    def shown(self, case: Case, named: Indices) -> set[str]:
        """Patterns of ranks, or of places."""
        if case.mode != "drop_pad":
            return rank_patterns(named)
        experts, capacity = source_of(case).shape[:2]
        return place_patterns(named, experts, capacity)


SUM = Routed(call, ("active", "drop_pad"), lines=LINES)
PLACED = replace(SUM, routings=(*PLACES, EVERY))
"""With drop/pad."""


@st.composite
def near_cases(draw: st.DrawFn, mode: str, dtype: str, small: bool = False) -> Case:
    """Cases of one mode and dtype; shrinks to one token, one expert, one column, one small core.

    ``small`` ones have at most 8 indices and 64 columns.
    """
    most_indices, most_tokens, most_hidden = (8, 8, 64) if small else (MOST_INDICES, 2000, 5000)
    top_k, size = draw(top_ks(min(300, most_indices))), numpy_dtype(dtype).itemsize
    machine = draw(machines(least_ub_bytes(top_k, size), small))
    tile = tile_columns(top_k, size, machine.ub_bytes)
    tokens = draw(token_counts(machine.cores, max(1, min(most_tokens, most_indices // top_k))))
    most_columns = max(1, min(most_hidden, LARGEST_CASE // (tokens * top_k)))
    hidden = draw(hiddens(most_columns, tile))
    entries = tokens * top_k
    attributes: dict[str, Any] = {}
    if mode == "drop_pad":
        experts = draw(st.integers(1, min(8, entries)))
        capacity = draw(st.integers(1, max(1, 2 * entries // experts)))
        shape: tuple[int, ...] = (experts, capacity)
        rows = experts * capacity
        indices = draw(positions(tokens, top_k, rows))
        attributes = {"active_num": draw(st.sampled_from([0, 1, entries]))}
    else:
        indices, rows = draw(ranks(entries)), entries
        if mode == "active":
            rows = draw(st.one_of(st.integers(1, entries), st.just(entries + 3)))
        shape = (rows,)
    how = {"top_k": top_k, "fill": draw(fills(top_k)), "machine": machine, **attributes}
    return SUM.drawn(mode, dtype, shape, hidden, indices, **how)
