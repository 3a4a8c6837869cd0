"""Documented calls, rejected ones and doubtful ones of the operators that select of a softmax."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cases.operators._gating_limits import MOST_K
from cases.operators._interface import INTERFACE
from cases.operators._sized_calls import SizedCalls
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import reshaped, retyped, with_attributes
from conformance.values.fill import Fill

DTYPES = ("float16", "bfloat16", "float32")
RISING = tuple(0.1 + step for step in range(12))
"""The scores of three rows of four experts in the documents' examples."""

Given = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Calls:
    """Calls of one operator; ``mode`` is that of those which any mode could show, ``modes`` are
    all of them, ``source`` is the document's name."""

    gating: SizedCalls
    mode: str
    modes: tuple[str, ...]
    source: str

    def call(
        self,
        rows: tuple[int, ...],
        experts: int,
        k: int,
        given: Given | None = None,
        dtype: str = "float32",
        mode: str = "",
    ) -> Case:
        """A call of these sizes whose scores are separated, if none are given."""
        drawn = {"x": {"fill": Fill(("separated",), seed=1)}}
        given = {**drawn, **(given or {})}
        return self.gating.make(mode or self.mode, dtype, rows, experts, k, given)

    def page(self, mode: str = "", dtype: str = "float32", **given: Mapping[str, Any]) -> Case:
        """The page's call, in a mode and data type, and with other tensors."""
        x = {"x": {"values": bits(dtype, *RISING)}}
        return self.call((3,), 4, 2, {**x, **given}, dtype, mode)

    @property
    def rights(self) -> tuple[Case, ...]:
        """Calls that are right in all; rejected ones differ from one of them in one thing."""
        return (
            self.page(),
            self.page(finished={"values": (0, 1, 0)}),
            self._blocks(),
            self.call((3,), 4, 4),
            self.call((1, 3), 4, 4),
            self.call((1,), 1, 1),
        )

    def examples(self) -> Iterator[Example]:
        """The page's call, with finished rows, of three axes, and at the ends of k."""
        place = f"{self.source}, parameters"
        yield Example("the page's call", self.page(), f"{self.source}, example")
        for dtype in DTYPES:
            finished = {"values": (0, 1, 0)}
            case = self.page(dtype=dtype, finished=finished)
            yield Example(f"finished rows {dtype}", case, place)
        yield Example("finished rows of three axes", self._blocks(), place)
        yield Example("k of every expert", self.call((3,), 4, 4), place)
        yield Example("k of every expert, three axes", self.call((1, 3), 4, 4), place)
        yield Example("one row of one expert", self.call((1,), 1, 1), place)
        for experts in (MOST_K, MOST_K + 1):
            case = self.call((2,), experts, MOST_K)
            yield Example(f"k {MOST_K} of {experts} experts", case, place)

    def wrong(self) -> dict[str, Case]:
        """Calls in which several things are changed at once."""
        flat, blocks = self.page(), self._blocks()
        more = with_attributes(_with_columns(flat, 4, 5), k=5)
        most = self.call((1,), MOST_K + 1, MOST_K)
        return {
            **{
                f"x and y are int32, {mode}": _of_integers(self.page(mode))
                for mode in self.modes
                if mode != self.mode
            },
            "x and all others of one axis less": _with_rows(flat, ()),
            "x and all others of rank 4": _with_rows(blocks, (1, 1, 3)),
            "finished of one axis, x of three": reshaped(blocks, "finished", (3,)),
            "k is 5 of 4 experts, and so are the columns": more,
            "k is 1025 of 1025 experts": with_attributes(
                _with_columns(most, MOST_K + 1, MOST_K + 1), k=MOST_K + 1
            ),
        }

    def doubtful(self) -> tuple[Quarantine, ...]:
        """Calls without an element of any output."""
        clause = inferred(
            "the host tiling takes no size of 0, and interfaces of this kind do not ask it without"
            " results",
            INTERFACE,
        )
        mode = self.modes[0]
        return (
            Quarantine("no rows", self.call((0,), 4, 2, mode=mode), clause),
            Quarantine("k 0", self.call((3,), 4, 0, mode=mode), clause),
        )

    def _blocks(self) -> Case:
        given = {"finished": {"values": (0, 1, 0, 0, 1, 1)}}
        return self.call((2, 3), 5, 2, given)


def _of_integers(case: Case) -> Case:
    return retyped(retyped(case, "x", "int32"), "y", "int32")


def _with_columns(case: Case, experts: int, k: int) -> Case:
    """The call with so many columns in every tensor."""
    before = case.inputs["x"].shape[-1]
    for name, tensor in {**case.inputs, **case.outputs}.items():
        if name != "finished":
            columns = experts if tensor.shape[-1] == before else k
            case = reshaped(case, name, (*tensor.shape[:-1], columns))
    return case


def _with_rows(case: Case, rows: tuple[int, ...]) -> Case:
    """The call with these axes in place of all that are of rows."""
    for name, tensor in {**case.inputs, **case.outputs}.items():
        own = () if name == "finished" else tensor.shape[-1:]
        case = reshaped(case, name, (*rows, *own))
    return case
