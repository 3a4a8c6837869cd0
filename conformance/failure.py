"""A refused case told to a person: the verdict, the case as a file, and the line to replay it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from conformance.context import DEFAULTS, Context
from conformance.evidence import FailureLine
from conformance.replay import Replay, save
from conformance.run_folder import failure_folder
from conformance.trial import Judged

UNREPEATABLE = (
    "The device does not repeat its answer: the same case was refused once and accepted when it "
    "was run again. The refusal is told here."
)


def tell(judged: Judged, context: Context, item: str, *, repeatable: bool) -> FailureLine:
    """Write the bundle of a refused case into the run's folder, and say what is in it.

    The bundle holds ``case.json``, which ``run --case`` takes, and ``verdict.txt``, the text.
    """
    case, verdict = judged.case, judged.verdict
    folder = failure_folder(context.out, case)
    path = folder / "case.json"
    lines = [str(verdict)]
    if not verdict.subject:
        lines += [f"  {line}" for line in repr(case).splitlines()]
    if not repeatable:
        lines += [f"  {UNREPEATABLE}"]
    lines += [f"  replay: {replay_line(path, context)}"]
    text = "\n".join(lines)
    save(Replay(case, judged.judged_as, judged.name, context.route), path)
    (folder / "verdict.txt").write_text(text + "\n", encoding="utf-8")
    return FailureLine(
        worker=context.worker,
        item=item,
        operator=case.operator,
        mode=case.mode,
        dtype=case.dtype,
        digest=case.digest,
        case=str(path.relative_to(context.out)),
        elements=sum(t.held_size for t in (*case.inputs.values(), *case.outputs.values())),
        headline=verdict.headline,
        text=text,
    )


def replay_line(path: Path, context: Context) -> str:
    """The command that judges a saved case again, with the options that this run was given."""
    words = ["python", "-m", "conformance", "run", "--case", _near(path)]
    if context.device != "auto":
        words += ["--device", context.device]
    if context.route != DEFAULTS["route"]:
        words += ["--route", context.route]
    if context.time_limit != context.profile.time_limit:
        words += ["--time-limit", f"{context.time_limit:g}"]
    if context.libraries is not None:
        words += ["--libraries", _near(context.libraries)]
    if context.by_standard.gate is not None:
        words += ["--standard", context.by_standard.gate]
    for directory in context.directories:
        words += ["--operators", _near(directory)]
    return shlex.join(words)


def _near(path: Path) -> str:
    """A path as it is written from the working directory, if that is shorter."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
