"""One call of a Python function: tensors as a program has them, and what it answers with.

What the function makes is its own, so no guard zone lies around it. Outputs that it fills are made
here, and poisoned.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import poison
from conformance.call.observation import UNTOLD, Outcome
from conformance.catalogue import python_route as say
from conformance.catalogue.device import OTHER_RESULT
from conformance.devices.layout import elements_of, write_elements
from conformance.devices.messages import Answer, Call, TensorArgument, Unavailable
from conformance.devices.python.load import OUT, Loaded, told
from conformance.devices.python.numpy_tensors import NumpyTensors
from conformance.devices.python.settings import Settings
from conformance.devices.python.surroundings import Host
from conformance.devices.segment import Segment
from conformance.devices.torch_npu.route import keywords
from conformance.devices.torch_tensors import NoSuchDtype, TorchTensors
from conformance.record.torch_binding import TorchCall

NO_MEMORY = "DefaultCPUAllocator"
"""In what torch raises if the host has no memory: it is no error of a class of its own."""


KEPT = 1 << 16
"""Bytes of a result up to which it is kept to the next call, to see that this leaves it alone."""


class OtherResult(Exception):  # noqa: N818 - what was answered
    """A function answered something else than its outputs; the text says what."""


class PythonRoute:
    """Calls functions by the operators that they carry out."""

    def __init__(
        self,
        segment: Segment,
        functions: Mapping[str, Loaded],
        tensors: TorchTensors | NumpyTensors,
        around: Host,
    ) -> None:
        self._segment, self._functions, self._tensors = segment, functions, tensors
        self._settings = Settings(sys.modules.get("torch"))
        self._around = around
        self._earlier: list[tuple[TensorArgument, Any, NDArray[np.uint8]]] = []

    def run(self, call: Call) -> Answer | Unavailable:
        """Run one call to its end, whatever that is."""
        assert call.torch is not None
        if call.symbol not in self._functions:
            return Unavailable(call.symbol)
        function = self._functions[call.symbol]
        self._segment.note(function.words)
        self._around.before(call)
        outcome, message = Outcome.COMPLETED, ""
        given: dict[str, Any] = {}
        filled: dict[str | None, Any] = {}
        results: dict[str | None, Any] = {}
        start = time.perf_counter()
        try:
            given = {one.name: self._tensors.given(one) for one in _of(call, "input")}
            filled = self._outputs(call, function)
            start = time.perf_counter()
            results = self._called(call.torch, function, given, filled)
            self._check_earlier()
            self._take(call, results, given)
        except NoSuchDtype as error:
            outcome, message = Outcome.NOT_POSSIBLE, str(error)
        except OtherResult as error:
            outcome, message = Outcome.FAILED, str(error)
        except BaseException as error:  # no Ctrl-C comes here: the process has a session of its own
            outcome, message = _ending(error, call), told(error)
        seconds = time.perf_counter() - start
        dropped = self._around.launch_that_failed()
        if dropped and outcome is Outcome.COMPLETED:
            outcome, message = Outcome.FAILED, dropped
        completed = outcome is Outcome.COMPLETED
        if refused := outcome is Outcome.REJECTED:
            self._take_back(call, filled)
        ended = completed or refused
        changed = tuple(self._changed(call, given)) if ended else ()
        poisoned = {one.name: 0 for one in _of(call, "output")}
        for one in _of(call, "output"):
            if ended and (refused or function.fills or results.get(one.name) is None):
                elements = np.ascontiguousarray(elements_of(self._segment.image(one), one))
                poisoned[one.name] = poison.count(elements.reshape(-1), one.itemsize, call.poison)
        self._segment.note("")
        return Answer(
            outcome=outcome.value,
            status=0 if completed else UNTOLD,
            phase="" if completed else function.words,
            message=message,
            workspace_bytes=0,
            seconds=seconds,
            read_back=ended,
            poisoned=poisoned,
            damage=(),
            inputs_changed=changed,
            diagnostics=self._around.findings(),
        )

    def _called(
        self,
        asked: TorchCall,
        function: Loaded,
        given: dict[str, Any],
        filled: dict[str | None, Any],
    ) -> dict[str | None, Any]:
        """What a function answers, by the names of outputs.

        Raises `OtherResult`, and what the function raises.
        """
        arguments = keywords(asked, given, self._tensors.dtype)
        if function.fills:
            outputs = tuple(filled[name] for name in asked.results if name in filled)
            arguments[OUT] = outputs[0] if len(outputs) == 1 else outputs
        if why := function.misfit(tuple(arguments), asked.function):
            raise OtherResult(why)
        before = self._settings.now()
        try:
            returned = function.call(**arguments)
        finally:
            sys.stdout.flush()  # what a call prints is told with it
            changed = self._settings.restored(before)
        self._tensors.wait()
        if changed:
            raise OtherResult(changed)
        return filled if function.fills else _results(asked, returned, function.words)

    def _outputs(self, call: Call, function: Loaded) -> dict[str | None, Any]:
        """The outputs that a function is to fill, poisoned; none if it makes them."""
        made: dict[str | None, Any] = {}
        for one in _of(call, "output") if function.fills else ():
            poison.fill(self._segment.image(one), call.poison)
            made[one.name] = self._tensors.given(one)
        return made

    def _take_back(self, call: Call, filled: Mapping[str | None, Any]) -> None:
        """Put outputs where the segment has them after an exception, as they are by now."""
        for one in _of(call, "output"):
            if one.name in filled:
                bits = self._tensors.elements(filled[one.name], one.itemsize)
                write_elements(self._segment.image(one), one, bits)
            else:
                poison.fill(self._segment.image(one), call.poison)

    def _take(
        self, call: Call, results: Mapping[str | None, Any], given: Mapping[str, Any]
    ) -> None:
        """Put the results where the segment has the outputs. Raises `OtherResult`."""
        for one in _of(call, "output"):
            result, dtype = results.get(one.name), self._tensors.dtype(one.dtype)
            must = {"tensor": one.name, "shape": str(list(one.shape)), "dtype": dtype}
            if result is None:  # an output that nobody wrote
                poison.fill(self._segment.image(one), call.poison)
                continue
            if not self._tensors.is_tensor(result):
                seen = say.OF_TYPE(type=type(result).__name__)
                raise OtherResult(OTHER_RESULT(seen=seen, **must))
            if tuple(result.shape) != one.shape or result.dtype != dtype:
                raise OtherResult(OTHER_RESULT(seen=self._tensors.described(result), **must))
            if where := self._tensors.elsewhere(result):
                raise OtherResult(say.ELSEWHERE(output=one.name, where=where))
            for name, tensor in given.items():
                if self._tensors.share(result, tensor):
                    raise OtherResult(say.SHARES_MEMORY(output=one.name, input=name))
            try:
                bits = self._tensors.elements(result, one.itemsize)
            except Exception as error:  # of a sparse tensor, say
                raise OtherResult(say.NOT_READ(output=one.name, error=str(error))) from error
            write_elements(self._segment.image(one), one, bits)
            if bits.size <= KEPT:
                self._earlier.append((one, result, bits.copy()))

    def _check_earlier(self) -> None:
        """Raise `OtherResult` for a result of the call before that is not as it was."""
        earlier, self._earlier = self._earlier, []
        for one, result, bits in earlier:
            if not np.array_equal(self._tensors.elements(result, one.itemsize), bits):
                raise OtherResult(say.EARLIER_CHANGED(output=one.name))

    def _changed(self, call: Call, given: Mapping[str, Any]) -> Iterator[str]:
        """The inputs whose elements are not as sent; of one with listed rows nothing is told."""
        for one in _of(call, "input"):
            if one.rows is None:
                now = self._tensors.elements(given[one.name], one.itemsize)
                sent = np.ascontiguousarray(elements_of(self._segment.image(one), one))
                if not np.array_equal(now, sent.reshape(-1)):
                    yield one.name


def _ending(error: BaseException, call: Call) -> Outcome:
    """How a call ended that raised: a host may have no room for a row-sparse tensor."""
    of_torch = type(error).__name__ == "OutOfMemoryError" or NO_MEMORY in str(error)
    if not isinstance(error, MemoryError) and not of_torch:
        return Outcome.REJECTED
    return Outcome.NOT_POSSIBLE if call.sparse_bytes else Outcome.OUT_OF_MEMORY


def _of(call: Call, role: str) -> Iterator[TensorArgument]:
    return (one for one in call.tensors if one.role == role)


def _results(call: TorchCall, returned: Any, function: str) -> dict[str | None, Any]:
    """What a function returned by the names of outputs: one tensor, several in order, or a dict.

    Raises `OtherResult`.
    """
    names = call.results
    if isinstance(returned, Mapping):
        if unknown := [name for name in returned if name not in names]:
            outputs = [name for name in names if name is not None]
            raise OtherResult(say.OTHER_KEYS(function=function, keys=unknown, outputs=outputs))
        return dict(returned)
    results = returned if isinstance(returned, tuple | list) else (returned,)
    if len(results) != len(names):
        outputs = [name or say.NOT_LOOKED_AT() for name in names]
        told = {"function": function, "count": len(results), "outputs": outputs}
        raise OtherResult(say.OTHER_COUNT(**told))
    return dict(zip(names, results, strict=True))
