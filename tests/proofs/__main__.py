"""Proofs, which take longer than tests: `python -m tests.proofs` lists them, NAME ... runs some.

A proof holds the suite against many seeded mistakes, seeds, faults or compilers. It ends with
status 1 if what it proves does not hold. Words after ``--`` go to the programs of the proof.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

DEV = (
    sys.executable,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "-e",
    ".[dev]",
)
"""Installs what a proof needs beside the suite's own packages."""


@dataclass(frozen=True)
class Proof:
    """What a proof shows, and the command lines of its programs, modules of ``tests``."""

    shows: str
    programs: tuple[str, ...]
    needs: tuple[str, ...] = ()


PROOFS = {
    "mutants": Proof(
        "kernels with one mistake each: gate rejects each, 20 seeds; automatic ones, smoke",
        (
            "kernels.detection_run --seeds 20",
            "kernels.mutation_run --seeds 20",
            "kernels.automatic_run",
            "installation.page_mutants_run",
        ),
    ),
    "ladders": Proof(
        "kernels with a mistake at one size each: the ladders of smoke reject each, 20 seeds",
        ("kernels.ladders_run --seeds 20",),
    ),
    "escapes": Proof(
        "kernels with a mistake that users met: the regression kept for it rejects each",
        ("kernels.escapes_run",),
    ),
    "relations": Proof(
        "kernels with one mistake each: which of them relations reject, without a reference",
        ("kernels.relations_run",),
    ),
    "diagnoses": Proof(
        "kernels with one mistake in values each: the guess names its nature, none misleads",
        ("kernels.diagnoses_run",),
    ),
    "removals": Proof(
        "kernels without one flag, barrier or queue each: 95 % of what matters is reported",
        ("kernels.removal_run",),
    ),
    "schedules": Proof(
        "the real kernels, smoke in 5 schedules of the pipes, small cases in 50: no byte changes",
        ("kernels.schedules_run", "kernels.schedules_run --smoke"),
    ),
    "work": Proof(
        "two kernels that waste work in three ways each: the gate finds all, 200 runs no alarm",
        ("kernels.work_run",),
    ),
    "times": Proof(
        "times of this host with and without a regression, in pairs: alarms, false and due",
        ("proofs.times_run",),
    ),
    "soak": Proof("the real kernels, 200,000 cases: no false alarm", ("kernels.soak_run",)),
    "binding": Proof(
        "the tests of torch_npu's binding (OP_PLUGIN_HOME) pass on the simulated NPU, unchanged",
        ("torch_npu.binding_tests_run",),
    ),
    "slips": Proof(
        "ten slips in the checkout that OPS_TRANSFORMER_HOME names, each found in two minutes",
        ("proofs.slips_run",),
    ),
    "soundness": Proof(
        "the judge of sums: whole toy formats and millions of hard sums, no false alarm",
        ("proofs.soundness_run",),
    ),
    "selections": Proof(
        "the judge of selections: right devices of six exps and five sums, no false alarm",
        ("proofs.selections_run",),
    ),
    "quantised": Proof(
        "the judge of quantised rows: 48 right devices, 14 million elements, no false alarm",
        ("proofs.quantised_run",),
    ),
    "coarse-sums": Proof(
        "what a row of 16 elements tells of coarse sums and truncation, 5,000 draws each",
        ("proofs.coarse_sums_run",),
    ),
    "recovery": Proof(
        "orders of addition: every named tree and 9,450 drawn ones are recovered",
        ("proofs.recovery_run",),
    ),
    "kill-matrix": Proof(
        "numerical mistakes against this judge and every published standard, 20 seeds",
        (
            "proofs.kill_matrix.run --seeds 20 --out reports/kill-matrix",
            "proofs.kill_matrix.gating_run --seeds 20",
            "proofs.kill_matrix.quantising_run --seeds 6",
        ),
        needs=DEV,
    ),
    "mutation": Proof(
        "the judge with one mistake at a time: every one that shows fails a test",
        ("proofs.mutation.run",),
    ),
    "kills": Proof(
        "runs and writers ended by force at 50 moments each: nothing on record is lost",
        ("proofs.killed.kills_run",),
    ),
    "faults": Proof(
        "runs whose device is struck at every call in six ways: right status, whole evidence",
        ("proofs.faults.faults_run",),
    ),
    "workers": Proof(
        "gate with one worker and with two, twice: the same verdicts", ("proofs.workers_run",)
    ),
    "busy": Proof(
        "every test beside eight busy processes; those of processes twenty times",
        ("proofs.busy_run", "proofs.busy_run --processes --times 20"),
        needs=(sys.executable, "-m", "device_kernels.build"),
    ),
    "sanitize": Proof(
        "the simulator's tests and a smoke judgement under sanitizers", ("proofs.sanitize",)
    ),
    "aarch64": Proof(
        "the simulator and its tests, cross-compiled and emulated", ("proofs.aarch64",)
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """List the proofs, or run those that are named, one after the other."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    at = given.index("--") if "--" in given else len(given)
    own, further = given[:at], given[at + 1 :]
    parser = argparse.ArgumentParser(prog="tests.proofs", description=__doc__)
    parser.add_argument("name", nargs="*", metavar="NAME", help="a proof of the list")
    names: list[str] = parser.parse_args(own).name
    if unknown := [name for name in names if name not in PROOFS]:
        parser.error(f"name is {unknown[0]!r}: no such proof; allowed: {', '.join(PROOFS)}")
    if not names:
        for name, proof in PROOFS.items():
            print(f"{name:12} {proof.shows}")
        return 0
    failed = [name for name in names if not _holds(PROOFS[name], further)]
    print(
        f"{len(names) - len(failed)} of {len(names)} proofs hold"
        + "".join(map("; not {}".format, failed))
    )
    return 1 if failed else 0


def _holds(proof: Proof, further: Sequence[str]) -> bool:
    """Run the programs of a proof up to the first that fails."""
    commands = [proof.needs] if proof.needs else []
    for program in proof.programs:
        module, *words = program.split()
        commands.append((sys.executable, "-m", f"tests.{module}", *words, *further))
    return all(subprocess.run(one).returncode == 0 for one in commands)


if __name__ == "__main__":
    sys.exit(main())
