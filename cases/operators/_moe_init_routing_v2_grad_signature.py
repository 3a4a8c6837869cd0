"""The signature of MoeInitRoutingV2Grad, what makes a call of it, and the documents that say so."""

from __future__ import annotations

from functools import partial

from cases.operators._interface import INVALID, checked, null, typed
from cases.operators._slot_sum import slot_sum_call
from conformance.record.clause import Clause, document, inferred, source_read
from conformance.record.signature import Form, Signature, number, tensor
from conformance.record.sizes import Further, Size

NAME = "moe_init_routing_v2_grad"
README = "MoeInitRoutingV2Grad README"
ACLNN = "aclnnMoeInitRoutingV2Grad document"
KERNELS = "ops-transformer, moe_init_routing_v2_grad/op_kernel"
TILING = "ops-transformer, moe_init_routing_v2_grad_tiling_base.cpp"
DTYPES = ("float16", "bfloat16", "float32")
GRAD, INDICES, OUT = "grad_expanded_x", "expanded_row_idx", "grad_x"


def stated(text: str) -> Clause:
    """A clause of the interface's parameter list."""
    return document(text, f"{ACLNN}, parameters")


PLACES = source_read("rows of experts and places are not compared with the indices", TILING)
FIRST_AXIS = source_read("the first axis alone is compared", TILING)
TWO_OR_THREE = stated("without drop/pad the rank is 2 or 3")
TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", least=1), Size("hidden")
ROW, ACTIVE_ROW = Size("row", product=TOKEN * SLOT), Size("row", least=1)
EXPERT, PLACE = Size("expert", free=PLACES), Size("place", free=PLACES)
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
