"""Bundles in folders, made of cases on record and of what a device answers, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.case import Case, Machine
from conformance.call.observation import Observation
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle.write import Origin, write_bundle
from conformance.failure.replay import Replay
from conformance.judge.right_answer import right_answer
from conformance.record.operator import Operator
from conformance.values.fill import Fill

ORIGIN = Origin(
    item="cases/test_values.py::test_values[moe_init_routing_v2_grad-dropless-float16]",
    profile="smoke",
    seed=7,
    time_limit=5.0,
    headline="moe_init_routing_v2_grad, dropless, float16: 1 of 40 elements of grad_x is wrong.",
    text="the text of the verdict",
)
CASE = call(
    "dropless",
    "float16",
    source=(8, 10),
    indices=(3, 0, 1, 2, 7, 6, 5, 4),
    top_k=2,
    fill=Fill(("gaussian", "special"), seed=5, terms=2),
    machine=Machine(2, 8192, "reverse"),
)


def answer(
    case: Case = CASE,
    operator: Operator = OPERATOR,
    wrong: Callable[[NDArray[Any]], None] | None = None,
) -> Observation:
    """The right answer to a case, with its first output's bits changed by ``wrong``."""
    seen = right_answer(operator, case)
    outputs = {name: np.array(array) for name, array in seen.outputs.items()}
    if wrong is not None:
        first = next(iter(outputs.values()))
        wrong(first.view(f"u{first.dtype.itemsize}"))
    return replace(seen, outputs=outputs)


def bundle(
    folder: Path,
    case: Case = CASE,
    operator: Operator = OPERATOR,
    seen: Observation | None = None,
    origin: Origin = ORIGIN,
    **of_replay: Any,
) -> Path:
    """Write the bundle of a call in ``folder``; by default of a right answer."""
    observed = answer(case, operator) if seen is None else seen
    write_bundle(folder, Replay(case, **of_replay), operator, observed, origin)
    return folder


def rewrite(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Change the manifest as no run would, and its hash with it: what ill will does."""
    path = folder / told.MANIFEST
    said = msgspec.json.decode(path.read_bytes())
    change(said)
    return resealed(folder, said)


def resealed(folder: Path, said: Mapping[str, Any]) -> Path:
    """Write a manifest with the sums that fit it, whatever it says."""
    raw = msgspec.json.encode(said)
    (folder / told.MANIFEST).write_bytes(raw)
    lines = [f"{told.entry('m', raw).sha256}  {told.MANIFEST}\n"]
    listed = said["files"] if isinstance(said["files"], list) else ()
    lines += [f"{one['sha256']}  {one['path']}\n" for one in listed]
    (folder / told.SUMS).write_text("".join(lines), errors="replace")
    return folder


def put(folder: Path, path: str, content: bytes) -> Path:
    """Put another content in the place of a file, with all hashes that belong to it."""
    (folder / path).write_bytes(content)

    def change(said: dict[str, Any]) -> None:
        for one in said["files"]:
            if one["path"] == path:
                fresh = told.entry(path, content)
                one.update(bytes=fresh.bytes, sha256=fresh.sha256)

    return rewrite(folder, change)
