"""The sizes of a call, and what of it does not fit its operator's signature.

Checked are pointers first, then data types, attributes, ranks and extents, inputs before outputs:
the order in which the interfaces check. The first that does not fit decides the status. A call
whose outputs are all empty is answered after its data types.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from conformance.record.signature import Kind, Signature
from conformance.record.sizes import Axis, Function, Product, Size

if TYPE_CHECKING:
    from conformance.call.case import Attribute, Case, Tensor


@dataclass(frozen=True)
class Misfit:
    """What does not fit: of which parameter, and of which size if it is one."""

    kind: Kind
    parameter: str
    size: str = ""


class Explained(NamedTuple):
    """The sizes of a call as far as they are known, and the first that does not fit."""

    sizes: Mapping[str, int]
    misfit: Misfit | None


def explain(signature: Signature, case: Case) -> Explained:
    """The sizes of a call, and the first that does not fit; None: all fits."""
    here = {**case.inputs, **case.outputs}
    form = signature.of(case)
    sizes = form.defaults(here)
    for misfit in _misfits(form, case, here, sizes):
        answered = misfit.kind not in ("null", "dtype") and _has_no_result(case)
        return Explained(sizes, None if answered else misfit)
    return Explained(sizes, None)


def explain_inputs(signature: Signature, case: Case) -> Explained:
    """As `explain`, of a call whose outputs are not all known yet: none of them is missed."""
    form, here = signature.of(case), {**case.inputs, **case.outputs}
    sizes = form.defaults(here)
    outputs = {one.name for one in form.tensors if one.role == "output"}
    for misfit in _misfits(form, case, here, sizes):
        if misfit.kind != "null" or misfit.parameter not in outputs:
            return Explained(sizes, misfit)
    return Explained(sizes, None)


def _has_no_result(case: Case) -> bool:
    return bool(case.outputs) and all(tensor.size == 0 for tensor in case.outputs.values())


def _misfits(
    signature: Signature, case: Case, here: Mapping[str, Tensor], sizes: dict[str, int]
) -> Iterator[Misfit]:
    for one in signature.tensors:
        if one.name not in here and one.must_be(here):
            yield Misfit("null", one.name)
    for one in signature.tensors:
        if one.name in here and here[one.name].dtype not in one.dtypes_in(case):
            yield Misfit("dtype", one.name)
    for attribute in signature.attributes:
        size, (least, most) = attribute.size, attribute.limits
        value = case.attributes[attribute.name]
        if attribute.counts and value is not None and len(value) not in attribute.counts:
            yield Misfit("attribute", attribute.name)
        if size is None and least is most is None:
            continue
        assert isinstance(value, int | float)
        if size is not None:
            assert isinstance(value, int)
            sizes[size.name] = value
        if not _within(least, value, most):
            yield Misfit("attribute", attribute.name, size.name if size else "")
    for one in signature.tensors:
        least, most = one.ranks
        if one.further is not None and one.further.like in here:
            other = next(each for each in signature.tensors if each.name == one.further.like)
            count = len(here[other.name].shape) - len(other.shape)
            least = most = len(one.shape) + count
        if one.name in here and not _within(least, len(here[one.name].shape), most):
            yield Misfit("rank", one.name)
    waiting: list[tuple[str, Axis, int]] = []
    for role in ("input", "output"):
        axes = [
            (one.name, axis, extent)
            for one in signature.tensors
            if one.role == role and one.name in here
            for axis, extent in zip(one.axes, one.extents(here[one.name].shape), strict=True)
        ]
        waiting += axes
        waiting += [
            (name, axis.product, extent)
            for name, axis, extent in axes
            if isinstance(axis, Size) and axis.product is not None
        ]
    yield from _extents(waiting, sizes, case.attributes)
    yield from _uncovered(waiting, sizes)
    for size in signature.derived:
        found = size.of({**case.attributes, **sizes})
        if found is not None and not _within(size.least, found, size.most):
            yield Misfit("limit", "", size.name)
    for one in signature.tensors:
        further = one.parted(here[one.name].shape)[1] if one.name in here else ()
        if one.further is not None and any(extent < one.further.least for extent in further):
            yield Misfit("limit", one.name)


def _extents(
    waiting: list[tuple[str, Axis, int]], sizes: dict[str, int], attributes: Mapping[str, Attribute]
) -> Iterator[Misfit]:
    """Take sizes from extents until all are known, and compare the others with them.

    An axis of several sizes waits until all of them but one are known, a function until all are.
    """
    while waiting:
        later: list[tuple[str, Axis, int]] = []
        for name, axis, extent in waiting:
            if isinstance(axis, Function) and axis.name not in sizes:
                if (found := axis.of({**attributes, **sizes})) is None:
                    later.append((name, axis, extent))
                    continue
                sizes[axis.name] = found
            if isinstance(axis, Function) and axis.free and extent > sizes[axis.name]:
                continue
            if isinstance(axis, Function) and axis.or_one and extent == 1:
                continue
            unknown = [size for size in axis.factors if size.name not in sizes]
            rest = math.prod(sizes[size.name] for size in axis.factors if size not in unknown)
            if len(unknown) > 1:
                later.append((name, axis, extent))
            elif extent % rest if unknown and rest else extent != rest:
                yield Misfit("extent", name, axis.name)
            elif unknown and rest:
                size = unknown[0]
                sizes[size.name] = extent // rest
                if not _within(size.least, sizes[size.name], size.most):
                    yield Misfit("limit", name, size.name)
            elif isinstance(axis, Product) and not _within(None, extent, axis.most):
                yield Misfit("limit", name, axis.name)
        if len(later) == len(waiting):
            return  # whatever their sizes are, nothing else names them
        waiting = later


def _uncovered(waiting: list[tuple[str, Axis, int]], sizes: Mapping[str, int]) -> Iterator[Misfit]:
    """The sizes that are less than those that they cover."""
    for name, axis, extent in waiting:
        covered = axis.covers.factors if isinstance(axis, Size) and axis.covers else ()
        if covered and extent < math.prod(sizes.get(size.name, 0) for size in covered):
            yield Misfit("limit", name, axis.name)


def _within(least: float | None, value: float, most: float | None) -> bool:
    return (least is None or least <= value) and (most is None or value <= most)
