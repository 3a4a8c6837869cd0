"""Calls made from a right one by breaking one thing: what rejections are written with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from conformance.call.case import Attribute, Case, Tensor
from conformance.record.call_rules import BOTH, FreeAxis, Freedom, Ranks
from conformance.record.clause import Clause
from conformance.record.operator import Example, Rejection

Shape = tuple[int, ...]


def without(case: Case, name: str) -> Case:
    """The same call with a null pointer for tensor ``name``."""

    def drop(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {key: tensor for key, tensor in tensors.items() if key != name}

    return replace(case, inputs=drop(case.inputs), outputs=drop(case.outputs))


def retyped(case: Case, name: str, dtype: str) -> Case:
    """The same call with zeros of another dtype for tensor ``name``."""
    return _with_tensor(case, name, lambda tensor: Tensor(tensor.shape, dtype))


def in_format(case: Case, name: str, other: str) -> Case:
    """The same call with tensor ``name`` in another format."""
    return _with_tensor(case, name, lambda tensor: replace(tensor, format=other))


def all_retyped(case: Case, dtype: str) -> Case:
    """The same call with another dtype for all floating tensors: they agree, and are wrong."""
    for name, tensor in {**case.inputs, **case.outputs}.items():
        case = retyped(case, name, dtype) if "float" in tensor.dtype else case
    return case


def reshaped(case: Case, name: str, shape: tuple[int, ...]) -> Case:
    """The same call with zeros of another shape for tensor ``name``."""
    return _with_tensor(case, name, lambda tensor: Tensor(shape, tensor.dtype))


def _with_tensor(case: Case, name: str, made: Callable[[Tensor], Tensor]) -> Case:
    """The same call with what is made of tensor ``name`` in its place."""

    def change(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {k: made(t) if k == name else t for k, t in tensors.items()}

    return replace(case, inputs=change(case.inputs), outputs=change(case.outputs))


def resized(
    case: Case, *names: str, free: Iterable[Freedom] = (), axes: Iterable[int] | None = None
) -> dict[str, Case]:
    """Calls in which one axis of one of these tensors is one less or one more, by name.

    What a record's freedoms allow is left out, and every axis but ``axes`` if they are given.
    """
    tied = [one for one in free if isinstance(one, FreeAxis)]
    longest = max(len(_shape(case, name)) for name in names)
    chosen = set(range(longest) if axes is None else axes)

    def shapes(name: str, shape: Shape) -> Iterator[Shape]:
        for axis, size in enumerate(shape):
            place = (name, len(shape), axis)
            freed = {w for o in tied if (o.tensor, o.rank, o.axis) == place for w in o.ways}
            for way in (way for way in BOTH if way not in freed and axis in chosen):
                yield (*shape[:axis], size + way, *shape[axis + 1 :])

    return _of_shapes(case, {name: shapes(name, _shape(case, name)) for name in names})


def reranked(case: Case, *names: str, free: Iterable[Freedom] = ()) -> dict[str, Case]:
    """Calls in which one of these tensors has an axis less or more, or none, by name.

    What a record's freedoms allow is left out.
    """
    ranks = [one for one in free if isinstance(one, Ranks)]

    def shapes(name: str, shape: Shape) -> Iterator[Shape]:
        for other in dict.fromkeys(((), shape[:-1], (*shape, 1))):
            allowed = any(one.tensor == name and one.allow(len(other)) for one in ranks)
            if not allowed:
                yield other

    return _of_shapes(case, {name: shapes(name, _shape(case, name)) for name in names})


def misshapen(case: Case, *names: str, free: Iterable[Freedom] = ()) -> dict[str, Case]:
    """All that `resized` and `reranked` make of these tensors."""
    freedoms = tuple(free)
    return {**resized(case, *names, free=freedoms), **reranked(case, *names, free=freedoms)}


def _shape(case: Case, name: str) -> Shape:
    return {**case.inputs, **case.outputs}[name].shape


def _of_shapes(case: Case, shapes: Mapping[str, Iterable[Shape]]) -> dict[str, Case]:
    """The call with each of these shapes of a tensor alone, named by mode and both shapes."""
    return {
        f"{name} is {list(shape)}, not {list(_shape(case, name))}, {case.mode}": reshaped(
            case, name, shape
        )
        for name, given in shapes.items()
        for shape in given
    }


def stepped(case: Case, *names: str) -> dict[str, Case]:
    """Calls in which one of these attributes is one less or one more, by name."""
    return {
        f"{name} is {(value := case.attributes[name] + way)}, {case.mode}": with_attributes(
            case, **{name: value}
        )
        for name in names
        for way in BOTH
    }


def right_calls(source: str, *cases: Case) -> tuple[Example, ...]:
    """The calls from which rejected ones differ in one thing: they must be accepted."""
    return tuple(
        Example(f"right call {number}, {case.mode}", case, source)
        for number, case in enumerate(cases, 1)
    )


def without_effect(source: str, case: Case, **values: int | tuple[int, ...]) -> tuple[Example, ...]:
    """The call, and the same with other values of attributes that its mode does not look at."""
    return (
        Example(f"attributes without effect, {case.mode}", case, source),
        *(
            Example(
                f"{name} {value}, without effect, {case.mode}",
                with_attributes(case, **{name: value}),
                source,
            )
            for name, others in values.items()
            for value in (others if isinstance(others, tuple) else (others,))
        ),
    )


def with_attributes(case: Case, **changed: Attribute) -> Case:
    """The same call with other attribute values. Raises ValueError for an unknown attribute."""
    unknown = changed.keys() - case.attributes.keys()
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]}: {case.operator} has no such attribute")
    return replace(case, attributes={**case.attributes, **changed})


def in_mode(mode: str, case: Case) -> Case:
    """The same call as one of another mode: of that which its other arguments are by now."""
    return replace(case, mode=mode)


def refused(
    broken: Mapping[int, Mapping[Clause, Mapping[str, Case]]],
    *,
    routes: tuple[str, ...] = (),
    checked_by_cann: bool = True,
) -> tuple[Rejection, ...]:
    """Calls by the status that they must be rejected with, by the rule that they break, by name."""
    return tuple(
        Rejection(name, case, status, clause, routes, checked_by_cann)
        for status, clauses in broken.items()
        for clause, calls in clauses.items()
        for name, case in calls.items()
    )
