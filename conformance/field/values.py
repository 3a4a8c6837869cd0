"""Values for the tensors of a call of which a file has only the shapes.

Floating-point numbers come from the recipes of the suite. Integers, and maps of bool, are the
routing of a call: of several ways to make them the first is taken with which the record allows the
call. No way knows an operator: they are those in which routed tokens are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor, integer_view, numpy_dtype
from conformance.catalogue import field as say
from conformance.draw.plain import TooFiltered, plainly
from conformance.field.foreign import Described, NotRead
from conformance.record.operator import Operator
from conformance.record.signature import Signature, SizedTensor
from conformance.record.workload import BALANCED, Batch, Workload
from conformance.values.fill import Fill

FEW = 1 << 12
"""Elements up to which values within a file's range are listed in the case; a larger tensor gets a
recipe, which has no range."""

PLAIN = "gaussian"
SMALL = "lattice"
MOST_COUNT = 4096
"""Keys that a way may count: experts, at most."""

Values = NDArray[np.int64]

PROPERTIES: tuple[Callable[[Values], bool], ...] = (
    lambda array: bool((np.diff(array.ravel()) >= 0).all()),
    lambda array: np.unique(array).size == array.size,
    lambda array: bool((np.diff(np.sort(array, axis=-1), axis=-1) != 0).all()),
    lambda array: int(array.min()) >= 0,
)
"""What the integers of a tensor may always be: ascending, all different, different in each row,
none below 0. A record that draws no others may promise nothing of others, though it allows them."""


def listed(one: Described, array: NDArray[Any]) -> Tensor:
    """A tensor with these values, in the case itself."""
    dtype = numpy_dtype(one.dtype)
    if one.values is not None or array.dtype != dtype:
        _check_kept(one, array)
    bits = np.ascontiguousarray(array.astype(dtype)).view(integer_view(dtype)).reshape(-1)
    return Tensor(one.shape, one.dtype, values=tuple(map(int, bits.tolist())), format=one.format)


def _check_kept(one: Described, array: NDArray[Any]) -> None:
    """Raise `NotRead` for an integer that the data type does not hold."""
    if one.dtype != "bool" and "int" in one.dtype and array.size:
        limits = np.iinfo(numpy_dtype(one.dtype))  # type: ignore[type-var]
        if array.dtype.kind not in "iub" or array.min() < limits.min or array.max() > limits.max:
            raise NotRead(say.OUT_OF_DTYPE(dtype=one.dtype))


def filled(one: Described, drawn: Tensor | None, seed: int) -> Tensor:
    """A tensor of data: within its range if it is small, else a recipe.

    ``drawn`` is the tensor in a call that the record draws: families that are prescribed there, and
    how many elements are added, hold here.
    """
    low, high = one.low, one.high
    floating = "float" in one.dtype
    usual = floating and (drawn is None or drawn.fill is None or PLAIN in drawn.fill.stripes)
    if low is not None and high is not None and one.size <= FEW:
        generator = np.random.default_rng(seed)
        values = np.full(one.shape, low) if low == high or not np.isfinite(low) else None
        made = generator.uniform(low, high, one.shape) if values is None else values
        if not floating:
            made = np.rint(made).astype(np.int64)
        return listed(one, made)
    families: tuple[str, ...] = (PLAIN if floating else SMALL,)
    if not usual and drawn is not None and drawn.fill is not None:
        families = tuple(f for f in drawn.fill.stripes if f not in ("special", "knife")) or families
    return Tensor(one.shape, one.dtype, fill=Fill(families, seed), format=one.format)


@dataclass(frozen=True)
class Ways:
    """The ways to make the integers of a call: ``open`` are its tensors without values, ``draws``
    calls of the record.

    ``case`` is the call with zeros in them, ``sizes`` what its shapes say.
    """

    operator: Operator
    draws: tuple[Case, ...]
    form: Signature | None
    case: Case
    open: Mapping[str, Described]
    sizes: Mapping[str, int]
    seed: int

    def all(self) -> Iterator[dict[str, Values]]:
        """Values of all open tensors, such as the record draws."""
        for values in self._any():
            if all(self._is_drawn(name, array) for name, array in values.items()):
                yield values

    def _is_drawn(self, name: str, array: Values) -> bool:
        """Whether values have what all that the record draws of a tensor have."""
        return array.size < 2 or all(kept(array) for kept in self._kept[name])

    @cached_property
    def _kept(self) -> Mapping[str, tuple[Callable[[Values], bool], ...]]:
        found: dict[str, tuple[Callable[[Values], bool], ...]] = {}
        for name in self.open:
            drawn = [one.arrays[name] for one in self.draws if name in one.inputs]
            known = [np.asarray(one).astype(np.int64) for one in drawn if one.size > 1]
            found[name] = tuple(p for p in PROPERTIES if known and all(map(p, known)))
        return found

    def _any(self) -> Iterator[dict[str, Values]]:
        """As the record routes a batch of tokens, else each by a rule, the same for all first."""
        yield from self._of_batches()
        ways = {name: [*self._of(name, one)] for name, one in self.open.items()}
        for turn in range(max(map(len, ways.values()), default=0)):
            yield {name: some[min(turn, len(some) - 1)] for name, some in ways.items()}
        names = [*ways]
        for first in range(len(ways[names[0]])):
            for other in range(max((len(ways[name]) for name in names[1:]), default=0)):
                chosen = {n: ways[n][min(other, len(ways[n]) - 1)] for n in names[1:]}
                yield {names[0]: ways[names[0]][first], **chosen}

    def _of_batches(self) -> Iterator[dict[str, Values]]:
        """As in a call of the record with the routing of a batch of as many tokens."""
        if self.operator.workload_cases is None:
            return
        for tokens, top_k, experts, columns in self._batches():
            if not (0 < top_k <= min(experts, 512) and 0 < tokens <= 2**17 and experts <= 2**20):
                continue
            one = Workload(
                model="field",
                source="field",
                experts=experts,
                top_k=top_k,
                hidden=max(1, min(columns, 2**17)),
                decode=(tokens,),
            )
            batch = Batch(one, tokens, columns, BALANCED, self.seed)
            try:
                drawn = [*plainly(self.operator.workload_cases(self.case.dtype, batch), 1, 0)]
            except (TooFiltered, ValueError, ArithmeticError):
                continue
            for case, _ in drawn:
                if all(
                    name in case.inputs and case.inputs[name].shape == told.shape
                    for name, told in self.open.items()
                ):
                    yield {
                        name: np.asarray(case.arrays[name]).astype(np.int64) for name in self.open
                    }

    def _batches(self) -> Iterator[tuple[int, int, int, int]]:
        """Tokens, top_k, experts and columns that the call may have."""
        known = {name.rstrip("s"): value for name, value in self.sizes.items()}
        numbers = [v for v in self.case.attributes.values() if type(v) is int and v > 0]
        tokens, columns = known.get("token", known.get("row", 0)), known.get("hidden", 1)
        rows = known.get("row", known.get("kept", 0))
        slots = {known.get("slot", 0), rows // tokens if tokens else 0}
        slots |= {n // tokens for n in numbers if tokens}
        experts = {known.get("expert", 0), known.get("bia", 0), *self._counts}
        for top_k in sorted(slots - {0}):
            for count in sorted(experts | {top_k}, reverse=True):
                yield tokens, top_k, count, columns

    @cached_property
    def _counts(self) -> list[int]:
        """How many keys there may be: what a tensor's range says, an attribute, a size."""
        ends = [
            int(o.high) + 1
            for o in self.open.values()
            if o.high is not None and abs(o.high) < 2**31
        ]
        numbers = [v for v in self.case.attributes.values() if type(v) is int]
        found = [*ends, *numbers, *self.sizes.values()]
        return [n for n in dict.fromkeys(found) if 0 < n <= MOST_COUNT][:6]

    def _of(self, name: str, one: Described) -> Iterator[Values]:
        """Values of one tensor, by each rule."""
        generator = np.random.default_rng([self.seed, len(name)])
        if one.low is not None and one.low == one.high:
            yield np.full(one.shape, int(one.low), np.int64)
        if one.dtype in ("bool", "int8"):
            yield from self._maps(one, generator)
            return
        count, shape = one.size, one.shape
        bound = self._rows_of(name)
        if bound is not None:
            if bound == count:
                yield generator.permutation(count).reshape(shape)
            places = np.full(count, -1)
            kept = min(bound, count)
            places[np.sort(generator.permutation(count)[:kept])] = generator.permutation(bound)[
                :kept
            ]
            if bound > count:
                yield generator.permutation(bound)[:count].reshape(shape)
            for experts in (bound,):
                yield from _distinct(shape, experts, generator)
            yield places.reshape(shape)
            if bound:
                yield generator.integers(0, bound, shape)
        else:
            yield generator.permutation(count).reshape(shape)
            yield from self._parts(shape, generator)
            for experts in self._counts:
                yield from _distinct(shape, experts, generator)
                yield np.sort(generator.integers(0, experts, count)).reshape(shape)
            if len(shape) == 2:  # rows are numbered by columns
                yield np.arange(count).reshape(shape[::-1]).T
        yield np.zeros(shape, np.int64)

    def _rows_of(self, name: str) -> int | None:
        """The number of rows that the values of a tensor are numbers of; None if of none."""
        own = self.form.tensors if self.form is not None else ()
        numbers = next(
            (o.numbers for o in own if isinstance(o, SizedTensor) and o.name == name), None
        )
        if numbers is None or any(size.name not in self.sizes for size in numbers.factors):
            return None
        return math.prod(self.sizes[size.name] for size in numbers.factors)

    def _parts(self, shape: tuple[int, ...], generator: np.random.Generator) -> Iterator[Values]:
        """Counts that add up to a size: how many rows each part has."""
        for total in dict.fromkeys(self.sizes.values()):
            count = math.prod(shape)
            if count and total <= MOST_COUNT * 256:
                yield generator.multinomial(total, np.full(count, 1 / count)).reshape(shape)

    def _maps(self, one: Described, generator: np.random.Generator) -> Iterator[Values]:
        """Maps of tokens and experts: as many experts of each token, or tokens of each expert."""
        if len(one.shape) == 2 and one.size:
            tokens, experts = one.shape
            noise = generator.random(one.shape)
            numbers = [v for v in self.case.attributes.values() if type(v) is int and v > 0]
            for total in dict.fromkeys([*self.sizes.values(), *numbers]):
                if total % tokens == 0 and total // tokens <= experts:
                    order = np.argsort(np.argsort(noise, axis=1), axis=1)
                    yield (order < total // tokens).astype(np.int64)
                if total % experts == 0 and total // experts <= tokens:
                    order = np.argsort(np.argsort(noise, axis=0), axis=0)
                    yield (order < total // experts).astype(np.int64)
                if total <= one.size:
                    flat = np.argsort(np.argsort(noise, axis=None)).reshape(one.shape)
                    yield (flat < total).astype(np.int64)
        yield generator.integers(0, 2, one.shape)


def _distinct(
    shape: tuple[int, ...], count: int, generator: np.random.Generator
) -> Iterator[Values]:
    """Keys below ``count``, in each row all different if there are enough."""
    columns = shape[-1] if shape else 1
    rows = math.prod(shape[:-1])
    if columns <= count and rows * count <= 1 << 22:
        noise = generator.random((rows, count))
        yield np.argsort(noise, axis=1)[:, :columns].reshape(shape)
    elif count:
        yield generator.integers(0, count, shape)


def with_values(
    case: Case, described: Mapping[str, Described], values: Mapping[str, Values]
) -> Case:
    """The case with these values in its open tensors. Raises `NotRead` if one does not fit."""
    made = {name: listed(described[name], array) for name, array in values.items()}
    return replace(case, inputs={name: made.get(name, one) for name, one in case.inputs.items()})
