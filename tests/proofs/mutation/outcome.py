"""What becomes of a mutant: unseen by the corpus, killed by a test, or survived."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.proofs.mutation import sandbox
from tests.proofs.mutation.mutants import Mutant
from tests.proofs.mutation.warm import FirstFailure, WarmTests

CORPUS_SECONDS, TESTS_SECONDS = 60, 120


class Fate(Enum):
    """What became of a mutant.

    Only a mutant that changes an outcome of the corpus has to be killed; one that does not is the
    same judge, or differs where the corpus does not look.
    """

    KILLED = "killed"
    SURVIVED = "survived"
    UNSEEN = "unseen"


@dataclass(frozen=True)
class Outcome:
    """The fate of a mutant; ``by`` names the test that failed, ``seen`` the part of the corpus that
    it changes, looked for only where no collected test fails.
    """

    mutant: Mutant
    fate: Fate
    seen: str = ""
    by: str = ""


@dataclass(frozen=True)
class Bench:
    """What mutants are held against.

    ``digests`` are those of the unchanged corpus, part by part, and ``corpus`` the module that has
    them (`tests.proofs.mutation.corpus`). ``tests`` are all test files; those of ``first`` for a
    module run before them.
    """

    corpus: str
    digests: Mapping[str, str]
    tests: Sequence[Path]
    first: Mapping[str, Sequence[Path]]
    warm: WarmTests | None = None

    def judge(self, mutant: Mutant) -> Outcome:
        """Run the tests until one fails; where the quick ones do not, ask the corpus first."""
        overlay = sandbox.Overlay(mutant.module, str(mutant.path), mutant.source)
        difference = partial(first_difference, self.corpus, self.digests)
        seen, in_place = None, False
        if self.warm:
            by = self.warm.killer(mutant, quick=True)
            if by:
                return Outcome(mutant, Fate.KILLED, by=by)
            seen = self.warm.difference(mutant, difference)
            in_place = seen is not None
        if seen is None:
            ended = sandbox.run(difference, overlay, CORPUS_SECONDS)
            seen = ended.failure or str(ended.result)
        if not seen:
            return Outcome(mutant, Fate.UNSEEN)
        by = self.warm.killer(mutant, quick=False) if self.warm else ""
        if by:
            return Outcome(mutant, Fate.KILLED, seen, by)
        if in_place:
            return Outcome(mutant, Fate.SURVIVED, seen)
        # What a mutant changes at import shows where everything is imported anew.
        own = list(self.first.get(mutant.module, ()))
        seconds = TESTS_SECONDS + (self.warm.whole if self.warm else 0)
        for files in (own, [file for file in self.tests if file not in own]):
            by = failing_test(files, overlay, seconds)
            if by:
                return Outcome(mutant, Fate.KILLED, seen, by)
        return Outcome(mutant, Fate.SURVIVED, seen)


def first_difference(corpus: str, digests: Mapping[str, str]) -> str:
    """The first part of the corpus with another digest; empty where there is none."""
    for name, digest in parts(corpus):
        if digest != digests.get(name):
            return name
    return ""


def parts(corpus: str) -> Any:
    """The digests of a corpus, part by part, the module imported here and now."""
    import importlib

    return importlib.import_module(corpus).digests()


def digests_of(corpus: str) -> dict[str, str]:
    """All digests of the unchanged corpus; RuntimeError where it fails."""
    ended = sandbox.run(lambda: dict(parts(corpus)), None, CORPUS_SECONDS)
    if ended.failure:
        raise RuntimeError(f"the corpus fails on the unchanged judge: {ended.failure}")
    return dict(ended.result)


def failing_test(
    files: Sequence[Path], overlay: sandbox.Overlay | None = None, seconds: int = TESTS_SECONDS
) -> str:
    """The first test of ``files`` that fails, or how the tests ended otherwise; empty: all pass."""
    if not files:
        return ""
    ended = sandbox.run(partial(_run_pytest, files), overlay, seconds)
    return ended.failure or str(ended.result)


def _run_pytest(files: Sequence[Path]) -> str:
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    noted = FirstFailure()
    quiet = ("-x", "-q", "--noconftest", "-p", "no:cacheprovider")
    plugins = ("-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    status = pytest.main([*quiet, *plugins, *map(str, files)], plugins=[noted])
    if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return noted.name or f"pytest ended with {pytest.ExitCode(status).name}"
