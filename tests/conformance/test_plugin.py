"""The plugin as its users meet it: pytest is run on a toy suite, and its output is read."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from conformance.evidence import run_folder
from conformance.evidence.summary import Evidence, read_evidence
from conformance.session.binding import LARGER
from tests.conformance.toy_runs import CELLS, ROOT, Run


def test_every_mode_and_dtype_of_a_record_is_an_item(run: Run) -> None:
    ended = run("--collect-only")
    for cell in CELLS:
        assert f"check_copying.py::test_copies[{cell}]" in ended.output
    assert not ended.out.exists(), "collecting is no run"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_short_summary_has_the_reason_of_a_refused_item(run: Run, workers: str) -> None:
    ended = run("-n", workers, "-k", "plain-int64", toy="wrong")
    reason = ended.evidence.failures[0].text.partition("\n")[0]
    found = re.findall(r"^FAILED \S+ - (.*?)(?:\.\.\.)?$", ended.output, re.M)
    assert len(found) == 1
    assert reason.startswith(found[0])


@pytest.mark.slow
def test_markers_choose_items_by_operator_mode_and_dtype(run: Run) -> None:
    both = "mode(name='careful') and dtype(name='int64')"
    ended = run("-m", f"operator(name='copying') and {both}", "--strict-markers")
    assert {line.item.partition("[")[2] for line in ended.verdicts()} == {"copying-careful-int64]"}
    named = run("-m", "mode(name='plain')", file="check_quarantine.py", toy="good")
    assert {(line.mode, line.judged_as) for line in named.verdicts()} >= {("plain", "quarantine")}
    listed = run("--markers").output
    for kind in ("operator", "mode", "dtype"):
        assert f"@pytest.mark.{kind}(name): " in listed


def test_an_accepted_run_leaves_its_table_and_its_evidence(run: Run) -> None:
    ended = run()
    assert ended.status == 0, ended.output
    assert "evidence: " in ended.output
    evidence = ended.evidence
    assert (evidence.status, evidence.exit_status, evidence.seed) == ("finished", 0, 0)
    assert evidence.provenance["command"].startswith("pytest check_copying.py -q ")
    assert [f"{c.operator}-{c.mode}-{c.dtype}" for c in evidence.cells] == CELLS
    assert all(cell.cases > 60 and cell.share_exact == 1 for cell in evidence.cells)
    assert re.search(r"^copying +2 +2 +[\d,]+ +- +100% +[\d.]+ s  accepted$", ended.output, re.M)
    assert "copying   plain" not in ended.output


def test_a_verbose_pytest_tells_every_mode_and_dtype_and_what_it_otherwise_counts(run: Run) -> None:
    ended = run("-vv", "-k", "observes or (plain and int32)", file="check_quarantine.py")
    assert "copying   plain  int32" in ended.output
    told = "copying, plain, int32, in doubt: carried out, of which the reference says nothing"
    assert f"in quarantine, not judged: {told}" in ended.output


def test_a_call_in_quarantine_is_told_and_counts_as_no_case(run: Run) -> None:
    ended = run("-k", "observes or (plain and int32)", file="check_quarantine.py")
    assert ended.status == 0, ended.output
    told = "copying, plain, int32, in doubt: carried out, of which the reference says nothing"
    assert "quarantine: 1 call observed, not judged" in ended.output
    assert [line.startswith(told) for line in ended.evidence.observed] == [True]
    observed = [(line.judged_as, line.name) for line in ended.verdicts("observes")]
    assert observed == [("quarantine", "in doubt")]
    assert {line.name for line in ended.verdicts("copies")} == {""}
    assert sum(c.cases for c in ended.evidence.cells) == len(
        {line.digest for line in ended.verdicts("copies")}
    )


def test_a_refused_case_is_told_on_the_smallest_machine_that_shows_the_mistake(run: Run) -> None:
    ended = run("--conformance-operator=by_cores", toy="wrong")
    assert ended.status == 1
    assert "on 1 core with 1024 B of UB" in ended.output


def test_two_items_draw_different_cases(run: Run) -> None:
    ended = run()
    drawn = {c: [v.elements for v in ended.verdicts(c) if v.phase == "generate"] for c in CELLS}
    assert len({tuple(sizes) for sizes in drawn.values()}) == len(CELLS)


def test_the_same_seed_draws_the_same_cases_with_any_number_of_workers(run: Run) -> None:
    alone, ended = run(), run("-n", "2")
    for cell in CELLS:
        drawn = [v.digest for v in alone.verdicts(cell)]
        assert [v.digest for v in ended.verdicts(cell)] == drawn
    assert {line.worker for line in ended.verdicts()} == {"gw0", "gw1"}


def test_an_item_that_pytest_is_asked_for_leaves_the_last_full_run_alone(
    run: Run, tmp_path: Path
) -> None:
    latest = tmp_path / "toy" / "reports" / "latest"
    run_folder.start(latest, Evidence(status="finished", seed=7)).release()
    ended = run(file="check_copying.py::test_copies[copying-plain-int32]")
    assert ended.out.name == "pytest"
    assert (ended.status, ended.evidence.selected) == (0, 1)
    kept = read_evidence(latest)
    assert kept is not None
    assert kept.seed == 7


@pytest.mark.slow
def test_another_seed_draws_other_cases(run: Run) -> None:
    first = {v.digest for v in run("--conformance-seed=1", "-k", "careful").verdicts()}
    second = {v.digest for v in run("--conformance-seed=2", "-k", "careful").verdicts()}
    assert len(first & second) < len(first) / 2


@pytest.mark.slow
def test_nightly_draws_a_new_seed_and_tells_it(run: Run) -> None:
    seeds = set()
    for _ in range(2):
        ended = run("--conformance-profile=nightly", "-k", "plain and int32", toy="wrong")
        seeds.add(ended.evidence.seed)
    assert len(seeds) == 2


REFUSED = """\
y is wrong in 1 of 5 elements.
  contract: the output equals the input [document: toy document]
  Case(copying, careful, int64: 
    x: int64[5] = [0, 0, 0, 0, 0]
    y: int64[5])
  called was conftest.ToyDevice, a device of a pytest plugin: to call it again, run this item again
  replay: python -m conformance replay reports/pytest/failures/DIGEST \
--operators records
"""  # noqa: W291


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_refused_item_shows_its_smallest_case_and_nothing_else(run: Run, workers: str) -> None:
    ended = run("-n", workers, "-k", "careful and int64", toy="wrong")
    assert ended.status == 1
    (failure,) = ended.evidence.failures
    assert REFUSED.replace("DIGEST", failure.digest) in ended.output
    for noise in ("Traceback", "ypothesis", "Falsifying", "assert "):
        assert noise not in ended.output
    assert (ended.out / failure.case).is_file()
    assert failure.text + "\n" == (ended.out / failure.case).with_name("verdict.txt").read_text()


def test_shrinking_is_recorded_apart(run: Run) -> None:
    ended = run("-k", "careful and int64", toy="wrong")
    phases = [line.phase for line in ended.verdicts()]
    assert phases[-1] == "replay"
    assert "shrink" in phases
    (cell,) = [cell for cell in ended.evidence.cells if cell.cases]
    assert cell.cases == len({v.digest for v in ended.verdicts() if v.phase == "generate"})
    assert cell.shrink_attempts == phases.count("shrink") + 1


def test_an_answer_that_cannot_be_repeated_is_refused_and_said_so(run: Run) -> None:
    ended = run("-k", "plain and int32", toy="moody")
    assert ended.status == 1
    assert "The device does not repeat its answer" in ended.output
    assert ended.verdicts()[-1].phase == "replay"
    assert ended.verdicts()[-1].ok


@pytest.mark.parametrize(
    ("toy", "words"), [("absent", "there is no toy here"), ("lost", "the toy is lost")]
)
def test_a_device_that_fails_is_no_verdict(run: Run, toy: str, words: str) -> None:
    ended = run("-n", "2", toy=toy)
    assert ended.status == 3
    assert f"nothing was judged: {words}" in ended.output
    assert ended.evidence.exit_status == 3
    assert ended.evidence.environment == [words]
    assert "accepted" not in ended.output


def test_a_cell_without_a_judged_case_fails_the_run(run: Run) -> None:
    ended = run(toy="skips")
    assert ended.status == 1
    assert ended.evidence.exit_status == 1
    assert ended.evidence.unjudged == ["copying-careful-int32", "copying-careful-int64"]
    told = re.findall(r"^  careful, (\w+) .* not judged$", ended.output, re.M)
    assert told == ["int32", "int64"]


def test_a_cell_that_was_not_asked_for_is_not_missed(run: Run) -> None:
    ended = run("-k", "careful")
    assert ended.status == 0
    assert ended.evidence.unjudged == []
    assert " plain " not in ended.output


def test_every_pair_of_the_discrete_cells_is_judged(run: Run) -> None:
    ended = run("--conformance-operator=celled")
    assert ended.status == 0, ended.output
    (covered,) = ended.evidence.coverage
    assert (covered.strength, covered.tuples, covered.missing) == (2, 6, [])
    assert all(count > 0 for counts in covered.levels.values() for count in counts.values())
    assert "coverage: 6 of 6 pairs of levels judged\n" in ended.output


def test_a_discrete_cell_without_a_judged_case_fails_the_run_and_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CELLS", "forgets")
    ended = run("--conformance-operator=celled")
    assert ended.status == 1
    assert ended.evidence.exit_status == 1
    assert ended.evidence.failures == []
    assert ended.evidence.coverage[0].missing == [
        "length many, start even",
        "length many, start odd",
    ]
    assert "not judged: plain int32: length many, start even" in ended.output


BOTH = ("--conformance-operator=celled", "--conformance-operator=copying")


@pytest.mark.parametrize(
    ("asked", "judged"),
    [
        (("--conformance-budget=0.001s",), 0),
        (("-k", "careful"), 0),
        (("--conformance-shard=1/2",), 6),
        (("--conformance-shard=2/2",), 0),
    ],
)
def test_the_pairs_of_a_part_are_told_beside_all_that_the_profile_declares(
    run: Run, asked: tuple[str, ...], judged: int
) -> None:
    ended = run(*BOTH, "-vv", *asked)
    (covered,) = ended.evidence.coverage
    assert (covered.tuples, covered.judged, covered.missing) == (6, judged, [])
    assert f"discrete cells: {judged} of 6 pairs of levels judged" in ended.output
    assert "larger profiles: gate judges 6 triples of levels" in ended.output


@pytest.mark.slow
def test_a_resumed_run_tells_its_pairs_beside_the_same_number(run: Run) -> None:
    cut = run(*BOTH, "--conformance-budget=0.001s").evidence.coverage
    (resumed,) = run(*BOTH, "--conformance-resume").evidence.coverage
    assert [(one.tuples, one.judged) for one in (*cut, resumed)] == [(6, 0), (6, 6)]


def test_a_mistake_that_only_a_row_shows_is_shrunk_as_far_as_its_levels_allow(run: Run) -> None:
    ended = run("--conformance-operator=celled", toy="wrong")
    assert ended.status == 1
    (failure,) = ended.evidence.failures
    assert "x: int32[5] = [0, 0, 0, 0, 0]" in failure.text


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("judges_nothing", "the template judged nothing"),
        ("asserts_nothing", "It is wrong."),
        ("asserts_something_else", "the template's own complaint"),
    ],
)
def test_a_careless_template_fails(run: Run, template: str, words: str) -> None:
    ended = run("-k", template, file="check_careless.py")
    assert ended.status == 1
    assert words in ended.output


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("profile=big", "profile is 'big': allowed: smoke, gate, nightly"),
        ("seed=-1", "seed is '-1': allowed: integers from 0"),
        ("route=graph", "route is 'graph': allowed: aclnn, kernel, torch_npu, python"),
        ("device=gpu", "device is 'gpu': allowed: auto, sim, sim:SOC, sim@CANN, npu, npu:N"),
        ("time-limit=0", "time limit is '0': allowed: seconds above 0"),
        ("operator=nothing", "operator is 'nothing': no such record; allowed: "),
        ("operators=nowhere", "is no folder"),
    ],
)
def test_a_wrong_option_is_told_with_what_is_allowed(run: Run, option: str, words: str) -> None:
    ended = run(f"--conformance-{option}")
    assert ended.status == pytest.ExitCode.USAGE_ERROR
    assert words in ended.output
    assert not ended.out.exists()


def test_a_folder_of_records_is_judged_without_the_suites_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "cases", "-p", "conformance.plugin"]
    records = Path(__file__).parent / "toy" / "records"
    command += [f"--conformance-operators={records}", "--collect-only", "-q", "-k", "test_values"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    operators = {item.partition("-")[0] for item in re.findall(r"test_values\[(.*)\]", told.stdout)}
    assert operators == {path.stem for path in records.glob("*.py")}, told.stdout


def test_a_folder_of_other_files_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    ended = run(f"--conformance-out={tmp_path / 'mine'}")
    assert ended.status == pytest.ExitCode.USAGE_ERROR
    assert "is not empty and not the folder of an earlier run" in ended.output
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_other_tests_leave_the_evidence_of_the_last_run_alone(run: Run, tmp_path: Path) -> None:
    run("-k", "plain and int32")
    (tmp_path / "toy" / "test_other.py").write_text("def test_other():\n    pass\n")
    ended = run(file="test_other.py")
    assert ended.status == 0
    assert "conformance" not in ended.output
    assert [cell.cases > 0 for cell in ended.evidence.cells] == [True, False, False, False]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_ordinary_test_named_after_an_operator_is_no_run(
    run: Run, tmp_path: Path, workers: str
) -> None:
    (tmp_path / "toy" / "test_other.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('name', ['copying-late-flag', 'copying-plain', 'copying'])\n"
        "def test_other(name):\n    pass\n"
    )
    ended = run("-n", workers, file="test_other.py")
    assert ended.status == 0, ended.output
    assert "3 passed" in ended.output
    assert not ended.out.exists()


@pytest.mark.slow
def test_of_failures_of_one_diagnosis_one_is_made_smaller(run: Run) -> None:
    ended = run("-n", "0", toy="wrong")
    failures = ended.evidence.failures
    assert len(failures) == 4
    assert {failure.diagnosis for failure in failures} == {"copying: y wrong"}
    assert [failure.as_drawn for failure in failures] == [False, True, True, True]
    assert sorted(failure.elements for failure in failures)[0] == failures[0].elements == 10
    assert "Nothing smaller was looked for" in failures[1].text
    drawn = Counter(line.item for line in ended.verdicts() if line.phase == "shrink")
    looked_at = [drawn[failure.item] for failure in failures[1:]]
    assert max(looked_at) <= LARGER < drawn[failures[0].item]


@pytest.mark.slow
def test_nightly_draws_what_was_refused_before_anything_new(run: Run) -> None:
    nightly = ("--conformance-profile=nightly", "-n", "0", "-k", "plain and int32")
    run(*nightly, "--conformance-seed=1", toy="wrong")
    ended = run(*nightly, "--conformance-seed=2", toy="wrong")
    assert not ended.verdicts()[0].ok
    other = run("--conformance-profile=gate", "-n", "0", "-k", "plain and int32", toy="wrong")
    assert other.verdicts()[0].ok


def test_laws_are_asked_after_what_a_reference_judges(run: Run) -> None:
    ended = run("-n", "0", "--collect-only", file="check_laws.py")
    items = [line for line in ended.output.splitlines() if "::" in line]
    places = [number for number, item in enumerate(items) if "a_law" in item]
    assert places == list(range(len(items) - len(places), len(items)))
    assert 0 < len(places) < len(items)
