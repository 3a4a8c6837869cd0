"""The Python that has torch is that of the tests of torch_npu."""

from tests.torch_npu.conftest import interpreter as interpreter
