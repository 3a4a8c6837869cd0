"""The report of a run: it tells what its evidence says, in two languages, and trusts no text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue import device
from conformance.catalogue import page as catalogue
from conformance.catalogue.message import LANGUAGES, Message
from conformance.cli import html
from conformance.cli.main import main
from conformance.evidence.coverage import Coverage, Further
from conformance.evidence.lines import DeviceLine, FailureLine
from conformance.evidence.summary import Cell, Evidence
from tests.conformance.gate.runs import every_cell, refused, run, verdict

REPLAY = "python -m conformance run --case 'a folder/<case>&.json' --device sim"
HOSTILE = "</pre><script>alert(1)</script><img src=http://x.invalid/ onerror=alert(1)>"


LINK = "https://github.com/owner/kernels/issues/12"


def failed_run(name: str = "copying", links: Sequence[str] = ()) -> Evidence:
    failure = FailureLine(
        worker="main",
        item=f"cases/test_values.py::test_values[{name}-plain-float32]",
        operator=name,
        mode="plain",
        dtype="float32",
        digest="0",
        case="failures/0/case.json",
        headline=f"{name} is wrong in 3 of 4 rows",
        text=f"headline\n  behaves like: {name}\n  reported: {LINK}\n  replay: {REPLAY}",
        links=list(links),
    )
    cells = [Cell(operator=name, mode="plain", dtype="float32", cases=7, failed=1)]
    return Evidence(
        status="finished", exit_status=1, cases=7, cells=cells, failures=[failure], declared=1
    )


class Elements(HTMLParser):
    """The tags of a page, and the text of its replay lines."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.replays: list[str] = []
        self.addresses: list[str] = []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = ("class", "replay") in attrs
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.replays.append(data)


def of(page: str, heading: str) -> int:
    """The place of a section in a page."""
    return page.index(f'<h2 id="{heading}">')


@pytest.mark.parametrize("language", LANGUAGES)
def test_failures_come_first_and_where_verdicts_come_from_last(language: str) -> None:
    evidence = failed_run()
    evidence.provenance = {"git": {"commit": "c0ffee", "clean": False}}
    page = html.render(evidence, language)
    assert of(page, "failures") < of(page, "matrix") < of(page, "coverage") < of(page, "sources")


def test_a_run_without_failures_has_no_heading_for_them() -> None:
    page = html.render(Evidence(exit_status=0, status="finished", cases=3))
    assert '<h2 id="failures">' not in page
    assert "No failures." in page


def test_command_commit_libraries_and_host_of_a_run_are_told() -> None:
    opened = DeviceLine(
        worker="gw0",
        description="a device",
        profile={"cann": "8.5.0", "soc": "S1", "libraries": {"libone.so": {"sha256": "ab" * 32}}},
    )
    told = {
        "command": "python -m conformance run --seed '7 & 8'",
        "git": {"commit": "c0ffee", "clean": False},
        "platform": "Linux x86_64",
        "python": "3.11.7",
        "packages": {"numpy": "2.4.6"},
        "sources": "dead",
    }
    page = html.render(Evidence(provenance=told, devices=[opened]))
    for words in (
        "run --seed &#39;7 &amp; 8&#39;",
        "c0ffee",
        "has changes that are in no commit",
        "8.5.0",
        "S1",
        "Linux x86_64",
        "python 3.11.7, numpy 2.4.6",
        "libone.so",
        "ab" * 32,
        "dead",
    ):
        assert words in page
    clean = {**told, "git": {"commit": "c0ffee", "clean": True}}
    assert "no commit" not in html.render(Evidence(provenance=clean, devices=[opened]))


def test_devices_and_errors_are_in_the_language_of_the_page() -> None:
    words = device.DESCRIBED(name=device.SIMULATED(soc="S1"), cores=48)
    opened = DeviceLine(worker="gw0", description=words, profile={})
    evidence = Evidence(devices=[opened], errors={"an item": words})
    assert html.render(evidence, "zh").count("模拟 S1，48 个矢量核") == 2
    assert html.render(evidence).count("simulated S1, 48 vector cores") == 2


def test_what_nothing_bounds_is_told_and_why() -> None:
    reason = device.PROBES_NOT_SET(variable="ITS_FOLDER")
    functions = {"exp": {"origin": "unknown", "source": reason}}
    opened = DeviceLine(worker="gw0", description="a card", profile={"functions": functions})
    cells = [Cell(operator="gating", mode="plain", dtype="float32", cases=1, unbounded=18)]
    evidence = Evidence(devices=[opened], cells=cells)
    page = html.render(evidence)
    assert "gating: 18 values not bounded" in page
    assert "functions not probed: exp: ITS_FOLDER is not set" in page
    page = html.render(evidence, "zh")
    assert "gating：18 个值无界" in page
    assert "未探测的函数：exp：未设置 ITS_FOLDER" in page


@pytest.mark.parametrize("told", [{"git": 3}, {"packages": [1]}, {"git": {"clean": "?"}}])
def test_a_provenance_that_no_run_writes_is_shown_as_far_as_it_can_be(told: dict[str, Any]) -> None:
    assert "</html>" in html.render(Evidence(provenance=told))


def test_gaps_of_coverage_are_not_folded_away() -> None:
    names = {"operator": "copying", "mode": "plain", "dtype": "float32", "strength": 2}
    for missing in ([], ["length many, start even"]):
        one = Coverage(**names, levels={}, tuples=6, missing=missing)
        page = html.render(Evidence(coverage=[one]))
        assert ("<details open>" in page) is bool(missing)


@pytest.mark.parametrize("language", LANGUAGES)
def test_cells_are_told_beside_all_that_the_profile_declares_and_what_others_add(
    language: str,
) -> None:
    names = {"operator": "copying", "mode": "plain", "dtype": "float32", "strength": 2}
    one = Coverage(**names, levels={}, tuples=6, edges={"e": 1}, open=4, open_edges=8)
    more = [Further(profile="gate", edges=1049, strength=3, tuples=14)]
    page = html.render(Evidence(coverage=[one], further=more), language)
    assert '<td class="n">2 / 6</td><td class="n">1 / 9</td>' in page
    assert "1,049" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_replay_line_to_copy_is_that_of_the_failure(language: str) -> None:
    assert Elements(html.render(failed_run(), language)).replays == [REPLAY]


def test_what_a_mistake_behaves_like_is_told() -> None:
    assert "behaves like: copying" in html.render(failed_run())


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = html.render(failed_run())
    assert Elements(page).addresses == []
    assert not re.search(r"url\(|@import", page)


@pytest.mark.parametrize(("language", "words"), [("en", "public reports"), ("zh", "公开报告")])
def test_links_of_a_regression_are_told_once_and_can_be_clicked_on(
    language: str, words: str
) -> None:
    page = html.render(failed_run(links=[LINK]), language)
    assert Elements(page).addresses == [LINK]
    assert page.count(LINK) == 2
    assert words in page
    assert words not in html.render(failed_run(), language)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "http://x.invalid", HOSTILE])
def test_what_is_no_link_is_not_shown_as_one(link: str) -> None:
    assert Elements(html.render(failed_run(links=[link]))).addresses == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_the_evidence_becomes_an_element(language: str) -> None:
    honest = Elements(html.render(failed_run(), language))
    hostile = Elements(html.render(failed_run(HOSTILE), language))
    assert hostile.tags == honest.tags


def test_every_text_exists_in_both_languages() -> None:
    told = {key: one.words for key, one in vars(catalogue).items() if isinstance(one, Message)}
    assert len(told) > 80
    for key, (english, chinese) in ((key, one.values()) for key, one in told.items()):
        assert english.strip(), key
        assert re.search(r"[\u4e00-\u9fff]", chinese), key
        assert not re.search(r"[\u4e00-\u9fff]", english), key


def test_every_text_of_the_template_is_from_the_catalogue() -> None:
    template = Path(html.__file__).with_name("templates") / "report.html.j2"
    body = template.read_text(encoding="utf-8").partition("<body>")[2]
    left = re.sub(r"{%.*?%}|{{.*?}}|<[^>]*>", " ", body)
    assert re.findall(r"\w+", left) == []


@pytest.mark.parametrize(
    ("status", "verdict"), [(0, "Accepted"), (1, "Failed"), (3, "The environment failed")]
)
def test_the_page_begins_with_the_verdict(status: int, verdict: str) -> None:
    evidence = failed_run()
    evidence.exit_status = status
    assert f"<h1>{verdict}</h1>" in html.render(evidence)


def test_a_run_that_did_not_end_is_never_shown_as_accepted() -> None:
    assert "<h1>The run did not end</h1>" in html.render(Evidence())


def test_the_command_writes_the_page_beside_the_evidence(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    assert main(["report", str(folder), "--lang", "zh"]) == 0
    assert "<h1>未通过</h1>" in (folder / html.REPORT).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"cases": "many"}',
        '{"failures": [{"kind": "verdict"}]}',
        '{"provenance": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}",
    ],
    ids=["empty", "list", "word", "kind", "deep"],
)
def test_ill_meant_evidence_is_refused_and_nothing_is_written(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evidence.json").write_text(content, encoding="utf-8")
    assert main(["report", str(tmp_path)]) == 3
    assert "nothing was judged: corrupted: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.json"]


@pytest.mark.parametrize(
    ("headroom", "fields"),
    [(1e308, {}), (0.5, {"environment": ["<" * 2_000], "route": "<" * 3_000_000})],
    ids=["infinite", "huge"],
)
def test_figures_and_texts_beyond_all_sense_are_refused(
    headroom: float, fields: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run(tmp_path / "run", every_cell(verdict("h", headroom=headroom)), **fields)
    assert main(["report", str(folder)]) == 2
    assert "error: RUN is " in capsys.readouterr().err
    assert not (folder / html.REPORT).exists()


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    assert main(["report", str(tmp_path)]) == 3
    assert main(["report", str(tmp_path / "absent")]) == 2
