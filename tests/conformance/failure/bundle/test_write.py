"""What a bundle holds: the inputs as arrays, what is accepted, where it came from, every hash."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from cases.operators.moe_token_permute import OPERATOR as PERMUTE
from conformance.call.case import Case, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle import stored
from conformance.failure.bundle.read import as_stored, read_bundle
from conformance.record.contract import Sum
from conformance.values.fill import Fill
from tests.conformance.failure.bundle.bundles import CASE, answer, bundle

FAR = next(e.case for e in OPERATOR.examples if e.case.inputs["grad_expanded_x"].rows)


def test_the_inputs_are_arrays_that_numpy_reads(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    for name, array in CASE.arrays.items():
        found = np.load(folder / "inputs" / f"{name}.npy", allow_pickle=False)
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()


def test_bfloat16_is_stored_as_the_integers_of_its_bits(tmp_path: Path) -> None:
    case = replace(
        CASE,
        dtype="bfloat16",
        inputs={
            **CASE.inputs,
            "grad_expanded_x": Tensor((8, 10), "bfloat16", fill=Fill(("gaussian",), 1)),
        },
        outputs={"grad_x": Tensor((4, 10), "bfloat16")},
    )
    folder = bundle(tmp_path / "b", case)
    found = np.load(folder / "inputs" / "grad_expanded_x.npy", allow_pickle=False)
    assert found.dtype == np.uint16
    assert np.array_equal(found.view(ml_dtypes.bfloat16), case.arrays["grad_expanded_x"])


def test_the_hashes_are_those_of_the_files_and_sha256sum_agrees(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    done = subprocess.run(
        ["sha256sum", "--strict", "-c", told.SUMS], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    checked = {line.partition(":")[0] for line in done.stdout.splitlines()}
    assert checked == written - {told.SUMS}


def test_the_manifest_tells_where_the_call_came_from(tmp_path: Path) -> None:
    manifest = read_bundle(bundle(tmp_path / "b")).manifest
    assert manifest.seeds == told.Seeds(run=7, fills={"grad_expanded_x": 5})
    assert manifest.attributes == {"top_k": 2, "drop_pad_mode": 0, "active_num": 0}
    machine = {"cores": 2, "ub_bytes": 8192, "block_order": "reverse", "functions": "rounded"}
    assert manifest.machine == {**machine, "pipes": "program"}
    assert (manifest.symbol, manifest.status) == ("aclnnMoeInitRoutingV2Grad", 0)
    assert [one.name for one in manifest.arguments] == [p.name for p in OPERATOR.parameters]
    assert (manifest.digest, manifest.left_out, manifest.no_programs) == (CASE.digest, (), "")


def test_what_is_accepted_of_a_sum_is_stored_and_accepts_the_right_answer_alone(
    tmp_path: Path,
) -> None:
    folder = bundle(tmp_path / "b")
    starts, low, high = (
        np.load(folder / "accepted" / f"grad_x.{part}.npy") for part in ("starts", "low", "high")
    )
    right = answer().outputs["grad_x"].reshape(-1)
    finite = np.isfinite(right)
    pattern = right.view(np.uint16).astype(np.int64)
    places = np.where(pattern < 0x8000, pattern, -(pattern & 0x7FFF))
    assert np.array_equal(starts, np.arange(41))
    assert np.array_equal(low, high)
    assert np.array_equal(places[finite], low[finite])


def test_what_is_accepted_of_moved_and_counted_values_is_their_bytes(tmp_path: Path) -> None:
    case = next(e.case for e in PERMUTE.examples if e.case.dtype == "bfloat16")
    seen = answer(case, PERMUTE)
    folder = bundle(tmp_path / "b", case, PERMUTE, seen)
    manifest = read_bundle(folder).manifest
    assert not any(isinstance(PERMUTE.contract(name, case), Sum) for name in case.outputs)
    for name, entry in manifest.accepted.items():
        assert entry.kind == "exact"
        bits = np.load(folder / entry.files["bits"], allow_pickle=False)
        assert bits.tobytes() == seen.outputs[name].tobytes()


def test_what_was_observed_is_stored_with_its_hash(tmp_path: Path) -> None:
    def flip(bits: np.ndarray) -> None:
        bits[0, 0] ^= 1

    seen = answer(wrong=flip)
    folder = bundle(tmp_path / "b", seen=seen)
    assert np.load(folder / "observed" / "grad_x.npy").tobytes() == seen.outputs["grad_x"].tobytes()
    assert read_bundle(folder).manifest.observed.outcome == "completed"


def test_a_row_sparse_input_stays_so(tmp_path: Path) -> None:
    """Sixteen GiB of which two rows exist are two rows."""
    seen = Observation(Outcome.CRASHED, status=-11, message="signal")
    folder = bundle(tmp_path / "b", FAR, seen=seen)
    tensor = FAR.inputs["grad_expanded_x"]
    assert np.load(folder / "inputs" / "grad_expanded_x.npy").shape == (2, 8)
    rows = np.load(folder / "inputs" / "grad_expanded_x.rows.npy")
    assert tuple(rows.tolist()) == tensor.rows
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 200_000
    again, notes = as_stored(read_bundle(folder))
    assert (again.replay.case, notes) == (FAR, [])


def test_what_is_too_large_is_told_and_made_anew_from_its_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_ARRAY_BYTES", 40_000)
    case = call(
        "dropless",
        "float32",
        source=(400, 64),
        indices=tuple(range(400)),
        top_k=2,
        fill=Fill(("lattice",), seed=3, terms=2),
    )
    folder = bundle(tmp_path / "b", case)
    assert not (folder / "inputs" / "grad_expanded_x.npy").exists()
    assert (folder / "inputs" / "expanded_row_idx.npy").exists()
    read, notes = as_stored(read_bundle(folder))
    left_out = {one.path: one for one in read.manifest.left_out}
    assert left_out["inputs/grad_expanded_x.npy"].bytes == 400 * 64 * 4 + 128
    assert "together" in left_out["inputs/grad_expanded_x.npy"].reason
    assert "inputs/grad_expanded_x.npy is not stored" in read.manifest.no_programs
    assert not (folder / told.PYTHON_PROGRAM).exists()
    assert (read.replay.case.digest, notes) == (case.digest, [])


def test_stored_values_are_the_case_where_a_recipe_makes_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numpy may change its draws: a bundle says what was drawn when it was written."""
    folder = bundle(tmp_path / "b")
    kept = {name: array.tobytes() for name, array in CASE.arrays.items()}
    right = Tensor.materialize

    def otherwise(tensor: Tensor) -> np.ndarray:
        made = np.array(right(tensor))
        return made + np.float16(1) if tensor.fill is not None else made

    monkeypatch.setattr(Tensor, "materialize", otherwise)
    read, notes = as_stored(read_bundle(folder))
    assert {n: a.tobytes() for n, a in read.replay.case.arrays.items()} == kept
    assert [note.split(" makes")[0] for note in notes] == ["the recipe of grad_expanded_x"]


def test_a_call_that_no_record_describes_is_stored_without_programs(tmp_path: Path) -> None:
    stray = Case("toy", "plain", "int32", {}, {"x": Tensor((2,), "int32", (1, 2))}, {})
    folder = bundle(tmp_path / "b", stray, OPERATOR, Observation(Outcome.COMPLETED))
    manifest = read_bundle(folder).manifest
    assert "the call does not fit the record" in manifest.no_programs
    assert np.load(folder / "inputs" / "x.npy").tolist() == [1, 2]


def test_a_second_failure_of_the_same_call_takes_the_place_of_the_first(tmp_path: Path) -> None:
    bundle(tmp_path / "b")
    (tmp_path / "b" / "stale").write_text("")
    bundle(tmp_path / "b")
    assert not (tmp_path / "b" / "stale").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_what_is_accepted_is_left_out_where_it_does_not_fit_and_the_programs_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_ARRAY_BYTES", 34_300)
    manifest = read_bundle(bundle(tmp_path / "b")).manifest
    assert manifest.accepted["grad_x"].kind == "not stored"
    assert [one.path for one in manifest.left_out] == ["accepted/grad_x"]
    assert not (tmp_path / "b" / "accepted").exists()
    assert manifest.no_programs == ""
    words = "grad_x: not judged, all arrays of a bundle have up to"
    assert words in (tmp_path / "b" / told.CPP_PROGRAM).read_text()


def test_a_bundle_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        bundle(tmp_path / "b")
    assert list(tmp_path.iterdir()) == []
