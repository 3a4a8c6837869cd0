"""What is said of relations, in both languages."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.catalogue import relations as say
from conformance.catalogue.message import within
from conformance.record.relation import difference
from conformance.relations.symmetries import negation

ONE, OTHER = np.array([[1.0, 2.0]], np.float16), np.array([[1.0, 3.0]], np.float16)


@pytest.mark.parametrize(
    ("where", "english", "chinese"),
    [
        (
            say.AT_LEVEL(where=say.ON_ONE_CORE(), level=3),
            "1 of 2 elements of y differ: y[0, 1] is 2.0 (0x4000) on one core at determinism level"
            " 3, with blocks in order reverse 3.0 (0x4200)",
            "y 的 2 个元素中有 1 个不同：y[0, 1] 在单核时（确定性级别 3）为 2.0 (0x4000)，"
            "在核序为 reverse 时为 3.0 (0x4200)",
        ),
        (
            "",
            "1 of 2 elements of y differ: y[0, 1] is 2.0 (0x4000), with blocks in order reverse"
            " 3.0 (0x4200)",
            "y 的 2 个元素中有 1 个不同：y[0, 1] 为 2.0 (0x4000)，在核序为 reverse 时为"
            " 3.0 (0x4200)",
        ),
    ],
)
def test_a_difference_of_two_calls(where: str, english: str, chinese: str) -> None:
    meaning = say.IN_BLOCK_ORDER(order="reverse")
    (found,) = difference("y", ONE, OTHER, meaning, where=where)
    assert (found, within(found, "zh")) == (english, chinese)


def test_another_shape() -> None:
    (found,) = difference("y", ONE, OTHER[0], say.BY_THE_FIRST_SIGN())
    assert found == "y has shape (1, 2), by the call with the first sign it has (2,)"
    assert within(found, "zh") == "y 的形状为 (1, 2)，按原符号的调用应为 (2,)"


def test_a_clause_names_the_tensors() -> None:
    clause = negation(("x", "bias"), ("y",)).clause
    assert clause.text == "the other sign of x and bias is that of y"
    assert within(clause.text, "zh") == "x 与 bias 变号则 y 变号"
    assert within(clause.origin, "zh") == "推断：这类算子的求和与复制均不依赖位置"
