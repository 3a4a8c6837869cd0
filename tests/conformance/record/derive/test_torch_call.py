"""A call of torch_npu follows from a signature and from what each keyword is given."""

from __future__ import annotations

import pytest

from conformance.record.derive.torch_call import DTYPE_OF_CASE, bound
from conformance.record.torch_binding import Given, OfDtype
from conformance.record.variations import with_attributes
from tests.conformance.record.gather_sum import SAYS, SIGNATURE, TOKEN, WEIGHED, right


def test_keywords_are_given_tensors_sizes_attributes_and_dtypes() -> None:
    binding = bound(
        SIGNATURE,
        "npu_gather_sum",
        ("sums",),
        rows="rows",
        tokens=TOKEN,
        k="top_k",
        padded="padded",
        dtype=DTYPE_OF_CASE,
    )
    called = binding.call(right("padded"))
    assert (called.function, called.results) == ("npu_gather_sum", ("sums",))
    assert dict(called.arguments) == {
        "rows": Given("rows"),
        "tokens": 3,
        "k": 2,
        "padded": True,
        "dtype": OfDtype("float32"),
    }
    assert dict(called.arguments)["padded"] is True


@pytest.mark.parametrize("order", [None, (2, 0, 1)])
def test_a_list_of_integers_is_passed_on_null_or_not(order: tuple[int, ...] | None) -> None:
    binding = bound(WEIGHED, "npu_gather_sum", ("sums",), (SAYS,), order="order")
    case = with_attributes(right(of=WEIGHED), order=order)
    assert binding.call(case).arguments == (("order", order),)
    assert binding.clauses == (SAYS,)


def test_a_parameter_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="rwos: gather_sum has no such parameter"):
        bound(SIGNATURE, "npu_gather_sum", ("sums",), rows="rwos")
