"""A planted mutant is killed by a test that sees it, survives without, and may go unseen."""

import textwrap

import pytest

from tests.proofs.mutation import sandbox
from tests.proofs.mutation.mutants import mutants
from tests.proofs.mutation.outcome import Bench, Fate, digests_of, failing_test

PLACED = {
    "planted_module.py": """
        def double(x):
            return x * 2

        def unheard(x):
            return x + 3
        """,
    "planted_corpus.py": """
        import planted_module

        def digests():
            yield "doubles", repr([planted_module.double(x) for x in range(4)])
        """,
    "test_blind.py": """
        def test_that_sees_nothing():
            assert True
        """,
    "test_seeing.py": """
        import planted_module

        def test_that_sees():
            assert planted_module.double(3) == 6
        """,
}


@pytest.fixture
def bench(tmp_path, monkeypatch):
    for name, text in PLACED.items():
        (tmp_path / name).write_text(textwrap.dedent(text), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(*tests, first=()):
        files = [tmp_path / f"test_{name}.py" for name in tests]
        own = [tmp_path / f"test_{name}.py" for name in first]
        digests = digests_of("planted_corpus")
        return Bench("planted_corpus", digests, files, {"planted_module": own})

    return made


@pytest.fixture
def planted(tmp_path):
    """The mutants of `double` and of `unheard`."""
    path = tmp_path / "planted_module.py"

    def of(function):
        lines = path.read_text(encoding="utf-8").splitlines()
        line = next(number for number, text in enumerate(lines, 2) if f"def {function}" in text)
        return [one for one in mutants("planted_module", path) if one.line == line]

    return of


def test_a_mutant_that_differs_is_killed_by_the_test_that_sees_it(bench, planted):
    outcomes = [bench("blind", "seeing").judge(mutant) for mutant in planted("double")]
    assert len(outcomes) >= 3
    assert {outcome.fate for outcome in outcomes} == {Fate.KILLED}
    assert {outcome.seen for outcome in outcomes} == {"doubles"}
    assert all("test_that_sees" in outcome.by for outcome in outcomes)


def test_it_survives_where_no_test_sees_it(bench, planted):
    outcomes = [bench("blind", first=("blind",)).judge(mutant) for mutant in planted("double")]
    assert {outcome.fate for outcome in outcomes} == {Fate.SURVIVED}


def test_the_module_s_own_tests_are_enough(bench, planted):
    outcome = bench("blind", first=("seeing",)).judge(planted("double")[0])
    assert outcome.fate is Fate.KILLED


def test_a_mutant_that_changes_nothing_in_the_corpus_is_unseen(bench, planted):
    outcomes = [bench("blind").judge(mutant) for mutant in planted("unheard")]
    assert len(outcomes) >= 3
    assert {outcome.fate for outcome in outcomes} == {Fate.UNSEEN}


@pytest.mark.usefixtures("bench")
def test_a_module_that_cannot_be_imported_fails_the_tests_that_import_it(tmp_path):
    path = tmp_path / "planted_module.py"
    broken = sandbox.Overlay("planted_module", str(path), "raise ZeroDivisionError")
    assert "test_seeing.py" in failing_test([tmp_path / "test_seeing.py"], broken)
    assert failing_test([tmp_path / "test_blind.py"], broken) == ""


def test_a_child_that_never_ends_runs_out_of_processor_time():
    def forever():
        while True:
            pass

    assert sandbox.run(forever, None, 1).failure in {"killed by SIGXCPU", "killed by SIGKILL"}


@pytest.mark.parametrize(
    ("work", "failure"),
    [
        (lambda: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (lambda: exit(3), "SystemExit: 3"),
        (lambda: lambda: None, "ended with status 1"),
    ],
    ids=["raises", "exits", "answers what cannot be sent"],
)
def test_what_goes_wrong_in_a_child_is_told(work, failure):
    assert sandbox.run(work, None, 10).failure == failure


def test_an_answer_larger_than_a_pipe_arrives():
    assert sandbox.run(lambda: "x" * (1 << 20), None, 10).result == "x" * (1 << 20)


def test_a_corpus_that_fails_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "failing_corpus.py").write_text("raise KeyError('no corpus')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RuntimeError, match="the corpus fails on the unchanged judge: KeyError"):
        digests_of("failing_corpus")
