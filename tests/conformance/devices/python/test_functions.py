"""A Python function is called in the device process, and whatever it does is told in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conformance.call.case import Tensor
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.devices.messages import Functions
from conformance.devices.open import open_device
from conformance.errors import OperatorUnavailable, UsageError
from tests.conformance.devices.fakes import fake_case, fake_operator
from tests.conformance.devices.python import behaviours

FILE = Path(behaviours.__file__)
NAMES = [name for name, one in vars(behaviours).items() if callable(one) and name.islower()]
SUM = [11, 12, 13, 14, 15, 16]


def functions(**named: str) -> Functions:
    return Functions(named, tensors="numpy")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    """One process for all functions: each must leave it fit for the next."""
    named = {name: f"{FILE}:{name}" for name in NAMES}
    with closing(open_device(functions=functions(**named))) as opened:
        yield opened


def run(device: Device, name: str) -> Observation:
    return device.run(fake_operator(name), fake_case())


@pytest.mark.parametrize("name", ["good", "by_name", "in_a_tuple", "fills", "prints"])
def test_a_right_function_completes(device: Device, name: str) -> None:
    seen = run(device, name)
    assert (seen.outcome, seen.message) == (Outcome.COMPLETED, "")
    assert seen.outputs["y"].tolist() == SUM
    assert seen.unwritten == {"y": 0}
    assert seen.inputs_changed == ()


WRONG = {
    "raises": (Outcome.REJECTED, "ValueError: x must be even (behaviours.py, line N)"),
    "exits": (Outcome.REJECTED, "SystemExit: enough (behaviours.py, line N)"),
    "interrupts": (Outcome.REJECTED, "KeyboardInterrupt (behaviours.py, line N)"),
    "takes_memory": (Outcome.OUT_OF_MEMORY, "MemoryError: no room (behaviours.py, line N)"),
    "of_another_shape": (Outcome.FAILED, "y is [6, 1] int32; it must be [6] int32"),
    "of_another_dtype": (Outcome.FAILED, "y is [6] int64; it must be [6] int32"),
    "a_list": (Outcome.FAILED, "y is of type list; it must be [6] int32"),
    "two": (Outcome.FAILED, "behaviours.py:two returned 2 tensors; it must return y"),
    "other_names": (
        Outcome.FAILED,
        "behaviours.py:other_names returned a dict with z; its outputs are y",
    ),
    "silences_numpy": (
        Outcome.FAILED,
        "numpy.geterr() is {'divide': 'ignore', 'over': 'ignore', 'under': 'ignore', 'invalid':"
        " 'ignore'} after the call, and was {'divide': 'warn', 'over': 'warn', 'under': 'ignore',"
        " 'invalid': 'warn'}: it must be as it was",
    ),
    "a_view": (
        Outcome.FAILED,
        "y shares the memory of input x: it must be a tensor of its own",
    ),
    "needs_more": (
        Outcome.FAILED,
        "behaviours.py:needs_more: missing a required argument: 'weights'. It is called as"
        " needs_more(x, addend)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_function_does_wrong_is_one_line(device: Device, name: str) -> None:
    seen = run(device, name)
    told = re.sub(r"line \d+", "line N", seen.message)
    assert (seen.outcome, told) == WRONG[name]
    assert (seen.phase, seen.status) == (f"behaviours.py:{name}", -1)
    assert run(device, "good").outputs["y"].tolist() == SUM


def test_the_process_may_end_or_hang(device: Device) -> None:
    ended = run(device, "ends")
    assert (ended.outcome, ended.phase) == (Outcome.CRASHED, "behaviours.py:ends")
    assert "exit status 3" in ended.message
    hangs = functions(hangs=f"{FILE}:hangs")
    with closing(open_device(functions=hangs, time_limit=0.2)) as opened:
        assert run(opened, "hangs").outcome is Outcome.TIMED_OUT
    assert run(device, "good").outputs["y"].tolist() == SUM


def test_an_input_that_is_changed_is_named(device: Device) -> None:
    assert run(device, "changes_x").inputs_changed == ("x",)


def test_an_exception_leaves_all_as_it_was_or_not(device: Device) -> None:
    assert run(device, "raises").outputs_untouched
    assert run(device, "raises").inputs_changed == ()
    assert not run(device, "fills_and_raises").outputs_untouched
    seen = run(device, "changes_x_and_raises")
    assert (seen.outcome, seen.inputs_changed) == (Outcome.REJECTED, ("x",))


def test_an_output_that_is_not_filled_is_counted(device: Device) -> None:
    assert run(device, "nothing").unwritten == {"y": 6}
    assert run(device, "fills_but_the_last").unwritten == {"y": 1}


def test_a_function_starts_without_state_where_the_device_is_opened_anew(device: Device) -> None:
    device.renew()
    assert [run(device, "counts").outputs["y"][0] for _ in range(2)] == [12, 13]
    device.renew()
    assert run(device, "counts").outputs["y"][0] == 12


def test_a_result_stays_as_it_is_in_the_next_call(device: Device) -> None:
    assert run(device, "in_one_buffer").outputs["y"].tolist() == SUM
    again = device.run(fake_operator("in_one_buffer"), fake_case(addend=11))
    assert again.outcome is Outcome.FAILED
    assert again.message == (
        "y of the call before is changed by this call: it must be a tensor of its own"
    )


def test_what_it_prints_is_told_once(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    with closing(open_device(functions=functions(talks=f"{FILE}:prints"))) as opened:
        for _ in range(2):
            run(opened, "talks")
    assert capfd.readouterr().err == (
        "talks printed 10001 bytes in one call, and may print in others: adding 10\n"
    )


def test_a_short_line_is_told_with_its_call(capfd: pytest.CaptureFixture[str]) -> None:
    with closing(open_device(functions=functions(says=f"{FILE}:prints_little"))) as opened:
        run(opened, "says")
        assert capfd.readouterr().err == (
            "says printed 9 bytes in one call, and may print in others: one line\n"
        )


def test_there_may_be_no_room_for_a_tensor_of_listed_rows(device: Device) -> None:
    case = fake_case()
    far = Tensor((1 << 33, 1), "int32", (7,), rows=((1 << 33) - 1,))
    case.inputs["x"] = far  # type: ignore[index]
    seen = device.run(fake_operator("takes_memory"), case)
    assert seen.outcome is Outcome.NOT_POSSIBLE
    assert device.run(fake_operator("last_row"), case).outputs["y"].tolist() == [7] * 6


def test_views_keep_their_strides(device: Device) -> None:
    case = fake_case((1, 2, 3))
    case.inputs["x"] = Tensor((3,), "int32", (1, 2, 3), strides=(2,), start=1, spare=2)  # type: ignore[index]
    seen = device.run(fake_operator("good"), case)
    assert seen.outputs["y"].tolist() == [11, 12, 13]
    seen = device.run(fake_operator("changes_x"), case)
    assert seen.inputs_changed == ("x",)


def test_an_operator_without_a_function_is_not_available(device: Device) -> None:
    with pytest.raises(OperatorUnavailable, match="absent is not available on route python"):
        run(device, "absent")


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("NUMBER", "behaviours.py:NUMBER is of type int, which cannot be called"),
        ("absent", "behaviours.py has no absent"),
    ],
)
def test_what_cannot_be_called_does_not_open(where: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        open_device(functions=functions(fake=f"{FILE}:{where}"))
    assert str(error.value).endswith(why)


def test_arguments_are_checked_where_the_record_tells_them() -> None:
    asked = Functions({"fake": f"{FILE}:needs_more"}, {"fake": ("x", "addend")}, "numpy")
    with pytest.raises(UsageError, match="missing a required argument: 'weights'"):
        open_device(functions=asked)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "import absent_module",
            r"ModuleNotFoundError: No module named 'absent_module' \(m.py, line 1\)",
        ),
        ("def f(:", r"SyntaxError: invalid syntax \(m.py, line 1\)$"),
        ("raise SystemExit(3)", r"SystemExit: 3 \(m.py, line 1\)"),
    ],
)
def test_a_module_that_is_not_imported_does_not_open(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "m.py").write_text(text)
    with pytest.raises(UsageError, match=f"m.py cannot be imported: {why}"):
        open_device(functions=functions(fake=f"{tmp_path / 'm.py'}:f"))


def test_modules_beside_the_file_are_found(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("ADDED = 10\n")
    (tmp_path / "kernels.py").write_text(
        "import beside\n\ndef add(x, addend):\n    return x + x.dtype.type(beside.ADDED)\n"
    )
    with closing(open_device(functions=functions(f=f"{tmp_path / 'kernels.py'}:add"))) as opened:
        assert run(opened, "f").outputs["y"].tolist() == SUM
        assert list(opened.profile.libraries) == ["kernels.py"]


def test_a_host_says_what_it_is(device: Device) -> None:
    assert device.profile.kind == "host"
    assert device.profile.describe().startswith("Python 3.")
    assert "numpy" in device.profile.describe()
