"""The kill matrix of quantisation: mistakes are rejected, right devices are not; others let some
pass."""

import pytest

from tests.proofs.kill_matrix.quantising import MISTAKES, RIGHT, STRICT
from tests.proofs.kill_matrix.quantising_run import DECLARED, EXACT, OURS, matrix


@pytest.fixture(scope="module")
def found():
    return matrix(RIGHT | MISTAKES | STRICT, (1,), dtypes=("float32",))


def test_a_right_device_is_accepted_though_its_bits_are_others(found):
    for name in RIGHT:
        rejected, shown = found[name][OURS]
        assert shown, name
        assert not rejected, name
    assert found["quotients a step off"][EXACT][0]
    assert found["halves away from zero"][DECLARED][0]
    assert not found["halves away from zero"][EXACT][0]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_rejected_at_least_once(found, name):
    assert found[name][OURS][0]


def test_what_a_step_explains_is_rejected_of_an_exact_division(found):
    assert found["floor of t + 1/2"][EXACT][0]
    assert not found["floor of t + 1/2"][OURS][0]


@pytest.mark.parametrize("name", ["truncated", "one element off by one", "rounded to half first"])
def test_an_absolute_error_of_one_lets_pass_what_this_suite_rejects(found, name):
    for judge in ("commercial-quant", "ttk-quant", "atk-mixed-tolerance"):
        rejected, shown = found[name][judge]
        assert shown
        assert not rejected
