"""The routing of a call of which a file has only the shapes: its integers, and maps of bool.

Of several ways to make them the first is taken with which the record allows the call. No way knows
an operator: they are those in which routed tokens are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

import numpy as np

from conformance.call.case import Case
from conformance.draw.plain import TooFiltered, plainly
from conformance.field.foreign import Described
from conformance.field.values import Values
from conformance.record.operator import Operator
from conformance.record.signature import Signature, SizedTensor
from conformance.record.workload import BALANCED, Batch, Workload

MOST_COUNT = 4096
"""Keys that a way may count: experts, at most."""

MAPS = ("bool", "int8")
"""Data types of tensors that say yes or no."""

LEAST_KNOWN = 4
"""Draws of a tensor by which it is known what all of them have."""

MOST_WAYS = 8
"""Ways that are tried of one tensor."""

PROPERTIES: tuple[Callable[[Values], bool], ...] = (
    lambda array: bool((np.diff(array.ravel()) >= 0).all()),
    lambda array: np.unique(array).size == array.size,
    lambda array: bool((np.diff(np.sort(array, axis=-1), axis=-1) != 0).all()),
    lambda array: int(array.min()) >= 0,
)
"""What the integers of a tensor may always be: ascending, all different, different in each row,
none below 0. A record that draws no others may promise nothing of others, though it allows them."""


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
        """Values of all open tensors, such as the record draws: as it routes a batch of tokens,
        else each by a rule, the same for all first."""
        for values in self._of_batches():
            if all(self._is_drawn(name, array) for name, array in values.items()):
                yield values
        ways = [self._drawn(name, one) for name, one in self.open.items()]
        if all(ways):
            for turn in range(max(map(len, ways))):
                each = (some[min(turn, len(some) - 1)] for some in ways)
                yield dict(zip(self.open, each, strict=True))
            for chosen in product(*ways):
                yield dict(zip(self.open, chosen, strict=True))

    def _drawn(self, name: str, one: Described) -> list[Values]:
        """The first ways of a tensor; those first whose values are below what they always are."""
        ways = (array for array in self._of(name, one) if self._is_drawn(name, array))
        bound = self._bound(name)
        few = sorted(islice(ways, 2 * MOST_WAYS), key=lambda a: a.size > 0 and a.max() >= bound)
        return few[:MOST_WAYS]

    def _bound(self, name: str) -> float:
        """The least of what is longer than all values of a tensor, in each call that the record
        draws: an axis, or an attribute. It may be longer by chance, so it is no rule."""
        drawn = [one for one in self.draws if name in one.inputs and one.arrays[name].size]
        bounds = [math.inf]
        for key, length in _lengths(self.case).items():
            known = [(int(one.arrays[name].max()), _lengths(one).get(key)) for one in drawn]
            told = [(most, other) for most, other in known if other is not None]
            if len(told) >= LEAST_KNOWN and all(most < other for most, other in told):
                bounds.append(length)
        return min(bounds)

    def _is_drawn(self, name: str, array: Values) -> bool:
        """Whether values have what all that the record draws of a tensor have."""
        return array.size < 2 or all(kept(array) for kept in self._kept[name])

    @cached_property
    def _kept(self) -> Mapping[str, tuple[Callable[[Values], bool], ...]]:
        found: dict[str, tuple[Callable[[Values], bool], ...]] = {}
        for name in self.open:
            drawn = [one.arrays[name] for one in self.draws if name in one.inputs]
            known = [np.asarray(one).astype(np.int64) for one in drawn if one.size > 2]
            few = self.open[name].dtype in MAPS or len(known) < LEAST_KNOWN
            found[name] = () if few else tuple(p for p in PROPERTIES if all(map(p, known)))
        return found

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
                if self.open.keys() <= case.inputs.keys() and all(
                    one.shape == self.case.inputs[name].shape
                    for name, one in case.inputs.items()
                    if name in self.case.inputs
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
        if one.dtype in MAPS:
            yield from self._maps(one, generator)
            return
        count, shape = one.size, one.shape
        bound = self._rows_of(name)
        if bound is not None:
            if bound <= count:  # of fewer rows than slots the first ones are kept
                yield generator.permutation(count).reshape(shape)
            places = np.full(count, -1)
            kept = min(bound, count)
            places[np.sort(generator.permutation(count)[:kept])] = generator.permutation(bound)[
                :kept
            ]
            if bound > count:
                yield generator.permutation(bound)[:count].reshape(shape)
            yield from _distinct(shape, bound, generator)
            yield places.reshape(shape)
            if bound:
                yield generator.integers(0, bound, shape)
        else:
            yield generator.permutation(count).reshape(shape)
            yield np.arange(count).reshape(shape)
            yield from self._parts(shape, generator)
            least = self._bound(name)
            for experts in [int(least), *self._counts] if 0 < least < MOST_COUNT else self._counts:
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


def _lengths(case: Case) -> dict[str, int]:
    """The extents of a call's inputs, and its attributes that are more than 0, by name."""
    found = {
        f"{name}.{axis}": size
        for name, one in case.inputs.items()
        for axis, size in enumerate(one.shape)
    }
    found |= {n: v for n, v in case.attributes.items() if type(v) is int and v > 0}
    return found


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
