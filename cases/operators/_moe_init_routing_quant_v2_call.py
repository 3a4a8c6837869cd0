"""The signature of MoeInitRoutingQuantV2, its calls, and the sources of its clauses.

Sizes are those of MoeInitRoutingV2, scales and offsets those of MoeInitRoutingV3.

The return values of the document have data types of all inputs and outputs under 161002. They have
those of optional tensors under 561002, too. The first holds here: interfaces look at data types
before shapes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from cases.operators import _moe_init_routing_v2_call as v2
from cases.operators import _moe_init_routing_v3_call as v3
from cases.operators._interface import REQUIRED, checked, in_document, typed
from conformance.call.case import Attribute, Case, Machine
from conformance.record.clause import inferred, source_read
from conformance.record.derive.calls import Fields, Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Rule, Signature, SizedTensor, flag, number, tensor
from conformance.record.sizes import Size, function

Shape = tuple[int, ...]
NAME = "moe_init_routing_quant_v2"
DTYPES = ("float16", "bfloat16", "float32")
PAGE = "aclnnMoeInitRoutingQuantV2 document"
SCALES = "dynamic_quant_scale"
ENDS = ("_static", "_dynamic")
MODES = tuple(f"{base}{end}" for end, base in product(ENDS, v3.BASES))

said = in_document(PAGE)
UNREAD = Size(
    "unread",
    free=source_read("dynamic quantisation looks at no offset", "ops-transformer, op_host, tiling"),
)
FACTOR = function("factor", int, "expert_num", or_one=said("one row may be for all experts"))
_out = partial(tensor, role="output")
_scales = partial(_out, SCALES, dtype="float32", optional=True, acl="dynamicQuantScaleOutOptional")


def _tensors(padded: bool, end: str, kind: str) -> tuple[SizedTensor, ...]:
    """What has another shape in some calls, or must be there; ``kind`` is that of the counts."""
    rows = (v2.EXPERT, v2.PLACE) if padded else (v2.ROW,)
    near, far = ("expert_idx" if end == one else () for one in ENDS)
    return (
        v3.scale_in(*((v3.ONE,) if near else (FACTOR, v2.HIDDEN)), beside=near),
        v3.offset_in(v3.ONE if near else UNREAD, beside=near),
        _out("expanded_x", *rows, v2.HIDDEN, dtype="int8", acl="expandedXOut"),
        v2.counts_out(v2.COUNTED, beside="expert_idx")
        if kind == "counted"
        else v2.counts_out(v2.EXPERT),
        v2.before_out(beside="expert_idx" if kind == "before" else ()),
        _scales(v2.EXPERT * v2.PLACE if padded else v2.ROW, beside=far),
    )


def _forms() -> dict[str, Form]:
    """Each form but that of all other calls: without drop, one scale, no counts."""
    found = {}
    some = number("expert_capacity", least=1), number("expert_num", least=1)
    for end, kind in product(ENDS, ("drop_pad", "before", "counted", "")):
        padded = kind in ("drop_pad", "before")
        when: dict[str, float | Size] = {
            "drop_pad_mode": int(padded),
            "quant_mode": v3.QUANTISED[end],
        }
        if kind == "drop_pad":
            when[v2.BEFORE_FLAG] = 0
        if kind == "counted":
            when[v2.COUNTS_FLAG] = v2.ASKED
        limited = {"counted": (number("expert_num", v2.COUNTED),)}.get(kind, some if padded else ())
        if kind or end == ENDS[1]:
            found[f"{kind}{end}"] = Form(when, _tensors(padded, end, kind), limited)
    return found


def _number(rule: str, *about: str, modes: tuple[str, ...] = ()) -> Rule:
    return checked(said(rule), *about, kinds=("attribute",), modes=modes)


STATIC = tuple(mode for mode in MODES if mode.endswith(ENDS[0]))
PADDED = tuple(mode for mode in MODES if mode.startswith(v3.BASES[2]))
BASE = _tensors(False, ENDS[0], "")
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", v2.TOKEN, v2.HIDDEN, dtype=DTYPES),
        tensor("expert_idx", v2.TOKEN, v2.SLOT, dtype="int32"),
        *BASE[:2],
        number("active_num", least=0),
        number("expert_capacity", least=0),
        number("expert_num", least=0),
        number("drop_pad_mode", least=0, most=1),
        number(v2.COUNTS_FLAG, least=0, most=2),
        flag(v2.BEFORE_FLAG, v2.ASKS),
        number("quant_mode", least=0, most=1),
        BASE[2],
        _out("expanded_row_idx", v2.TOKEN * v2.SLOT, dtype="int32", acl="expandedRowIdxOut"),
        *BASE[3:],
    ),
    rules=(
        checked(
            said("static quantisation has a scale and an offset"),
            *("scale", "offset"),
            kinds=("null",),
        ),
        checked(
            inferred(
                "a tensor takes the counts that a flag asks for, and one the scales of rows",
                f"{PAGE}, inferred",
            ),
            *(v2.COUNTS, v2.BEFORE, SCALES),
            kinds=("null",),
        ),
        REQUIRED,
        typed(
            said(
                "x float16, bfloat16 or float32; copies int8; scales and offset float32; all"
                " other integers int32",
                "parameters; its return values have another status for optional tensors, too",
            )
        ),
        _number("dropPadMode is 0 or 1", "drop_pad_mode"),
        _number("expertTokensCountOrCumsumFlag is 0, 1 or 2", v2.COUNTS_FLAG),
        _number("quantMode is 0 or 1", "quant_mode"),
        _number("activeNum is 0 or more", "active_num"),
        _number("drop/pad has experts and a capacity", modes=PADDED),
        _number("counts are of one expert or more", "counted"),
        _number("expertCapacity and expertNum are 0 or more"),
        checked(said("no capacity exceeds the number of tokens"), "token", kinds=("limit",)),
        checked(said("x and expertIdx have two axes, and as many rows"), "x", "expert_idx"),
        checked(
            said("a static scale is [1], a dynamic one [experts, hidden] or [1, hidden]"),
            "scale",
            kinds=v3.SIZED,
        ),
        checked(said("an offset is [1]"), "offset", kinds=v3.SIZED, modes=STATIC),
        checked(
            said("expandedXOut is [rows, hidden], or [experts, capacity, hidden]"), "expanded_x"
        ),
        checked(said("expandedRowIdxOut is [slots]"), "expanded_row_idx"),
        checked(said("counts are [experts]"), v2.COUNTS, v2.BEFORE),
        checked(said("dynamicQuantScaleOutOptional has a scale for each row"), SCALES),
    ),
    forms=_forms(),
)


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
    """A case; ``experts`` None are zeros, ``how`` has `DATA` and attributes.

    ``counts`` is one of `FLAGS`; "given" tensors take what nobody asks for, scales, too.
    """
    base, end = v3.parts(mode)
    has_scales = end == ENDS[1] or counts == "given"
    given = v2.given_of(dtype, x, experts, **v2.data_in(how))
    given |= {name: {} for name in (*v2.room_for(counts), *((SCALES,) if has_scales else ()))}
    asked: dict[str, Attribute] = {
        **v2.FLAGS[counts],
        "expert_capacity": capacity,
        "drop_pad_mode": int(base == v3.BASES[2]),
        "quant_mode": v3.QUANTISED[end],
        **how,
    }
    kind = base if base == v3.BASES[2] else ""
    sizes: Sizes = {"token": x[0], "slot": top_k, "hidden": x[1], "one": 1, "unread": 1}
    fields: Fields = given
    case = call_of(SIGNATURE, f"{kind}{end}", dtype, sizes, fields, machine=machine, **asked)
    return replace(case, mode=mode)
