"""A small language that says of which cases a waiver speaks.

Comparisons over what a case is, put together with ``and``, ``or`` and ``not``::

    mode == "drop_pad" and tokens.shape[0] > 1024 and hidden % 16 != 0

Values are numbers, texts in quotes, lists of them (for ``in``), and the names of a case: its
attributes (``ATTRIBUTE``, one element of an array ``ATTRIBUTE[0]``), tensors (``TENSOR.shape[0]``,
``TENSOR.size``, ``TENSOR.rank``), ``mode``, ``dtype``, ``route``, ``kind`` (values, rejection,
example, relation), ``name``, ``cores`` and ``ub_bytes`` of a simulated machine, and
``level.AXIS`` for the levels of a record's discrete axis that the case shows (``"ties" in
level.routing``).
Numbers may be added, subtracted, multiplied, and divided with rest (``%``).

The text is parsed as Python's grammar and walked here; nothing of it is ever run. A name that a
case has not got (an optional tensor) leaves a comparison unknown, and what is unknown in the end
is not covered.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.catalogue import waivers as say

LONGEST = 1000
DEEPEST = 40
LARGEST = 2**63

Value = Any
"""A number, a text, a truth value or a tuple of them; None where it is unknown."""
Names = Mapping[str, Value]

COMPARISONS: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
}
TENSOR = ("shape", "size", "rank")
KNOWN = ("mode", "dtype", "route", "kind", "name", "cores", "ub_bytes")


class WrongPredicate(ValueError):  # noqa: N818 - what it says of the text
    """A predicate that says nothing: the word and the column (from 1) where it is wrong."""


@dataclass(frozen=True)
class Predicate:
    """A predicate that has been checked; ``names`` are those that it mentions, with the column."""

    text: str
    names: Mapping[str, int]
    _tree: ast.expr

    def holds(self, names: Names) -> bool | None:
        """Whether it holds of a case; None where that hangs on a name that the case has not got.

        Raises `WrongPredicate` for a comparison of values that have no order.
        """
        found = _value(self._tree, names)
        return found if found is None else bool(found)


def parse(text: str) -> Predicate:
    """The predicate that a text states; raises `WrongPredicate`."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise WrongPredicate(say.LONGEST(most=LONGEST))
    try:
        tree = ast.parse(" ".join(text.split("\n")), mode="eval").body
    except SyntaxError as error:
        column = error.offset or len(text) + 1
        word = (text[column - 1 :].split() or ["the end"])[0]
        told = say.AT_COLUMN(word=repr(word), column=column, what=error.msg)
        raise WrongPredicate(told) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise WrongPredicate(say.UNREADABLE(error=str(error))) from error
    names: dict[str, int] = {}
    _check(tree, names, 0)
    if not isinstance(tree, ast.BoolOp | ast.Compare | ast.UnaryOp):
        raise _wrong(tree, say.NO_CONDITION())
    return Predicate(text, names, tree)


def names_of(
    attributes: Mapping[str, float | tuple[int, ...] | None],
    shapes: Mapping[str, tuple[int, ...]],
    levels: Mapping[str, tuple[str, ...]],
    others: Mapping[str, int | str],
) -> dict[str, Value]:
    """The names of a case, each as a predicate writes it."""
    names: dict[str, Value] = {**attributes, **others}
    for tensor, shape in shapes.items():
        names[f"{tensor}.shape"] = tuple(shape)
        names[f"{tensor}.size"] = math.prod(shape)
        names[f"{tensor}.rank"] = len(shape)
    return {**names, **{f"level.{axis}": shown for axis, shown in levels.items()}}


def unknown(predicate: Predicate, known: Iterable[str]) -> str:
    """The complaint about the first name that no case has; empty where there is none."""
    there = set(known)
    for name, column in predicate.names.items():
        if name not in there:
            return say.UNKNOWN_NAME(word=repr(name), column=column, names=sorted(there))
    return ""


def _check(node: ast.expr, names: dict[str, int], depth: int) -> None:
    """Refuse what is not of the language, and collect names."""
    if depth > DEEPEST:
        raise _wrong(node, say.TOO_DEEP(most=DEEPEST))
    parts: list[ast.expr] = []
    match node:
        case ast.BoolOp(values=parts):
            pass
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part):
            parts = [part]
        case ast.Compare(left=left, ops=ops, comparators=others):
            if not all(type(op) in COMPARISONS for op in ops):
                raise _wrong(node, say.ALLOWED_COMPARISONS())
            parts = [left, *others]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            parts = [left, right]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.Constant(value=value):
            if type(value) not in (int, float, str, bool):
                raise _wrong(node, say.ALLOWED_VALUES())
            if isinstance(value, int | float) and value >= LARGEST:
                raise _wrong(node, say.TOO_LARGE())
        case ast.Subscript(value=array, slice=at) if _index(at) is not None:
            parts = [array]
        case ast.Name() | ast.Attribute():
            names.setdefault(_name(node), node.col_offset + 1)
        case _:
            raise _wrong(node, say.NOT_OF_THE_LANGUAGE())
    for part in parts:
        _check(part, names, depth + 1)


def _value(node: ast.expr, names: Names) -> Value:
    """The value of a checked part; None where it is unknown, by Kleene's rules for truth."""
    match node:
        case ast.BoolOp(op=op, values=values):
            found = [_value(value, names) for value in values]
            ends = isinstance(op, ast.Or)
            if any(one is not None and bool(one) is ends for one in found):
                return ends
            return None if None in found else not ends
        case ast.UnaryOp(op=op, operand=operand):
            inner = _value(operand, names)
            if inner is None:
                return None
            return not inner if isinstance(op, ast.Not) else -_number(operand, inner)
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(one, names) for one in (left, *others)]
            pairs = zip(ops, values[:-1], values[1:], others, strict=True)
            found = [_compared(op, one, other, at) for op, one, other, at in pairs]
            return False if False in found else (None if None in found else True)
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _value(left, names), _value(right, names)
            if one is None or other is None:
                return None
            numbers = _number(left, one), _number(right, other)
            if isinstance(op, ast.Mod) and numbers[1] == 0:
                return None
            return ARITHMETIC[type(op)](*numbers)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            found = [_value(part, names) for part in parts]
            return None if None in found else tuple(found)
        case ast.Subscript(value=array, slice=place):
            many, at = _value(array, names), _index(place)
            if at is None or not isinstance(many, tuple):
                return None
            return many[at] if -len(many) <= at < len(many) else None
        case ast.Constant(value=value):
            return value
    return names.get(_name(node))


def _index(node: ast.expr) -> int | None:
    """The place in an array that a literal names, from the end if it is negative."""
    match node:
        case ast.Constant(value=at) if type(at) is int:
            return at
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=at)) if type(at) is int:
            return -at
    return None


def _compared(op: ast.cmpop, one: Value, other: Value, at: ast.expr) -> bool | None:
    if one is None or other is None:
        return None
    try:
        return bool(COMPARISONS[type(op)](one, other))
    except TypeError:
        raise _wrong(at, say.INCOMPARABLE(other=repr(other), one=repr(one))) from None


def _number(node: ast.expr, value: Value) -> float:
    if not isinstance(value, int | float) or not abs(value) < LARGEST:
        raise _wrong(node, say.NO_NUMBER(value=repr(value)))
    return value


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        first = node.value.id
        if first == "level" or node.attr in TENSOR:
            return f"{first}.{node.attr}"
        raise _wrong(node, say.NO_ATTRIBUTE(names=TENSOR))
    raise _wrong(node, say.NO_NAME())


def _wrong(node: ast.expr, rule: str) -> WrongPredicate:
    word, column = repr(ast.unparse(node)[:60]), node.col_offset + 1
    return WrongPredicate(say.AT_COLUMN(word=word, column=column, what=rule))
