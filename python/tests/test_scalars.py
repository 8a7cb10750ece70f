# SPDX-License-Identifier: Apache-2.0
"""Numbers that calls take: initial values and fills. What a type cannot hold is refused, whatever kind of number it is."""
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import onepass
from support import INTEGERS, TYPES, same

INF, NAN = float("inf"), float("nan")
# Per function: the argument's name, and the call with it.
CALLS = {
    "scan": ("init", lambda x, value: onepass.scan(x, "max", init=value)),
    "segment_reduce": ("init", lambda x, value: onepass.segment_reduce(x, [0, x.size], "max", init=value)),
    "compress": ("fill", lambda x, value: onepass.compress(x, np.ones(x.size, bool), size=x.size + 1, fill=value)),
}


def numbers_beyond(dtype):
    info = np.iinfo(dtype)
    low, high = int(info.min) - 1, int(info.max) + 1
    yield from (low, high, float(high), float(2 * low), INF, -INF, NAN, np.float64(high), np.float64(NAN), np.float32(INF))
    for number in (low, high):
        yield from (np.dtype(wide).type(number) for wide in ("int64", "uint64")
                    if np.iinfo(wide).min <= number <= np.iinfo(wide).max)
    yield np.array(float(high))


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_beyond_the_type(function, dtype):
    argument, call = CALLS[function]
    x = np.arange(5).astype(dtype)
    for value in numbers_beyond(dtype):
        with pytest.raises(ValueError, match=f"^onepass.{function}: {argument} is .*, which is no {dtype}"):
            call(x, value)


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", ["5", "a", b"5", None, 1j, np.complex128(1), [1], (), object(), np.array([1, 2])],
                         ids=repr)
def test_no_number(function, dtype, value):
    argument, call = CALLS[function]
    if value is None and argument == "init":
        pytest.skip("None is no initial value")
    with pytest.raises(ValueError, match=f"^onepass.{function}: {argument} is "):
        call(np.arange(5).astype(dtype), value)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_ends_of_the_type(dtype):
    info = np.iinfo(dtype)
    x = np.array([1, 2], dtype)
    for value in (int(info.min), int(info.max)):
        for given in (value, np.dtype(dtype).type(value), np.array(value, dtype)):
            same(onepass.scan(x, "bitwise_xor", init=given), np.bitwise_xor.accumulate(np.array([value, 1, 2], dtype))[1:])
            same(onepass.compress(x, x > 1, size=2, fill=given), np.array([2, value], dtype))


def test_other_kinds_of_numbers():
    x = np.arange(3)
    for value in (2, 2.0, 2.7, True + True, np.int8(2), np.float32(2.5), np.array(2.9), Fraction(5, 2), Decimal("2.5")):
        same(onepass.scan(x, "max", init=value), np.array([2, 2, 2]))
    same(onepass.scan(x.astype("f4"), init=np.float64(0.1)), np.arange(3).cumsum().astype("f4") + np.float32(0.1))
    same(onepass.compress(x > 0, x > 0, size=3, fill=5), np.array([True, True, True]))
    same(onepass.scan(x.astype("f8"), "max", init=INF), np.full(3, INF))


def test_fills_of_items_that_are_only_moved():
    mask = np.array([True, False])
    for x, fill in ((np.array([1, 2], "M8[s]"), np.datetime64(9, "s")), (np.array([1, 2], "c8"), 3j),
                    (np.array([b"ab", b"cd"], "S4"), b"xy"), (np.array([1, 2], ">i4"), 7),
                    (np.array([(1, 2), (3, 4)], "i4,i4"), (5, 6)), (np.array([(1, 2)] * 2, "i2,f2"), np.array((5, 6), "i2,f2"))):
        same(onepass.compress(x, mask, size=2, fill=fill), np.array([x[0], fill], x.dtype))
    with pytest.raises(ValueError, match="^onepass.compress: fill is 'text', which is no complex64"):
        onepass.compress(np.zeros(2, "c8"), mask, size=2, fill="text")
    for fill in ([3j], (3j, 4j), [[1, 2], [3]]):
        with pytest.raises(ValueError, match="^onepass.compress: fill is .*, which is no complex64"):
            onepass.compress(np.zeros(2, "c8"), mask, size=2, fill=fill)
    with pytest.raises(ValueError, match=r"^onepass.compress: fill is \[5\], which is no"):
        onepass.compress(np.zeros(2, "i4,S4"), mask, size=2, fill=[5])
    with pytest.raises(ValueError, match="^onepass.compress: fill is .*, which is no int16"):
        onepass.compress(np.zeros(2, ">i2"), mask, size=2, fill=np.int64(1 << 20))
    with pytest.raises(ValueError, match="^onepass.nonzero: fill is nan, which is no int64"):
        onepass.nonzero(np.arange(3), size=4, fill=NAN)


def test_a_float_beyond_its_type_is_infinite_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scanned = onepass.scan(np.array([1, 2], np.float16), init=1e9)
        filled = onepass.compress(np.array([1, 2], np.float16), np.array([True, False]), size=2, fill=1e9)
    assert np.isinf(scanned).all()
    assert filled[0] == 1 and np.isinf(filled[1])
