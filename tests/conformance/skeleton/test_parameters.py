"""The parameters of a new operator are read from a header, from a document, or from lines."""

from __future__ import annotations

import pytest

from conformance.errors import UsageError
from conformance.skeleton.parameters import LINES, Parameter, camel, read, snake

HEADER = """
/* Phase 1. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSumPairsGetWorkspaceSize(
    const aclTensor* x, const aclTensor* weightOptional, int64_t topK, bool paddedMode,
    double scale, float eps,
    const aclIntArray *range, const aclTensor* sumOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
"""
MARKDOWN = """
| name | kind | what it is | data type | format |
|---|---|---|---|---|
| x | input | rows | FLOAT16, BFLOAT16, FLOAT | ND |
| topK | attribute | slots | INT64 | - |
| eps | attribute | what is added to a float | DOUBLE | - |
| y | output | sums | INT32 | ND |
"""
HTML = """
<table><thead><tr><th>参数名</th><th>输入/输出/属性</th><th>描述</th><th>数据类型</th><th>数据格式</th></tr></thead>
<tbody><tr><td>gradExpandedX</td><td>输入</td><td>目标张量</td><td>FLOAT16、BFLOAT16</td><td>ND</td></tr>
<tr><td>biasOptional</td><td>可选输入</td><td>偏置</td><td>FLOAT16</td><td>ND</td></tr>
<tr><td>dropPadMode</td><td>属性</td><td>模式</td><td>INT64</td><td>-</td></tr>
<tr><td>eps</td><td>属性</td><td>小数</td><td>float</td><td>-</td></tr>
<tr><td>gradX</td><td>输出</td><td>梯度</td><td>FLOAT16、BFLOAT16</td><td>ND</td></tr></tbody></table>
"""


def test_a_header_names_parameters_and_the_suite_leaves_out_what_every_call_has() -> None:
    assert read(HEADER) == (
        Parameter("x", "input"),
        Parameter("weightOptional", "input", optional=True),
        Parameter("topK", "number"),
        Parameter("paddedMode", "flag"),
        Parameter("scale", "real"),
        Parameter("eps", "real"),
        Parameter("range", "integers"),
        Parameter("sumOut", "output"),
    )


def test_a_header_without_a_name_for_an_output_has_its_last_tensor_for_one() -> None:
    last = read(HEADER.replace("sumOut", "result"))[-1]
    assert (last.kind, last.is_guess) == ("output", True)


def test_a_table_in_markdown_says_what_is_read_and_written() -> None:
    assert read(MARKDOWN) == (
        Parameter("x", "input", ("float16", "bfloat16", "float32")),
        Parameter("topK", "number"),
        Parameter("eps", "real"),
        Parameter("y", "output", ("int32",)),
    )


def test_a_table_in_html_and_chinese_is_read() -> None:
    assert read(HTML) == (
        Parameter("gradExpandedX", "input", ("float16", "bfloat16")),
        Parameter("biasOptional", "input", ("float16",), optional=True),
        Parameter("dropPadMode", "number"),
        Parameter("eps", "real"),
        Parameter("gradX", "output", ("float16", "bfloat16")),
    )


@pytest.mark.parametrize(
    "heading", ["| Name | Input/Output | Type |", "| 参数名 | 输入/输出/属性 | 类型 |"]
)
@pytest.mark.parametrize("cell", ["td", "markdown"])
def test_a_heading_is_no_parameter(heading: str, cell: str) -> None:
    rows = [heading, "|---|---|---|", "| x | input | INT32 |", "| y | output | INT32 |"]
    text = "\n".join(rows)
    if cell == "td":
        cells = [line.strip("| ").split(" | ") for line in rows if "---" not in line]
        text = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in line)}</tr>" for line in cells)
    assert [one.name for one in read(text)] == ["x", "y"]


def test_lines_have_data_types_and_the_sizes_of_axes() -> None:
    x, number, y = read("x input float16 [row, 2]\ntopK number [slot]\ny output int8 [row * slot]")
    assert (x.dtypes, x.axes, number.axes, y.axes) == (
        ("float16",),
        ("row", "2"),
        ("slot",),
        ("row * slot",),
    )
    assert y.sizes == ("row", "slot")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x input float16", "an input and an output"),
        ("x input float16\ny output", "data types of float16"),
        ("x input float99\ny output int8", "data types of float16"),
        ("x tensor float16\ny output int8", "allowed: input, output"),
        ("x input float16\nx output int8", "a name of its own"),
        ("x input float16 [a+b]\ny output int8", "axes in brackets"),
        ("x input float16\ny output int8 [experts]", "a size of y that an input"),
        ("GetWorkspaceSize(const aclTensor* x, char eps, aclTensor* y)", "a tensor, int64_t"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        read(text)
    assert told in error.value.text


@pytest.mark.parametrize(
    ("title", "name"),
    [("MoeInitRoutingV2", "moe_init_routing_v2"), ("RowPairSum", "row_pair_sum")],
)
def test_a_title_and_a_name_are_one(title: str, name: str) -> None:
    assert (snake(title), snake(name), camel(name)) == (name, name, title)


def test_the_lines_that_are_shown_can_be_read() -> None:
    assert len(read("\n".join(LINES))) == len(LINES)
