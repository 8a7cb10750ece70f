# SPDX-License-Identifier: Apache-2.0
"""histogram against NumPy's, of arrays and of tensors."""
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import INTEGERS, TYPES, random_array, same, strided


def compare(x, *arguments, **options):
    """The same counts and edges as NumPy's."""
    if x.dtype == bool and not arguments:
        arguments = (10,)
    given_x = x.astype("u1") if x.dtype == bool else x  # NumPy warns of bool
    counts, edges = onepass.histogram(x, *arguments, **options)
    expected, expected_edges = np.histogram(given_x, *arguments, **options)
    same(counts, expected.astype(np.int64))
    same(np.asarray(edges), np.asarray(expected_edges))


@given(st.data())
def test_any_array(data):
    x = data.draw(strided(dtypes=["bool", "int8", "uint8", "int16", "int32", "uint32", "float32", "float64"]))
    bins = data.draw(st.sampled_from([1, 2, 7, 10, 1000]))
    compare(x, bins)
    compare(x, bins, range=data.draw(st.sampled_from([(0, 1), (-3, 5), (0.25, 0.5), (2, 2)])))
    edges = np.sort(np.random.default_rng(1).integers(-9, 9, data.draw(st.integers(2, 30))))
    compare(x, edges.astype(data.draw(st.sampled_from(["int32", "float32", "float64"]))))


@pytest.mark.parametrize("dtype", TYPES)
def test_bins_of_a_value_each(dtype):
    x = random_array(np.random.default_rng(2), dtype, 30011, few=True)
    compare(x, 4, range=(0, 4))  # 4 itself is in the last bin
    compare(x, 3, range=(2, 5))
    compare(x, 300, range=(-7, 293))


def test_as_many_bins_as_there_may_be():
    compare(np.array([0, 5, (1 << 24) - 1, 1 << 24]), 1 << 24, range=(0, 1 << 24))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_any_size(dtype):
    compare(random_array(np.random.default_rng(3), dtype, 20011), 100)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_edges_are_computed_in_the_items_type(dtype):
    for seed in range(20):
        compare(np.random.default_rng(seed).standard_normal(1000).astype(dtype), 13)


@pytest.mark.parametrize("dtype", [*TYPES, "float16"])
def test_types_of_the_range(dtype):
    """NumPy's scalars have a say in the edges' type, which says in which bin an item next to an edge is."""
    x = (np.random.default_rng(7).random(2000) * 9).astype(dtype)
    for low, high in ((np.float64(0.1), np.float64(7.3)), (np.float32(0.1), np.float32(7.3)), (np.float16(0.1), 7.3),
                      (np.int8(0), np.int8(100)), (np.int8(-100), np.int8(127)), (0, np.uint8(200)),
                      (np.float32(2), np.float32(2)), (np.array(0.1), np.array(7.3))):
        compare(x, 13, range=(low, high))
        compare(x, 13, range=[low, high])
    compare(x, 5, range=np.array([0, 5]))


def test_edges_outside_of_the_items_type():
    """NumPy 1 makes them of a wider type."""
    x, ends = np.arange(5, dtype="f2"), (np.float16(2), 2**64 - 1)
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        compare(x, 1, range=ends)
    else:
        with pytest.raises(ValueError, match="^onepass.histogram: range is .*, whose edges lie outside of float16"):
            onepass.histogram(x, 1, range=ends)


def test_a_range_that_can_be_read_once():
    x = np.arange(9.0)
    for given in (iter((0, 3)), (end for end in (0, 3)), map(np.float32, (0, 3))):
        same(onepass.histogram(x, 2, range=given)[0], np.histogram(x, 2, range=(0, 3))[0])
    with pytest.raises(TypeError, match="^onepass.histogram: range is .*, not two numbers"):
        onepass.histogram(x, 2, range=iter((0, 1, 2)))


def test_number_of_bins_as_an_array():
    compare(np.arange(9), np.array(3))
    compare(np.arange(9.0), np.uint8(3), range=(0, 4))


def test_floats_next_to_edges():
    edges = np.linspace(-1, 1, 101).astype("f4")
    x = np.concatenate([edges, np.nextafter(edges, np.float32(2)), np.nextafter(edges, np.float32(-2)),
                        np.array([np.nan, np.inf, -np.inf], "f4")])
    compare(x, edges)
    compare(x, edges.astype("f8"))
    compare(x, 100, range=(-1, 1))
    compare(x, np.array([-np.inf, 0, 0, np.inf]))
    compare(x, np.array([-np.inf, -np.inf]))


def around(dtype, rng, size):
    """Integers of a type around those from which on floats have gaps, and at its ends."""
    info = np.iinfo(dtype)
    near = (0, 2**53, -2**53, 2**62, -2**62, 2**63, int(info.min), int(info.max))
    values = {value + step for value in near for step in range(-3, 4)}
    return rng.choice(np.array(sorted(v for v in values if info.min <= v <= info.max), dtype), size)


PAIRS = [("int64", "int64"), ("uint64", "uint64"), ("int64", "int32"), ("int32", "int64"), ("uint64", "uint8"),
         ("uint16", "uint64"), ("int64", "uint32"), ("int32", "uint32"), ("int64", "uint64"), ("uint64", "int64"),
         ("int64", "float64"), ("float32", "uint64")]


@pytest.mark.parametrize("items, edges", PAIRS)
def test_integers_between_integers(items, edges):
    rng = np.random.default_rng(6)
    for size in (0, 1, 100, 1000, 100003):
        x = around(items if items != "float32" else "int64", rng, size).astype(items)
        for bins in (1, 2, 7, 40):  # of 40 many are equal
            between = np.sort(around(edges if edges != "float64" else "int64", rng, bins + 1).astype(edges))
            compare(x, between)
            compare(x, np.full(bins + 1, between[-1]))


def test_integers_that_floats_cannot_tell_apart():
    near = np.array([2**53, 2**53, 2**53 + 1])
    compare(near, np.array([2**53, 2**53 + 1, 2**53 + 2]))
    compare(near[::-1], [2**53, 2**53 + 1])
    compare(np.array([2**64 - 1, 2**63, 5], "u8"), np.array([0, 2**63 + 1, 2**64 - 1], "u8"))
    compare(np.array([True, False, True]), np.array([-2**63, 0, 1, 2**63 - 1]))
    nanoseconds = np.int64(1_700_000_000_000_000_000) + np.arange(1000)
    compare(nanoseconds, nanoseconds[::100])
    compare(nanoseconds[:600].reshape(20, 30).T, nanoseconds[::100])


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_edges_at_the_ends_of_a_type(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = np.array([low, low, low + 1, 7, high - 1, high, high, high], dtype)
    for edges in ([low, high], [high, high], [low, low], [low, high, high], [low, high - 1, high], [high - 1, high - 1]):
        compare(x, np.array(edges, dtype))
        compare(x[:0], np.array(edges, dtype))


def test_many_bins():
    x = np.random.default_rng(4).random(200011)
    compare(x, 1 << 20, range=(0, 1))
    compare((x * (1 << 20)).astype("i4"), 1 << 20, range=(0, 1 << 20))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "x has dtype complex128", lambda x: onepass.histogram(x * 1j)),
    (TypeError, "bins is 1.5", lambda x: onepass.histogram(x, 1.5)),
    (ValueError, "bins is 0, not 1 to", lambda x: onepass.histogram(x, 0)),
    (ValueError, "bins do not ascend", lambda x: onepass.histogram(x, [1, 0])),
    (ValueError, "bins do not ascend", lambda x: onepass.histogram(x, [0, np.nan])),
    (ValueError, r"bins has shape \(1,\)", lambda x: onepass.histogram(x, [1])),
    (ValueError, r"range is \(3, 1\)", lambda x: onepass.histogram(x, range=(3, 1))),
    (TypeError, "range is 3", lambda x: onepass.histogram(x, range=3)),
    (TypeError, "range is", lambda x: onepass.histogram(x, range=("a", 1))),
    (TypeError, "range is array", lambda x: onepass.histogram(x, range=np.array(3.0))),
    (TypeError, "range is 'ab', not two numbers", lambda x: onepass.histogram(x, range="ab")),
    (TypeError, r"range is \(1, 2, 3\), not two numbers", lambda x: onepass.histogram(x, range=(1, 2, 3))),
    (TypeError, r"range is \(1,\), not two numbers", lambda x: onepass.histogram(x, range=(1,))),
    (TypeError, "range is .*, not two numbers", lambda x: onepass.histogram(x, range=(1, [2]))),
    (TypeError, "range is .*, not two numbers", lambda x: onepass.histogram(x, range=(0, np.longdouble(1)))),
    (TypeError, "range is .*, not two numbers", lambda x: onepass.histogram(x, range=(0, 1j))),
    (TypeError, "range is .*, not two numbers", lambda x: onepass.histogram(x, range=np.array(["2020", "2021"], "M8[D]"))),
    (ValueError, "range is of integers that no float comes near", lambda x: onepass.histogram(x, range=(0, 10**400))),
    (ValueError, "range is of integers that no float comes near", lambda x: onepass.histogram(x, range=(-10**5000, 1))),
    (ValueError, "range is .*, of which no edges can be made", lambda x: onepass.histogram(x, range=(0, 10**300))),
    (ValueError, r"range is \[nan, 1\], which is not finite", lambda x: onepass.histogram(x, range=(np.nan, 1))),
    (TypeError, r"bins is array\(3.5\), not an integer", lambda x: onepass.histogram(x, np.array(3.5))),
    (TypeError, "bins is 'auto', not an integer", lambda x: onepass.histogram(x, "auto")),
    (ValueError, r"range is \[nan, nan\], which is not finite", lambda x: onepass.histogram(x * np.nan)),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.histogram: {text}"):
        call(np.arange(5.0))


def test_tensors():
    torch = pytest.importorskip("torch")
    from test_torch import DEVICES

    rng = np.random.default_rng(5)
    for device in DEVICES:
        for dtype in TYPES:
            x = random_array(rng, dtype, (40, 300), few=True)
            for arguments, options in (((7,), {}), ((5,), {"range": (0, 5)}), ((9,), {"range": (-0.5, 3)})):
                counts, edges = onepass.histogram(torch.from_numpy(x).to(device), *arguments, **options)
                expected, expected_edges = onepass.histogram(x, *arguments, **options)
                assert counts.device.type == edges.device.type == device
                same(counts.cpu().numpy(), expected)
                same(edges.cpu().numpy(), expected_edges)
            edges = torch.tensor([0.0, 1.5, 2.0, 9.0], device=device)
            same(onepass.histogram(torch.from_numpy(x).to(device).t(), edges)[0].cpu().numpy(),
                 onepass.histogram(x, edges.cpu().numpy())[0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool"])
def test_edges_of_tensors(dtype):
    """They are made on the tensor's device, with the bits that NumPy gives them. Those of float16 items are float32."""
    torch = pytest.importorskip("torch")
    from test_torch import DEVICES

    rng = np.random.default_rng(8)
    ranges = [(0, 1), (-0.1, 0.7), (2, 2), (False, True), (0, 5e-324), (5e-324, 4e-323), (-1e38, 1e38), (-2**63, 2**63),
              (0, 2**64 - 1),
              *np.sort(rng.standard_normal((20, 2)) * 10.0 ** rng.integers(-30, 30, (20, 1))).tolist()]
    for device in DEVICES:
        for ends in ranges:
            for bins in (1, 2, 3, 10, 49, 1000):
                x = np.zeros(3, "float32" if dtype == "float16" else dtype)
                given = torch.zeros(3, dtype=getattr(torch, dtype), device=device)
                try:
                    expected = onepass.histogram(x, bins, range=ends)[1]
                except ValueError as error:  # NumPy 2 wants bins that floats can tell apart
                    refused = "of which no edges can be made|whose edges lie outside of"  # with NumPy 1
                    with pytest.raises(ValueError, match=refused):
                        onepass.histogram(given, bins, range=ends)
                    assert re.search(refused, str(error))
                else:
                    edges = onepass.histogram(given, bins, range=ends)[1]
                    assert edges.device.type == device
                    same(edges.cpu().numpy(), expected)


@pytest.mark.parametrize("items, edges", [*PAIRS, ("uint8", "uint16"), ("float64", "uint16"), ("bool", "uint64")])
def test_tensors_between_integers(items, edges):
    torch = pytest.importorskip("torch")
    from test_torch import DEVICES

    rng = np.random.default_rng(7)
    for device in DEVICES:
        for size in (0, 100, 100003):
            x = around("int64", rng, size).astype(items)
            for bins in (1, 7, 40):
                between = np.sort(around("int64", rng, bins + 1).astype(edges))
                for bounds in (between, np.full(2, between[-1])):
                    tensors = (torch.from_numpy(array).to(device) for array in (x, bounds))
                    counts, returned = onepass.histogram(*tensors)
                    same(counts.cpu().numpy(), onepass.histogram(x, bounds)[0])
                    same(returned.cpu().numpy(), bounds)
    with pytest.raises(ValueError, match="^onepass.histogram: bins do not ascend"):
        onepass.histogram(torch.from_numpy(x), torch.from_numpy(np.array([5, 1], edges)))
