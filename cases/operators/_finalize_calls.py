"""Calls of operators that finalize: worked by hand, its limits, and wrong or doubtful calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from cases.operators._finalize_call import EVEN_COLUMNS, Data, Finalizing, Parts, Shape, with_parts
from cases.operators._finalize_edges import PATHS
from cases.operators._finalize_signature import (
    DTYPES,
    HOST,
    KERNELS,
    MODES,
    ROW,
    SCALES_DTYPES,
    Page,
    drops,
)
from cases.operators._slot_sum import Call
from cases.operators._slot_sum_cases import GAUSSIAN, far_examples, in_order, moved_rows
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.record.clause import document, inferred
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import reshaped, retyped, right_calls, without
from conformance.values.fill import Fill

LATTICE = Fill(("lattice",), seed=1)
RANKS = (4, 0, 2, 1, 3, 5)
"""Experts 2 0, 1 0, 1 2 of three tokens: no list of sources, nor their own inverse, nor the same
read column by column."""

WIDE = 30000
"""Columns of rows that no core of Ascend910B takes whole beside those of another slot."""

UNROLLED = f"{KERNELS}, paths by hidden size: rows in parts of 2, 4 or other slots"
EXPERTS = (2, 0, 1, 0, 1, 2)
ROWS = bits("float32", 1, 2, 4, 8, 16, 32)
SCALES = bits("float32", 0.5, 2, 1, 0.25, 3, -1)
BIAS = bits("float32", 100, 200, 400)
X1, X2 = bits("float32", 1000, 2000, 3000), bits("float32", 0.5, 0.25, 0.125)


@dataclass(frozen=True, eq=False)
class FinalizeCalls:
    """The named calls of one operator, by its documents."""

    one: Finalizing
    page: Page

    @property
    def call(self) -> Call:
        """What makes calls of sums."""
        return self.one.call

    def ranked(
        self,
        mode: str,
        dtype: str,
        tokens: int,
        top_k: int,
        hidden: int,
        *,
        dropped: int = 0,
        bias: bool = True,
        skips: int = 2,
        scales: bool = True,
        scales_dtype: str | None = None,
    ) -> Case:
        """A call whose slots name rows 0, 1, 2..., but for the last ones, which are dropped."""
        case = in_order(self.call, mode, dtype, tokens, top_k, hidden, tokens * top_k - dropped)
        return with_parts(
            case,
            Parts(
                experts=top_k,
                scales=GAUSSIAN if scales else None,
                scales_dtype=scales_dtype,
                skips=[GAUSSIAN, replace(GAUSSIAN, seed=2)][:skips],
                bias=LATTICE if bias else None,
            ),
        )

    def examples(self) -> tuple[Example, ...]:
        """Calls worked by hand in every mode, pairs of dtypes, limits, and rows far apart."""
        right = right_calls(self.page.readme, *self.right.values(), self.plain)
        return (*self._by_hand(), *self._dtypes(), *self._limits(), *self._far(), *right)

    def routed(self, mode: str, indices: Shape = RANKS, **parts: Any) -> Case:
        """Three tokens of two slots, of rows of one column: six rows, or three experts of two."""
        case = self.call(mode, "float32", source=(6, 1), indices=indices, top_k=2, values=ROWS)
        return with_parts(case, Parts(experts=3, scales=SCALES, **parts))

    def _by_hand(self) -> Iterator[Example]:
        by_hand = f"{self.page.equation}, by hand"
        dropped = (4, 0, 6, 1, 3, 5)
        everything: dict[str, Any] = {"skips": (X1, X2), "bias": BIAS, "expert_idx": EXPERTS}
        for mode in MODES:
            yield Example(
                f"ranks of a router, {mode}",
                self.routed(mode, **everything),
                by_hand,
                {
                    "out": (
                        1000.5 + 0.5 * (16 + 400) + 2 * (1 + 100),
                        2000.25 + (4 + 200) + 0.25 * (2 + 100),
                        3000.125 + 3 * (8 + 200) - (32 + 400),
                    )
                },
            )
            if drops(mode):
                sums = 0.5 * 16 + 2 * 1, 0.25 * 2, 3 * 8 - 32
                first = self.routed(mode, dropped)
                yield Example(f"a dropped slot, {mode}", first, by_hand, {"out": sums})
                biased = tuple(a + b for a, b in zip(sums, (400, 225, 200), strict=True))
                case = self.routed(mode, dropped, bias=BIAS, expert_idx=EXPERTS)
                source = f"{KERNELS}: a dropped row is 0, by hand"
                yield Example(f"a dropped slot with a bias, {mode}", case, source, {"out": biased})
        two = self.call(
            "drop_pad_columns",
            "float32",
            source=(2, 2),
            indices=(0, 1, 1, 2),
            top_k=2,
            values=bits("float32", 1, 2, 6, 4),
        )
        parts = Parts(
            experts=2,
            scales=bits("float32", 0.5, 0.25, 2, 3),
            skips=[bits("float32", 1, 1, 2, 2)],
            bias=bits("float32", 1, 1, 10, 8),
            expert_idx=(0, 1, 1, 0),
        )
        yield Example(
            "two tokens of two slots, one of them dropped",
            with_parts(two, parts),
            by_hand,
            {"out": (1 + 1 + 4, 1 + 1.5 + 3, 2 + 2 * 16 + 3 * 1, 2 + 2 * 12 + 3 * 1)},
        )
        moved = moved_rows(self.call, "dropless_columns")
        skips: list[Data] = [bits("float32", 0, 1, 0, 2, 0, 3)]
        yield Example("rows without scales", moved, by_hand, {"out": (3, 30, 1, 10, 2, 20)})
        yield Example(
            "rows without scales, and x1",
            with_parts(moved, Parts(skips=skips)),
            by_hand,
            {"out": (3, 31, 1, 12, 2, 23)},
        )
        infinite = self.call(
            "dropless_rows",
            "float32",
            source=(2, 1),
            indices=(0, 1),
            top_k=2,
            values=bits("float32", np.inf, 1),
        )
        zero = with_parts(infinite, Parts(scales=bits("float32", 0, 1)))
        yield Example("an infinite row of scale zero", zero, by_hand)

    def _dtypes(self) -> Iterator[Example]:
        for dtype in DTYPES:
            for scales_dtype in SCALES_DTYPES[dtype]:
                case = self.ranked("dropless_columns", dtype, 5, 3, 33, scales_dtype=scales_dtype)
                yield Example(f"{dtype}, {scales_dtype} scales", case, f"{HOST}, definition")
            case = self.ranked("dropless_columns", dtype, 5, 3, 33, skips=1)
            yield Example(f"x1 without x2, {dtype}", case, f"{self.page.readme}, parameters")

    def _limits(self) -> Iterator[Example]:
        for mode in MODES:
            last = self.ranked(
                mode, "bfloat16", 2, PATHS[-1] + 1, 8, dropped=3 if drops(mode) else 0
            )
            yield Example(f"top_k {PATHS[-1] + 1}, {mode}", last, f"{KERNELS}, paths by top_k")
            one = self.ranked(mode, "float16", 4, 1, 16, skips=1)
            yield Example(f"top_k 1 with scales, {mode}", one, self.page.equation)
            bare = self.ranked(mode, "float16", 4, 1, 16, bias=False, skips=0, scales=False)
            yield Example(f"no optional tensor, {mode}", bare, self.page.equation)
        even = self.ranked("dropless_columns", "float32", 2, 8, EVEN_COLUMNS, skips=0)
        yield Example(f"{EVEN_COLUMNS} columns, top_k 8", even, f"{KERNELS}, paths by hidden size")
        for dtype, top_k in product(("bfloat16", "float32"), (2, 3, 4)):
            wide = self.ranked("dropless_rows", dtype, 1, top_k, WIDE, bias=False, skips=0)
            yield Example(f"{top_k} slots of wide {dtype} rows", wide, UNROLLED)
            rows = (top_k, *range(top_k - 1))
            first = self.call(
                "drop_pad_rows",
                dtype,
                source=(top_k, WIDE),
                indices=rows,
                top_k=top_k,
                fill=LATTICE,
            )
            yield Example(
                f"the first of {top_k} slots of wide {dtype} rows dropped",
                with_parts(first, Parts(scales=LATTICE)),
                UNROLLED,
            )
        hidden = self.ranked("dropless_rows", "float32", 2, 2, 0)
        yield Example("hidden 0", hidden, "interface behaviour for empty tensors, inferred")

    def _far(self) -> Iterator[Example]:
        """Tokens whose first row ends before an edge of 32 bits, and the second begins beyond."""
        scaled = Parts(scales=replace(LATTICE, terms=1 << 20))
        for example in far_examples(self.call, "drop_pad_rows", DTYPES):
            yield replace(example, case=with_parts(example.case, scaled))

    def quarantine(self) -> tuple[Quarantine, ...]:
        """Calls on which sources differ, or of which none speaks."""
        rows = 4 if ROW.name in self.one.signature.sizes else 0
        empty = self.call(
            "dropless_rows", "float32", source=(rows, 16), indices=(), top_k=2, fill=LATTICE
        )
        return (
            Quarantine(
                "no tokens",
                empty,
                inferred(
                    "the page has tokens; the interface does nothing where no output has an"
                    " element",
                    "interface behaviour for empty tensors, inferred",
                ),
            ),
            *(
                Quarantine(
                    f"experts without a bias, {mode}",
                    without(self.ranked(mode, "float32", 4, 2, 16), "bias"),
                    document(
                        "expertIdx is in the equation for the bias only",
                        f"{self.page.readme}, function",
                    ),
                )
                for mode in ("dropless_columns", "drop_pad_rows")
            ),
        )

    def uncompared(self) -> tuple[Quarantine, ...]:
        """Calls with shapes that do not fit, where no host compares them."""
        dropless = self.ranked("dropless_rows", "float32", 4, 2, 16, skips=0)
        other = with_parts(
            self.call("drop_pad_rows", "float32", source=(8, 16), indices=tuple(range(8)), top_k=2),
            Parts(experts=2, scales=GAUSSIAN),
        )
        named = {"expert_idx": Tensor((4, 2), "int32", values=(0, 1) * 4)}
        bias = {"bias": Tensor((3, 16), "float32", fill=LATTICE), **named}
        fewer = reshaped(dropless, "expanded_x", (5, 16))
        return (
            Quarantine(
                "a bias of 3 experts beside the places of 2",
                replace(other, inputs={**other.inputs, **bias}),
                document(
                    "E is one number on the page; no host source compares",
                    f"{self.page.page}; {HOST}",
                ),
            ),
            Quarantine(
                "5 rows for 8 slots without drop",
                fewer,
                inferred(
                    "the page has a row for every slot; the gradient's document has active rows, of"
                    " which there may be fewer",
                    f"{self.page.page}; MoeFinalizeRoutingV2Grad README",
                ),
                routes=("kernel",),
            ),
        )

    @cached_property
    def right(self) -> dict[str, Case]:
        """Four tokens of two slots, 16 columns, with everything, in each mode."""
        return {mode: self.ranked(mode, "float32", 4, 2, 16) for mode in MODES}

    @cached_property
    def plain(self) -> Case:
        """Four tokens of one slot, without what is optional but x1 and x2."""
        return self.ranked("dropless_columns", "float32", 4, 1, 16, scales=False, bias=False)

    @property
    def rights(self) -> tuple[Case, ...]:
        """The right calls that wrong ones are made from."""
        return self.right["dropless_columns"], self.right["drop_pad_rows"], self.plain

    def wrong(self) -> dict[str, Case]:
        """Wrong calls that no change of one thing in a right one makes."""
        good, half = self.rights[0], self.ranked("dropless_columns", "float16", 4, 2, 16)
        return {
            "float32 scales beside float16": retyped(half, "scales", "float32"),
            **{
                f"rows of rank {len(shape)}, {mode}": reshaped(right, "expanded_x", shape)
                for mode, right in self.right.items()
                for shape in ((8,), (8, 16) if drops(mode) else (2, 4, 16))
            },
            "indices of rank 2": reshaped(good, "expanded_row_idx", (4, 2)),
            "8 indices without scales, out of 4": reshaped(self.plain, "expanded_row_idx", (8,)),
            "two slots for each token, and no scales": without(good, "scales"),
        }
