"""Names of items tell calls apart that differ in a sign."""

from conformance.names import bracket, call_id, marked, marks, unmarked


def test_a_negative_number_is_not_its_absolute_value() -> None:
    assert call_id("op", "top_k is -1, whole") == "op-top_k_is_minus_1_whole"
    assert call_id("op", "top_k is 1, whole") == "op-top_k_is_1_whole"


def test_infinity_has_a_sign() -> None:
    assert call_id("toy", "low is -inf, plain") == "toy-low_is_minus_inf_plain"
    assert call_id("toy", "low is inf, plain") == "toy-low_is_inf_plain"
    assert call_id("toy", "low -info") == "toy-low_info"


def test_a_hyphen_within_a_word_is_no_sign() -> None:
    assert call_id("op", "a range 0-1") == "op-a_range_0_1"


def test_a_marked_item_has_the_brackets_of_the_whole() -> None:
    whole = "cases/test_values.py::test_values[permute-tail-float16]"
    part = marked(marked(whole, "2of4"), "seed7")
    assert part == "cases/test_values.py::test_values[permute-tail-float16#2of4#seed7]"
    assert (unmarked(part), bracket(part)) == (whole, "permute-tail-float16")
    assert (marks(part), marks(whole)) == (("2of4", "seed7"), ())
    assert (unmarked(whole), bracket(whole)) == (whole, "permute-tail-float16")
    assert (marked("t.py", "seed7"), unmarked("t.py#seed7"), bracket("t.py")) == (
        "t.py#seed7",
        "t.py",
        "",
    )
