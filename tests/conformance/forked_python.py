"""Python processes that are forks of one that has imported all that a run imports.

Most of what a small run costs is imports. Here they are made once for each worker of the tests;
every run is still a process with an environment, a folder and an end of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.waiting import HANGS

ROOT = Path(__file__).resolve().parents[2]
READ_AT_IMPORT = frozenset({"CI", "HYPOTHESIS_STORAGE_DIRECTORY"})
"""Variables that say something to Hypothesis while it is imported: with them, start Python anew."""
JUDGED_OFTEN = ("moe_init_routing_v2_grad", "moe_token_permute_grad")
"""Operators that most runs of the tests judge: which of their levels go together is worked out."""
OF_A_RUN = (
    "conformance.plugin",
    "conformance.session.failure_text",
    "conformance.cli.run",
    "conformance.cli.replay",
    "xdist.plugin",
)


def can_fork(environment: Mapping[str, str]) -> bool:
    """Whether a process with this environment imports what the one here has imported."""
    there = _started()[1]
    names = {name for name in (*environment, *there) if name.startswith("PYTHON")}
    return all(environment.get(name) == there.get(name) for name in READ_AT_IMPORT | names)


def run(
    module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> tuple[int, str, str]:
    """``python -m MODULE ARGUMENTS`` in ``folder``: its exit status as subprocess has it, and what
    it printed, on stdout and on stderr."""
    server, _ = _started()
    assert server.stdin is not None
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as error:
        printed = [out.name, error.name]
        asked = [module, list(arguments), str(folder), dict(environment), printed]
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        process = _reply(server)
        try:
            return _reply(server), out.read(), error.read()
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise


def _reply(server: subprocess.Popen[str]) -> int:
    assert server.stdout is not None
    if not select.select([server.stdout], [], [], HANGS)[0]:
        raise TimeoutError(f"no end after {HANGS:g} s")
    return int(server.stdout.readline())


@functools.cache
def _started() -> tuple[subprocess.Popen[str], dict[str, str]]:
    """The process that is forked, and its environment; it ends when its input does."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    server = subprocess.Popen(
        [sys.executable, "-m", __name__],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )

    atexit.register(server.communicate)
    return server, environment


def _serve() -> None:
    """Fork for each line of input; the child ends as a Python that was started for its run."""
    _import_what_a_run_does()
    gc.freeze()
    for line in iter(sys.stdin.readline, ""):
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            _run_here(*json.loads(line))
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _import_what_a_run_does() -> None:
    """By a run without a test: pytest rewrites the assertions of plugins that it imports itself."""
    with tempfile.TemporaryDirectory() as empty, _silence():
        os.chdir(empty)
        pytest.main(["-q", "-p", "conformance.plugin", "-p", "no:cacheprovider", empty])
        os.chdir(ROOT)
    for name in OF_A_RUN:
        importlib.import_module(name)
    _work_out()


def _work_out() -> None:
    """What each run would work out anew; imported after pytest, which rewrites Hypothesis."""
    from conformance.cli import html
    from conformance.draw import shared_rows
    from conformance.suite import records

    html.template()
    known = records.records()
    for operator in (known[name] for name in JUDGED_OFTEN):
        for mode in operator.modes:
            for one in shared_rows.shared(operator, mode.name, operator.dtypes_in(mode.name)):
                assert one.feasible.any()


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    kept = os.dup(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _run_here(
    module: str, arguments: list[str], folder: str, environment: dict[str, str], printed: list[str]
) -> None:
    """Become the process that ``python -m MODULE`` would be; ends by SystemExit, as that does."""
    for name, descriptor in zip((os.devnull, *printed), range(3), strict=True):
        opened = os.open(name, os.O_RDWR | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv[1:] = arguments
    sys.orig_argv = [sys.executable, "-m", module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve()
