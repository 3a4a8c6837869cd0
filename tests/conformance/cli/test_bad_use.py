"""Bad use of the front door: each is told in a clear line, with the status that says whose turn it
is: 2 for whoever asked, 3 for whoever keeps the host.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.evidence import run_folder
from conformance.evidence.lines import VerdictLine, read_lines
from conformance.evidence.summary import read_evidence
from conformance.suite import records as suite
from device_kernels.build import build
from tests.conformance.front_door import (
    NAME,
    ON_SIMULATOR,
    ONE_OPERATOR,
    Ended,
    conformance,
    host,
    with_one_kernel,
)

KNOWN = ", ".join(operator.name for operator in suite.operators())
QUICK = ("--", "-k", "test_examples and README")


@dataclass(frozen=True)
class Here:
    """The front door in this process, in an empty folder: what it says of wrong use is the same."""

    folder: Path
    told: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Ended:
        status = main(list(arguments))
        return Ended(status, *self.told.readouterr())


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    return Here(tmp_path, capsys)


def one_line(err: str) -> str:
    """The last line, after no more than those that say what is being done."""
    assert "Traceback" not in err
    *others, last = err.rstrip().splitlines()
    assert all(line.startswith(("device: ", "building ", "built ")) for line in others), err
    return last


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--profile", "big"], "profile is 'big': allowed: smoke, gate, nightly"),
        (["--profile", "smok"], "allowed: smoke, gate, nightly; did you mean smoke?"),
        (["token_unpermute"], "; did you mean moe_token_unpermute?"),
        (["--seed", "x"], "seed is 'x': allowed: integers from 0"),
        (["--device", "gpu"], "device is 'gpu': allowed: auto, sim, sim:SOC, sim@CANN, npu, npu:N"),
        (["--cann", "9"], "cann is '9': allowed: two numbers and what follows, such as 9.1 or"),
        (["--cann", "9.1", "--device", "npu"], "cann is '9.1': --cann needs the simulator"),
        (["--device", "sim:Ascend9"], "known SoCs: Ascend910B1, Ascend910B2"),
        (["--route", "graph"], "route is 'graph': allowed: aclnn, kernel, torch_npu, python"),
        (["--operator", "softmax"], f"operator is 'softmax': no such record; allowed: {KNOWN}"),
        (["--operators", "nowhere"], "is no folder"),
        (["-n", "two"], "n is 'two': allowed: integers from 0"),
        (["--case", "absent.json"], "case is 'absent.json': cannot be read"),
        (["--budget", "10"], "budget is '10': allowed: a time above 0, such as 90s, 10m or 2h"),
        (["--shard", "3/2"], "shard is '3/2': allowed: I/N with I from 1 to N"),
        (["--resume", "--out", "."], "': holds no run to go on with"),
        (["--standard", "iso"], "standard is 'iso': "),
        (["--libraries", "nowhere"], "libraries is 'nowhere': allowed: a folder that exists"),
        (["--out", "."], "is not empty and not the folder of an earlier run"),
        (["--kernel-coverage", "--device", "npu:0"], "--kernel-coverage needs the simulator"),
        (["--time-limit", "0"], "time limit is '0': allowed: seconds above 0"),
        (["-k", "laders"], "nothing was judged: no item is selected by: -k laders"),
        (["--", "-k", "laders"], "nothing was judged: no item is selected by: -k laders"),
        (["-k", "last row"], "k is 'last row': allowed: words, with and, or, not between them"),
        (["--", "-k", "float16 and"], "k is 'float16 and': allowed: words, with and, or, not"),
    ],
)
def test_a_wrong_request_is_told_with_what_is_allowed(
    here: Here, arguments: list[str], words: str
) -> None:
    (here.folder / "letter.txt").write_text("dear")
    ended = here("run", *ONE_OPERATOR, *arguments)
    assert ended.status == 2, ended.err
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_an_option_that_there_is_not_ends_the_command(tmp_path: Path) -> None:
    ended = conformance("run", *ONE_OPERATOR, "--nonsense", folder=tmp_path)
    assert ended.status == 2, ended.err
    assert "unrecognized arguments: --nonsense" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.slow
def test_a_run_that_never_began_does_not_stand_in_the_way_of_the_next(tmp_path: Path) -> None:
    for _ in range(2):
        ended = conformance("run", *ONE_OPERATOR, "--", "-k", "nothing_matches", folder=tmp_path)
        assert ended.status == 2
        assert "nothing was judged" in ended.err


def test_without_a_compiler_it_is_said_what_to_install(tmp_path: Path) -> None:
    ended = conformance("run", *ON_SIMULATOR, "--json", folder=tmp_path, CXX="g++-0")
    assert ended.status == 3
    line = one_line(ended.err)
    assert "kernels or simulator do not build: no C++ compiler: CXX is 'g++-0'" in line
    assert "install g++ 11 or newer" in line
    assert json.loads(ended.out)["status"] == 3


def test_a_kernel_that_does_not_compile_is_told_with_the_compilers_first_error(
    tmp_path: Path, checkout: Path
) -> None:
    environment = with_one_kernel(checkout, tmp_path / "cache")
    kernel = checkout / "device_kernels" / "kernels" / NAME / f"{NAME}_kernel.cpp"
    with kernel.open("a") as source:
        source.write("\nint broken = missing;\n")
    ended = conformance("run", *ON_SIMULATOR, folder=tmp_path, **environment)
    assert ended.status == 3
    absent, _, *told = ended.err.splitlines()
    assert absent.startswith("no kernel: ")
    assert told[0] == "nothing was judged: kernels or simulator do not build: the build failed:"
    assert f"{NAME}_kernel.cpp:" in told[1]
    assert "error: 'missing' was not declared" in told[1]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("OPERATOR = (", "fails to import: SyntaxError("),
        ("import nowhere", "fails to import: ModuleNotFoundError("),
        ("raise SystemExit(0)", "fails to import: SystemExit(0)"),
        ("OPERATOR = 1", "its attribute OPERATOR must be a conformance.record.operator.Operator"),
        (
            f"from cases.operators.{NAME} import OPERATOR",
            f"'{NAME}': an operator has one record",
        ),
        (
            f"from dataclasses import replace; from cases.operators.{NAME} import OPERATOR as O\n"
            "OPERATOR = replace(O, name='mine')",
            f"its example 'README' is a case of operator '{NAME}'; it must be one of 'mine'",
        ),
        (
            f"from dataclasses import replace; from cases.operators.{NAME} import OPERATOR as O\n"
            "one = replace(O.rejections[0], case=replace(O.rejections[0].case, operator='mine'))\n"
            "OPERATOR = replace(O, name='mine', examples=(), quarantine=(), rejections=(one, one))",
            "2 calls of kind rejection are called",
        ),
    ],
)
def test_a_broken_record_is_named_with_what_is_wrong(here: Here, record: str, words: str) -> None:
    (here.folder / "records").mkdir()
    (here.folder / "records" / "mine.py").write_text(record)
    for command in (["operators"], ["run", *ON_SIMULATOR]):
        ended = here(*command, "--operators", "records")
        assert ended.status == 2
        line = one_line(ended.err)
        assert "records/mine.py" in line
        assert words in line


def test_a_record_that_draws_anothers_cases_is_refused(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "mine.py").write_text(
        "from dataclasses import replace\n"
        f"from cases.operators.{NAME} import OPERATOR as O\n"
        "OPERATOR = replace(O, name='mine', examples=(), rejections=(), row_sum=None)\n"
    )
    only = ("--operators", "records", "--operator", "mine", "--", "-k", "dropless-float32")
    ended = conformance("run", *ON_SIMULATOR, "-n", "0", *only, folder=tmp_path)
    assert ended.status == 3
    assert f"the record of mine draws a case of operator '{NAME}'" in ended.err
    assert "Traceback" not in ended.err
    assert "a record or the suite failed: 0 distinct cases" in ended.err


def test_two_runs_never_write_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_folder, "WAIT_SECONDS", 0)
    program = (
        "import sys; from pathlib import Path; from conformance.evidence import run_folder\n"
        "from conformance.evidence.summary import Evidence\n"
        "hold = run_folder.start(Path('out'), Evidence()); print('writing', flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=host(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"writing\n"
        command = ["run", *ON_SIMULATOR, "--out", str(tmp_path / "out")]
        assert main([*command, "--resume"]) == 2
        assert "holds no run to go on with" in one_line(capsys.readouterr().err)
        assert main(command) == 2
        told = one_line(capsys.readouterr().err)
        assert f"another run, process {other.pid}, is writing there" in told
        other.communicate()


def test_a_folder_that_fills_up_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path / "small")]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user may not mount a small file system; test_full_disk.py needs none")
    try:
        only = ("--", "-k", "test_values and dropless-float16")
        ended = conformance("run", *ONE_OPERATOR, "--out", "small/out", *only, folder=tmp_path)
        assert ended.status == 3, ended.err
        assert "cannot be written: No space left on device" in ended.err
        assert "Traceback" not in ended.err
        lines = list(read_lines(tmp_path / "small" / "out"))
        assert any(isinstance(line, VerdictLine) for line in lines)
    finally:
        subprocess.run(["umount", str(tmp_path / "small")], check=True)


def read_only(*folders: Path) -> tuple[str, ...]:
    """Closes folders against writing; returns what must stand before a command to make it hold.

    Root ignores permissions, so root gets the folders as read-only mounts that only the command
    sees.
    """
    for folder in folders:
        subprocess.run(["chmod", "-R", "a-w", str(folder)], check=True)
    if os.geteuid():
        return ()
    mounts = [f"mount --bind {f} {f} && mount -o remount,bind,ro {f}" for f in folders]
    command = ("unshare", "-m", "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh")
    if shutil.which("unshare") is None or subprocess.run([*command, "true"]).returncode:
        pytest.skip("root ignores permissions, and may not mount read-only folders here")
    return command


def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    before = read_only(closed)
    ended = conformance(
        "run",
        *ON_SIMULATOR,
        "--out",
        "closed/run",
        folder=tmp_path,
        before=before,
        HOME=str(tmp_path),
    )
    assert ended.status == 2
    words = f"cannot be made: {closed} is no folder that can be written"
    assert one_line(ended.err).endswith(words)


@pytest.mark.slow
def test_a_checkout_that_may_not_be_written_builds_among_temporary_files(
    tmp_path: Path, checkout: Path
) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    mine = temporary / f"moe-conformance-{os.getuid()}"
    made = build(only=[NAME], quiet=True)
    for built in (made.lib.parent, made.runtime.parent):
        shutil.copytree(built, mine / built.name)
    mine.chmod(0o700)
    environment = {
        "PYTHONPATH": str(checkout),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "XDG_CACHE_HOME": "",
        "MOE_CONFORMANCE_CACHE": "",
    }
    command = ("run", *ONE_OPERATOR, "--out", str(tmp_path / "run"), *QUICK)
    before = read_only(checkout, home)
    try:
        ended = conformance(*command, folder=checkout, before=before, **environment)
        assert ended.status == 0, ended.err
        evidence = read_evidence(tmp_path / "run")
        mine.chmod(0o777)
        unsafe = conformance(*command, folder=checkout, before=before, **environment)
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(checkout), str(home)], check=True)
    assert evidence is not None
    library = evidence.devices[0].profile["libraries"]["libopapi.so"]["path"]
    assert Path(library).is_relative_to(mine)
    assert unsafe.status == 3
    assert f"{mine} is not a folder that only this user can write" in one_line(unsafe.err)
