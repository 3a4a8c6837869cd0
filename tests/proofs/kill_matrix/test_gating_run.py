"""The kill matrix of gating: mistakes are rejected, right devices are not; others let some pass."""

import pytest

from tests.proofs.kill_matrix.gating import MISTAKES, RIGHT
from tests.proofs.kill_matrix.gating_run import FLAGGEMS, OURS, VLLM, matrix


@pytest.fixture(scope="module")
def found():
    return matrix((1, 2, 8))


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_device_is_accepted_though_its_bits_are_others(found, name):
    rejected, shown = found[name][OURS]
    assert shown
    assert not rejected


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_rejected_at_least_once(found, name):
    assert found[name][OURS][0]


def test_tests_of_two_repositories_miss_what_this_suite_rejects(found):
    assert found["truncated"][OURS][0]
    for judge in (VLLM, FLAGGEMS):
        rejected, shown = found["truncated"][judge]
        assert shown
        assert not rejected
