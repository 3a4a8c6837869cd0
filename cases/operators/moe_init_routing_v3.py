"""MoeInitRoutingV3: tokens copied for the slots of a range of experts, sorted, with counts of the
experts; the copies may be quantised, all by one scale or each row by its own.

Missing coverage: the formats that Ascend950 quantises to; more than 2^24 slots; results beyond 2^31
elements.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import SORT, of_tables, of_written_code
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_init_routing_v3_call import (
    COUNTS,
    DTYPES,
    FLAG,
    FLOATS,
    HOST,
    KERNELS,
    KINDS_OF,
    MODES,
    PAGE,
    RANGE,
    ROWS_OF,
    SIGNATURE,
    TYPE,
    call,
    parts,
    said,
)
from cases.operators._moe_init_routing_v3_calls import (
    FAR_ENDS,
    REJECTIONS,
    RIGHT,
    examples,
    quarantine,
)
from cases.operators._moe_init_routing_v3_relations import RELATIONS
from cases.operators._moe_init_routing_v3_rows import LADDERS, LIMITS, PERMUTE
from cases.operators._quantised_rows import Attributes, QuantisedRows
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_calls
from conformance.call.case import Case
from conformance.record.clause import document
from conformance.record.contract import Arrays, Copy, Index, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import freedoms, ranges
from conformance.record.operator import Mode, Operator
from conformance.record.variations import right_calls
from conformance.record.versions import Dated, Versions, of_dtype
from reference import moe_init_routing_v3 as reference
from reference.moe_init_routing_v3 import KEY_VALUE, SCATTER, Routing, range_of, routing

cases = partial(sorting_cases, PERMUTE)
OF_ROUTING = ("active_num", "expert_capacity", "expert_num", "drop_pad_mode", RANGE)


def routed(inputs: Arrays, attributes: Attributes) -> Routing:
    """Where the rows of a call lie."""
    return routing(inputs["expert_idx"], **{name: attributes[name] for name in OF_ROUTING})


ROWS = QuantisedRows(
    routed,
    "expanded_scale",
    f"{PAGE}, equation 4",
    "; the kernel divides the product of x and the factor, too",
)


def named_indices(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """Which row indices are specified: with those of scatter, as many as slots are in the range."""
    found = routed(inputs, attributes)
    gathered = attributes["row_idx_type"] != SCATTER
    return np.asarray(gathered | (np.arange(found.place.size) < found.active))


def named_counts(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """Which counts are specified: of pairs one more than there are experts in the range."""
    experts = attributes["expert_num"]
    start, end = range_of(attributes[RANGE], experts)
    if attributes[TYPE] != KEY_VALUE:
        return np.ones(end - start, np.bool_)
    return np.asarray(np.arange(experts) < min(end - start + 1, experts))[:, np.newaxis]


def _extremes(mode: str, dtype: str) -> Extremes:
    return extremes(PERMUTE, mode, dtype, quantised=bool(parts(mode)[1]))


def middle_half(experts: int) -> tuple[int, int]:
    """The range of experts that one of the ranks has."""
    quarter = experts // 4
    return quarter, experts - quarter


def _scale_contract(case: Case) -> str:
    if case.attributes["quant_mode"] == 1:
        return "dynamic"
    return "moved" if case.attributes["quant_mode"] == -1 and "scale" in case.inputs else "no scale"


def unreached(case: Case) -> str:
    """Why torch_npu does not make a call, or "" if it does."""
    given = case.attributes[RANGE]
    if not given:
        return "torch_npu has a range of its own where none is given"
    tokens, hidden = case.inputs["x"].shape if "x" in case.inputs else (1, 0)
    if tokens == 0:
        return "torch_npu answers a call without tokens itself"
    if (case.attributes["expert_num"], hidden, tuple(given)) == (128, 2048, (0, 128)):
        return "torch_npu may call aclnnMoeInitRoutingV2 for these sizes"
    return ""


LATER = Versions(
    document(
        "up to CANN 8.5 dropPadMode is 0, quantMode -1 or 1, the flag true, counts of type 1 or 2,"
        " activeNum -1 or the number of slots; there is a range, and factors are of each expert",
        "aclnnMoeInitRoutingV3 document of CANN 8.5.0, constraints",
    ),
    after="9.0",
)
"""Which release between the two brought the rest is not known."""


def is_newer(case: Case) -> bool:
    """Whether a call, right or wrong, is one that CANN 8.5 has the mode of, and does not take."""
    asked, scale = case.attributes, case.inputs.get("scale")
    given: Any = asked[RANGE] or ()
    of_each = scale is None or len(given) != 2 or scale.shape[:1] == (given[1] - given[0],)
    has_factors = asked["quant_mode"] != 1 or of_each
    counts = asked[FLAG] and asked[TYPE] in (reference.COUNT, reference.KEY_VALUE)
    return not (given and counts and has_factors and asked["active_num"] == -1)


def _versions(mode: str) -> Versions | None:
    base, end = parts(mode)
    return LATER if base != "dropless" or end == "_static" else None


OPERATOR = Operator(
    **of_signature(
        SIGNATURE, cases, freedoms=freedoms(SIGNATURE), ranges=(*FAR_ENDS, *ranges(SIGNATURE))
    ),
    sources=(PAGE, HOST, KERNELS, SORT),
    **of_tables(PAGE),
    modes=tuple(
        Mode(
            mode,
            said("; ".join((ROWS_OF[base], KINDS_OF[end]))),
            versions=_versions(mode),
            dtypes=FLOATS if end else (),
        )
        for mode in MODES
        for base, end in (parts(mode),)
    ),
    dtypes=DTYPES,
    dated=(
        of_dtype("int8", Versions(said("x may be int8 if it is not quantised"), after="8.1")),
        Dated("what it takes since", is_newer, LATER),
    ),
    formula=formula_of(reference.formula),
    contracts={
        "expanded_x": Varying(
            lambda case: parts(case.mode)[1].strip("_") or "moved",
            {
                "moved": Copy(
                    document(
                        "row i is that of the token of the i-th slot in the order of the experts,"
                        " bit for bit; with places, +0 where an expert has fewer slots",
                        f"{PAGE}, equation 5",
                    ),
                    moved=("x",),
                    specified=ROWS.named_rows,
                ),
                "static": ROWS.by_one(),
                "dynamic": ROWS.by_own(),
            },
        ),
        "expanded_row_idx": Index(
            document(
                "the rank of each slot among those of the range, -1 of others; for rowIdxType 1 the"
                " slots by rank; with places expert * expertCapacity + the slot's place there, or"
                " -1 if it is dropped",
                f"{PAGE}, equation 2, parameters; {SORT}",
            ),
            specified=named_indices,
        ),
        COUNTS: Varying(
            lambda case: "asked" if case.attributes[FLAG] else "not asked",
            {
                "asked": Index(
                    document(
                        "slots of each expert of the range, of it and those before it, or pairs of"
                        " an expert with slots and their number, then zeros; also of slots"
                        " without a row",
                        f"{PAGE}, function, parameters",
                    ),
                    specified=named_counts,
                ),
                "not asked": Unspecified(said("the flag is false: no output", "function")),
            },
        ),
        "expanded_scale": Varying(
            _scale_contract,
            {
                "moved": Copy(
                    said("without quantisation the scale of a row's token, bit for bit"),
                    moved=("scale",),
                    specified=ROWS.named_scales,
                ),
                "dynamic": ROWS.scales(),
                "no scale": Unspecified(said("static quantisation, or no scale: no output")),
            },
        ),
    },
    cells=with_extremes(partial(cells, PERMUTE), _extremes),
    examples=(*examples(), *right_calls(PAGE, *RIGHT)),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=LIMITS,
    landmarks=lambda case: of_sorted_rows(case, "expanded_x", "expert_idx", "x"),
    workload_cases=by_calls(call, "dropless", active=middle_half),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_init_routing_v2",
        "it calls aclnnMoeInitRoutingV3, on Ascend310P aclnnMoeInitRoutingV2",
        "a call without tokens is answered by it alone",
        unreached=unreached,
    ),
    ladders=LADDERS,
    relations=RELATIONS,
    strided=of_written_code(SIGNATURE.parameters, f"{HOST}/op_api"),
)
