"""Advice is known by its exact words, all that the simulated machine gives, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.catalogue import advice
from conformance.catalogue.advice import advised
from conformance.catalogue.message import Message, within
from conformance.devices.forbidden import ADVICE as ADVICE_ON_CALLS

LANGUAGE = Path(__file__).parents[3] / "device_kernels" / "simulator" / "language" / "engine"
TABLE = LANGUAGE / "report" / "diagnostics.cpp"
MEMORY = LANGUAGE / "memory" / "global_memory.h"
CODE, WORDS = r'\{"([a-z-]+)", "\w+",', r'\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}'

MESSAGES = {name: one for name, one in vars(advice).items() if isinstance(one, Message)}
ON_CALLS = {one.words["en"] for one in ADVICE_ON_CALLS.values()}


def test_the_catalogue_has_the_advice_of_the_machine_by_its_code() -> None:
    table = TABLE.read_text().partition("kRules[] = {")[2].partition("static_assert")[0]
    given = {
        code: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words))
        for code, words in re.findall(CODE + WORDS, table)
    }
    assert len(given) > 40
    assert {code: MESSAGES[_name(code)].words["en"] for code in given} == given


def test_the_catalogue_has_no_advice_that_nobody_gives() -> None:
    table = TABLE.read_text().partition("kRules[] = {")[2].partition("static_assert")[0]
    names = {_name(code) for code in re.findall(CODE, table)}
    beside = re.findall(r'kWriteWorkspace =\s*"(.*)";', MEMORY.read_text())
    rest = {one.words["en"] for name, one in MESSAGES.items() if name not in names}
    assert rest == {*beside, *ON_CALLS}


def test_advice_is_known_by_its_exact_words() -> None:
    for english in (one.words["en"] for one in MESSAGES.values()):
        assert advised(english) == english
        assert within(advised(english), "zh") != english
    assert within(advised("Cut the tail."), "zh") == "Cut the tail."


def _name(code: str) -> str:
    return code.upper().replace("-", "_")
