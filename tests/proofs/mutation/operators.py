"""The mutation operators in use: cosmic-ray's, and three that its set lacks for array code.

Each of cosmic-ray's 132 pairs of binary operators would be a mutant; here every operator is
exchanged for its inverse, or for the one that it is mistaken for, and every comparison for its
neighbour at the boundary and for its negation. Three operators are added in cosmic-ray's own
interface: augmented assignments, names with a counterpart (minimum and maximum, any and all), and
statements left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import parso
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.plugins import get_operator

BINARY = (
    ("Add", "Sub"),
    ("Sub", "Add"),
    ("Mul", "Div"),
    ("Mul", "Add"),
    ("Div", "Mul"),
    ("FloorDiv", "Mul"),
    ("Mod", "FloorDiv"),
    ("Pow", "Mul"),
    ("RShift", "LShift"),
    ("LShift", "RShift"),
    ("BitOr", "BitAnd"),
    ("BitOr", "BitXor"),
    ("BitAnd", "BitOr"),
    ("BitAnd", "BitXor"),
    ("BitXor", "BitOr"),
)
COMPARISONS = (
    ("Lt", "LtE"),
    ("Lt", "GtE"),
    ("LtE", "Lt"),
    ("LtE", "Gt"),
    ("Gt", "GtE"),
    ("Gt", "LtE"),
    ("GtE", "Gt"),
    ("GtE", "Lt"),
    ("Eq", "NotEq"),
    ("Eq", "LtE"),
    ("Eq", "GtE"),
    ("NotEq", "Eq"),
    ("NotEq", "Lt"),
    ("NotEq", "Gt"),
    ("Is", "IsNot"),
    ("IsNot", "Is"),
)
OTHERS = (
    "AddNot",
    "NumberReplacer",
    "ReplaceAndWithOr",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceFalseWithTrue",
    "ReplaceOrWithAnd",
    "ReplaceTrueWithFalse",
    "ReplaceUnaryOperator_Delete_Invert",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_USub",
    "ZeroIterationForLoop",
)
AUGMENTED = {
    "+=": "-=",
    "-=": "+=",
    "*=": "/=",
    "//=": "*=",
    "|=": "&=",
    "&=": "|=",
    "<<=": ">>=",
    ">>=": "<<=",
}
COUNTERPARTS = {
    "minimum": "maximum",
    "min": "max",
    "any": "all",
    "isposinf": "isneginf",
    "low": "high",
    "plus": "minus",
    "argmax": "argmin",
    "less_equal": "less",
    "logical_and": "logical_or",
    "left_shift": "right_shift",
    "bitwise_and": "bitwise_or",
    "smallest_normal": "smallest_subnormal",
    "largest_finite": "overflow_threshold",
    "ceil": "floor",
    "isfinite": "isnan",
    "isinf": "isfinite",
}
COUNTERPARTS |= {other: name for name, other in COUNTERPARTS.items() if other != "isfinite"}

Place = tuple[tuple[int, int], tuple[int, int]]


class _Replacement(Operator):
    """Exchanges the text of a leaf by a table."""

    table: dict[str, str]

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        if getattr(node, "value", None) in self.table and self.applies(node):
            yield node.start_pos, node.end_pos

    def applies(self, node: Any) -> bool:
        return True

    def mutate(self, node: Any, index: int) -> Any:
        node.value = self.table[node.value]
        return node


class ReplaceAugmentedAssignment(_Replacement):
    """An operator that exchanges the operation of an augmented assignment."""

    table = AUGMENTED

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("x += y", "x -= y"), Example("x |= y", "x &= y"))


class ReplaceCounterpart(_Replacement):
    """An operator that exchanges a name by its counterpart: functions, methods and fields."""

    table = COUNTERPARTS

    def applies(self, node: Any) -> bool:
        before = node.get_previous_leaf()
        called = (node.get_next_leaf() or node).value == "("
        after_dot = before is not None and before.value == "."
        return node.type == "name" and (after_dot or (called and node.value in ("min", "any")))

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (
            Example("np.minimum(x, y)", "np.maximum(x, y)"),
            Example("x.low", "x.high"),
            Example("min(x)", "max(x)"),
        )


class RemoveStatement(Operator):
    """An operator that leaves a statement out: an augmented assignment or a call for its effect."""

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        if node.type == "simple_stmt" and self._matters(node.children[0]):
            yield node.start_pos, node.end_pos

    @staticmethod
    def _matters(statement: Any) -> bool:
        """Whether it is a call, an augmented assignment, or one to an item or a field."""
        if statement.type != "expr_stmt":
            return statement.type in {"power", "atom_expr"}
        target, sign = statement.children[:2]
        text = getattr(sign, "value", "")  # none where the statement is an annotation
        return text in AUGMENTED or (text == "=" and target.type in {"power", "atom_expr"})

    def mutate(self, node: Any, index: int) -> Any:
        made = parso.parse(f"{node.get_first_leaf().prefix}pass\n")
        return made.children[0]

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("x += y\n", "pass\n"), Example("f(x)\n", "pass\n"))


OWN = (ReplaceAugmentedAssignment, ReplaceCounterpart, RemoveStatement)


def operators() -> dict[str, Operator]:
    """Every operator in use, by name."""
    names = [f"ReplaceBinaryOperator_{one}_{other}" for one, other in BINARY]
    names += [f"ReplaceComparisonOperator_{one}_{other}" for one, other in COMPARISONS]
    found = {name: get_operator(f"core/{name}")() for name in (*names, *OTHERS)}
    return found | {made.__name__: made() for made in OWN}
