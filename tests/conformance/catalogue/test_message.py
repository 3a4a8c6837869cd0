"""What is said is English to all code, and Chinese to whom it is shown so."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from conformance import catalogue
from conformance.catalogue.message import KNOWN, Message, Said, packed, row, unpacked, within
from conformance.printable import printable

ROWS = Message("{count:,} {count:row is|rows are} wrong: {rows}", "{count:,} 行错误：{rows}")
SLOT = Message("slot {slot}", "槽 {slot}")
IN = Message("in {what}, of {name}", "{name} 的 {what} 中")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, message in (("test.rows", ROWS), ("test.slot", SLOT), ("test.in", IN)):
        monkeypatch.setitem(KNOWN, name, message)
        monkeypatch.setattr(message, "id", name)


def test_what_is_said_is_its_english() -> None:
    said = ROWS(count=1200, rows=(3, 4))
    assert said == "1,200 rows are wrong: 3, 4"
    assert said.within("zh") == "1,200 行错误：3、4"


def test_one_thing_has_its_own_word() -> None:
    assert ROWS(count=1, rows=(3,)) == "1 row is wrong: 3"


def test_an_argument_may_be_said_itself() -> None:
    said = IN(what=SLOT(slot=2), name="y")
    assert said == "in slot 2, of y"
    assert said.within("zh") == "y 的 槽 2 中"
    assert ROWS(count=2, rows=(SLOT(slot=1), SLOT(slot=2))).within("zh") == "2 行错误：槽 1、槽 2"


def test_a_field_without_its_argument_is_an_error() -> None:
    for wrong in ({}, {"row": 2}, {"slot": 1, "row": 2}):
        with pytest.raises(TypeError, match="slot"):
            SLOT(**wrong)


def test_what_is_said_fills_the_columns_of_a_terminal() -> None:
    line = Message("{kind:{width}}|", "{kind:{width}}|")
    assert line(kind=SLOT(slot=1), width=7) == "slot 1 |"
    assert line(kind=SLOT(slot=1), width=7).within("zh") == "槽 1   |"
    assert line(kind=SLOT(slot=12345), width=7) == "slot 12345|"
    assert line(kind="x", width=3) == "x  |"


def test_a_sum_keeps_both_languages() -> None:
    said = "  " + SLOT(slot=1) + "; " + SLOT(slot=2)
    assert said == "  slot 1; slot 2"
    assert said.within("zh") == "  槽 1; 槽 2"


def test_a_row_has_words_between_its_parts() -> None:
    said = row(["y", SLOT(slot=1)], Message(": ", "："))
    assert said == "y: slot 1"
    assert within(said, "zh") == "y：槽 1"
    assert type(row(["a", "b"], ", ")) is str


def test_lines_keep_both_languages() -> None:
    text = row([SLOT(slot=1), "  plain", "", "  " + SLOT(slot=2)], "\n")
    assert text.splitlines() == str(text).split("\n")
    assert [within(line, "zh") for line in text.splitlines()] == ["槽 1", "  plain", "", "  槽 2"]
    assert within(text.splitlines()[3].removeprefix("  "), "zh") == "槽 2"
    assert text.splitlines()[3].removeprefix("  slot ") == "2"
    assert within(text.splitlines()[0].removeprefix("row "), "zh") == "槽 1"
    assert text.splitlines(keepends=True)[0] == "slot 1\n"


def test_what_is_quoted_is_changed_in_both_languages() -> None:
    text = "a-b " + IN(what=SLOT(slot=2), name=("a-b", 3))
    said = text.translate({ord("-"): "?"})
    assert said == "a?b in slot 2, of a?b, 3"
    assert within(said, "zh") == "a?b a?b、3 的 槽 2 中"
    assert within(printable(IN(what="\n\x1b", name="x")), "zh") == "x 的 \n? 中"


@pytest.mark.parametrize(
    "said",
    [
        "plain",
        SLOT(slot=1),
        SLOT(slot=np.int64(7)),
        SLOT(slot=Path("a/b")),
        "  " + SLOT(slot=1) + "\n",
        IN(what=SLOT(slot=2), name=("a", SLOT(slot=3))),
    ],
)
def test_json_and_other_processes_have_the_same(said: str) -> None:
    for copy in (unpacked(json.loads(json.dumps(packed(said)))), pickle.loads(pickle.dumps(said))):
        assert copy == said
        assert within(copy, "zh") == within(said, "zh")


def test_a_message_outside_of_the_catalogue_is_kept_as_english() -> None:
    assert packed(Message("a", "一")()) == "a"


def test_an_unknown_id_is_an_error() -> None:
    with pytest.raises(LookupError):
        unpacked({"id": "no.such"})


def test_every_message_of_the_catalogue_has_an_id_of_its_own() -> None:
    assert len(catalogue.MODULES) > 0
    names = [
        f"{module.__name__.rpartition('.')[2]}.{name.lower()}"
        for module in catalogue.MODULES
        for name, value in vars(module).items()
        if isinstance(value, Message)
    ]
    own = [name for name in KNOWN if not name.startswith("test.")]
    assert sorted(own) == sorted(names)
    assert all(KNOWN[name].id == name for name in own)


def test_both_languages_of_a_message_have_the_same_fields() -> None:
    for name, message in KNOWN.items():
        assert message.fields("zh") == message.fields("en"), name


def test_no_message_is_of_several_lines() -> None:
    assert [name for name, one in KNOWN.items() if any("\n" in w for w in one.words.values())] == []


def test_a_said_is_a_string_to_whom_it_is_written() -> None:
    assert f"{SLOT(slot=1)}" == "slot 1"
    assert not isinstance(f"{SLOT(slot=1)}", Said)
