"""Families of values that published standards prescribe."""

from __future__ import annotations

import numpy as np

from conformance.standards import STANDARDS
from conformance.standards.data import DataRule, listed_values
from conformance.values.floats import Columns, Family
from reference.floats import Format


def _prescribed(rule: DataRule) -> Family:
    """Values of one case as a published standard draws them, of one distribution."""

    def draw(
        generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
    ) -> Columns:
        return rule.draw(generator, shape[0] * shape[1]).reshape(shape)

    return draw


def _every_value(case: tuple[float, ...]) -> Family:
    """A special case of a published standard: nothing but its values, in turn."""

    def draw(
        generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
    ) -> Columns:
        return np.resize(np.array(case), shape)

    return draw


def prescribed_family(standard: str, seed: int) -> str:
    """The family that a standard prescribes for the recipe of a seed: its draw or a special case.

    Raises KeyError where the standard prescribes no data.
    """
    rule = RULES[standard]
    case = rule.special_case(seed)
    return standard if case is None else _special_name(standard, case)


def _special_name(standard: str, case: tuple[float, ...]) -> str:
    return f"{standard} all {listed_values(case)}"


RULES = {name: one.data for name, one in STANDARDS.items() if one.data}

PRESCRIBED: dict[str, Family] = {
    **{name: _prescribed(rule) for name, rule in RULES.items()},
    **{
        _special_name(name, case): _every_value(case)
        for name, rule in RULES.items()
        for case in rule.special
    },
}
"""Families that published standards prescribe: by the standard's name, and its special cases."""
