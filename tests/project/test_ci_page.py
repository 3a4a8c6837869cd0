"""The recipes of the page on CI: their commands are those that there are, and do what it says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from conformance.cli.main import parser
from conformance.errors import ACCEPTED
from tests.conformance.front_door import host

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "ci.md").read_text()
COMMAND = re.compile(r"python -m conformance .*")
OPERATOR = "moe_compute_expert_tokens"
PERSON = {"WHO": "A. Engineer", "WHY": "it's right"}


def recipe(title: str) -> list[str]:
    """The commands of a section, in their order."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    return COMMAND.findall(section[1])


TITLES = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("title", TITLES)
def test_every_command_of_a_recipe_is_one_that_the_suite_understands(title: str) -> None:
    commands = recipe(title)
    assert commands
    for command in commands:
        command, _ = next(shards(command))
        words = shlex.split(command.split(" || ")[0].split(" > ")[0])[3:]
        parsed, extra = parser().parse_known_args(words)
        assert extra == []
        assert parsed.command is not None


def shards(command: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """A command as each of two machines runs it, and the variables that a system sets there."""
    for place in (1, 2):
        written = command.replace("${{ matrix.shard }}", str(place))
        yield (
            written,
            {
                "CI_NODE_INDEX": str(place),
                "CI_NODE_TOTAL": "2",
                **(
                    {"JOB_COMPLETION_INDEX": str(place - 1)}
                    if "JOB_COMPLETION_INDEX" in command
                    else {}
                ),
            },
        )


@pytest.mark.slow
def test_the_recipes_judge_in_shards_merge_and_gate_against_the_baseline_that_they_keep(
    tmp_path: Path,
) -> None:
    def run(command: str, variables: Mapping[str, str]) -> str:
        small = command.replace("npu:0", "sim").replace(
            "--profile gate", f"--profile smoke --operator {OPERATOR}"
        )
        told = subprocess.run(
            ["sh", "-c", small.replace("python", shlex.quote(sys.executable), 1)],
            cwd=tmp_path,
            env={**host(), **PERSON, **variables},
            capture_output=True,
            text=True,
        )
        assert told.returncode == ACCEPTED, told.stdout + told.stderr
        return told.stderr

    def judge(title: str, *then: str) -> str:
        for folder in ("run", "run1", "run2"):
            shutil.rmtree(tmp_path / folder, ignore_errors=True)
        for command, variables in shards(recipe(title)[0]):
            run(command, variables)
        return [run(command, {}) for command in then][-1]

    _, merge, gate = recipe("GitHub Actions")
    judge("GitHub Actions", merge, *recipe("The baseline"), gate)
    shutil.copytree(tmp_path / "run", tmp_path / "last")
    assert "accepted" in judge("GitLab", *recipe("GitLab")[1:])
    assert "accepted" in judge("Kubernetes", merge, gate)
