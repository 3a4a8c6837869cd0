"""Arrays of numpy made of the tensors in the shared segment, and read back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import numpy_dtype
from conformance.devices.messages import TensorArgument
from conformance.devices.segment import Segment
from conformance.values.large_arrays import lazy_zeros


class NumpyTensors:
    """What `TorchTensors` is for torch; bfloat16 is that of ml_dtypes."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def dtype(self, name: str) -> Any:
        """The numpy dtype of a name."""
        return numpy_dtype(name)

    def given(self, tensor: TensorArgument) -> Any:
        """An array as the segment has the tensor; of one with listed rows only these are filled."""
        dtype = numpy_dtype(tensor.dtype)
        host = np.array(self._segment.image(tensor)).view(dtype)
        if tensor.rows is not None:
            sparse = lazy_zeros(tensor.shape, dtype)
            rows = host.reshape(len(tensor.rows), tensor.shape[-1])
            sparse.reshape(-1, tensor.shape[-1])[list(tensor.rows)] = rows
            return sparse
        flat = host[tensor.start :]
        if tensor.strides is not None:
            steps = tuple(stride * tensor.itemsize for stride in tensor.strides)
            return np.lib.stride_tricks.as_strided(flat, tensor.shape, steps)
        return host[tensor.start : host.size - tensor.spare].reshape(tensor.shape)

    def is_tensor(self, value: Any) -> bool:
        """Whether a value is an array or a scalar of numpy."""
        return isinstance(value, np.ndarray | np.generic)

    def elsewhere(self, value: Any) -> str:
        """Nothing: arrays live on the host."""
        return ""

    def described(self, value: Any) -> str:
        """The shape and dtype of an array: ``[2, 3] int32``."""
        return f"{list(value.shape)} {value.dtype}"

    def elements(self, value: Any, itemsize: int) -> NDArray[np.uint8]:
        """The bytes of an array's elements in C order."""
        return np.ascontiguousarray(value).reshape(-1).view(np.uint8)

    def share(self, one: Any, other: Any) -> bool:
        """Whether two arrays may have memory in common."""
        return np.may_share_memory(one, other)

    def wait(self) -> None:
        """A call of numpy is over when it returns."""
