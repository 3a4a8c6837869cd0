"""Tensors of PyTorch made of those in the shared segment, and read back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.devices.messages import TensorArgument
from conformance.devices.segment import Segment

BITS = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}
"""By size, an integer of torch as which any element travels to and from the segment."""


class NoSuchDtype(Exception):  # noqa: N818 - what is asked
    """The installed torch has no such dtype; the text names it."""


class TorchTensors:
    """The tensors of one place, such as "npu" or "cpu"."""

    def __init__(self, torch: Any, segment: Segment, place: str) -> None:
        self._torch, self._segment, self._place = torch, segment, place

    def dtype(self, name: str) -> Any:
        """The torch.dtype of a name of numpy's. Raises `NoSuchDtype`."""
        if not hasattr(self._torch, name):
            raise NoSuchDtype(f"torch.{name}")
        return getattr(self._torch, name)

    def given(self, tensor: TensorArgument) -> Any:
        """A tensor as the segment has it; of one with listed rows only these are sent."""
        dtype = self.dtype(tensor.dtype)
        held = self._segment.image(tensor)
        host = self._torch.from_numpy(np.array(held).view(BITS[tensor.itemsize])).view(dtype)
        if tensor.rows is not None:
            sparse = self._torch.empty(tensor.shape, dtype=dtype, device=self._place)
            rows = host.reshape(len(tensor.rows), tensor.shape[-1])
            for place, row in enumerate(tensor.rows):
                sparse.view(-1, tensor.shape[-1])[row].copy_(rows[place])
            return sparse
        flat = host.to(self._place)
        if tensor.strides is not None:
            return flat.as_strided(tensor.shape, tensor.strides, tensor.start)
        end = len(flat) - tensor.spare
        return flat[tensor.start : end].reshape(tensor.shape)

    def is_tensor(self, value: Any) -> bool:
        """Whether a value is a tensor of torch."""
        return isinstance(value, self._torch.Tensor)

    def elsewhere(self, value: Any) -> str:
        """The device of a tensor if it is not at the place, else ""."""
        kind, _, number = self._place.partition(":")
        there = value.device
        same = there.type == kind and (not number or (there.index or 0) == int(number))
        return "" if same else str(there)

    def described(self, value: Any) -> str:
        """The shape and dtype of a tensor: ``[2, 3] torch.int32``."""
        return f"{list(value.shape)} {value.dtype}"

    def elements(self, value: Any, itemsize: int) -> NDArray[np.uint8]:
        """The bytes of a tensor's elements in C order."""
        bits = self.dtype(BITS[itemsize])
        flat = value.detach().cpu().resolve_neg().contiguous().reshape(-1).view(bits)
        return flat.numpy().view(np.uint8)  # type: ignore[no-any-return]

    def share(self, one: Any, other: Any) -> bool:
        """Whether two tensors have a storage in common."""
        there = one.numel() and other.numel() and one.device == other.device
        return bool(
            there and one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
        )

    def wait(self) -> None:
        """Wait for all that was asked of the place."""
        kind = self._place.partition(":")[0]
        if kind != "cpu":
            getattr(self._torch, kind).synchronize()

    def storage(self, value: Any, tensor: TensorArgument) -> NDArray[np.uint8]:
        """The bytes of all of the storage that `given` made for a view."""
        # To read a view back takes an operator, which a device need not have.
        whole = value.as_strided((tensor.nbytes // tensor.itemsize,), (1,), 0)
        return self.elements(whole, tensor.itemsize)
