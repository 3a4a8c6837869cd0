"""What a mutation run tells: a table by module, and every mutant that was not killed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.proofs.mutation.mutants import Mutant
from tests.proofs.mutation.outcome import Fate, Outcome

NAMES = ("module", "line", "operator", "occurrence")
"""What tells a mutant from all others of the same sources."""


def summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    """Counts by module."""
    lines = [f"{'module':14}{'mutants':>9}{'differ':>9}{'killed':>9}{'survived':>10}{'unseen':>9}"]
    names = sorted({outcome.mutant.module for outcome in outcomes})
    for name in names:
        lines.append(
            _row(name.rpartition(".")[2], [o for o in outcomes if o.mutant.module == name])
        )
    if len(names) > 1:
        lines.append(_row("all", outcomes))
    return "\n".join([*lines, f"{len(outcomes)} mutants, {seconds:.0f} s"])


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.fate for outcome in outcomes)
    killed, survived = counts[Fate.KILLED], counts[Fate.SURVIVED]
    figures = f"{len(outcomes):>9}{killed + survived:>9}{killed:>9}{survived:>10}"
    return f"{name:14}{figures}{counts[Fate.UNSEEN]:>9}"


def told(outcomes: Sequence[Outcome]) -> list[str]:
    """The place and the change of every mutant, and where the corpus sees it."""
    lines = []
    for outcome in outcomes:
        where = f", differs in {outcome.seen}" if outcome.seen else ""
        lines += [f"{outcome.mutant.path}:{outcome.mutant.line}: {outcome.fate.value}{where}"]
        lines += [f"    {line}" for line in outcome.mutant.diff]
    return lines


def listing(folder: Path) -> Path:
    """The file with every outcome, a line of JSON each; its folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "mutants.jsonl"


def line_of(outcome: Outcome) -> str:
    """An outcome as a line of JSON."""
    mutant = outcome.mutant
    named = {name: getattr(mutant, name) for name in NAMES}
    return json.dumps({**named, "fate": outcome.fate.value, "seen": outcome.seen, "by": outcome.by})


def decided(file: Path, found: Sequence[Mutant]) -> list[Outcome]:
    """Which of the mutants were killed or unseen by an earlier run's listing of the same sources.

    Of a mutant that is listed twice the last line counts.
    """
    by_name = {tuple(getattr(mutant, name) for name in NAMES): mutant for mutant in found}
    last: dict[Mutant, Outcome] = {}
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        mutant = by_name.get(tuple(row[name] for name in NAMES))
        if mutant is not None:
            last[mutant] = Outcome(mutant, Fate(row["fate"]), row["seen"], row["by"])
    return [outcome for outcome in last.values() if outcome.fate is not Fate.SURVIVED]


def write(outcomes: Sequence[Outcome], folder: Path) -> None:
    """``mutants.jsonl`` with every outcome, ``mutants.md`` with those that no test kills."""
    lines = "".join(line_of(outcome) + "\n" for outcome in outcomes)
    listing(folder).write_text(lines, encoding="utf-8")
    text = ["# Mutants that no test kills"]
    for title, fate in (("Survived", Fate.SURVIVED), ("Unseen by the corpus", Fate.UNSEEN)):
        some = [outcome for outcome in outcomes if outcome.fate is fate]
        text += ["", f"## {title}: {len(some)}", "", "```", *told(some), "```"]
    (folder / "mutants.md").write_text("\n".join(text) + "\n", encoding="utf-8")
