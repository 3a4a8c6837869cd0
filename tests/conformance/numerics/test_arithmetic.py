"""What a device's profile says of its arithmetic: probed is believed, unprobed is anything."""

from dataclasses import replace

import pytest

from conformance.devices.device import DeviceProfile, Trait
from conformance.numerics.arithmetic import IEEE, Arithmetic, Behaviour
from conformance.record.functions import ALL_CORRECT, ALL_UNKNOWN, Functions, FunctionTraits

SIMULATED = DeviceProfile(
    name="simulated",
    kind="sim",
    soc="Ascend910B1",
    vector_cores=48,
    ub_bytes=None,
    cann="unknown",
    libraries={},
    cast_mode=Trait("round half to even"),
    flush_to_zero=Trait("subnormals are kept"),
    overflow_mode=Trait("infinity"),
    functions=ALL_CORRECT,
)
NPU = replace(SIMULATED, name="npu", kind="npu")
BOTH = frozenset({False, True})
CASTS, OVERFLOWS = frozenset({"nearest", "truncate"}), frozenset({"infinity", "saturate"})


def test_the_simulated_machine_is_as_it_declares_itself():
    assert Arithmetic.of(SIMULATED) == IEEE


def test_an_npu_that_was_not_probed_may_do_anything_whatever_is_declared():
    assert Arithmetic.of(NPU) == Arithmetic(CASTS, OVERFLOWS, BOTH)


def test_a_probed_trait_is_believed_alone():
    probed = replace(NPU, overflow_mode=Trait("saturate", probed=True))
    assert Arithmetic.of(probed) == Arithmetic(CASTS, frozenset({"saturate"}), BOTH)


def test_functions_are_as_the_profile_knows_them():
    near = Functions(exp=FunctionTraits(steps=1))
    for profile in (SIMULATED, NPU):
        assert Arithmetic.of(replace(profile, functions=near)).functions == near
    assert Arithmetic.of(replace(NPU, functions=ALL_UNKNOWN)).functions == ALL_UNKNOWN


def test_unknown_functions_leave_sums_as_they_are():
    assert replace(IEEE, functions=ALL_UNKNOWN).is_ieee
    assert not replace(IEEE, flushes=BOTH).is_ieee


@pytest.mark.parametrize(
    ("trait", "value", "field", "choices"),
    [
        ("cast_mode", "round half to even", "casts", {"nearest"}),
        ("cast_mode", "truncate", "casts", {"truncate"}),
        ("cast_mode", "unknown", "casts", CASTS),
        ("overflow_mode", "infinity", "overflows", {"infinity"}),
        ("overflow_mode", "saturate", "overflows", {"saturate"}),
        ("overflow_mode", "unknown", "overflows", OVERFLOWS),
        ("flush_to_zero", "subnormals are kept", "flushes", {False}),
        ("flush_to_zero", "subnormals become zero", "flushes", {True}),
        ("flush_to_zero", "unknown", "flushes", BOTH),
    ],
)
def test_each_value_of_a_trait_stands_for_its_own_choices(trait, value, field, choices):
    found = Arithmetic.of(replace(SIMULATED, **{trait: Trait(value)}))
    assert found == replace(IEEE, **{field: frozenset(choices)})
    assert found.may_flush is (True in found.flushes)


def test_a_trait_of_another_value_is_refused_with_those_that_are_known():
    strange = replace(SIMULATED, cast_mode=Trait("stochastic"))
    with pytest.raises(ValueError, match="cast_mode='stochastic': must be one of 'round half to"):
        Arithmetic.of(strange)


def test_the_likely_behaviour_comes_first():
    assert list(IEEE.behaviours()) == [Behaviour()]
    ways = list(Arithmetic(CASTS, OVERFLOWS, BOTH).behaviours())
    assert len(set(ways)) == 8
    assert ways[0] == Behaviour()


@pytest.mark.parametrize("fields", [{"casts": frozenset()}, {"overflows": frozenset({"wrap"})}])
def test_an_arithmetic_of_nothing_or_of_unknown_modes_is_refused(fields):
    with pytest.raises(ValueError, match="must be one or both of"):
        Arithmetic(**fields)
