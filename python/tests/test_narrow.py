# SPDX-License-Identifier: Apache-2.0
"""Integers of 8 and 16 bits, and bool: what the engine takes as it is, wrap-around, and the ends of the range."""
import numpy as np
import pytest

import onepass
from onepass._numpy_arrays import NumpyArrays
from support import random_array, same

NARROW = ["int8", "uint8", "int16", "uint16"]

ORDERED = [
    lambda x: onepass.sort(x),
    lambda x: onepass.sort(x.reshape(10, -1)),
    lambda x: onepass.argsort(x),
    lambda x: onepass.sort_by_key(x, np.arange(x.size)),
    lambda x: onepass.top_k(x, 5),
    lambda x: onepass.nth_element(x, 5),
    lambda x: onepass.unique(x, return_counts=True),
    lambda x: onepass.scan(np.arange(x.size), keys=x),
    lambda x: onepass.reduce_by_key(x, np.arange(x.size)),
]
CALCULATED = [
    lambda x: onepass.cummax(x),
    lambda x: onepass.cummin(x.reshape(10, -1), axis=0),
    lambda x: onepass.scan(x, "bitwise_xor", keys=x),
    lambda x: onepass.cumsum(x, dtype=x.dtype, reverse=True),
    lambda x: onepass.segment_reduce(x, np.array([0, 7, x.size]), "max"),
    lambda x: onepass.reduce_by_key(x, x, "min"),
]


def without_conversion(monkeypatch, call, x):
    cast = NumpyArrays.cast

    def checked(items, of):
        assert items.dtype == of.name, f"{items.dtype} was converted to {of.name}"
        return cast(items, of)

    monkeypatch.setattr(NumpyArrays, "cast", staticmethod(checked))
    call(x)


@pytest.mark.parametrize("call", ORDERED)
@pytest.mark.parametrize("dtype", [*NARROW, "bool"])
def test_keys_are_taken_as_they_are(dtype, call, monkeypatch):
    without_conversion(monkeypatch, call, random_array(np.random.default_rng(1), dtype, 100))


@pytest.mark.parametrize("call", CALCULATED)
@pytest.mark.parametrize("dtype", NARROW)
def test_numbers_are_taken_as_they_are(dtype, call, monkeypatch):
    without_conversion(monkeypatch, call, random_array(np.random.default_rng(2), dtype, 100))


@pytest.mark.parametrize("dtype", NARROW)
def test_the_ends_of_the_range(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = np.array([high, low, high, 1, low], dtype)
    with np.errstate(over="ignore"):
        same(onepass.cumsum(x, dtype=dtype), np.cumsum(x, dtype=dtype))
        same(onepass.cumprod(x, dtype=dtype), np.cumprod(x, dtype=dtype))
    same(onepass.cumsum(x), np.cumsum(x))
    same(onepass.cummax(x[1:]), np.maximum.accumulate(x[1:]))
    same(onepass.sort(x, descending=True), np.sort(x)[::-1])
    same(onepass.scan(x, "min", exclusive=True), np.array([high, high, low, low, low], dtype))
    items, indices = onepass.top_k(x, 2, largest=False)
    same(items, np.array([low, low], dtype))
    same(indices, np.array([1, 4]))


def test_many_true_items_are_true():
    """Their sum does not wrap around to False."""
    x = np.ones(256, bool)
    assert onepass.scan(x, dtype=bool)[-1]
    assert onepass.segment_reduce(x, np.array([0, 256]), dtype=bool)[0]
    same(onepass.sort(np.array([True, False, True])), np.array([False, True, True]))
