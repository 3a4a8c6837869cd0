"""The signature of MoeInitRoutingV3, its calls, and the sources of its clauses.

The interface does not look at the answer of the host tiling. So a library may answer a call which
the tiling refuses with another status than the document's: these rules are read in sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from cases.operators import _moe_init_routing_v2_call as v2
from cases.operators._interface import INVALID, REQUIRED, SHAPE, in_document, read_in
from conformance.call.case import Case, Machine
from conformance.record.clause import source_read
from conformance.record.derive.calls import Fields, Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import (
    Form,
    Kind,
    Rule,
    Signature,
    SizedTensor,
    flag,
    integers,
    number,
    tensor,
)
from conformance.record.sizes import Further, Size, function
from reference.init_routing import rows_kept
from reference.moe_init_routing_v3 import MOST_EXPERTS, MOST_PAIRS, range_of

Shape = tuple[int, ...]
NAME = "moe_init_routing_v3"
FLOATS = ("float16", "bfloat16", "float32")
DTYPES = (*FLOATS, "int8")
PAGE = "aclnnMoeInitRoutingV3 document"
HOST = "ops-transformer, moe_init_routing_v3/op_host"
KERNELS = "ops-transformer, moe_init_routing_v3/op_kernel"
COUNTS, TYPE, FLAG = (
    "expert_tokens_count_or_cumsum",
    "expert_tokens_num_type",
    "expert_tokens_num_flag",
)
RANGE = "active_expert_range"
BASES = ("dropless", "active", "drop_pad")
QUANTISED = {"": -1, "_static": 0, "_dynamic": 1}
"""quantMode by the end of a mode's name."""

MODES = tuple(f"{base}{end}" for end, base in product(QUANTISED, BASES))
KINDS = {"count": (1, 1), "cumsum": (0, 1), "pairs": (2, 1), "off": (1, 0)}
"""What a call says of counts: expertTokensNumType, and whether they are asked for."""

KINDS_OF = {
    "": "expandedXOut has copies of tokens",
    "_static": "quantMode 0: copies are multiplied with one scale, and an offset is added",
    "_dynamic": "quantMode 1: each copy is divided by its largest magnitude / 127",
}
ROWS_OF = {
    "dropless": "dropPadMode 0: a row for each slot of the range",
    "active": "activeNum n > 0: the first n rows, or all if fewer",
    "drop_pad": "dropPadMode 1: expertCapacity rows of each expert; what exceeds them is dropped,"
    " the rest is filled with 0",
}
"""What a mode makes of rows, by its name without the end, and of their values, by the end."""


def parts(mode: str) -> tuple[str, str]:
    """A mode without its end, and the end that says how it is quantised."""
    base = next(base for base in BASES if mode.startswith(base))
    return base, mode.removeprefix(base)


said = in_document(PAGE)
read = partial(source_read, source=HOST)
tiled = read_in(HOST)
ASKS = said("the flag says whether experts are counted")
UNREAD = read("without drop the capacity is not looked at")
OPEN = read("the shape of an output that is not written is not looked at")
ONE_ROW = read("one row of factors may be for all experts; the document has a row for each")


def _experts(given: Sequence[int] | None, experts: int) -> int:
    ends = range_of(given, experts)
    return max(0, ends[-1] - ends[0])


def _inside(given: Sequence[int] | None, experts: int) -> int:
    """-1 or less if the range is empty, or not one of the experts."""
    start, end = range_of(given, experts)
    return min(start, end - start - 1, experts - end)


def _spare(given: Sequence[int] | None, experts: int, kind: int) -> int:
    """How many more experts there may be before the end of the range is too far."""
    return (MOST_PAIRS if kind == KINDS["pairs"][0] else MOST_EXPERTS) - range_of(given, experts)[1]


def _others(given: Sequence[int] | None, experts: int, drop_pad_mode: int) -> int:
    """-1 if a call with capacities leaves experts out."""
    return -int(drop_pad_mode == 1 and tuple(range_of(given, experts)) != (0, experts))


ROW = replace(v2.ROW, made=rows_kept)
OWN = function("own", _experts, RANGE, "expert_num")
FACTOR = function("factor", _experts, RANGE, "expert_num", or_one=ONE_ROW)
ONE, TWO = Size("one", least=1, most=1), Size("two", least=2, most=2)
ANY = Further(OPEN)
SIZED: tuple[Kind, ...] = (*SHAPE, "limit")
_out = partial(tensor, role="output")
_x = partial(_out, "expanded_x", acl="expandedXOut")
_counts = partial(_out, COUNTS, dtype="int64", acl="expertTokensCountOrCumsumOut")
_scales = partial(_out, "expanded_scale", dtype="float32", acl="expandedScaleOut")
scale_in = partial(tensor, "scale", dtype="float32", optional=True, acl="scaleOptional")
offset_in = partial(tensor, "offset", dtype="float32", optional=True, acl="offsetOptional")
COUNTED = {"pairs": _counts(v2.EXPERT, TWO), "off": _counts(further=ANY), "count": _counts(OWN)}


def _tensors(padded: bool, end: str, kind: str) -> tuple[SizedTensor, ...]:
    """What has another shape or data type in some calls."""
    rows = (v2.EXPERT, v2.PLACE) if padded else (ROW,)
    scales = v2.EXPERT * v2.PLACE if padded else ROW
    near = "expert_idx" if end == "_static" else ()
    return (
        tensor("x", v2.TOKEN, v2.HIDDEN, dtype=FLOATS if end else None),
        scale_in(
            *{"": (v2.TOKEN,), "_static": (ONE,), "_dynamic": (FACTOR, v2.HIDDEN)}[end], beside=near
        ),
        offset_in(ONE, beside=near),
        _x(*rows, v2.HIDDEN, dtype="int8" if end else None),
        COUNTED[kind],
        _scales(scales) if _has_scales(padded, end) else _scales(further=ANY),
    )


def _has_scales(padded: bool, end: str) -> bool:
    """Whether the shape of scales matters: they are none of tokens that have places."""
    return end == "_dynamic" or not (padded or end)


def _form(padded: bool, end: str, kind: str) -> str:
    return f"{BASES[2 * padded]}{end}, {kind}"


def _forms() -> dict[str, Form]:
    """Each form but that of all other calls: without drop, not quantised, counts of experts."""
    found = {}
    for padded, (end, mode), kind in product((False, True), QUANTISED.items(), COUNTED):
        if (padded and kind == "pairs") or (padded, end, kind) == (False, "", "count"):
            continue
        when: dict[str, float | Size] = {"drop_pad_mode": int(padded), "quant_mode": mode}
        when[FLAG] = int(kind != "off")
        if kind == "pairs":
            when[TYPE] = KINDS[kind][0]
        limited = (
            number("expert_capacity", least=1),
            number("row_idx_type", least=0, most=0),
            *((number(TYPE, least=1, most=1),) if kind == "count" else ()),
        )
        name = _form(padded, end, kind)
        found[name] = Form(when, _tensors(padded, end, kind), limited if padded else ())
    return found


def _attribute(text: str, *about: str) -> Rule:
    return tiled(text, *about, kinds=("attribute",))


BASE = _tensors(False, "", "count")
SIGNATURE = Signature(
    NAME,
    (
        BASE[0],
        tensor("expert_idx", v2.TOKEN, v2.SLOT, dtype="int32"),
        *BASE[1:3],
        number("active_num", least=-1),
        number("expert_capacity", free=UNREAD),
        number("expert_num", least=1),
        number("drop_pad_mode", least=0, most=1),
        number(TYPE, least=0, most=2),
        flag(FLAG, ASKS),
        number("quant_mode", least=-1, most=1),
        integers(RANGE, acl="activeExpertRangeOptional", count=(0, 2)),
        number("row_idx_type", least=0, most=1),
        BASE[3],
        _out("expanded_row_idx", v2.TOKEN * v2.SLOT, dtype="int32", acl="expandedRowIdxOut"),
        *BASE[4:],
    ),
    rules=(
        tiled("static quantisation has a scale and an offset", "scale", "offset", kinds=("null",)),
        REQUIRED,
        Rule(
            ("dtype",),
            INVALID,
            source_read(
                "x and its copies share one data type, quantised rows are int8; experts and row"
                " indices int32, counts int64, scales float32. The document has the status, the"
                " interface checks it on Ascend950 alone",
                HOST,
            ),
        ),
        _attribute("drop/pad has a capacity", "expert_capacity"),
        _attribute("dropPadMode is 0 or 1", "drop_pad_mode"),
        _attribute("activeNum is -1 or more; the document has 0 or more", "active_num"),
        _attribute("expertNum is 1 or more", "expert_num"),
        _attribute("a range has two numbers", RANGE),
        _attribute("counts are of type 0, 1 or 2, with drop/pad 1", TYPE),
        _attribute("quantMode is -1, 0 or 1, on Ascend910B and 910_93", "quant_mode"),
        _attribute("rowIdxType is 0 or 1, with drop/pad 0", "row_idx_type"),
        tiled("no capacity exceeds the number of tokens", "token", kinds=("limit",)),
        tiled("a range begins before it ends, within the experts", "inside", kinds=("limit",)),
        tiled(
            f"a range ends at {MOST_EXPERTS} at most, with pairs at {MOST_PAIRS}",
            "spare",
            kinds=("limit",),
        ),
        tiled("with drop/pad the range is that of all experts", "others", kinds=("limit",)),
        tiled("x and expertIdx have two axes, and as many rows", "x", "expert_idx"),
        tiled(
            "a scale is [tokens], of static quantisation [1], of dynamic [experts, hidden]",
            "scale",
            kinds=SIZED,
        ),
        tiled("an offset is [1]", "offset", kinds=SIZED),
        tiled("expandedXOut is [rows, hidden], or [experts, capacity, hidden]", "expanded_x"),
        tiled("expandedRowIdxOut is [slots]", "expanded_row_idx"),
        tiled("counts are [experts of the range], pairs [experts, 2]", COUNTS, kinds=SIZED),
        tiled("expandedScaleOut has one axis, a scale for each row", "expanded_scale"),
    ),
    forms=_forms(),
    derived=(
        function("inside", _inside, RANGE, "expert_num"),
        function("spare", _spare, RANGE, "expert_num", TYPE),
        function("others", _others, RANGE, "expert_num", "drop_pad_mode"),
    ),
)


def call(
    mode: str,
    dtype: str,
    *,
    x: Shape,
    top_k: int,
    expert_num: int,
    experts: Shape | None = None,
    capacity: int = 0,
    counts: str = "count",
    active: Shape | None = None,
    scattered: bool = False,
    machine: Machine | None = None,
    **how: Any,
) -> Case:
    """A case; ``experts`` None are zeros, ``active`` None is the range of all experts.

    ``counts`` is one of `KINDS`; ``how`` has `DATA` and attributes.
    """
    base, end = parts(mode)
    sizes: Sizes = {"token": x[0], "slot": top_k, "hidden": x[1], "one": 1, "two": 2}
    given = v2.given_of(dtype, x, experts, **v2.data_in(how))
    asked: dict[str, Any] = {
        TYPE: KINDS[counts][0],
        FLAG: KINDS[counts][1],
        "expert_capacity": capacity,
        "expert_num": expert_num,
        RANGE: (0, expert_num) if active is None else active,
        "drop_pad_mode": int(base == "drop_pad"),
        "quant_mode": QUANTISED[end],
        "row_idx_type": int(scattered),
        **how,
    }
    padded = base == "drop_pad"
    if not _has_scales(padded, end):
        rows = rows_kept(x[0] * top_k, int(asked.get("active_num", 0)))
        given["expanded_scale"] = {"shape": (expert_num * capacity if padded else rows,)}
    if counts == "off":
        given[COUNTS] = {"shape": (_experts(asked[RANGE], expert_num),)}
    kind = counts if counts in COUNTED else "count"
    form = _form(padded, end, kind)
    fields: Fields = given
    case = call_of(SIGNATURE, form, dtype, sizes, fields, machine=machine, **asked)
    return replace(case, mode=mode)


def counts_shown(case: Case) -> tuple[str, ...]:
    """What a case says of counts, as `KINDS` names it."""
    asked = case.attributes[TYPE], case.attributes[FLAG]
    return tuple(
        name
        for name, (kind, flag_) in KINDS.items()
        if asked == (kind, flag_) or (flag_ == asked[1] == 0)
    )


def is_of_mode(case: Case, ends: Mapping[str, int] = QUANTISED) -> bool:
    """Whether its attributes are those of its mode, or of none; ``ends`` are as `QUANTISED`."""
    asked = case.attributes
    bases = {0: "active" if asked["active_num"] > 0 else "dropless", 1: "drop_pad"}
    kinds = {value: end for end, value in ends.items()}
    found = bases.get(asked["drop_pad_mode"]), kinds.get(asked["quant_mode"])
    return None in found or found == parts(case.mode)
