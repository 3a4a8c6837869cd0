"""Documented calls and rejected ones of operators that select of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from cases.operators._gating_examples import DTYPES
from cases.operators._gating_group_limits import MOST_EXPERTS
from conformance.call.case import Case
from conformance.record.operator import Example
from conformance.record.variations import reshaped, with_attributes
from conformance.values.fill import Fill

PAGE = {"row": 3, "group": 8, "member": 32, "slot": 8, "kept": 4}
FEW = {"row": 2, "group": 4, "member": 3, "kept": 2, "slot": 2}
DEFAULTS: dict[str, Any] = {"routed_scaling_factor": 1.0, "eps": 1e-20}
MIDDLES = {"float16": 11, "bfloat16": 8}
"""1 + 2^-n is in the middle of two values of a data type."""

BY_SUM: dict[str, Any] = {"group_select_mode": 1}


@dataclass(frozen=True)
class GroupCalls:
    """Calls of one operator; ``mode`` is that of those which any mode could show, ``modes`` are
    all of them, ``source`` is the document's name."""

    make: Callable[..., Case]
    mode: str
    modes: tuple[str, ...]
    source: str

    def call(
        self,
        mode: str = "",
        dtype: str = "float32",
        *,
        bias: bool = True,
        sizes: dict[str, int] | None = None,
        **attributes: Any,
    ) -> Case:
        """A call of some of these sizes, the others of a few; scores are separated."""
        given: dict[str, Any] = {"x": {"fill": Fill(("separated",), 1)}}
        if bias:
            given["bias"] = {"fill": Fill(("shifts",), 2)}
        every = {**FEW, **(sizes or {})}
        mode = mode or self.mode
        return self.make(mode, dtype, every, given, **{**DEFAULTS, **attributes})

    @property
    def page(self) -> Case:
        """The call of the page."""
        case = self.call(sizes=PAGE, **BY_SUM, eps=1.0)
        drawn = {name: Fill(("gaussian",), seed) for seed, name in enumerate(case.inputs)}
        inputs = {name: replace(case.inputs[name], fill=fill) for name, fill in drawn.items()}
        return replace(case, inputs=inputs)

    @property
    def rights(self) -> tuple[Case, ...]:
        """Calls that are right in all; rejected ones differ from one of them in one thing."""
        return (
            self.page,
            *(self.call(mode) for mode in self.modes),
            self.call(sizes={"member": 2, "kept": 4, "slot": 3}, **BY_SUM),
            self.call(sizes={"member": 1}),
            self.call(sizes={"group": 1, "member": MOST_EXPERTS, "kept": 1, "slot": 9}),
            self.call(bias=False),
        )

    def examples(self) -> Iterator[Example]:
        """With every output, the page's call, of each mode, and just inside of each limit."""
        place = f"{self.source}, parameters"
        for dtype in DTYPES:
            yield Example(f"every output {dtype}", self.call(dtype=dtype, out_flag=1), place)
        yield Example("the page's call", self.page, f"{self.source}, example")
        named = {**self._of_modes(), **self._near_limits(), **self._middles()}
        yield from (Example(name, case, place) for name, case in named.items())

    def _of_modes(self) -> dict[str, Case]:
        """Calls of each mode, and with other values of what has no effect on shapes."""
        found = {"no bias": self.call(bias=False)}
        for mode in self.modes:
            call = self.call(mode)
            found |= {
                f"one of {mode}": call,
                f"one more group kept, {mode}": with_attributes(call, k_group=3),
                f"as many experts in one group, {mode}": with_attributes(
                    call, k_group=1, group_count=1
                ),
                f"as many experts in two groups, {mode}": with_attributes(
                    call, k_group=1, group_count=2
                ),
                f"groups by their two largest, {mode}": with_attributes(call, **BY_SUM),
                f"scores are written, {mode}": with_attributes(call, out_flag=1),
            }
            if call.attributes["norm_type"]:
                found[f"renorm without effect, {mode}"] = with_attributes(call, renorm=1)
        return found

    def _middles(self) -> dict[str, Case]:
        """Four equal scores of 1/4, which are written, times a factor: values in the middle of two,
        of which the even one is right."""
        found = {}
        for dtype, power in MIDDLES.items():
            sizes = {"group": 1, "member": 4, "kept": 1}
            factor = 1 + 2.0**-power
            case = self.call(
                self.modes[0],
                dtype,
                bias=False,
                sizes=sizes,
                out_flag=1,
                routed_scaling_factor=factor,
            )
            x = replace(case.inputs["x"], fill=Fill(("zero",), 1))
            name = f"values in the middle of two, {dtype}"
            found[name] = replace(case, inputs={**case.inputs, "x": x})
        return found

    def _near_limits(self) -> dict[str, Case]:
        sized = {
            "k 1": {"slot": 1},
            "k of every expert of the kept groups": {"slot": 6},
            "k of every expert": {"kept": 4, "slot": 12},
            "one group kept of 8": {"group": 8, "kept": 1},
            "every group is kept": {"kept": 4},
            "groups of one expert": {"member": 1},
            "one row of one expert": {"row": 1, "group": 1, "member": 1, "kept": 1, "slot": 1},
            "64 groups of one expert": {"group": 64, "member": 1, "kept": 64},
            "64 groups of 32 experts": {"group": 64, "member": 32},
            "32 groups of 33 experts": {"group": 32, "member": 33},
            "2048 experts": {"group": 1, "member": MOST_EXPERTS, "kept": 1},
            "every one of 2048 experts": {
                "group": 1,
                "member": MOST_EXPERTS,
                "kept": 1,
                "slot": MOST_EXPERTS,
            },
        }
        found = {name: self.call(sizes=sizes) for name, sizes in sized.items()}
        both = self.call(sizes={"member": 2, "kept": 4, "slot": 3}, **BY_SUM)
        return {**found, "groups of two experts by both": both}

    def wrong(self) -> dict[str, Case]:
        """Calls in which several things are changed at once."""
        few = self.call()
        more = _with_columns(few, few.inputs["x"].shape[-1], 7)
        return {
            "x and all others of rank 3": of_rank_3(few, "x", "y", "expert_idx", "out"),
            "k is 7 of 6 experts in kept groups, and so are the columns": more,
            "65 groups of one expert": self.call(sizes={"group": 65, "member": 1}),
            "33 groups of 33 experts": self.call(sizes={"group": 33, "member": 33}),
            "2049 experts": self.call(sizes={"group": 1, "member": 2049, "kept": 1}),
        }


def _with_columns(case: Case, experts: int, k: int) -> Case:
    """The call with so many experts and columns, and that k."""
    rows = case.inputs["x"].shape[0]
    shapes = {"x": (rows, experts), "bias": (experts,), "out": (rows, experts)}
    for name, shape in {**shapes, "y": (rows, k), "expert_idx": (rows, k)}.items():
        case = reshaped(case, name, shape)
    return with_attributes(case, k=k)


def of_rank_3(case: Case, *names: str) -> Case:
    """The call with an axis of 1 more before those of these tensors."""
    for name in names:
        case = reshaped(case, name, (1, *{**case.inputs, **case.outputs}[name].shape))
    return case
