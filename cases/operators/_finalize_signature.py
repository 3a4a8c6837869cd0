"""The signature of MoeFinalizeRoutingV2, and of the versions after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from cases.operators._interface import REQUIRED, SHAPE, checked, read_in, typed, unchecked
from conformance.record.clause import document, source_read
from conformance.record.signature import Form, Signature, SizedTensor, number, tensor
from conformance.record.sizes import Product, Size

KERNELS = "ops-transformer, moe_finalize_routing_v2/op_kernel"
HOST = "ops-transformer, moe_finalize_routing_v2/op_host"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
"""By dropPadMode: whether slots may be dropped, and whether the indices lie column by column, slot
k of token i at i + k * tokens, or row by row, at i * top_k + k."""

SCALES_DTYPES = {
    "float16": ("float16",),
    "bfloat16": ("bfloat16", "float32"),
    "float32": ("float32",),
}
"""The dtypes of scales beside a dtype, as the operator's definition lists them."""


def drops(mode: str) -> bool:
    """Whether slots may be dropped: expanded_x is [experts, capacity, hidden] then."""
    return mode.startswith("drop_pad")


def by_column(mode: str) -> bool:
    """Whether the indices lie column by column."""
    return mode.endswith("columns")


TOKEN, HIDDEN = Size("token"), Size("hidden")
SLOT = Size("slot", least=1, default=1)
AS_MANY = Product((SLOT,))
"""An axis of the slots of a token that does not show how many they are: without scales one."""

ANY_ROWS = source_read("rows that indices name; their number is not compared", HOST)
ROW, EXPERT, PLACE = (Size(name, free=ANY_ROWS) for name in ("row", "expert", "place"))
FEWER_BIASES = source_read("the bias has a row for each slot of a token, or more", HOST)
BIAS = Size("bias", least=1, free=FEWER_BIASES, covers=SLOT)


def _in_mode(mode: str) -> tuple[SizedTensor, SizedTensor]:
    """The rows of a mode, and the indices that name them; tokens are shown by other tensors."""
    named = EXPERT * PLACE if drops(mode) else ROW
    slots = SLOT * TOKEN if by_column(mode) else TOKEN * SLOT
    return (
        tensor("expanded_x", *named.factors, HIDDEN),
        tensor("expanded_row_idx", Size(slots.name, product=slots), dtype="int32", numbers=named),
    )


optional = partial(tensor, optional=True)
read = partial(source_read, source=HOST)
tiled = read_in(HOST)


@dataclass(frozen=True)
class Page:
    """The documents of an operator: that of its equation, and that of its parameters."""

    readme: str
    page: str

    @property
    def equation(self) -> str:
        """Where the equation stands."""
        return f"{self.readme}, function: equation"

    @property
    def parameters(self) -> str:
        """Where the parameters stand."""
        return f"{self.page}, parameters"


def signature_of(name: str, page: Page) -> Signature:
    """The signature of an operator."""
    return Signature(
        name,
        (
            *_in_mode(MODES[0]),
            optional("x1", TOKEN, HIDDEN, acl="x1Optional", beside="x2"),
            optional("x2", TOKEN, HIDDEN, acl="x2Optional"),
            optional("bias", BIAS, HIDDEN, acl="biasOptional"),
            optional(
                "scales", TOKEN, SLOT, dtype=DTYPES, by_dtype=SCALES_DTYPES, acl="scalesOptional"
            ),
            optional(
                "expert_idx",
                TOKEN,
                AS_MANY,
                dtype="int32",
                numbers=BIAS,
                acl="expertIdxOptional",
                beside="bias",
            ),
            number("drop_pad_mode", least=0, most=3),
            tensor("out", TOKEN, HIDDEN, role="output"),
        ),
        rules=(
            tiled("x2 is given beside x1 only", "x1", kinds=("null",)),
            tiled("a bias is given beside expert_idx only", "expert_idx", kinds=("null",)),
            REQUIRED,
            typed(
                read(
                    "one float type for all but scales, which may be float32 beside bfloat16;"
                    " indices int32"
                )
            ),
            checked(
                read("dropPadMode is 0 to 3", source=f"{HOST}; {page.parameters}"),
                kinds=("attribute",),
            ),
            checked(
                read(
                    "expanded_x has two axes without drop, and three with it",
                    source=f"{HOST}; {page.parameters}",
                ),
                "expanded_x",
                kinds=("rank",),
            ),
            tiled(
                "the bias has a row for each slot of a token, at least one",
                "bias",
                kinds=("limit",),
            ),
            unchecked(
                document("expanded_row_idx has one axis, an index for each slot", page.parameters),
                "expanded_row_idx",
            ),
            *(
                unchecked(document(text, page.equation), *about, kinds=(*SHAPE, "limit"))
                for text, about in (
                    ("scales and expert_idx are [tokens, top_k]", ("scales", "expert_idx")),
                    ("the bias is [experts, hidden]", ("bias",)),
                    ("x1, x2 and out are [tokens, hidden]", ("x1", "x2", "out")),
                )
            ),
        ),
        forms={
            mode: Form({"drop_pad_mode": value}, _in_mode(mode))
            for value, mode in enumerate(MODES)
            if value
        },
    )
