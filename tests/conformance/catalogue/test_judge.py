"""What a judge says of a call is told in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case, Machine
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import relate
from conformance.catalogue import verdict as say
from conformance.catalogue.message import within
from conformance.errors import UsageError, text_of
from conformance.judge.agreement import ReferenceDisagreement, check
from conformance.judge.broken import explained
from conformance.judge.by_standard import ByStandard, by_standard
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.headline import failed, parted, unended
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.quarantined import observe_quarantined
from conformance.judge.rejections import judge_rejection
from conformance.judge.relate import related
from conformance.judge.sequences import check_before
from conformance.judge.verdict import Verdict
from conformance.record.clause import document
from conformance.record.operator import Example, Quarantine
from conformance.record.relation import Relation
from conformance.values.fill import Fill
from tests.conformance.segment_sum import (
    SUM,
    case,
    drifting,
    observe,
    operator,
    refusal,
    refused,
    right,
    whole,
)

CALL = "segment_sum、plain、float16："
DOCUMENTED = Example(
    "two_rows", case([[1.0], [2.0]], [[0, 1], [1, 1]]), "segment_sum.md, Example", {"y": (3.0, 5.0)}
)
DOUBTED = Quarantine("sums", whole(), document("sources differ", "toy document"))


def verdicts() -> Iterator[tuple[Verdict, str]]:
    """Verdicts, and their headlines in Chinese."""
    made, record = whole(), operator()
    y = right(made)
    yield (
        judge(record, made, observe(y)),
        f"{CALL}通过；y：144 个元素，全部逐位一致（按声明的顺序）。",
    )
    drifted, given = drifting()
    yield (
        judge(operator(merges=None), drifted, observe(given)),
        "segment_sum、plain、float32：通过；y：1 个元素，0 个逐位一致（已穷举全部顺序）。",
    )
    yield (
        judge(record, made, observe(y, unwritten={"y": 3}, outputs={"y": y, "z": y})),
        f"{CALL}y 的 144 个元素中有 3 个未写入；设备返回了并非输出的 z。",
    )
    yield (
        judge(record, made, observe(y, unwritten={})),
        f"{CALL}设备未报告 y 的写入情况。",
    )
    yield (
        judge_rejection(refusal(), refused()),
        f"{CALL[:-1]}、negative_top_k：按要求被拒绝，状态码 161002。",
    )
    for observation, told in (
        (
            Observation(Outcome.COMPLETED),
            "调用被执行，应被拒绝，状态码应为 161002；被拒绝的调用写入了其输出",
        ),
        (refused(status=161001, message="no"), "被拒绝的状态码为 161001（“no”），应为 161002"),
        (
            Observation(Outcome.FAILED, 2, outputs_untouched=True),
            "调用失败，状态码 2，应被拒绝，状态码应为 161002",
        ),
    ):
        yield judge_rejection(refusal(), observation), f"{CALL[:-1]}、negative_top_k：{told}。"
    yield (
        judge_example(DOCUMENTED, record, observe(right(DOCUMENTED.case))),
        "segment_sum、two_rows：y 的 2 个元素中有 1 个与文档给出的值不符。",
    )
    for answer, told in (
        (y, "执行结果与契约一致"),
        (y + 1, f"与契约不同：{CALL}y 的 144 个元素中有 144 个错误。"),
    ):
        yield (
            observe_quarantined(DOUBTED, record, observe(answer)),
            f"{CALL[:-1]}、sums：{told} [存疑：sources differ]",
        )
    seen = observe(y + 1)
    yield (
        ByStandard(("numpy-testing",), "numpy-testing").reconsider(
            record, made, seen, judge(record, made, seen)
        ),
        f"{CALL}y 的 144 个元素中有 144 个错误；numpy-testing 不接受 y："
        "不匹配的元素数 144 不满足 <= 0。",
    )


@pytest.mark.parametrize(("verdict", "chinese"), list(verdicts()), ids=lambda one: "")
def test_a_headline(verdict: Verdict, chinese: str) -> None:
    assert within(verdict.headline, "zh") == chinese


def test_the_evidence_of_a_verdict() -> None:
    verdict = judge(operator(merges=None), drifting()[0], observe(np.array([[7.0]], np.float32)))
    assert [within(one, "zh") for text in verdict.findings for one in text.splitlines()] == [
        "偏差最大的元素：y[0, 0] 为 0x40e00000 (7.0)，允许：0x3f800000 (1.0)，0x3f800001"
        " (1.0000001192092896)",
        "  参与累加：x[0] = 1.0（槽 0），x[1] = 5.960464477539063e-08（槽 1），"
        "x[2] = 5.960464477539063e-08（槽 2）",
        "  精确和 1.0000001192092896，绝对值之和 1.0000001192092896，非零项 3 个，"
        "单位舍入 2^-24，误差界 5.960465188081798e-08（已穷举全部顺序：3 棵树）",
        "分布：全部元素",
    ]


def test_a_documented_value() -> None:
    verdict = judge_example(DOCUMENTED, operator(), observe(right(DOCUMENTED.case)))
    assert within(verdict.findings[0], "zh") == "y[1, 0] 为 0x4400 (4.0)，应为 0x4500 (5.0)"
    assert "文档中的调用得到其来源所给出的值。" in within(verdict.text, "zh")


def law(name: str, *sentences: str) -> Relation:
    return Relation(name, SUM, lambda case, outputs, run: sentences)


@pytest.mark.parametrize(
    ("relation", "chinese"),
    [
        (law("negation"), "关系 negation 成立。"),
        (law("negation", "y differs."), "关系 negation 不成立：y differs。"),
        (law("definedness", "y differs"), "结果取决于内存中的旧值：y differs。"),
        (law("determinism", "y differs"), "同一调用的结果不一致：y differs。"),
        (law("layout", "y differs"), "结果取决于张量在内存中的位置：y differs。"),
    ],
)
def test_a_relation(relation: Relation, chinese: str) -> None:
    record = operator()
    _, verdict = related(
        relation, {record.name: record}, whole(), lambda _, made: observe(right(made))
    )
    assert within(verdict.headline, "zh") == f"{CALL}{chinese}"


def test_a_further_call_of_a_relation() -> None:
    record = operator()

    def broken(made: Case, outputs: Any, run: Any) -> Iterator[str]:
        run(made)
        yield ""

    answers = iter([observe(right(whole())), Observation(Outcome.CRASHED, 139, seconds=1)])
    _, verdict = related(
        Relation("twice", SUM, broken), {record.name: record}, whole(), lambda *_: next(answers)
    )
    assert within(verdict.headline, "zh") == (
        f"{CALL}关系 twice 不成立：另一次调用 segment_sum plain (x [6, 36], rows [4, 3])："
        "调用于 1.00 秒后崩溃（状态码 139）。"
    )


def with_tensor(**changed: Any) -> Case:
    made = whole()
    return replace(made, inputs={**made.inputs, "x": replace(made.inputs["x"], **changed)})


@pytest.mark.parametrize(
    ("made", "chinese"),
    [
        (with_tensor(shape=(5, 36)), "x.values 的值：216 个值；应为：180 个，与形状一致"),
        (with_tensor(unread=(0, 99)), "x.unread 的值：99；应为：0 至 5 的行"),
        (
            with_tensor(values=None, fill=Fill((), 0)),
            "x.fill.stripes 的值：无；应为：至少一个分布族",
        ),
        (replace(whole(), machine=Machine(0, 4096)), "machine.cores 的值：0；应为：1 至 64"),
        (replace(whole(), mode="nosuch"), "mode 的值：nosuch；应为：plain 之一"),
        (
            with_tensor(values=None, fill=Fill(("lattice",), 0), rows=(0, 1, 2, 3, 5)),
            "x.rows 的值：(0, 1, 2, 3, 5)；应为：另含 x[4] 的列表",
        ),
    ],
)
def test_what_is_no_case(made: Case, chinese: str) -> None:
    with pytest.raises(IllegalCase) as error:
        check_call(made, operator())
    assert within(text_of(error.value), "zh") == chinese


def test_a_call_before_it_that_is_no_case() -> None:
    made = replace(whole(), before=(replace(whole(), machine=Machine(0, 4096)),))
    with pytest.raises(IllegalCase) as error:
        check_before(made, {"segment_sum": operator()})
    assert within(text_of(error.value), "zh") == ("before[1]：machine.cores 的值：0；应为：1 至 64")
    with pytest.raises(IllegalCase, match="it must be one of other"):
        check_before(made, {"other": operator()})
    check_shape_and_data(whole())


def test_a_record_that_contradicts_itself() -> None:
    record = operator(formula=lambda inputs, attributes: {"y": np.zeros((3, 36))}, file="a.py")
    with pytest.raises(ReferenceDisagreement) as error:
        check(record, whole())
    assert [within(line, "zh") for line in explained(error.value).splitlines()] == [
        "算子记录或本套件的错误，与 Kernel 无关：segment_sum 的记录与其公式对输出 y 不一致",
        "  在 plain、float16 中：用例为 [4, 36]，公式给出 [3, 36]",
        "  记录：a.py",
        "  未据此判定任何 Kernel",
    ]


def test_an_error_of_a_record_says_where_it_was_raised() -> None:
    try:
        raise ValueError("lost")
    except ValueError as error:
        told = explained(error)
    first, place, _ = (within(line, "zh") for line in told.splitlines())
    assert first.endswith("ValueError: lost")
    assert place.startswith("  抛出位置：")


def test_a_standard() -> None:
    words = ByStandard(("numpy-testing",), "numpy-testing").words
    assert words.startswith("standard: numpy-testing, ")
    assert within(words, "zh").startswith("标准：numpy-testing，")
    with pytest.raises(UsageError) as error:
        by_standard("numpy-testing", every=False, operators=[operator(contracts={})])
    assert within(text_of(error.value), "zh").endswith(
        "该标准判定求和，而 segment_sum 没有求和的输出"
    )


def test_a_sentence_without_its_full_stop() -> None:
    for sentence in (
        failed(("op", "plain"), [say.WRONG(count=1, size=2, output="y")]),
        say.BECAUSE(what=say.OUT_OF_MEMORY(where=""), reason="lost."),
        say.SENTENCE(what=say.CARRIED_OUT()),
        "op " + say.SENTENCE(what=say.CARRIED_OUT()),
        "plain.",
    ):
        bare = unended(sentence)
        assert bare == str(sentence)[:-1]
        assert within(bare, "zh") == within(sentence, "zh")[:-1]
    assert unended(say.CARRIED_OUT()) == "the call was carried out"
    assert unended(relate.HOLDS(relation="negation")) == "negation holds"


def test_the_call_and_what_is_said_of_it() -> None:
    headline = failed(("op", "plain"), [say.CARRIED_OUT()])
    call, what = parted(headline)
    assert (call, what) == ("op, plain", "the call was carried out.")
    assert within(what, "zh") == "调用被执行。"
    assert parted("op: done") == ("op", "done")
