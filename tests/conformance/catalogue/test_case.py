"""How a call is told, in both languages."""

from __future__ import annotations

import typing

import pytest

from conformance.call import surroundings
from conformance.call.case import Case, Machine, Tensor
from conformance.call.observation import OUTCOMES, Outcome
from conformance.call.protocol_breach import DEPARTURES, KEPT, Breach
from conformance.call.surroundings import MEMORIES, STREAMS, USUAL, Setting
from conformance.catalogue.message import within
from conformance.values.fill import Fill

FILL = Fill(("gaussian", "special"), 5)


@pytest.mark.parametrize(
    ("told", "english", "chinese"),
    [
        (Tensor((), "int32", (3,)), "int32[scalar] = [3]", "int32[标量] = [3]"),
        (
            Tensor((8, 10), "float32", fill=FILL, unread=(2, 3)),
            "float32[8x10] = gaussian/special (seed 5), NaN in unread rows [2, 3]",
            "float32[8x10] = gaussian/special（种子 5），不应读取的行 [2, 3] 为 NaN",
        ),
        (
            Tensor((6, 36), "float16", strides=(40, 1), start=3, spare=2, format="NCHW"),
            "float16[6x36] in format NCHW with strides (40, 1), 3 elements before the first, 2"
            " behind the last",
            "float16[6x36] 格式 NCHW（步长 (40, 1)、首元素前 3 个元素、末元素后 2 个元素）",
        ),
        (
            Tensor((1000, 2), "int8", (1, 2), rows=(7,)),
            "int8[1000x2] holding rows [7] = [1, 2]",
            "int8[1000x2] 仅含行 [7] = [1, 2]",
        ),
        (Machine(1, 4096), "1 core with 4096 B of UB", "1 核，UB 4096 字节"),
        (
            Machine(3, 4096, "shuffled:1"),
            "3 cores with 4096 B of UB, blocks in order shuffled:1",
            "3 核，UB 4096 字节，核的执行次序 shuffled:1",
        ),
        (USUAL, "memory poisoned", "内存填毒值"),
        (
            Setting("as left", 2, "beside another"),
            "memory as left, determinism level 2, stream beside another",
            "内存沿用此前调用的遗留内容，确定性级别 2，另一条流上同时有同一调用",
        ),
        (KEPT, "the protocol kept", "遵守协议"),
        (
            Breach(size_place="null", workspace="short"),
            "size place null, workspace short",
            "存放 workspace 大小的指针为空，workspace 少一个字节",
        ),
    ],
    ids=repr,
)
def test_a_part_of_a_call(told: typing.Any, english: str, chinese: str) -> None:
    assert (repr(told), told.text, within(told.text, "zh")) == (english, english, chinese)
    assert type(repr(told)) is str


def test_a_call_with_all_that_it_finds_around_it() -> None:
    tensor = Tensor((2,), "int8", (1, 2))
    first = Case("op", "plain", "int8", {"k": 1}, {"x": tensor}, {}, setting=Setting("zeroed"))
    case = Case(
        "op",
        "plain",
        "int8",
        {"k": 2},
        {"x": tensor},
        {"y": Tensor((2,), "int8")},
        Machine(2, 1024),
        Setting("zeroed"),
        (first,),
        Breach(stream="another"),
    )
    assert repr(case).splitlines() == [
        "Case(op, plain, int8: k=2",
        "  x: int8[2] = [1, 2]",
        "  y: int8[2]",
        "  on 2 cores with 1024 B of UB",
        "  with memory zeroed",
        "  called with stream another)",
        "after these calls on the same new device:",
        "  1. op, plain, int8: k=1, x int8[2], memory zeroed",
    ]
    assert within(case.text, "zh").splitlines() == [
        "Case(op, plain, int8: k=2",
        "  x: int8[2] = [1, 2]",
        "  y: int8[2]",
        "  机器：2 核，UB 1024 字节",
        "  环境：内存清零",
        "  违反协议的调用：另一条流)",
        "此前在同一新打开的设备上依次执行了以下调用：",
        "  1. op, plain, int8: k=1, x int8[2], 内存清零",
    ]


def test_every_departure_and_every_surrounding_has_its_words() -> None:
    found = {
        (name, value)
        for name, hint in typing.get_type_hints(Breach).items()
        for value in typing.get_args(hint)
        if value != getattr(KEPT, name)
    }
    assert found == DEPARTURES.keys()
    assert MEMORIES.keys() == set(typing.get_args(surroundings.Memory))
    assert STREAMS.keys() == set(typing.get_args(surroundings.Stream))
    for (name, value), said in DEPARTURES.items():
        assert said() == f"{name.replace('_', ' ')} {value}"
    for field, words in (("memory", MEMORIES), ("stream", STREAMS)):
        assert {value: f"{field} {value}" for value in words} == {k: v() for k, v in words.items()}


def test_every_outcome_has_its_words() -> None:
    assert {one: one.value for one in Outcome} == {one: said() for one, said in OUTCOMES.items()}
