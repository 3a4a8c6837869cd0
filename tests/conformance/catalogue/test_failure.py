"""What is told of a refused case beside its verdict, in both languages."""

from __future__ import annotations

import pytest

from conformance.catalogue import bundle, failure, record, session
from conformance.catalogue.message import within
from conformance.record.workload import ROUTING, ROUTINGS, Batch, Workload

MODEL = Workload(model="M", source="s", experts=8, top_k=2, hidden=64)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            failure.REGRESSION_CALLED(name="zero tokens"),
            "regression called: zero tokens",
            "回归用例名：zero tokens",
        ),
        (
            failure.KEPT_FOR(why="counts are written"),
            "kept for: counts are written",
            "保留原因：counts are written",
        ),
        (
            failure.REPORTED(link="https://example.org/1"),
            "reported: https://example.org/1",
            "公开报告：https://example.org/1",
        ),
        (
            failure.SEARCH_ENDED(what=failure.HANGS(count=2)),
            "the search for a smaller case ended after 2 calls that did not end",
            "对更小用例的搜索已停止：2 次调用未结束",
        ),
        (
            failure.SEARCH_ENDED(what=failure.REOPENED(count=50)),
            "the search for a smaller case ended after 50 times that the device was opened anew",
            "对更小用例的搜索已停止：设备已重新打开 50 次",
        ),
        (
            failure.SEARCH_ENDED(what=failure.SECONDS(seconds=60.0)),
            "the search for a smaller case ended after 60 s",
            "对更小用例的搜索已停止：已用 60 秒",
        ),
        (
            failure.SEARCH_ENDED(what=failure.ALL_THE_TIME()),
            "the search for a smaller case ended after all of the run's time",
            "对更小用例的搜索已停止：运行时间用尽",
        ),
        (
            failure.LARGER_PATTERN(name="out", shape="53x127", pattern="all elements"),
            "in a larger case, out [53x127]: all elements",
            "在更大的用例中，out [53x127]：all elements",
        ),
        (
            failure.UP_THE_LADDER(ladder="size", cores=1, below=2749, above=2750),
            "up the ladder of size on 1 core: 2,749 is accepted, 2,750 fails",
            "size 的阶梯（1 核）：2,749 通过，2,750 未通过",
        ),
        (
            failure.FIRST_OF_THE_LADDER(ladder="size", cores=3, above=31),
            "up the ladder of size on 3 cores: 31, the first, fails",
            "size 的阶梯（3 核）：第一级 31 即未通过",
        ),
        (
            failure.WORKLOAD(batch=Batch(MODEL, 1, 4096, "one hot", 0).text),
            "workload M: 1 token of 4,096 columns, one hot over 8 experts",
            "工作负载 M：1 个 token，每个 4,096 列，8 个专家，路由集中于一个专家",
        ),
        (
            failure.NOT_ON_RECORD(names=("a", "b")),
            "is not on record; known: a, b",
            "没有记录；已知：a、b",
        ),
        (
            bundle.NOT_STORED(path="inputs/x.npy", count=1234, reason=bundle.ALL_ARRAYS(most=32)),
            "inputs/x.npy is not stored (1,234 bytes): all arrays of a bundle have up to 32 MiB"
            " together",
            "inputs/x.npy 未存储（1,234 字节）：复现包的全部数组合计最多 32 MiB",
        ),
        (
            session.NOT_WHERE(operator="moe_x", count=2, compared=9),
            "boundaries of moe_x: 2 of 9 sizes are not where the record draws its cases",
            "moe_x 的边界：9 处中有 2 处与记录不符",
        ),
        (
            session.ANEW(reason=session.OTHER_DEVICE(names=("soc", "libopapi.so"))),
            "its run judged another device (soc, libopapi.so changed); begin anew without --resume",
            "其运行判定的是另一设备（soc、libopapi.so 已改变）；请去掉 --resume 重新开始",
        ),
        (
            record.RULE_OF_FILE(rule=record.TOP_K(top_k=9, experts=8), page="p.md"),
            "top_k is 9: must be at most experts, 8 (p.md)",
            "top_k 为 9：不得超过 experts，即 8（p.md）",
        ),
    ],
)
def test_a_sentence_in_both_languages(said: str, english: str, chinese: str) -> None:
    assert (said, within(said, "zh")) == (english, chinese)


def test_every_routing_has_its_words() -> None:
    assert {one: ROUTING[one]() for one in ROUTINGS} == {one: one for one in ROUTINGS}
