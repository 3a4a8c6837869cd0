"""A record has its name, parameters, limits and cases from its signature and one strategy."""

from __future__ import annotations

from conformance.record.derive.records import of_signature
from conformance.record.derive.rejections import freedoms, ranges
from tests.conformance.record.gather_sum import SIGNATURE


def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> tuple[object, ...]:
    return mode, dtype, small, seam


def test_a_record_is_named_as_its_signature() -> None:
    found = of_signature(SIGNATURE, cases)
    assert (found["name"], found["title"]) == ("gather_sum", "GatherSum")
    assert found["aclnn"] == "aclnnGatherSum"
    assert of_signature(SIGNATURE, cases, title="GatherSumV2")["aclnn"] == "aclnnGatherSumV2"


def test_parameters_freedoms_and_ranges_are_those_of_the_signature() -> None:
    found = of_signature(SIGNATURE, cases)
    assert found["signature"] is SIGNATURE
    assert found["parameters"] == SIGNATURE.parameters
    assert found["freedoms"] == freedoms(SIGNATURE)
    assert [one.name for one in found["ranges"]] == [one.name for one in ranges(SIGNATURE)]


def test_one_strategy_draws_all_cases_the_small_ones_and_those_on_a_seam() -> None:
    found = of_signature(SIGNATURE, cases)
    kinds = [found[kind]("whole", "float16") for kind in ("cases", "small_cases", "seam_cases")]
    assert kinds == [
        ("whole", "float16", False, False),
        ("whole", "float16", True, False),
        ("whole", "float16", True, True),
    ]


def test_a_strategy_without_small_cases_or_a_seam_gives_none() -> None:
    found = of_signature(SIGNATURE, lambda mode, dtype: (mode, dtype))
    assert not {"small_cases", "seam_cases"} & found.keys()
    found = of_signature(SIGNATURE, lambda mode, dtype, small=False: (mode, dtype, small))
    assert found["small_cases"]("whole", "float16") == ("whole", "float16", True)
    assert "seam_cases" not in found
