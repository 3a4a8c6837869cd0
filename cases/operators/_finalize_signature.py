"""The signature of MoeFinalizeRoutingV2, and of the versions after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from cases.operators._interface import REQUIRED, SHAPE, checked, read_in, typed, unchecked
from conformance.record.clause import document, source_read
from conformance.record.signature import (
    Form,
    Rule,
    Signature,
    SizedTensor,
    integers,
    number,
    tensor,
)
from conformance.record.sizes import Axis, Product, Size, function

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
"""The slots of a token: the columns of scales, without scales one, or k where that is more."""

MANY = Size("slot", least=2)

ANY_ROWS = source_read("rows that indices name; their number is not compared", HOST)
ROW, EXPERT, PLACE = (Size(name, free=ANY_ROWS) for name in ("row", "expert", "place"))
FEWER_BIASES = source_read("the bias has a row for each slot of a token, or more", HOST)
BIAS = Size("bias", least=1, free=FEWER_BIASES, covers=SLOT)


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


CONSTANT_RANGE = "constant_expert_range"
RANGES = ("zero_expert_range", "copy_expert_range", CONSTANT_RANGE)
ALPHAS = ("alpha1", "alpha2", "v")
CONSTANT = function(
    "constant", lambda given: max(0, given[-1] - given[0]) if given else 0, CONSTANT_RANGE
)
"""Experts of the constant range, each with a row of alpha1, alpha2 and v."""


def _disjoint(*ranges: tuple[int, ...] | None) -> int:
    """-1 where a range does not end beyond its start, from 0 on, or reaches into the next."""
    named = sorted(one for one in ranges if one)
    ends = [0, *(end for *_, end in named)]
    return min([0, *(one[0] - end for one, end in zip(named, ends, strict=False))]) + min(
        [0, *(one[-1] - one[0] - 1 for one in named)]
    )


@dataclass(frozen=True)
class Version:
    """What a version of the interface has: experts without rows, by ranges, and a parameter k.

    The host of one with ``ranges`` compares more: the rows without drop, and all optional tensors.
    """

    ranges: bool = False
    k: bool = False


def _shapes(mode: str, version: Version, slot: Size = SLOT) -> tuple[SizedTensor, ...]:
    """What a mode decides: rows, the indices that name them, and what has a size of slots or
    experts; tokens are shown by other tensors."""
    experts = Size(EXPERT.name) if version.ranges else EXPERT
    named = experts * PLACE if drops(mode) else ROW
    slots = slot * TOKEN if by_column(mode) else TOKEN * slot
    indexed = Size(slots.name, product=slots)
    rows: tuple[Axis, ...] = named.factors
    biases = BIAS if slot is SLOT else replace(BIAS, covers=slot)
    if version.ranges and drops(mode):
        biases = experts
    if version.ranges and not drops(mode):
        rows, named = (slots,), slots
    return (
        tensor("expanded_x", *rows, HIDDEN),
        tensor("expanded_row_idx", indexed, dtype="int32", numbers=named),
        optional("bias", biases, HIDDEN, acl="biasOptional"),
        optional("scales", TOKEN, slot, dtype=DTYPES, by_dtype=SCALES_DTYPES, acl="scalesOptional"),
        optional(
            "expert_idx",
            TOKEN,
            Product((slot,)),
            dtype="int32",
            numbers=biases,
            acl="expertIdxOptional",
            beside="bias",
        ),
    )


def _of_ranges() -> tuple[SizedTensor, ...]:
    """What experts without rows have in place of them."""
    return (
        optional("x", TOKEN, HIDDEN, acl="xOptional", beside="v"),
        *(
            optional(
                name,
                CONSTANT,
                HIDDEN,
                acl=f"{name}Optional",
                beside=ALPHAS[(at + 1) % len(ALPHAS)],
            )
            for at, name in enumerate(ALPHAS)
        ),
    )


def signature_of(name: str, page: Page, version: Version | None = None) -> Signature:
    """The signature of an operator."""
    version = version or Version()
    rows, indices, *others = _shapes(MODES[0], version)
    stated = tiled if version.ranges else _stated(page.equation)
    ignored = source_read("a k of 1 or less is not looked at beside scales", HOST)
    of_ranges: tuple[Rule, ...] = ()
    if version.ranges:
        text = "without drop expanded_x has a row for each slot"
        every = tiled(text, "expanded_x", kinds=("extent",))
        of_ranges = every, *_rules_of_ranges(page)
    return Signature(
        name,
        (
            rows,
            indices,
            optional("x1", TOKEN, HIDDEN, acl="x1Optional", beside="x2"),
            optional("x2", TOKEN, HIDDEN, acl="x2Optional"),
            *others,
            *(_of_ranges() if version.ranges else ()),
            number("drop_pad_mode", least=0, most=3),
            *(integers(one, count=2) for one in RANGES if version.ranges),
            *((number("k", free=ignored),) if version.k else ()),
            tensor("out", TOKEN, HIDDEN, role="output"),
        ),
        rules=(
            tiled("x2 is given beside x1 only", "x1", kinds=("null",)),
            tiled("a bias is given beside expert_idx only", "expert_idx", kinds=("null",)),
            *(_asked_of_ranges(page) if version.ranges else ()),
            REQUIRED,
            typed(
                read(
                    "one float type for all but scales, which may be float32 beside bfloat16;"
                    " indices int32"
                )
            ),
            *of_ranges,
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
                stated(text, *about, kinds=(*SHAPE, "limit"))
                for text, about in (
                    ("scales and expert_idx are [tokens, top_k]", ("scales", "expert_idx")),
                    ("the bias is [experts, hidden]", ("bias",)),
                    ("x1, x2 and out are [tokens, hidden]", ("x1", "x2", "out")),
                )
            ),
        ),
        forms={
            **{
                f"{mode}, told k": Form(
                    {"drop_pad_mode": value, "k": MANY}, _shapes(mode, version, MANY)
                )
                for value, mode in enumerate(MODES)
                if version.k
            },
            **{
                mode: Form({"drop_pad_mode": value}, _shapes(mode, version))
                for value, mode in enumerate(MODES)
                if value
            },
        },
        derived=(function("disjoint", _disjoint, *RANGES),) if version.ranges else (),
    )


def _stated(equation: str) -> Callable[..., Rule]:
    """What makes rules of a document that no host checks."""
    return lambda text, *about, kinds: unchecked(document(text, equation), *about, kinds=kinds)


def _asked_of_ranges(page: Page) -> tuple[Rule, ...]:
    text = "what the experts of a range read is given"
    return (unchecked(document(text, page.equation), "x", *ALPHAS, kinds=("null",)),)


def _rules_of_ranges(page: Page) -> tuple[Rule, ...]:
    """What the document says of experts without rows; no host on Ascend910B and 910_93 looks."""
    return (
        unchecked(
            document("a range is a start and an end", page.parameters),
            *RANGES,
            kinds=("attribute",),
        ),
        unchecked(
            document("a range begins before it ends, and no two overlap", page.parameters),
            "disjoint",
            kinds=("limit",),
        ),
        unchecked(document("x is [tokens, hidden]", page.parameters), "x"),
        unchecked(
            document("alpha1, alpha2 and v are [experts of the range, hidden]", page.parameters),
            *ALPHAS,
        ),
    )
