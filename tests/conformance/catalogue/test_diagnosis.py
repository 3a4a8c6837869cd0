"""What is found and guessed of wrong elements is told in both languages."""

from __future__ import annotations

import re

import numpy as np
import pytest

from conformance.catalogue import guess, memory, mistakes_of_moves, mistakes_of_terms
from conformance.catalogue import mistakes_of_values as values
from conformance.catalogue.message import within
from conformance.diagnosis.arithmetic import predictions
from conformance.diagnosis.guesses import diagnose
from conformance.diagnosis.indexing import misread
from conformance.diagnosis.lost_terms import left_out
from conformance.diagnosis.mistake import of_rows
from conformance.diagnosis.movement import Moved
from conformance.diagnosis.movement import guesses as of_moved
from conformance.diagnosis.origins import origins
from conformance.diagnosis.pattern import pattern
from conformance.diagnosis.sources import decoded
from conformance.diagnosis.subject import Subject, sample_of
from conformance.diagnosis.weighing import weighed
from conformance.numerics.addends import Rule
from conformance.numerics.sources import Sources
from reference.floats import FP16, FP32, to_bits
from reference.terms import Terms
from tests.conformance.diagnosis.subjects import (
    HIDDEN,
    SLOTS,
    TOKENS,
    coded,
    right_rows,
    source,
    subject,
    summed,
)

ENGLISH = re.compile(r"\b(?!argsort|rank|bias|fp16|fp32|bf16)[a-z]{3,}\b")
ROWS = right_rows()
ALL = slice(None)


def wrong(*windows: tuple[object, object], shape: tuple[int, int] = (400, 16)) -> str:
    made = np.zeros(shape, np.bool_)
    for window in windows:
        made[window] = True
    return pattern(made, 2)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            guess.GUESS(words=mistakes_of_terms.SLOT_LEFT_OUT(slot=3)),
            "guess: slot 3 is left out",
            "推测：漏加槽 3",
        ),
        (
            guess.GUESS(words=values.NEXT_ABOVE()),
            "guess: every value is the next one above the right one",
            "推测：每个值都是正确值上方的相邻值",
        ),
        (
            guess.GUESS(words=mistakes_of_moves.SHIFTED(sign="-", step=2)),
            "guess: row r holds what belongs in row r - 2",
            "推测：第 r 行写入了第 r-2 行的内容（整体错位）",
        ),
        (
            memory.READ_FROM(
                where=memory.INPUT_GAPS(), count=4, size=5, held=memory.PATTERN(value=0x7FF9)
            ),
            "read from the gaps between the elements of an input: 4 of 5 wrong elements hold"
            " 0x7ff9",
            "读自输入元素之间的空隙：5 个错误元素中有 4 个为 0x7ff9",
        ),
        (
            memory.READ_FROM(
                where=memory.WORKSPACE(),
                count=2,
                size=2,
                held=memory.MULTIPLE(times=2, index=0x7FE37FE3),
            ),
            "read from a workspace that nobody wrote: 2 of 2 wrong elements are 2 times 0x7fe37fe3"
            " and less than 2 more",
            "读自未写过的工作区：2 个错误元素中有 2 个为 0x7fe37fe3 的 2 倍并加上不到 2 的数",
        ),
        (
            guess.EXPLAINS_ALL(
                words=of_rows(
                    [
                        mistakes_of_terms.SLOT_READS(
                            slot=2, row=0, seen="bias[0, 3]", right="bias[1, 3]"
                        )
                    ],
                    5,
                ),
                wrong=40,
            ),
            "guess: slot 2 of row 0 reads bias[0, 3], not bias[1, 3]; so do 4 more rows"
            " (explains all 40 wrong elements looked at)",
            "推测：第 0 行的槽 2 读取了 bias[0, 3]，而非 bias[1, 3]；另有 4 行亦然"
            "（可解释抽查的全部 40 个错误元素）",
        ),
        (wrong((ALL, ALL)), "all elements", "全部元素"),
        (wrong((3, 5)), "one element, row 3, column 5", "一个元素，第 3 行第 5 列"),
        (
            wrong((ALL, slice(12, 14))),
            "columns 12..13 of every row",
            "每行的第 12–13 列",
        ),
        (
            wrong((np.arange(1, 16, 2), ALL), (np.arange(398, 400), ALL)),
            "whole rows 1, 3, 5, 7, 9, 11 and 4 more",
            "整行错误：第 1、3、5、7、9、11 行及另外 4 行",
        ),
        (
            wrong((np.arange(2, 400, 16), ALL)),
            "whole rows 2, 18, 34, 50, 66, 82 and 19 more, every 16th row from row 2 on",
            "整行错误：第 2、18、34、50、66、82 行及另外 19 行，即自第 2 行起每 16 行一行",
        ),
        (
            wrong((slice(398, 400), ALL)),
            "whole rows 398..399, the last ones",
            "整行错误：第 398–399 行，即末尾各行",
        ),
        (
            wrong((2, slice(3, None)), (3, slice(0, 4))),
            "one run of 17 elements in memory order, from row 2, column 3 to row 3, column 3",
            "按内存顺序连续的 17 个元素，自第 2 行第 3 列至第 3 行第 3 列",
        ),
    ],
)
def test_what_is_said(said: str, english: str, chinese: str) -> None:
    assert said == english
    assert within(said, "zh") == chinese


def weighted() -> Subject:
    """A sum with coefficients, over rows of two tensors; all of it is wrong."""
    x = source("gaussian", FP16)
    half = len(x) // 2
    slots = [np.random.default_rng(slot).permutation(half)[:TOKENS] for slot in range(4)]
    rows = np.stack(slots, axis=1) + np.array([0, 0, half, half])
    rows[::3, 1] = -1
    weights = np.random.default_rng(5).standard_normal(rows.shape).astype(np.float16)
    terms = Terms(rows, "x", weights, under=("bias",))
    parts = {"x": x[:half], "bias": x[half:]}
    sources = Sources.of(terms, parts)
    held, given = sources.gathered(parts)
    return Subject(
        "y",
        np.ones((TOKENS, HIDDEN), np.bool_),
        np.zeros((TOKENS, HIDDEN), np.uint16),
        given,
        held,
        Rule(FP32, FP16, FP16, FP16),
        sources=sources,
    )


def test_every_known_mistake_of_a_sum_is_told_in_chinese() -> None:
    x = source("gaussian", FP16)
    plain = subject(to_bits(np.zeros((TOKENS, HIDDEN)), FP16), x, np.where(ROWS % 5, ROWS, -1))
    words = {
        mistake.words
        for made in (plain, weighted())
        for variants in (
            predictions(made, sample_of(made)),
            left_out(made),
            misread(made),
            weighed(made),
        )
        for mistake, _ in variants
    }
    assert len(words) > 110
    told = {one: within(one, "zh") for one in words}
    assert {one: chinese for one, chinese in told.items() if ENGLISH.search(chinese)} == {}
    assert len(set(told.values())) == len(words)


@pytest.mark.parametrize("name", ["left out", "another row", "coefficients", "decoded"])
def test_what_is_found_in_single_rows_is_told_in_chinese(name: str) -> None:
    x = source("address" if name == "decoded" else "gaussian", FP16, rows=TOKENS * SLOTS + 4)
    observed = summed(x, ROWS)
    other = ROWS.copy()
    other[4, 1] = 37
    if name == "left out":
        other[4, 1] = -1
    if name == "coefficients":
        other[4] = ROWS[7]
    observed[4] = summed(x, other)[4]
    made = subject(observed, x, ROWS, FP16, **coded() if name == "decoded" else {})
    found = [diagnose(made).pattern, *diagnose(made).guesses.every]
    assert len(found) > 1
    assert len(list(decoded(made))) == (name == "decoded")
    assert [one for one in found if ENGLISH.search(within(one, "zh"))] == []


def test_what_is_guessed_of_moved_values_is_told_in_chinese() -> None:
    values_of_rows = np.random.default_rng(0).integers(1, 2**16, (24, 10)).astype(np.uint16)
    ranks = np.random.default_rng(1).permutation(24).astype(np.int32)
    found: list[str] = []
    for expected, seen in (
        (values_of_rows, np.roll(values_of_rows, 1, axis=0)),
        (values_of_rows, values_of_rows[::-1].copy()),
        (values_of_rows, np.roll(values_of_rows, -2, axis=1)),
        (values_of_rows, values_of_rows & 0xFF),
        (values_of_rows, np.zeros_like(values_of_rows)),
        (ranks, np.argsort(ranks).astype(np.int32)),
        (ranks, ranks + 2),
        (np.cumsum(ranks).astype(np.int32), ranks),
        (ranks, np.arange(24, dtype=np.int32)),
    ):
        storage = FP16 if expected.dtype == np.uint16 else None
        moved = Moved(expected, seen, expected != seen, storage, inputs={"x": values_of_rows})
        told = list(of_moved(moved))
        assert told
        found += told
    found += origins(np.full(8, 0x7FFB, np.uint16).view(np.float16), np.ones(8, np.bool_))
    assert [one for one in found if ENGLISH.search(within(one, "zh"))] == []
