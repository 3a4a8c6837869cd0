"""The signature of MoeInitRoutingV2, its calls, and the sources of its clauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cases.operators._interface import INTERFACE, REQUIRED, checked, in_document, read_in, typed
from conformance.call.case import Case, Machine
from conformance.record.clause import Clause, document, inferred
from conformance.record.contract import Index, Unspecified, Varying
from conformance.record.derive.calls import Fields, Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Signature, SizedAttribute, flag, number, tensor
from conformance.record.sizes import Size, function
from conformance.values.fill import Fill
from reference.permutation import rows_kept

Shape = tuple[int, ...]
Values = Fill | Shape
NAME = "moe_init_routing_v2"
DTYPES = ("float16", "bfloat16", "float32")
README = "MoeInitRoutingV2 README"
PAGE = "aclnnMoeInitRoutingV2 document"
GRADIENT = "aclnnMoeInitRoutingV2Grad document"
HOST = "ops-transformer, moe_init_routing_v2/op_host"
KERNELS = "ops-transformer, moe_init_routing_v2/op_kernel"
INFERRED = "interface behaviour, inferred"
COUNTS, BEFORE = "expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"
COUNTS_FLAG, BEFORE_FLAG = f"{COUNTS}_flag", f"{BEFORE}_flag"

CHOOSES = document("0 to 2 choose what is counted, in any mode", f"{PAGE}, parameters")
ASKS = document("true asks for the slots of every expert", f"{README}, parameters")
EXPERT, PLACE = function("expert", int, "expert_num"), function("place", int, "expert_capacity")
TOKEN, SLOT, HIDDEN = Size("token", covers=PLACE), Size("slot"), Size("hidden")
ROW = function("row", rows_kept, TOKEN * SLOT, "active_num")
COUNTED, ASKED = Size("counted", least=1), Size("asked", least=1, most=2, free=CHOOSES)
_out = partial(tensor, role="output")
counts_out = partial(
    _out, COUNTS, dtype="int32", optional=True, acl="expertTokensCountOrCumsumOutOptional"
)
before_out = partial(
    _out, BEFORE, EXPERT, dtype="int32", optional=True, acl="expertTokensBeforeCapacityOutOptional"
)
_rows = partial(_out, "expanded_x", acl="expandedXOut")


def _optional(one: SizedAttribute) -> SizedAttribute:
    return replace(one, acl_name=f"{one.acl_name}Optional")


tiled = read_in(HOST)

said = in_document(README, "constraints")
_number = partial(checked, kinds=("attribute",))
PLACES = _rows(EXPERT, PLACE, HIDDEN)
SOME = number("expert_capacity", least=1), number("expert_num", least=1)
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", TOKEN, HIDDEN),
        tensor("expert_idx", TOKEN, SLOT, dtype="int32"),
        _optional(number("active_num", least=0)),
        _optional(number("expert_capacity", least=0)),
        _optional(number("expert_num", least=0)),
        _optional(number("drop_pad_mode", least=0, most=1)),
        _optional(number(COUNTS_FLAG, least=0, most=2)),
        _optional(flag(BEFORE_FLAG, ASKS)),
        _rows(ROW, HIDDEN),
        _out("expanded_row_idx", TOKEN * SLOT, dtype="int32", acl="expandedRowIdxOut"),
        counts_out(EXPERT),
        before_out(),
    ),
    rules=(
        checked(
            inferred(
                "a tensor takes the counts that a flag asks for",
                f"{HOST}: it reads their shape, inferred",
            ),
            *(COUNTS, BEFORE),
            kinds=("null",),
        ),
        REQUIRED,
        typed(inferred("x and its copies share one dtype", INTERFACE), "expanded_x"),
        typed(
            said(
                "x float16, bfloat16 or float32; experts, row indices and counts int32",
                "parameters",
            )
        ),
        tiled("dropPadMode is 0 or 1", "drop_pad_mode", kinds=("attribute",)),
        _number(said("expertTokensCountOrCumsumFlag is 0, 1 or 2", "parameters"), COUNTS_FLAG),
        tiled(
            "activeNum is 0 or more, on Ascend910B and 910_93", "active_num", kinds=("attribute",)
        ),
        _number(said("drop/pad has experts and a capacity"), modes=("drop_pad",)),
        tiled("counts are of one expert or more", "counted", kinds=("attribute",)),
        tiled("expertCapacity and expertNum are 0 or more", kinds=("attribute",)),
        checked(said("no capacity exceeds the number of tokens"), kinds=("limit",)),
        checked(said("x and expertIdx have two axes"), "x", "expert_idx", kinds=("rank",)),
        checked(said("x and expertIdx have as many rows"), "expert_idx"),
        tiled(
            "in drop/pad mode expandedXOut is [experts, capacity, hidden]",
            "expanded_x",
            modes=("drop_pad",),
        ),
        tiled("expandedXOut is [rows, hidden]", "expanded_x"),
        tiled("expandedRowIdxOut is [slots], also where rows are left out", "expanded_row_idx"),
        tiled("counts are [experts]"),
    ),
    forms={
        "drop_pad": Form({"drop_pad_mode": 1, BEFORE_FLAG: 0}, (PLACES,), SOME),
        "places counted": Form(
            {"drop_pad_mode": 1}, (PLACES, before_out(beside="expert_idx")), SOME
        ),
        "slots counted": Form(
            {"drop_pad_mode": 0, COUNTS_FLAG: ASKED},
            (counts_out(COUNTED, beside="expert_idx"),),
            (number("expert_num", COUNTED),),
        ),
    },
)
"""The host looks at counts that a flag asks for alone; the document gives their shape of all."""

FLAGS: Mapping[str, Mapping[str, int]] = {
    "absent": {},
    "given": {},
    "cumsum": {COUNTS_FLAG: 1},
    "count": {COUNTS_FLAG: 2},
    "before": {BEFORE_FLAG: 1},
    "cumsum, before": {COUNTS_FLAG: 1, BEFORE_FLAG: 1},
    "count, before": {COUNTS_FLAG: 2, BEFORE_FLAG: 1},
}
"""What a call says of counts: no tensors, tensors that no flag asks for, or what one asks for, or
both, of which a mode heeds one."""


def call(
    mode: str,
    dtype: str,
    *,
    x: Shape,
    top_k: int,
    experts: Shape | None = None,
    capacity: int = 0,
    counts: str = "absent",
    machine: Machine | None = None,
    **how: Any,
) -> Case:
    """A case; ``experts`` None are zeros, ``how`` has `DATA` and attributes."""
    sizes: Sizes = {"token": x[0], "slot": top_k, "hidden": x[1]}
    given: Fields = {
        **given_of(dtype, x, experts, **data_in(how)),
        **{name: {} for name in room_for(counts)},
    }
    asked = {**FLAGS[counts], "expert_capacity": capacity, **how}
    return call_of(SIGNATURE, mode, dtype, sizes, given, machine=machine, **asked)


def given_of(
    dtype: str,
    x: Shape,
    experts: Shape | None,
    *,
    scale: Values | None = None,
    offset: Values | None = None,
    one_row: bool = False,
    fill: Fill | None = None,
    values: Shape | None = None,
    held: Shape | None = None,
) -> dict[str, dict[str, Any]]:
    """The fields of the inputs of a call with rows that may be quantised, by
    their recipes or storage bits.

    A scale of dynamic quantisation has ``one_row`` for all experts, or one for each. ``held`` lists
    the only rows of x that exist.
    """
    given: dict[str, dict[str, Any]] = {
        "x": {"dtype": dtype, "values": values, "fill": fill, "rows": held},
        "expert_idx": {"values": experts},
    }
    for name, data in (("scale", scale), ("offset", offset)):
        if data is not None:
            given[name] = {"fill" if isinstance(data, Fill) else "values": data}
    if one_row:
        given["scale"]["shape"] = (1, x[1])
    return given


DATA = {"scale", "offset", "one_row", "fill", "values", "held"}
"""What `given_of` takes of inputs."""


def data_in(how: dict[str, Any]) -> dict[str, Any]:
    """The `DATA` of what else is said of a call, of which only the attributes are left."""
    return {name: how.pop(name) for name in DATA & how.keys()}


def room_for(counts: str) -> tuple[str, ...]:
    """The outputs of counts that a call has, which says so much of them."""
    flags = FLAGS[counts]
    asked = (COUNTS,) * (COUNTS_FLAG in flags) + (BEFORE,) * (BEFORE_FLAG in flags)
    return (COUNTS, BEFORE) if counts == "given" else asked


def counts_shown(case: Case) -> tuple[str, ...]:
    """What a case says of counts, as `FLAGS` names it."""
    flags = {name: case.attributes[name] for name in (COUNTS_FLAG, BEFORE_FLAG)}
    asked = {name: value for name, value in flags.items() if value}
    if not asked and {COUNTS, BEFORE} & case.outputs.keys():
        return ("given",)
    return tuple(name for name, one in FLAGS.items() if one == asked)[:1]


def heeded(case: Case, flag: str) -> int:
    """The value of a flag; 0 in the mode that has no output for it, and does not heed it."""
    padded = case.attributes["drop_pad_mode"] == 1
    return int(case.attributes[flag]) if padded == (flag == BEFORE_FLAG) else 0


def counted(flag: str, clause: Clause, page: str = PAGE) -> Varying:
    """The contract of counts that a flag asks for: without it, nothing is promised of them."""
    of_mode = "with drop/pad" if flag == BEFORE_FLAG else "without drop/pad"
    return Varying(
        lambda case: "asked" if heeded(case, flag) else "not asked",
        {
            "asked": Index(clause),
            "not asked": Unspecified(
                document(
                    f"an output {of_mode} alone, unless the flag is 0 or false",
                    f"{page}, parameters",
                )
            ),
        },
    )
