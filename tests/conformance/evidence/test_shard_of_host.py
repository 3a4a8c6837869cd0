"""``--shard auto`` is what a CI system or cluster says of its parallel jobs."""

from __future__ import annotations

import pytest

from conformance.errors import UsageError
from conformance.evidence.shard import WHOLE, Shard
from conformance.evidence.shard_of_host import shard_of

BUILDKITE = {"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "4"}
GITLAB = {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "4"}
CIRCLE = {"CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": "4"}
KUBERNETES = {"JOB_COMPLETION_INDEX": "2"}
SLURM = {
    "SLURM_ARRAY_TASK_ID": "14",
    "SLURM_ARRAY_TASK_COUNT": "4",
    "SLURM_ARRAY_TASK_MIN": "10",
    "SLURM_ARRAY_TASK_STEP": "2",
}


@pytest.mark.parametrize(
    ("environment", "asked", "shard"),
    [
        (BUILDKITE, "auto", Shard(1, 4)),
        (GITLAB, "auto", Shard(1, 4)),
        (CIRCLE, "auto", Shard(4, 4)),
        (KUBERNETES, "auto/3", Shard(3, 3)),
        (SLURM, "auto", Shard(3, 4)),
        ({"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "2"}, "auto/2", Shard(1, 2)),
    ],
)
def test_each_system_says_which_of_its_jobs_this_is(
    environment: dict[str, str], asked: str, shard: Shard
) -> None:
    assert shard_of(asked, environment) == shard


def test_a_shard_that_is_written_out_does_not_ask_the_system() -> None:
    assert shard_of("2/3", BUILDKITE) == Shard(2, 3)
    assert shard_of(None, BUILDKITE) == WHOLE


@pytest.mark.parametrize(
    ("environment", "asked", "rule"),
    [
        ({}, "auto", "no variable of a CI system or cluster says which shard this is"),
        (KUBERNETES, "auto", "nothing says of how many; write auto/N"),
        (GITLAB, "auto/5", "CI_NODE_TOTAL says 4 shards, not 5"),
        ({**GITLAB, "CI_NODE_INDEX": "5"}, "auto", "is 5, which is no place of one of 4 shards"),
        ({**GITLAB, "CI_NODE_INDEX": "0"}, "auto", "is 0, which is no place of one of 4 shards"),
        ({**GITLAB, "CI_NODE_INDEX": "one"}, "auto", "is one, which is no place of one of 4"),
        ({**GITLAB, "CI_NODE_TOTAL": "-4"}, "auto", "is -4, which is no number of shards"),
        ({**SLURM, "SLURM_ARRAY_TASK_ID": "13"}, "auto", "is 13, which is no place of one of 4"),
        (GITLAB, "auto/", "allowed: I/N with I from 1 to N, such as 2/4; auto; or auto/N"),
    ],
)
def test_a_system_that_says_nothing_of_use_is_told(
    environment: dict[str, str], asked: str, rule: str
) -> None:
    with pytest.raises(UsageError, match=rule):
        shard_of(asked, environment)
