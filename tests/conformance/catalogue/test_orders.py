"""Orders of additions are told in both languages."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.catalogue.message import within
from conformance.errors import text_of
from conformance.evidence.lines import OrderLine
from conformance.numerics.recovery import Unrecoverable, recover
from conformance.numerics.tree import drawing
from conformance.text.orders import order_lines


def test_orders_of_additions() -> None:
    lines = [
        OrderLine(worker="main", operator="op", dtype="float32", slots=3, order="sequential"),
        OrderLine(
            worker="main",
            operator="op",
            dtype="float32",
            slots=4,
            order="other",
            accumulate="fp16",
            as_declared=False,
            drawing=drawing(((0, 1), (2, 3), (0, 2)), 4),
        ),
        OrderLine(
            worker="main",
            operator="op",
            dtype="float16",
            slots=4,
            order="unrecoverable",
            reason=lost(),
        ),
    ]
    assert [within(line, "zh") for line in order_lines(lines)] == [
        "op，float32：sequential（K=3），other，以 fp16 累加（K=4）",
        "  K=4：记录声明的是另一顺序",
        "  K=4：和",
        "  K=4：├─ x0 + x1",
        "  K=4：└─ x2 + x3",
        "op，float16：无法还原（K=4）",
        "  K=4：槽 0 置 1.26765e+30、槽 1 置其相反数、其余置 1 时和为 3.0，"
        "不对应 0 至 2 之间的任何槽数",
    ]


def lost() -> str:
    """Why no order is found of what adds nothing."""
    with pytest.raises(Unrecoverable) as error:
        recover(lambda x: np.full(x.shape[1], 3, np.float32), 4, "float32")
    return text_of(error.value)
