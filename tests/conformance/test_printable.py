"""What a person's file holds is told; nothing of it that a terminal or a page would obey."""

from __future__ import annotations

import ast
import copy
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.table import Table

from conformance.cli import result as outcome
from conformance.cli.main import main
from conformance.errors import UsageError
from conformance.evidence.implementation import Implementation
from conformance.evidence.summary import read_evidence
from conformance.failure.bundle import manifest as told
from conformance.failure.replay import Replay, encoded
from conformance.printable import printable, printable_json
from conformance.text.language import Speaking, put
from tests.conformance.failure.bundle.bundles import CASE, bundle, resealed
from tests.conformance.failure.bundle.bundles import put as put_file
from tests.conformance.front_door import HERE, ONE_OPERATOR, ROOT, conformance
from tests.conformance.gate.asking import accepted, waiver
from tests.conformance.gate.runs import every_cell, refused, seal_anew
from tests.conformance.gate.runs import run as run_folder
from tests.conformance.toy_runs import Run

EVIL = "\x1b[2J\x9b31m\u202e\u2066\u200f\x07\x7f\x85\u2028[/red]:x:"
Said = Callable[..., str]


def obeyed(text: str) -> list[str]:
    """The characters of a text that somebody would obey, or not see."""
    return [one for one in text if not one.isprintable() and one != "\n"]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command and gives what it told, having looked at every character of it."""

    def asked(*arguments: str) -> str:
        capsys.readouterr()
        main(arguments)
        shown = capsys.readouterr()
        assert obeyed(shown.err) == []
        assert obeyed(shown.out) == []
        return shown.err + shown.out

    return asked


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a text stands in a JSON value: the way to it, with ``None`` last for a key."""
    if isinstance(value, str):
        yield here
    elif isinstance(value, dict):
        for key, one in value.items():
            yield (*here, key, None)
            yield from places(one, (*here, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from places(one, (*here, at))


def with_evil(value: Any, place: tuple[Any, ...]) -> Any:
    """The JSON value with `EVIL` before one of its texts."""
    made = copy.deepcopy(value)
    *way, last = place
    at, key = made, last
    if last is None:
        key = way.pop()
    for step in way:
        at = at[step]
    if last is None:
        at[EVIL + key] = at.pop(key)
    else:
        at[key] = EVIL + at[key]
    return made


def test_each_character_that_is_obeyed_is_a_question_mark() -> None:
    assert (
        printable("a\x1b[2Jb\rc\nd\te\x9b\u202e\u2066\u200f\u2028\ufeff") == "a?[2Jb?c\nd e??????"
    )
    assert printable("第 1 行：é ≤ 2^-24") == "第 1 行：é ≤ 2^-24"


def test_programs_read_in_json_what_it_was() -> None:
    raw = msgspec.json.encode({EVIL: EVIL, "face": "\U0001f600\U000e0001"}).decode()
    assert obeyed(printable_json(raw)) == []
    assert msgspec.json.decode(printable_json(raw)) == msgspec.json.decode(raw)


def test_a_console_and_standard_output_let_nothing_out_whoever_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = io.StringIO()
    console = Speaking(file=file, width=200)
    table = Table(title=EVIL)
    table.add_column(EVIL)
    table.add_row(EVIL)
    for one in (EVIL, table):
        console.print(one, markup=False)
    put(EVIL)
    assert obeyed(file.getvalue() + capsys.readouterr().out) == []
    assert file.getvalue().count("?[2J?31m") == 4
    assert "[/red]:x:" in file.getvalue(), "nor is it markup"
    assert obeyed(str(UsageError(EVIL, EVIL, EVIL))) == []


SAVED = Replay(
    CASE,
    implementation=Implementation(source="libraries", place="/x", libraries={"libopapi.so": "0"}),
)
CASE_FILE = msgspec.json.decode(encoded(SAVED))


@pytest.mark.parametrize("place", list(places(CASE_FILE)), ids=str)
def test_no_text_of_a_case_gets_out_raw(tmp_path: Path, said: Said, place: tuple[Any, ...]) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(msgspec.json.encode(with_evil(CASE_FILE, place)))
    asked = ("run", "--case", str(path), "--device", "sim", "--json")
    assert said(*asked)
    if place[0] == "implementation":
        assert said(*asked, "--own-kernels")


def test_no_text_of_a_bundle_gets_out_raw(tmp_path: Path, said: Said) -> None:
    folder = bundle(tmp_path / "b", name="README", judged_as="example")
    right = msgspec.json.decode((folder / told.MANIFEST).read_bytes())
    raw = (folder / told.CASE).read_bytes()
    for place in places(right):
        if place[0] == "files" or (place[:1] == ("arguments",) and place[1:2] not in ((), (0,))):
            continue  # paths: test_hostile.py; one argument is as good as another
        resealed(folder, with_evil(right, place))
        assert said("replay", str(folder), "--device", "sim", "--kernels", "nowhere", "--json")
    resealed(folder, right)
    for place in places(msgspec.json.decode(raw)):
        put_file(folder, told.CASE, msgspec.json.encode(with_evil(msgspec.json.decode(raw), place)))
        assert said("replay", str(folder), "--device", "sim", "--kernels", "nowhere", "--json")


def test_no_text_of_a_run_gets_out_raw(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By all that reads its folder: a text is changed wherever it stands, so that all agree."""
    monkeypatch.chdir(tmp_path)
    errors = {"t.py::test_x": "E: no"}
    folder = run_folder(
        tmp_path / "run", every_cell(refused()), errors=errors, observed=["a call in doubt"]
    )
    files = {path: path.read_text() for path in (*folder.glob("*.jsonl"), folder / "evidence.json")}
    parts = [line for content in files.values() for line in content.splitlines() if line[-1] == "}"]
    whole = [files[folder / "evidence.json"], *(line for line in parts if line.startswith("{"))]
    texts = {text for part in whole for text in _texts(msgspec.json.decode(part)) if text}
    assert len(texts) > 60
    free = [text for text in sorted(texts) if _looked_at(folder, _changed(files, [text]), said)]
    assert len(free) > 20, "others are refused, as they are numbers of a version, kinds of lines..."
    assert _looked_at(folder, _changed(files, free), said)
    said("gate", "run", "--no-baseline", "--annotations", "gitlab")
    said("report", "run", "--lang", "zh")
    by = ("--who", EVIL, "--why", EVIL, "--name", "main", "--baselines", "b")
    said("baseline", "accept", "run", *by)
    said("baseline", "show", "main", "--baselines", "b")
    said("merge", "run", "--out", "merged")
    said("history", "import", "run", "--db", "h.sqlite")
    for command in ("show", "changes"):
        assert said("history", command, "--db", "h.sqlite")
        assert said("history", command, "--db", "h.sqlite", "--json")


def _looked_at(folder: Path, files: dict[Path, str], said: Said) -> bool:
    """Show the folder of a run to what reads it; whether the gate judged it."""
    for path, content in files.items():
        path.write_text(content)
    with suppress(msgspec.MsgspecError, KeyError):
        seal_anew(folder)
    told = said("gate", "run", "--no-baseline", "--json")
    said("gate", "run", "--no-baseline", "--annotations", "github")
    said("report", "run")
    page, shown = folder / "report.html", Speaking(file=io.StringIO())
    if (evidence := read_evidence(folder)) is not None:
        evidence.environment = [EVIL]
        outcome.tell(folder, evidence, evidence.exit_status or 0, shown)
    assert obeyed(shown.file.getvalue() + (page.read_text() if page.exists() else "")) == []
    page.unlink(missing_ok=True)
    return "cannot judge" not in told


def _changed(files: dict[Path, str], texts: list[str]) -> dict[Path, str]:
    """The files with `EVIL` before these texts, wherever they stand."""
    made = dict(files)
    for text in texts:
        right, wrong = (msgspec.json.encode(one).decode() for one in (text, EVIL + text))
        made = {path: content.replace(right, wrong) for path, content in made.items()}
    return made


def _texts(value: Any) -> Iterator[str]:
    """Every text of a JSON value, its keys among them."""
    for *way, last in places(value):
        at = value
        for step in way if last is None else (*way, last):
            at = at[step]
        yield way[-1] if last is None else at


def test_no_text_of_a_baseline_gets_out_raw(tmp_path: Path, said: Said) -> None:
    folder = run_folder(tmp_path / "run")
    accepted(tmp_path / "b", folder, "main")
    path = tmp_path / "b" / "main.json"
    right = msgspec.json.decode(path.read_bytes())
    for place in places(right):
        path.write_bytes(msgspec.json.encode(with_evil(right, place)))
        asked = ("--baselines", str(tmp_path / "b"))
        assert said("gate", str(folder), "--baseline", "main", *asked, "--json")
        assert said("baseline", "show", "main", *asked)
        assert said("baseline", "list", *asked)


@pytest.mark.parametrize("field", ["operator", "where", "device", "reason", "owner", "link", EVIL])
def test_no_text_of_a_waiver_gets_out_raw(tmp_path: Path, said: Said, field: str) -> None:
    folder = run_folder(tmp_path / "run", every_cell(refused()))
    path = tmp_path / "waivers.toml"
    text = waiver(reason=EVIL, owner=EVIL)
    kept = {"reason": EVIL, "owner": EVIL}
    escaped = "".join(f"\\u{ord(one):04x}" for one in EVIL)
    if field in ("operator", "where", "device", "link"):
        text = waiver(**{**kept, field: EVIL})
    for one in set(msgspec.json.encode(EVIL).decode()[1:-1].split("\n")):
        text = text.replace(one, escaped)
    path.write_text(text if field != EVIL else text + f'\n"{escaped}" = 1\n')
    for more in ((), ("--json",), ("--annotations", "gitlab")):
        assert said("gate", str(folder), "--no-baseline", "--waivers", str(path), *more)


def test_no_text_of_a_regression_gets_out_raw_from_pytest_and_junit(tmp_path: Path) -> None:
    """Its mode is of no record: the item ends with an error that quotes it."""
    records = tmp_path / "records"
    records.mkdir()
    (records / "first_slot_only.py").write_bytes(
        (HERE / "wrong" / "first_slot_only.py").read_bytes()
    )
    name = CASE.operator
    folder = records / "regressions" / name
    folder.mkdir(parents=True)
    plain = msgspec.json.decode(encoded(Replay(CASE)))["case"]
    for place in (("mode",), ("dtype",), ("inputs", "grad_expanded_x", None)):
        words = "-".join(str(one) for one in place if one)
        wrong = {"name": words, "digest": EVIL, "why": EVIL, "case": with_evil(plain, place)}
        (folder / f"{words}.json").write_bytes(msgspec.json.encode(wrong))
    ended = conformance(
        *("run", *ONE_OPERATOR, "--operators", str(records), "--out", "out", "--json"),
        *("--", "-k", "regressions"),
        folder=tmp_path,
    )
    assert ended.status != 0
    assert "mode" in ended.err
    files = {path.name: path.read_text() for path in (tmp_path / "out").iterdir() if path.is_file()}
    assert {"report.html", "junit.xml", "pytest.log"} <= files.keys()
    shown = [files["report.html"], files["junit.xml"], files["pytest.log"]]
    assert obeyed("".join([ended.err, ended.out, *shown])) == []


BROKEN = """
def test_breaks(request):
    raise ValueError("\\x1b[2J\\x9b31m\\u202e and words")
"""


def test_an_error_of_anybody_s_test_is_told_printably(run: Run) -> None:
    folder = run("--collect-only").out.parents[1]
    (folder / "check_broken.py").write_text(BROKEN)
    ended = run("--junit-xml=junit.xml", file="check_broken.py")
    assert ended.status == 1
    assert "?[2J?31m? and words" in ended.output
    assert obeyed(ended.output + (folder / "junit.xml").read_text()) == []


def test_nothing_is_printed_past_the_ways_out() -> None:
    """Whoever adds a command finds `put`, `tell_program` and the console that it is given."""
    allowed = {"print": {"text/language.py"}, "Console": {"cli/progress.py"}}
    found = []
    for path in sorted((ROOT / "conformance").rglob("*.py")):
        where = str(path.relative_to(ROOT / "conformance"))
        if where.startswith("failure/bundle/programs/"):
            continue  # they need nothing of this project
        for node in ast.walk(ast.parse(path.read_text())):
            words = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            streams = words in ("sys.stdout.write", "sys.stderr.write") and where not in CHILDREN
            if streams or where not in allowed.get(words, {where}):
                found.append(f"{where}:{node.lineno}: {words}")
    assert found == []


CHILDREN = (
    *("printable.py", "devices/worker.py", "devices/acl.py"),
    "devices/torch_npu/wheel.py",
)
"""Where streams are written: the one way out, and processes that another one listens to."""
