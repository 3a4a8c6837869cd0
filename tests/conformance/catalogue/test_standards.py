"""What published standards say, and what is said of frozen cases, in both languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conformance.catalogue.message import within
from conformance.errors import UsageError
from conformance.frozen.corpus import read_corpus
from conformance.standards import STANDARDS
from conformance.standards.comparison import Kind
from conformance.standards.standard import Ruling
from conformance.standards.table import Disagreement

GOLDEN = np.ones(4)


@pytest.mark.parametrize(
    ("name", "output", "english", "chinese"),
    [
        (
            "ecosystem-v1",
            np.array([1, 1, 1, 3], np.float32),
            "MERE 0.5 not < 0.00012207, MARE 2 not < 0.0012207",
            "MERE 0.5 不满足 < 0.00012207；MARE 2 不满足 < 0.0012207",
        ),
        (
            "ecosystem-v1",
            np.array([1, 1, 1, np.nan], np.float32),
            "1 NaN or Inf unlike the golden",
            "1 个 NaN 或 Inf 与 golden 不同",
        ),
        (
            "commercial-l0",
            np.ones(4, np.float32),
            "compares with a same-dtype benchmark, none was given",
            "须与同数据类型的标杆比较，而未给出标杆",
        ),
        (
            "commercial-move",
            np.ones(4, np.float32),
            "not for computed floats of float32",
            "不适用于 float32 的计算所得的浮点数",
        ),
    ],
)
def test_a_ruling(name: str, output: np.ndarray, english: str, chinese: str) -> None:
    sentence = STANDARDS[name].judge(output, GOLDEN).sentence
    assert sentence == english
    assert within(sentence, "zh") == chinese


@pytest.mark.parametrize(
    ("words", "english", "chinese"),
    [
        (
            STANDARDS["ecosystem-v2"].data_words,
            "half the cases uniform in [-5, 5], half normal with mean in [-5, 5], deviation in"
            " [0.1, 2]; one input in 16 is all nan, inf, -inf, -inf/inf",
            "半数用例在 [-5, 5] 均匀分布，半数正态分布，均值在 [-5, 5]，标准差在 [0.1, 2]；每 16"
            " 个输入有一个全为 nan、inf、-inf、-inf/inf",
        ),
        (
            STANDARDS["commercial-l1"].source,
            "opbase, docs/zh/ops_precision_standard/commercial_standard.md, section 4.5, level L1",
            "opbase, docs/zh/ops_precision_standard/commercial_standard.md，第 4.5 节，级别 L1",
        ),
        (
            STANDARDS["commercial-l1"].version,
            "2026-04-09 (6049643), withdrawn 2026-04-22 (8b296c7)",
            "2026-04-09 (6049643)，已撤回：2026-04-22 (8b296c7)",
        ),
        (
            Disagreement(("a", "b"), ("c",), ("d",)).words,
            "the standards disagree: a, b accept; c reject; d ask for a person",
            "各标准不一致：a、b 通过；c 不通过；d 须人工分析",
        ),
        (Ruling.SILENT.words, "says nothing", "未作规定"),
        (Kind.MOVED.words, "moved or cast values", "搬运或转换的值"),
    ],
)
def test_words(words: str, english: str, chinese: str) -> None:
    assert words == english
    assert within(words, "zh") == chinese


def test_a_corpus_that_is_none_is_told_in_both(tmp_path: Path) -> None:
    (tmp_path / "corpus.json").mkdir()
    with pytest.raises(UsageError) as raised:
        read_corpus(tmp_path)
    assert str(raised.value).endswith(": cannot be read: it is a folder, no plain file")
    assert within(raised.value.text, "zh").endswith("：无法读取：是文件夹，不是普通文件")
