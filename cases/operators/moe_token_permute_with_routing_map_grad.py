"""MoeTokenPermuteWithRoutingMapGrad: gradients of tokens and probs from their permuted copies'.

missing coverage: rows beyond 2^31 elements. There are as many indices as rows and each is added, so
no row of such a call can be left out of memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_tables, of_written_code
from cases.operators._ladders import of_a_map, on_edges
from cases.operators._moe_token_permute_with_routing_map_grad_call import (
    DTYPES,
    FUNCTION,
    GRAD,
    HOST,
    INDICES,
    KERNELS,
    MAP,
    NAME,
    PROBS,
    PROBS_GRAD,
    README,
    SIGNATURE,
    TOKENS_GRAD,
    call,
)
from cases.operators._moe_token_permute_with_routing_map_grad_calls import (
    REJECTIONS,
    examples,
    quarantine,
    row_sum,
)
from cases.operators._moe_token_permute_with_routing_map_grad_cells import cells
from cases.operators._moe_token_permute_with_routing_map_grad_maps import EXTRAS, map_values, routed
from cases.operators._moe_token_permute_with_routing_map_grad_relations import RELATIONS
from cases.operators._moe_token_permute_with_routing_map_grad_sizes import (
    ORDERS,
    PaddedSizes,
    limits,
    token_ids,
)
from cases.operators._slot_sum_cases import left_to_right
from cases.operators._slot_sum_limits import (
    LEAST_MACHINE,
    SEAM_MACHINES,
    SEAMS,
    beyond,
    tile_columns,
)
from cases.operators._slot_sum_sizes import LINES
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_ranks
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.layouts import LAYOUTS
from conformance.draw.machines import machines
from conformance.draw.routings import ranks, unread_rows
from conformance.draw.sizes import FEW_COLUMNS, hiddens, token_counts, top_ks
from conformance.draw.values import MOVED, SEEDS, fills
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Copy, Sum, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.operator import Mode, Operator
from reference import moe_token_permute_with_routing_map_grad as reference
from reference.terms import Terms

MOST_INDICES = 3_000
LARGEST_CASE = 60_000
"""Elements that one drawn case may add up: bounds its time, not what a kernel can do."""


PLACED = st.sampled_from(LAYOUTS)

NAME_INDICES = 2
"""Padded, the name of a row takes as many bytes as two indices do."""

TOKENS_OF_TWO_MAPS = {4: 4, 2: 7}
"""The fewest tokens whose map of up to 32 experts the least machine takes in two parts, by bytes of
an element."""

ROWS_OF_TWO_RUNS = 33
"""The least machine sorts 32 rows at once."""

MORE_EXPERTS = st.integers(0, 5) | st.sampled_from([31, 32, 33, 64])
"""Experts beyond those that a token has: few, or so many that a map's row is cut in tiles of 32."""


tokens_formula = formula_of(reference.tokens_formula, TOKENS_GRAD)
probs_formula = formula_of(reference.probs_formula, PROBS_GRAD)
terms_of_rows = terms_of(reference.terms, GRAD)


def formula(inputs: Arrays, attributes: Mapping[str, int]) -> Arrays:
    """The document's equations on the case's arrays; probs_grad where probs are given."""
    given = _mapped(inputs)
    tokens = tokens_formula(given, attributes)
    return {**tokens, **probs_formula(given, attributes)} if PROBS in inputs else tokens


def terms(inputs: Arrays, attributes: Mapping[str, int]) -> Terms:
    """The rows of the permuted tokens' gradient that each token adds."""
    return terms_of_rows(_mapped(inputs), attributes)


def _mapped(inputs: Arrays) -> dict[str, Any]:
    """The arrays, a missing map as None; ValueError if there are probs and it is not there."""
    if MAP not in inputs and PROBS in inputs:
        raise ValueError(f"routing_map: must be there if probs are [{HOST}]")
    return {MAP: None, **inputs}


@cache
@st.composite
def cases(draw: st.DrawFn, mode: str, dtype: str, small: bool = False, seam: bool = False) -> Case:
    """Cases of one mode and dtype; shrinks to one token, one expert, one column, one small core.

    ``small`` ones have at most 8 indices and 64 columns; of those on a ``seam`` the least machine
    takes the columns in two tiles, the indices or the rows' names in two batches, or sorts the rows
    in two runs.
    """
    size = numpy_dtype(dtype).itemsize
    drawn = draw((_padded if mode == "drop_pad" else _unpadded)(small, seam, size))
    rows, tokens, indices = drawn["rows"], drawn["tokens"], drawn["indices"]
    probs, kind = draw(EXTRAS)
    layout, seed = draw(PLACED), draw(SEEDS)
    generator = np.random.default_rng(seed)
    mask = routed(tokens, drawn["experts"], drawn["top_k"], generator)
    return call(
        mode,
        dtype,
        grad=(rows, drawn["hidden"]),
        indices=tuple(indices.tolist()),
        tokens=tokens,
        experts=drawn["experts"],
        probs=probs,
        map_kind=kind,
        map_values=map_values(kind, mask, generator),
        probs_fill=draw(MOVED),
        layout=layout,
        fill=draw(fills(drawn["terms"])),
        unread=unread_rows(indices, rows),
        machine=drawn["machine"],
    )


@cache
def _hiddens(
    small: bool, machine: Machine, top_k: int, size: int, rows: int
) -> SearchStrategy[int]:
    """Numbers of columns, where there are so many rows or tokens at most."""
    tile = tile_columns(top_k, size, machine.ub_bytes)
    most = FEW_COLUMNS if small else max(1, min(5000, LARGEST_CASE // rows))
    # Two at least are drawn from, as fewer choices of one alone would count as simpler.
    return hiddens(max(2, most), tile).map(lambda hidden: min(most, hidden))


@cache
@st.composite
def _unpadded(draw: st.DrawFn, small: bool, seam: bool, size: int) -> dict[str, Any]:
    most_indices = 8 if small else MOST_INDICES
    top_k = draw(top_ks(min(reference.MOST_TOPK, most_indices)))
    machine = draw(machines(LINES.least_ub_bytes(top_k), small))
    # Two at least are drawn from, as fewer choices of one alone would count as simpler.
    most = max(1, most_indices // top_k)
    tokens = min(most, draw(token_counts(machine.cores, max(2, most))))
    hidden = draw(_hiddens(small, machine, top_k, size, tokens * top_k))
    if seam:
        where = draw(SEAMS | st.just("map"))
        machine = LEAST_MACHINE if where == "map" else draw(SEAM_MACHINES)
        hidden, batches = beyond(where, top_k, size, hidden, machine.ub_bytes)
        tokens = TOKENS_OF_TWO_MAPS[size] if where == "map" else batches or tokens
    return {
        "machine": machine,
        "tokens": tokens,
        "hidden": hidden,
        "experts": top_k + draw(MORE_EXPERTS),
        "top_k": top_k,
        "rows": tokens * top_k,
        "terms": top_k,
        "indices": draw(ranks(tokens * top_k)),
    }


@cache
@st.composite
def _padded(draw: st.DrawFn, small: bool, seam: bool, size: int) -> dict[str, Any]:
    """Every expert has ``capacity`` tokens, each once; tokens may have rows of several experts."""
    machine = draw(machines(0, small))
    experts = draw(st.integers(1, 4 if small else 12))
    capacity = draw(st.integers(1, 2 if small else 40))
    where = draw(SEAMS | st.just("runs")) if seam else ""
    if seam:
        machine = LEAST_MACHINE if where == "runs" else draw(SEAM_MACHINES)
        batches = beyond(where, NAME_INDICES, size, 0, machine.ub_bytes)[1]
        more_rows = {"batches": batches, "runs": ROWS_OF_TWO_RUNS}
        if where in more_rows:
            experts, capacity = 3, -(-more_rows[where] // 3)
    tokens = capacity + draw(st.integers(0, 6 if small else 300))
    order = ORDERS[min(draw(st.integers(0, 2)), capacity - 1)]
    generator = np.random.default_rng(draw(SEEDS))
    sizes = PaddedSizes(machine, experts, capacity)
    sharing = "several" if experts > 1 else "once"
    hidden = draw(_hiddens(small, machine, NAME_INDICES, size, max(sizes.rows, tokens)))
    indices = token_ids(sizes, tokens, sharing, order, generator)
    return {
        "machine": machine,
        "tokens": tokens,
        "hidden": beyond(where, NAME_INDICES, size, hidden, machine.ub_bytes)[0],
        "experts": experts,
        "top_k": min(2, experts),
        "rows": sizes.rows,
        "terms": int(np.bincount(indices).max()),
        "indices": indices,
    }


def _is_empty(case: Case) -> bool:
    shapes = (case.inputs[GRAD].shape, case.outputs[TOKENS_GRAD].shape)
    return any(0 in shape for shape in shapes)


def tokens_contract(case: Case) -> str:
    """Which of its contracts tokens_grad has in a call."""
    return "empty call" if _is_empty(case) else case.mode


def probs_contract(case: Case) -> str:
    """Which of its contracts probs_grad has in a call."""
    given = PROBS in case.inputs
    return "empty call" if _is_empty(case) else "probs given" if given else "no probs"


EMPTY = Unspecified(
    source_read("a call without rows or columns writes nothing, and succeeds", HOST),
)


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in a mode; with padding a token has as many rows as experts that name it."""
    padded = mode == "drop_pad"
    probs = {"probs": 1, "rows": 20} if padded else {"probs": 1}
    return Extremes({GRAD: {}}, {PROBS: probs}, top_k=0 if padded else reference.MOST_TOPK)


def not_reached(case: Case) -> str:
    """Why torch_npu makes no such call; "": it makes it."""
    if MAP not in case.inputs:
        return "torch_npu demands routing_map"
    if PROBS_GRAD in case.outputs and PROBS not in case.inputs:
        return "torch_npu returns no probs_grad without a gradient of the permuted probs"
    return ""


OPERATOR = Operator(
    **of_signature(SIGNATURE, cases, freedoms=()),
    sources=(README,),
    **of_tables(README),
    modes=(
        Mode(
            "dropless",
            source_read("sorted_indices are ranks, topK of every token one after another", KERNELS),
        ),
        Mode("drop_pad", document("sorted_indices are token ids, expert by expert", FUNCTION)),
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        TOKENS_GRAD: Varying(
            tokens_contract,
            {
                "dropless": Sum(
                    clause=source_read("each token is the sum of the topK rows it names", KERNELS),
                    terms=terms,
                    merges=left_to_right,
                    order_clause=source_read(
                        "added in float32 from the first slot to the last; rounded once", KERNELS
                    ),
                ),
                # The order of the vendor's index-add is not public, nor its format for 16 bits: any
                # order is accepted, in float32. By atomic additions it differs from call to call.
                "drop_pad": Sum(
                    clause=document("each row is added to the token whose id it has", FUNCTION),
                    terms=terms,
                    deterministic=False,
                ),
                "empty call": EMPTY,
            },
        ),
        PROBS_GRAD: Varying(
            probs_contract,
            {
                "probs given": Copy(
                    document("each row's probs at its token and expert, else zero", FUNCTION)
                ),
                "no probs": Unspecified(
                    document("without the permuted probs' gradient it is not computed", FUNCTION)
                ),
                "empty call": EMPTY,
            },
        ),
    },
    cells=with_extremes(partial(cells, call), extremes),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    row_sum=row_sum,
    limits=tuple(limits(DTYPES)),
    ladders=of_a_map(on_edges(partial(cells, call))),
    workload_cases=by_ranks(on_edges(partial(cells, call)), "dropless", INDICES),
    torch_npu=bound_by_names(
        SIGNATURE,
        f"npu_{NAME}",
        "routingMap must be there, also where the document lets it be left out",
        "probsGrad is given back only where there is permutedProbsOutputGrad",
        permuted_token_out_grad=GRAD,
        probs_grad=PROBS,
        experts_num="num_experts",
        unreached=not_reached,
    ),
    relations=RELATIONS,
    strided=of_written_code(SIGNATURE.parameters, HOST),
)
