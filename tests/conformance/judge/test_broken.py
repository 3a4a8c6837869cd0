"""An error of a record or of the suite is told as one, with its place, and blames no kernel."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from conformance.cli import result as outcome
from conformance.errors import ENVIRONMENT
from conformance.evidence.lines import FailureLine, read_lines
from conformance.gate.judgement import CANNOT_JUDGE
from conformance.judge.broken import BROKEN, explained
from conformance.text.language import Speaking
from tests.conformance.gate.asking import gate
from tests.conformance.gate.runs import every_cell
from tests.conformance.gate.runs import run as a_folder
from tests.conformance.session.test_failure_text import SNAPSHOTS
from tests.conformance.toy_runs import Ended, Run
from tests.slow import slow_but
from tests.snapshots import both_pinned

RECORD = Path("records") / "broken.py"
WHERE = {
    "judge": ("wrong", "RuntimeError: a mistake of this judge", "judge_own"),
    "strategy": ("good", "LookupError: nothing to draw", "call"),
    "formula": ("good", "ZeroDivisionError: no reference", "formula"),
}


@pytest.fixture
def broken(run: Run, monkeypatch: pytest.MonkeyPatch):
    """Runs the toy record that fails in some way, on a device of some mood."""

    def go(how: str, toy: str, *arguments: str) -> Ended:
        monkeypatch.setenv("BROKEN", how)
        return run("--conformance-operator=broken", *arguments, file="check_values.py", toy=toy)

    return go


def line_of(text: str) -> int:
    """The line of the toy record that holds a text."""
    lines = (Path(__file__).parents[1] / "toy" / RECORD).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def told(ended: Ended, language: str = "en") -> str:
    """What the front door prints of a run."""
    console = Speaking(language, file=io.StringIO(), width=200, color_system=None)
    status = ended.evidence.exit_status
    assert status is not None
    (ended.out / outcome.LOG).write_text(ended.output)
    outcome.tell(ended.out, ended.evidence, status, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


PLACES = (("judge", "2"), ("judge", "0"), ("strategy", "0"), ("formula", "0"))


@pytest.mark.parametrize(("how", "workers"), slow_but(PLACES[1:2], PLACES))
def test_an_error_of_a_record_ends_with_status_3_and_is_told_once(
    broken, how: str, workers: str
) -> None:
    toy, words, function = WHERE[how]
    ended = broken(how, toy, "-n", workers)
    assert (ended.status, ended.evidence.exit_status) == (ENVIRONMENT, ENVIRONMENT)
    assert len(ended.evidence.errors) == 4
    raised = line_of(words.partition(": ")[2])
    text = told(ended)
    assert text.count(words) == 1
    assert f"raised at {RECORD}:{raised}, in {function}" in text
    assert "of the same error: 3 items" in text
    assert f"tracebacks: {ended.out / 'pytest.log'}" in text
    assert "Traceback (most recent call last)" in ended.output
    assert "INTERNALERROR" not in ended.output


@pytest.mark.parametrize("toy", ["rejects", "good"])
def test_a_record_whose_shapes_its_formula_contradicts_is_told_before_a_kernel_is_blamed(
    broken, toy: str
) -> None:
    ended = broken("shape", toy)
    assert ended.status == ENVIRONMENT
    text = told(ended)
    assert ended.verdicts() == []
    assert "161002" not in text
    place = str(ended.out.parents[1] / RECORD)
    assert place in text
    english, chinese = (
        said.replace(place, str(RECORD)).replace(str(ended.out), "reports/latest")
        for said in (text, told(ended, "zh"))
    )
    both_pinned(SNAPSHOTS / "record_against_formula.txt", *map(_errors, (english, chinese)))


def _errors(text: str) -> str:
    """What is said of errors, without the seconds of the run."""
    return re.split(r" in \d+ s;|，用时", text[text.index("\ncheck_values") :])[0].strip()


def test_a_verdict_stands_though_its_bundle_cannot_be_made(broken) -> None:
    ended = broken("bundle", "wrong", "-k", "plain and int32")
    assert ended.status == 1
    (failure,) = [line for line in read_lines(ended.out) if isinstance(line, FailureLine)]
    assert failure.headline == "broken, plain, int32: 1 of 5 elements of y is wrong."
    assert (ended.out / failure.case).is_file()
    assert f"its bundle is the case alone:\n  {BROKEN}" in failure.text
    assert "  replay: python -m conformance replay" in failure.text
    assert "INTERNALERROR" not in ended.output
    assert not any(line.ok for line in ended.verdicts() if line.digest == failure.digest)


def test_a_verdict_stands_though_there_is_no_room_for_its_bundle(broken) -> None:
    ended = broken("disk", "wrong", "-k", "plain and int32")
    assert ended.status == 1
    (failure,) = ended.evidence.failures
    assert failure.headline == "broken, plain, int32: 1 of 5 elements of y is wrong."
    assert "the bundle of a failed case cannot be written" in failure.text
    (lost,) = ended.evidence.environment
    assert "the bundle of a failed case cannot be written" in lost
    assert not ended.evidence.unreached


WAYS = (
    ("leaves", "SystemExit: 0\n  raised at records/broken.py:"),
    ("skips", "Skipped: no reference\n  raised at records/broken.py:"),
    ("dies", "worker 'gw0' crashed while running 'check_values.py::test_values["),
)


@pytest.mark.parametrize(("how", "words"), slow_but(WAYS[:1], WAYS))
def test_a_record_that_leaves_in_another_way_is_told_as_an_error_of_it(
    broken, how: str, words: str
) -> None:
    ended = broken(how, "good", "-k", "plain and int32", "-n", "1")
    assert (ended.status, ended.evidence.exit_status) == (ENVIRONMENT, ENVIRONMENT)
    (text,) = ended.evidence.errors.values()
    assert text.startswith(f"{BROKEN}{words}")


def test_a_gate_cannot_judge_a_run_of_a_broken_record(tmp_path: Path) -> None:
    errors = {
        "cases/test_values.py::test_values[x]": f"{BROKEN}RuntimeError: no\n  raised at x.py:1"
    }
    folder = a_folder(tmp_path / "run", every_cell(), errors=errors, exit_status=ENVIRONMENT)
    judgement, _ = gate(folder)
    assert judgement.status == CANNOT_JUDGE
    assert judgement.reasons[0] == f"test_values[x]: {BROKEN}RuntimeError: no"


def test_the_place_is_the_record_s_and_not_that_of_the_library_that_it_called() -> None:
    def of_a_record() -> object:
        return json.loads("{")

    with pytest.raises(ValueError, match="Expecting") as raised:
        of_a_record()
    text = explained(raised.value)
    assert text.startswith(f"{BROKEN}JSONDecodeError: Expecting property name")
    assert f"test_broken.py:{raised.traceback[1].lineno + 1}, in of_a_record" in text


@pytest.mark.parametrize("workers", ["0", "1"])
def test_an_error_that_ends_the_session_is_told_with_status_3(
    run: Run, tmp_path: Path, workers: str
) -> None:
    (tmp_path / "crashing.py").write_text(
        "def pytest_runtest_makereport(item, call):\n"
        "    if call.when == 'call':\n"
        "        raise LookupError('a mistake of this plugin')\n"
    )
    ended = run("-p", "crashing", "-n", workers, path=str(tmp_path))
    assert (ended.status, ended.evidence.exit_status) == (ENVIRONMENT, ENVIRONMENT)
    text = told(ended)
    assert f"the session ended without a verdict:\n  {BROKEN}" in text
    assert "LookupError: a mistake of this plugin" in text
    assert text.count("a mistake of this plugin") == 1
