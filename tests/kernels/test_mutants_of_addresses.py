"""Smoke finds an entry that refuses a tensor without elements because its address is null."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.suite import records as suite
from tests.kernels.mutants_addresses import MUTANTS, SAID
from tests.kernels.mutation_run import STOP_EARLY, build_mutant, run_on
from tests.slow import slow_but


@pytest.mark.parametrize("name", slow_but(["moe_token_unpermute"], MUTANTS))
def test_documented_calls_of_smoke_refuse_the_mistake(name: str, tmp_path: Path) -> None:
    (record,) = suite.chosen(suite.records(), [name])
    lib = build_mutant(record, MUTANTS[name], tmp_path)
    asked = ("--operator", name, *STOP_EARLY, "test_examples")
    done = run_on(lib, 0, tmp_path / "run", *asked, profile="smoke")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert f"status 161001: {SAID}" in said
    (program,) = (tmp_path / "run").glob("failures/*/replay.py")
    again = [sys.executable, str(program), "--libraries", str(lib)]
    replayed = subprocess.run(again, capture_output=True, text=True)
    assert replayed.returncode == 1, replayed
    assert SAID in replayed.stdout
