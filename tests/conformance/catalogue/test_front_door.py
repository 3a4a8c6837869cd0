"""What the front door says of a run and of what it leaves out, in both languages."""

from __future__ import annotations

import pytest

from conformance.catalogue import commands, front_door, left_out, options
from conformance.catalogue.message import Said, within

RESULT = {"cases": 1204, "seconds": 9.4, "path": "x", "shard": "", "cells": ""}


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            front_door.CARDS_FREE(cards=2, workers=3),
            "2 cards are free: 2 processes judge, not 3",
            "空闲卡 2 张：由 2 个进程判定，而非 3 个",
        ),
        (
            front_door.CARDS_FREE(cards=1, workers=3),
            "1 card is free: 1 process judges, not 3",
            "空闲卡 1 张：由 1 个进程判定，而非 3 个",
        ),
        (
            front_door.RUN(
                whom=("a", "b"),
                route="aclnn",
                profile="gate",
                seed=7,
                workloads=front_door.WORKLOAD(name="kimi_k2"),
            ),
            "run: a, b; route aclnn, profile gate, seed 7, workload kimi_k2",
            "运行：a、b；调用路径 aclnn，档位 gate，种子 7，工作负载 kimi_k2",
        ),
        (
            front_door.PULSE_FAILED(minutes=61, judged=12000, expected=13891, failed=2),
            "judging for 61 min: 12,000 of about 13,891 verdicts, 2 failed",
            "已判定 61 分钟：约 13,891 个判定中的 12,000 个，2 个未通过",
        ),
        (
            front_door.RESULT(result=front_door.FAILED(), **RESULT),
            "failed: 1,204 distinct cases in 9 s; evidence: x",
            "未通过：1,204 个不同用例，用时 9 秒；证据：x",
        ),
        (
            front_door.RESULT(
                result=front_door.ACCEPTED_IN_BUDGET(),
                **{
                    **RESULT,
                    "cells": front_door.OF_CELLS(selected=3, declared=9),
                    "shard": front_door.OF_SHARD(shard="1/2"),
                },
            ),
            "accepted as far as the budget went: 1,204 distinct cases in 3 of 9 declared cells,"
            " shard 1/2 in 9 s; evidence: x",
            "在时间预算内通过：1,204 个不同用例（已声明的 9 个单元中的 3 个），分片 1/2，"
            "用时 9 秒；证据：x",
        ),
        (
            front_door.CUT(count=6, names=("a", "b", "...")),
            "cut short by the budget: 6 items: a, b, ...",
            "因时间预算未做完：6 项：a、b、...",
        ),
        (
            front_door.ERROR(error=options.NOT_WITH(option="--json")),
            "error: does not go with --json",
            "错误：不能与 --json 同用",
        ),
        (
            left_out.OPERATOR_ELSEWHERE(
                route="kernel", operator="moe_x", reason=left_out.NO_MODE()
            ),
            "not reachable on route kernel: moe_x (none of its modes is called there)",
            "调用路径 kernel 无法到达：moe_x（该路径上没有可调用的模式）",
        ),
        (
            left_out.LEFT_OUT(
                name="moe_x",
                reason=left_out.NOT_REACHABLE(route="kernel", reason=left_out.NO_MODE()),
            ),
            "not judged: moe_x: it is not reachable on route kernel: none of its modes is called"
            " there",
            "未判定：moe_x：调用路径 kernel 无法到达：该路径上没有可调用的模式",
        ),
        (
            left_out.LEFT_OUT(name="moe_x padded", reason=left_out.OTHER_ROUTE(routes="kernel")),
            "not judged: moe_x padded: only route kernel calls it",
            "未判定：moe_x padded：仅可由调用路径 kernel 调用",
        ),
        (
            left_out.LEFT_OUT(name="moe_x", reason=left_out.NOT_IN_CHECKOUT(folder="../ops")),
            "not judged: moe_x: it is not in ../ops",
            "未判定：moe_x：../ops 中没有它",
        ),
        (
            left_out.LEFT_OUT(name="moe_x", reason=left_out.NOT_IN_PACKAGE(folder="p")),
            "not judged: moe_x: no part of it is in package p",
            "未判定：moe_x：算子包 p 中没有其任何部分",
        ),
        (
            left_out.NOT_IN_THE_PACKAGE(names=["moe_x", "moe_y"]),
            "not in the package: moe_x, moe_y",
            "算子包中没有：moe_x、moe_y",
        ),
        (
            commands.AS_WRITTEN(count=9, made="now", device="a device", seed=7, profile="gate"),
            "bundle: 9 files are as they were written now; seen on a device, seed 7 of profile"
            " gate",
            "复现包：9 个文件与 now 写入时一致；当时的设备：a device；种子 7，档位 gate",
        ),
        (
            commands.BASELINE_COUNTS(cells=4, cases=1200, calls=9, failing=2),
            "  4 cells, 1,200 cases; 9 named calls, of which 2 fail",
            "  4 个单元，1,200 个用例；9 个具名调用，其中 2 个未通过",
        ),
    ],
)
def test_a_sentence_of_the_front_door(said: Said, english: str, chinese: str) -> None:
    assert said == english
    assert within(said, "zh") == chinese
