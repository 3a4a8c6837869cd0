"""Names of items tell calls apart that differ in a sign."""

from conformance.names import call_id


def test_a_negative_number_is_not_its_absolute_value() -> None:
    assert call_id("op", "top_k is -1, whole") == "op-top_k_is_minus_1_whole"
    assert call_id("op", "top_k is 1, whole") == "op-top_k_is_1_whole"


def test_infinity_has_a_sign() -> None:
    assert call_id("toy", "low is -inf, plain") == "toy-low_is_minus_inf_plain"
    assert call_id("toy", "low is inf, plain") == "toy-low_is_inf_plain"
    assert call_id("toy", "low -info") == "toy-low_info"


def test_a_hyphen_within_a_word_is_no_sign() -> None:
    assert call_id("op", "a range 0-1") == "op-a_range_0_1"
