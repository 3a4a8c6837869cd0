"""What the gate says of a run, of its baseline and of its waivers, in both languages."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from conformance.catalogue import gate, marks, waivers
from conformance.catalogue.message import Message, row, within
from conformance.errors import UsageError, text_of
from conformance.gate.facts import Key
from conformance.gate.judgement import KINDS, Finding, Judgement
from conformance.gate.merge import _moved
from conformance.gate.predicate import WrongPredicate, parse
from conformance.gate.report import annotated, gate_lines
from conformance.gate.waivers import read_waivers
from tests.conformance.gate.asking import waiver
from tests.conformance.gate.runs import failure, refused

KEY = Key(soc="A", cann="8.0", driver="none", torch_npu="none", route="aclnn", corpus="3")
NOT_JUDGED = Finding(
    kind="not judged",
    subject="moe_x",
    message=gate.ASKED_FOR(why=Message("it is not in {f}", "{f} 中没有它")(f="../ops")),
)
MANY = Judgement(
    status=1,
    verdict="rejected",
    run="r",
    device="d",
    cases=1200,
    findings=[
        NOT_JUDGED,
        *[
            Finding(kind="failure", subject=f"t[{n}]", message="m", items=("a", "b"))
            for n in range(12)
        ],
    ],
    notes=[gate.NEW_CALLS(count=n) for n in range(11)],
)


def test_both_languages_of_an_answer() -> None:
    lines = list(gate_lines(MANY))
    assert [str(lines[0]), *map(str, lines[11:13]), *map(str, lines[-2:])] == [
        "  not judged  moe_x: it was asked for: it is not in ../ops",
        "  failure     and 2 more (--json has all)",
        "note: 0 named calls are not in the baseline yet",
        "note: 1 more (--json has all)",
        "gate: rejected for not judged (1), failure (12 diagnoses of 24 items): 1,200 cases on d,"
        " without a baseline",
    ]
    told = [within(line, "zh") for line in lines]
    assert [told[0], *told[11:13], *told[-2:]] == [
        "  未判定      moe_x：要求判定它，但../ops 中没有它",
        "  失败        另有 2 条（--json 列出全部）",
        "说明：0 个具名调用尚未纳入基线",
        "说明：另有 1 条（--json 列出全部）",
        "门禁：拒绝，原因：未判定（1）、失败（12 种诊断，24 个测试项）；1,200 个用例，设备：d，"
        "无基线",
    ]


def test_programs_are_told_in_english() -> None:
    assert "::error title=not judged%3A moe_x::it was asked for" in annotated(MANY, "github")
    assert "not judged: moe_x: it was asked for: it is not" in annotated(MANY, "gitlab")
    assert b'"kind":"not judged"' in msgspec.json.encode(MANY, enc_hook=str)


def test_every_kind_has_words_of_its_own() -> None:
    for language in ("en", "zh"):
        assert len({words().within(language) for words in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (
            waivers.TOO_BROAD(accepted=1, refused=2, example="m float16; n=3; x 2x4"),
            "covers 1 accepted case beside 2 failed ones, such as m float16; n=3; x 2x4: say more"
            " exactly when it fails, or mark it intermittent",
            "除 2 个未通过的用例外，还涵盖 1 个通过的用例，如 m float16; n=3; x 2x4："
            "请更准确地说明何时失败，或标为 intermittent",
        ),
        (
            waivers.UNMATCHED(count=1200),
            "excuses nothing: it covers no failure and 1,200 accepted cases; remove it",
            "未豁免任何失败：它没有涵盖失败的用例，涵盖的通过用例有 1,200 个；请删除",
        ),
        (
            gate.UNSEEN(
                what=marks.AND_MORE(names=row(["axis a", "edge 3"], marks.SEMICOLON), count=2)
            ),
            "no judged case shows axis a; edge 3 and 2 more",
            "没有已判定的用例体现：axis a；edge 3，另有 2 项",
        ),
        (
            "m." + gate.MORE_ITEMS(count=1, items=("a",)),
            "m. 1 more item of the same diagnosis: a",
            "m.同一诊断另有 1 个测试项：a",
        ),
        (KEY.words, "A, CANN 8.0, route aclnn, corpus 3", "A、CANN 8.0、调用路径 aclnn、用例集 3"),
        (
            marks.NAMES(names=KEY.differences(msgspec.structs.replace(KEY, soc="B", route="npu"))),
            "SoC B -> A, route npu -> aclnn",
            "SoC B -> A、调用路径 npu -> aclnn",
        ),
    ],
)
def test_both_languages(said: str, english: str, chinese: str) -> None:
    assert said == english
    assert within(said, "zh") == chinese


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        (
            "mode",
            "'mode' at column 1: says nothing: compare it with a value",
            "第 1 列的 'mode'：没有表达条件：请与某个值比较",
        ),
        (
            "x.y == 1",
            "'x.y' at column 1: a tensor has shape, size, rank; a level is level.AXIS",
            "第 1 列的 'x.y'：张量有 shape、size、rank；水平写作 level.AXIS",
        ),
    ],
)
def test_a_wrong_predicate_is_told_in_both(text: str, english: str, chinese: str) -> None:
    with pytest.raises(WrongPredicate) as raised:
        parse(text)
    assert str(raised.value) == english
    assert within(text_of(raised.value), "zh") == chinese


def test_a_wrong_waiver_is_told_in_both(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(waiver(where="mode"))
    with pytest.raises(UsageError) as raised:
        read_waivers(path)
    assert within(raised.value.text, "zh") == (
        f"{path} 的 where 为 'mode'：豁免项 1：第 1 列的 'mode'：没有表达条件：请与某个值比较"
        "（docs/how-to/gate.md）"
    )


def test_a_failure_that_moves_keeps_both_languages(tmp_path: Path) -> None:
    line = refused()
    replay = Message("replay: {command}", "复现命令：{command}")
    commands = [
        f"c run --case a/failures/{line.digest}/case.json",
        f"c replay a/failures/{line.digest}/larger --device sim",
        f"c replay 'b c/failures/{line.digest}'",
        "c replay elsewhere",
    ]
    text = row(["h", *["  " + replay(command=one) for one in commands]], "\n")
    moved = _moved(failure(line, text=text), tmp_path)
    place = tmp_path / "failures" / line.digest
    told = [
        f"c run --case {place}/case.json",
        f"c replay {place}/larger --device sim",
        f"c replay {place}",
        "c replay elsewhere",
    ]
    assert moved.text == "\n".join(["h", *[f"  replay: {one}" for one in told]])
    assert within(moved.text, "zh") == "\n".join(["h", *[f"  复现命令：{one}" for one in told]])
