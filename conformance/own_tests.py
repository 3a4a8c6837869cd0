"""A Python function judged from a test of one's own: two lines in the pytest that is there already.

    import conformance
    from my_kernels import permute

    def test_permute():
        conformance.judge_implementation(permute, "moe_token_permute")

or, for the function itself:

    @conformance.judged("moe_token_permute", tensors="numpy")
    def test_permute(tokens, indices, num_out_tokens=None, padded_mode=False): ...
"""

from __future__ import annotations

import functools
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.catalogue import python_route as say
from conformance.errors import UsageError

Function = Callable[..., Any]
RUNS = Path("reports", "implementations")


def judge_implementation(
    function: Function,
    operator: str,
    *,
    profile: str = "smoke",
    tensors: str = "torch",
    device: str = "auto",
    out: Path | str | None = None,
    arguments: tuple[str, ...] = (),
) -> None:
    """Judge a function in the place of an operator's kernel, as ``run --implementation`` does.

    It is imported anew in the processes of the run, by its file: it must stand in a module. ``out``
    is the folder of the run, None: ``reports/implementations/`` and the function's name, where
    pytest was started. ``arguments`` are further words of the command, as ``("--seed", "3")``.
    Raises AssertionError with the text of the run for a function that is not accepted, UsageError
    for one that stands in no module.
    """
    where = _where(function)
    folder = RUNS / f"{function.__module__}.{function.__qualname__}" if out is None else Path(out)
    command = [sys.executable, "-m", "conformance", "run", operator, "--implementation", where]
    command += ["--profile", profile, "--tensors", tensors, "--device", device]
    command += ["--out", str(folder), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise AssertionError(f"{ended.stderr}{ended.stdout}".strip())


def judged(operator: str, **asked: Any) -> Callable[[Function], Function]:
    """A decorator that makes a test of a function; ``asked`` are those of `judge_implementation`.

    The function itself is the attribute ``implementation`` of the test.
    """

    def made(function: Function) -> Function:
        @functools.wraps(function)
        def test() -> None:
            judge_implementation(test, operator, **asked)

        # pytest would take the function's own parameters for fixtures.
        test.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
        test.implementation = function  # type: ignore[attr-defined]
        return test

    return made


def _where(function: Function) -> str:
    """The function as ``--implementation`` names it. Raises UsageError."""
    file = inspect.getsourcefile(inspect.unwrap(function))
    name = function.__qualname__
    if file is None or not all(part.isidentifier() for part in name.split(".")):
        raise UsageError("function", name, say.IN_NO_MODULE())
    inner = ".implementation" if hasattr(function, "implementation") else ""
    return f"{Path(file).resolve()}:{name}{inner}"
