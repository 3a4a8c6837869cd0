"""Address codes: rows and columns in, rows and columns out."""

import numpy as np
import pytest

from conformance.values.address_code import AddressCode, address_code
from reference.floats import BF16, FP16, FP32

FORMATS = (FP16, BF16, FP32)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("terms", [1, 2, 8, 200])
def test_values_are_nonzero_lattice_integers_whose_sums_are_exact(fmt, terms):
    code = address_code(3, fmt, terms)
    values = code.values(np.arange(300)[:, None], np.arange(300))
    assert values.min() >= 1
    assert values.max() <= 2**fmt.precision
    assert values.max() * terms <= 2**24


def test_neighbours_in_a_row_and_in_a_column_differ():
    values = address_code(5, BF16, 8).values(np.arange(256)[:, None], np.arange(256))
    assert all(len(set(line)) == 256 for line in (*values.tolist(), *values.T.tolist()))


def test_other_seeds_make_other_codes():
    assert len({address_code(seed, FP32, 1) for seed in range(20)}) == 20


def test_a_code_leads_back_to_its_row():
    code = AddressCode(row_factor=77, column_factor=131, bits=8)
    start = int(code.start(200))
    assert next(code.places(start, np.arange(250), 64, near=3)) == (200, 0)


def test_a_code_of_no_row_leads_to_a_moved_row():
    code = AddressCode(row_factor=77, column_factor=131, bits=11)
    start = (3 * 7 * 77 + 9 * 131) % 2048
    assert next(code.places(start, np.arange(20), 64, near=3)) == (3, 9)
    start = (3 * 7 * 77 - 5 * 131) % 2048
    assert next(code.places(start, np.arange(20), 64, near=3)) == (3, -5)


def test_two_rows_do_not_add_up_to_what_two_others_do():
    code = AddressCode(row_factor=77, column_factor=131, bits=11)
    sums = [code.values(rows, np.arange(64)) for rows in (30, 31, 34, 27)]
    assert (sums[0] + sums[1] != sums[2] + sums[3]).all()


def test_no_place_is_outside_the_source():
    code = AddressCode(row_factor=1, column_factor=1, bits=8)
    assert all(r < 2 and abs(d) < 4 for r, d in code.places(100, np.arange(2), 4, near=0))
