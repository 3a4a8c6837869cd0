"""The language of waivers: what it says, what it refuses, and at which word and column."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.gate.predicate import WrongPredicate, names_of, parse, unknown

CASE = names_of(
    {"top_k": 2, "range": (3, 9), "null": None, "eps": 1e-06, "scale": math.inf, "no": math.nan},
    {"tokens": (2000, 17), "scalar": ()},
    {"routing": ("ties", "skewed")},
    {"mode": "tail", "dtype": "float16", "cores": 4},
)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('mode == "tail"', True),
        ('mode != "tail"', False),
        ('mode in ["head", "tail"] and dtype not in ("float32",)', True),
        ("tokens.shape[0] > 1024", True),
        ("tokens.shape[-1] % 16 != 0", True),
        ("tokens.size == 2000 * 17 and tokens.rank == 2", True),
        ("scalar.size == 1 and scalar.rank == 0", True),
        ("1 < top_k <= 2 < cores", True),
        ("not top_k == 2", False),
        ("range[0] + 6 == range[1]", True),
        ("-top_k < 0", True),
        ("eps == 1e-6", True),
        ("0.5 * top_k - eps < 1.0", True),
        ("scale > 1e18", True),
        ("no == no or no < 1", False),
        ('"ties" in level.routing', True),
        ('"dense" in level.routing', False),
        ('mode == "tail"\n  and top_k == 2', True),
    ],
)
def test_a_predicate_compares_what_a_case_is(text: str, holds: bool) -> None:
    assert parse(text).holds(CASE) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("absent == 1", None),
        ("null == 1", None),
        ("range[7] == 1", None),
        ("tokens.shape[2] > 0", None),
        ("top_k % (top_k - 2) == 0", None),
        ("not absent == 1", None),
        ("absent == 1 and top_k == 2", None),
        ("absent == 1 and top_k == 3", False),
        ("absent == 1 or top_k == 2", True),
        ("1 < absent < 0", None),
        ("absent in [1, 2]", None),
    ],
)
def test_what_a_case_has_not_got_is_unknown_and_spoils_only_what_hangs_on_it(
    text: str, holds: bool | None
) -> None:
    assert parse(text).holds(CASE) is holds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'the end' at column 1: "),
        ("top_k ==", "at column 9: "),
        ("top_k == 1 =", "'=' at column 12: "),
        (
            '__import__("os").system("x") == 1',
            "\"__import__('os').system('x')\" at column 1: is not",
        ),
        ("tokens.__class__ == 1", "'tokens.__class__' at column 1: a tensor has shape, size, rank"),
        ("a.b.size == 1", "'a.b.size' at column 1: is no name"),
        ("(lambda: 1)() == 1", "at column 1: is not of the language"),
        ("[x for x in range] == 1", "at column 1: is not of the language"),
        ("top_k ** 9 == 1", "'top_k ** 9' at column 1: is not of the language"),
        ("range[top_k] == 1", "'range[top_k]' at column 1: is not of the language"),
        ("top_k is 1", "allowed comparisons: == != < <= > >= in, not in"),
        ("top_k == 1.5j", "'1.5j' at column 10: allowed values: numbers and texts"),
        ("top_k == 1e400", "at column 10: is larger than any size"),
        ("top_k == 99999999999999999999", "at column 10: is larger than any size"),
        ("top_k", "'top_k' at column 1: says nothing: compare it with a value"),
        ("True", "'True' at column 1: says nothing: compare it with a value"),
        ("not " * 60 + "top_k == 1", "is nested deeper than 40"),
        ("(" * 500 + "1" + ")" * 500 + " == 1", "a predicate has at most 1000 characters"),
    ],
)
def test_what_is_not_of_the_language_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(WrongPredicate) as told:
        parse(text)
    assert words in str(told.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mode < 3", "'3' at column 8: 3 cannot be compared with 'tail' in this way"),
        ('top_k + "a" == 1', "\"'a'\" at column 9: 'a' is no number to reckon with"),
        ("top_k in 3", "'3' at column 10: 3 cannot be compared with 2 in this way"),
        ("4611686018427387904 * 4 * 4 == 1", "is no number to reckon with"),
    ],
)
def test_values_that_do_not_go_together_are_told(text: str, words: str) -> None:
    with pytest.raises(WrongPredicate) as told:
        parse(text).holds(CASE)
    assert words in str(told.value)


def test_a_name_that_no_case_has_is_told_with_those_that_there_are() -> None:
    predicate = parse("top_k == 1 and topk == 2")
    assert unknown(predicate, ["top_k", "mode"]) == (
        "'topk' at column 16 is no name of these cases; known: mode, top_k"
    )
    assert unknown(parse("top_k == 1"), ["top_k"]) == ""


@given(st.text(alphabet="()[]'\"=<>!+-*%. \\\n\0abtop_k019and", max_size=60))
def test_any_text_is_a_predicate_or_refused(text: str) -> None:
    try:
        found: Any = parse(text).holds(CASE)
    except WrongPredicate:
        return
    assert found in (True, False, None)
