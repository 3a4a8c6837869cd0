"""What is said of the folder of a run, of its files, and of what was called, in both languages."""

from __future__ import annotations

import pytest

from conformance.catalogue import corrupted, files, folder_of_run, implementation
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row, within
from conformance.errors import text_of
from conformance.evidence.chain import Follower, Link
from conformance.evidence.implementation import Implementation, absent, compared
from conformance.evidence.items import items_in_words
from conformance.evidence.reading import CannotJudge

SUITE = Implementation(source="suite", libraries={"libopapi.so": "a" * 64})
LIBRARIES = Implementation(source="libraries", place="/opt/l", libraries={"libopapi.so": "b" * 64})


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            files.NOT_PLAIN(kind=files.FOLDER()),
            "it is a folder, no plain file",
            "是文件夹，不是普通文件",
        ),
        (
            files.TOO_LARGE(size=1200, most=1000),
            "it has 1,200 bytes; at most 1,000 are read",
            "有 1,200 字节，最多读取 1,000 字节",
        ),
        (
            corrupted.OTHER_FIGURES(
                cell="op-mode-float16",
                told=corrupted.NOTHING(),
                counted=corrupted.FIGURES(cases=2, failed=1, exact=3, elements=4),
            ),
            "of op-mode-float16 the summary has nothing, the lines of its verdicts have 2 cases, 1"
            " failed, 3 of 4 elements bit-exact",
            "关于 op-mode-float16，汇总为：无；各行判定为：2 个用例，1 个未通过，4 个元素中 3"
            " 个逐位一致",
        ),
        (
            corrupted.OTHER_ITEMS(asked=items_in_words(["a"]), told=items_in_words(["a", "b"])),
            "the run had 1 items, ca978112, and it is told what became of 2 items, 7e18f737",
            "运行有 1 个测试项（ca978112），而有结果的是 2 个测试项（7e18f737）",
        ),
        (
            folder_of_run.INCOMPLETE(
                what=folder_of_run.RUN_LACKS(
                    status="incomplete",
                    missing=row(
                        [
                            folder_of_run.CUT_SHORT(count=4, items=["a", "b", "c", "..."]),
                            folder_of_run.UNREACHED(count=1, items=["d"]),
                        ],
                        SEMICOLON,
                    ),
                )
            ),
            "incomplete: the run is incomplete: 4 cut short (a, b, c, ...); 1 not reached (d)",
            "未完成：运行状态为 incomplete：4 项被截断（a、b、c、...）；1 项未执行（d）",
        ),
        (
            SUITE.words,
            "the suite's own kernels (libopapi.so sha256 aaaaaaaaaaaaaaaa)",
            "套件自带的 kernel（libopapi.so sha256 aaaaaaaaaaaaaaaa）",
        ),
        (
            compared(SUITE, LIBRARIES),
            "another implementation: the libraries in /opt/l (libopapi.so sha256 bbbbbbbbbbbbbbbb)"
            " instead of the suite's own kernels (libopapi.so sha256 aaaaaaaaaaaaaaaa)",
            "并非同一实现：库目录 /opt/l（libopapi.so sha256 bbbbbbbbbbbbbbbb），而非"
            " 套件自带的 kernel（libopapi.so sha256 aaaaaaaaaaaaaaaa）",
        ),
        (
            compared(SUITE, Implementation(source="suite", libraries={"libascendcl.so": "c"})),
            "rebuilt since: libopapi.so was aaaaaaaaaaaaaaaa, is not there; libascendcl.so was not"
            " there, is c",
            "此后已重新编译：libopapi.so 原为 aaaaaaaaaaaaaaaa，现已不存在；libascendcl.so"
            " 原先没有，现为 c",
        ),
        (
            text_of(absent(LIBRARIES, implementation.IN_THE_BUNDLE())),
            "the implementation that failed is not here: the libraries in /opt/l (libopapi.so"
            " sha256 bbbbbbbbbbbbbbbb): the folder lies in the bundle. Name it by --libraries, or"
            " name another one by --libraries, --package, --kernels, --implementation or"
            " --own-kernels (the suite's own)",
            "此处没有当时失败的实现：库目录 /opt/l（libopapi.so sha256 bbbbbbbbbbbbbbbb）："
            "该目录位于复现包内。用 --libraries 指明它，或用 --libraries、--package、--kernels、"
            "--implementation、--own-kernels 指明另一实现（最后一项为套件自带）",
        ),
    ],
)
def test_both_languages(said: str, english: str, chinese: str) -> None:
    assert said == english
    assert within(said, "zh") == chinese


def test_a_chain_tells_what_is_missing() -> None:
    follower = Follower("evidence.main.jsonl")
    lost = follower.close(Link(2, "ab"))
    assert lost == "evidence.main.jsonl: lines 1 to 2 of the run are missing at its end"
    assert within(lost, "zh") == "evidence.main.jsonl：末尾缺少运行的第 1 至 2 行"
    bare = follower.take(1, b"{}\n")
    assert bare == (
        "evidence.main.jsonl, line 1: it has no link to the line before: no run wrote it"
    )
    assert within(bare, "zh") == ("evidence.main.jsonl 第 1 行：没有与上一行的链接：并非运行所写")


def test_reasons_why_a_run_cannot_be_judged_are_one_text() -> None:
    error = CannotJudge(folder_of_run.EMPTY(), folder_of_run.NO_DEVICE())
    assert str(error) == (
        "empty: no case was judged; no device: the evidence does not say what was judged"
    )
    assert within(text_of(error), "zh") == (
        "空：没有判定任何用例；没有设备：证据没有说明判定了什么"
    )
