"""Bundles that were changed or mean ill: refused by the name of the file, never obeyed."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from rich.console import Console

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.cli.main import parser
from conformance.errors import UsageError
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle.arrays import header
from conformance.failure.bundle.program import cpp_program, quoted
from conformance.failure.bundle.read import as_stored, read_bundle
from conformance.failure.replay import judgement
from conformance.judge.legality import check_call
from conformance.text.language import Speaking
from tests.conformance.failure.bundle.bundles import bundle, put, resealed, rewrite

EVIL = '<script>alert(1)</script>\x1b[2J\x9b\u202e*/\\\n#include "/etc/passwd"\n"; ??/'
X = "inputs/grad_expanded_x.npy"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def refusal(folder: Path) -> str:
    """What is told of a bundle, by all that looks at it before anything is called."""
    with pytest.raises(UsageError) as told_of:
        looked_at(folder)
    return str(told_of.value)


def looked_at(folder: Path) -> None:
    read = read_bundle(folder)
    judgement(read.replay, {OPERATOR.name: OPERATOR})
    as_stored(read)


def test_one_flipped_bit_in_any_file_is_refused_by_its_name(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    read_bundle(folder)
    generator = np.random.default_rng(0)
    for path in files(folder):
        right = (folder / path).read_bytes()
        size = len(right)
        places = {0, size // 2, size - 1, *generator.integers(0, size, 5).tolist()}
        for place in sorted(places):
            wrong = bytearray(right)
            wrong[place] ^= 1 << int(generator.integers(8))
            (folder / path).write_bytes(wrong)
            assert f"{path} was changed" in refusal(folder) or path == told.SUMS
        (folder / path).write_bytes(right)
    read_bundle(folder)


def test_every_flipped_bit_of_the_sums_is_refused(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    right = (folder / told.SUMS).read_bytes()
    for place in range(0, len(right), 7):
        wrong = bytearray(right)
        wrong[place] ^= 1 << (place % 8)
        (folder / told.SUMS).write_bytes(wrong)
        assert told.SUMS in refusal(folder)


@pytest.mark.parametrize("cut", [True, False])
def test_a_file_that_is_cut_or_longer_is_refused_by_its_name(tmp_path: Path, cut: bool) -> None:
    folder = bundle(tmp_path / "b")
    content = (folder / X).read_bytes()
    (folder / X).write_bytes(content[:-1] if cut else content + b"\0")
    assert f"{X} was changed" in refusal(folder)


@pytest.mark.parametrize("path", [X, told.MANIFEST, told.SUMS, told.CASE])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, path: str) -> None:
    folder = bundle(tmp_path / "b")
    (folder / path).unlink()
    assert f"{path} cannot be read: No such file or directory" in refusal(folder)


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "/etc/passwd",
        "inputs/../../secret",
        "a/b/c",
        "",
        ".",
        "..",
        "a\0b",
        "-rf",
        "a b",
        "inputs\\x",
        "x" * 500,
        ".hidden",
        "inputs/.hidden",
        "\u202ename",
    ],
)
def test_no_path_leaves_the_bundle(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = bundle(tmp_path / "b")

    def change(said: dict[str, Any]) -> None:
        said["files"][2]["path"] = path

    assert "names the file" in refusal(rewrite(folder, change))


@pytest.mark.parametrize("path", [X, "inputs", told.MANIFEST, told.CASE])
def test_a_link_is_not_followed_though_it_leads_to_the_same_bytes(
    tmp_path: Path, path: str
) -> None:
    folder = bundle(tmp_path / "b")
    (folder / path).rename(tmp_path / "elsewhere")
    (folder / path).symlink_to(tmp_path / "elsewhere")
    assert "is a link, which is not followed" in refusal(folder)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    (folder / X).unlink()
    os.mkfifo(folder / X)
    assert f"{X} was changed: it is a pipe, no plain file" in refusal(folder)


def test_a_file_beyond_all_sense_is_not_read(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    with (folder / X).open("r+b") as file:
        file.truncate(2**40)
    assert f"{X} was changed: it has 1,099,511,627,776 bytes" in refusal(folder)

    def change(said: dict[str, Any]) -> None:
        said["files"][2]["bytes"] = 2**45

    assert "tells of 35,184," in refusal(rewrite(bundle(tmp_path / "c"), change))


ARRAYS: dict[str, Callable[[bytes], bytes]] = {
    "pickled objects": lambda raw: npy(np.array([{"a": 1}], object)),
    "a pickle alone": lambda raw: pickle.dumps([1]),
    "a huge shape": lambda raw: header(np.dtype("<f2"), (2**40, 10)) + raw[-160:],
    "a negative shape": lambda raw: raw.replace(b"(8, 10)", b"(-8,10)"),
    "another shape": lambda raw: raw.replace(b"(8, 10)", b"(10, 8)"),
    "another dtype": lambda raw: raw.replace(b"<f2", b"<u2"),
    "another byte order": lambda raw: raw.replace(b"<f2", b">f2"),
    "the order of Fortran": lambda raw: raw.replace(b"False", b"True "),
    "code in the header": lambda raw: raw.replace(b"(8, 10)", b"exit(1)"),
    "another version": lambda raw: raw[:6] + b"\x02\x00" + raw[8:],
    "no header": lambda raw: raw[-160:],
    "too few elements": lambda raw: raw[:-2],
    "nothing": lambda raw: b"",
    "a zip file": lambda raw: npz(),
    "deep brackets": lambda raw: raw[:10] + b"(" * 100_000,
}


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, x=np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_that_is_not_the_case_s_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    """Its hash being right: whoever sends a bundle can make hashes."""
    folder = bundle(tmp_path / "b")
    content = ARRAYS[name]((folder / X).read_bytes())
    assert f"{X} is not what case.json says" in refusal(put(folder, X, content))


def test_values_that_differ_from_those_of_the_case_are_refused(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    path = "inputs/expanded_row_idx.npy"
    content = bytearray((folder / path).read_bytes())
    content[-1] ^= 1
    assert "hold different values of expanded_row_idx" in refusal(put(folder, path, content))


def test_other_values_of_a_recipe_change_the_digest_that_the_manifest_tells(
    tmp_path: Path,
) -> None:
    folder = bundle(tmp_path / "b")
    content = bytearray((folder / X).read_bytes())
    content[-1] ^= 1
    assert "manifest.json tells another" in refusal(put(folder, X, bytes(content)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "something else"),
        ("schema", 2),
        ("schema", "1"),
        ("files", {}),
        ("files", [{"path": 3, "bytes": 1, "sha256": "x"}]),
        ("arguments", 7),
        ("observed", []),
        ("accepted", {"grad_x": {"kind": "whatever"}}),
        ("machine", [1]),
        ("unheard of", 1),
        ("seeds", {"run": "seven"}),
    ],
)
def test_a_manifest_of_wrong_types_is_refused(tmp_path: Path, field: str, value: Any) -> None:
    folder = bundle(tmp_path / "b")
    said = msgspec.json.decode((folder / told.MANIFEST).read_bytes())
    assert "manifest.json is none that" in refusal(resealed(folder, {**said, field: value})) or (
        field in ("kind", "schema")
    )


@pytest.mark.parametrize("raw", [b"", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"kind": 1}'])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, raw: bytes) -> None:
    folder = bundle(tmp_path / "b")
    (folder / told.MANIFEST).write_bytes(raw)
    (folder / told.SUMS).write_bytes(told.sums(raw, ()))
    assert "manifest.json" in refusal(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda case: case["attributes"].update(top_k="2"),
        lambda case: case["attributes"].update(top_k=2**70),
        lambda case: case["inputs"]["grad_expanded_x"].update(shape=[2**40, 2**20]),
        lambda case: case["inputs"]["grad_expanded_x"].update(shape=[8.5, 10]),
        lambda case: case["inputs"]["grad_expanded_x"]["fill"].update(stripes=[EVIL]),
        lambda case: case["inputs"]["grad_expanded_x"]["fill"].update(seed=-1),
        lambda case: case["inputs"].update({EVIL: case["inputs"]["expanded_row_idx"]}),
        lambda case: case.update(operator=EVIL),
        lambda case: case.update(operator="../../x"),
        lambda case: case.update(mode=EVIL),
        lambda case: case["machine"].update(cores=10**9),
        lambda case: case["machine"].update(block_order=EVIL),
        lambda case: case["machine"].update(functions=EVIL),
        lambda case: case["machine"].update(pipes=EVIL),
    ],
)
def test_a_case_that_means_ill_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    folder = bundle(tmp_path / "b")
    saved = msgspec.json.decode((folder / told.CASE).read_bytes())
    change(saved["case"])
    assert "is" in refusal(put(folder, told.CASE, msgspec.json.encode(saved)))


def test_names_that_mean_ill_are_texts_in_the_programs_and_no_code(tmp_path: Path) -> None:
    """They come from records and messages: no quotation mark, comment or line end gets out."""
    manifest = read_bundle(bundle(tmp_path / "b")).manifest
    manifest.operator = manifest.headline = EVIL
    manifest.arguments[0].acl_name = EVIL
    program = cpp_program(manifest).decode("ascii")
    lines = [line for line in program.splitlines() if "/etc/passwd" in line]
    assert len(lines) == 3
    comments, texts = lines[:2], lines[2:]
    assert all(line.startswith("// <script>") for line in comments)
    assert all("#include \\042/etc/passwd\\042" in line for line in texts)
    assert "\x1b" not in program
    assert quoted('a"b\\?\n\x1b9é') == '"a\\042b\\134\\077\\012\\0339\\303\\251"'


def test_what_a_terminal_would_obey_is_told_as_question_marks(tmp_path: Path) -> None:
    def change(said: dict[str, Any]) -> None:
        said["device_words"] = said["made"] = EVIL

    folder = rewrite(bundle(tmp_path / "b"), change)
    console = Speaking(file=io.StringIO(), width=500)
    arguments = parser().parse_args(["replay", str(folder), "--device", "sim"])
    arguments.command(arguments, console, [])
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "<script>alert(1)</script>?[2J" in shown


def test_nothing_of_a_bundle_is_run_by_replay(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b")
    for program in (told.PYTHON_PROGRAM, told.CPP_PROGRAM):
        put(folder, program, f"open({str(tmp_path / 'ran')!r}, 'w')\n".encode())
    console = Console(file=io.StringIO())
    arguments = parser().parse_args(["replay", str(folder), "--device", "sim"])
    assert arguments.command(arguments, console, []) == 0
    assert not (tmp_path / "ran").exists()


def test_a_legal_case_passes_all_of_this(tmp_path: Path) -> None:
    """So that a refusal above is of what was changed."""
    read, notes = as_stored(read_bundle(bundle(tmp_path / "b")))
    check_call(read.replay.case, OPERATOR)
    assert notes == []
