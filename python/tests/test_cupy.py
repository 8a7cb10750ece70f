# SPDX-License-Identifier: Apache-2.0
"""CuPy's arrays: every function against NumPy's result, and CuPy's streams and memory."""
import numpy as np
import pytest

import onepass
from support import FLOATS, INTEGERS, SIZES, TYPES, random_array

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.skipif(not onepass.info()["device"], reason="no CUDA device")


def drawn(dtype, shape, few=False, seed=1):
    """The same random items for CuPy and for NumPy."""
    x = random_array(np.random.default_rng(seed), dtype, shape, few)
    return cupy.asarray(x), x


def with_nans(dtype, n):
    x = np.random.default_rng(2).standard_normal(n).astype(dtype)
    x[::7] = np.nan
    x[1::7] = -np.nan
    x[2::9] = -0.0
    return cupy.asarray(x), x


def same(result, expected):
    if isinstance(expected, tuple):
        assert isinstance(result, tuple) and len(result) == len(expected)
        for one, other in zip(result, expected):
            same(one, other)
        return
    assert isinstance(result, cupy.ndarray)
    assert result.dtype == expected.dtype and result.shape == expected.shape and result.flags.c_contiguous
    np.testing.assert_array_equal(cupy.asnumpy(result), expected)


# ---- scans
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_scans(dtype, n):
    x, plain = drawn(dtype, n)
    same(onepass.cumsum(x), np.cumsum(plain))
    for function in (onepass.cummax, onepass.cummin):
        same(function(x), function(plain))
    if dtype in INTEGERS:
        same(onepass.cumprod(x), np.cumprod(plain))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1000, 3), (3, 4000), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", ["bool", "int32", "float64"])
def test_axes_and_strides(dtype, shape):
    x, plain = drawn(dtype, shape)
    for given, numbers in ((x, plain), (x.T, plain.T), (x[::2], plain[::2]), (x[..., ::-3], plain[..., ::-3])):
        for axis in (None, *range(-given.ndim, given.ndim)):
            same(onepass.cumsum(given, axis=axis), np.cumsum(numbers, axis))
            same(onepass.cumsum(given, axis=axis, reverse=True), onepass.cumsum(numbers, axis=axis, reverse=True))


def test_forms():
    x, plain = drawn("int32", 5000)
    for options in ({"exclusive": True, "init": 7}, {"init": 3}, {"dtype": "int32"}, {"dtype": "float64"}, {"op": "bitwise_xor"},
                    {"op": "max", "reverse": True, "exclusive": True}):
        same(onepass.scan(x, **options), onepass.scan(plain, **options))
    same(onepass.scan(x, init=cupy.asarray(7)), np.cumsum(plain, dtype=np.int64) + 7)
    wide = x.astype(np.int64)
    assert onepass.cumsum(wide, out=wide) is wide
    same(wide, np.cumsum(plain, dtype=np.int64))
    gaps = cupy.zeros(10000, np.int64)[::2]
    onepass.cumsum(x, out=gaps)
    same(cupy.ascontiguousarray(gaps), np.cumsum(plain, dtype=np.int64))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [0, 1, 1025, 100003])
def test_segments(n, reverse):
    x, plain = drawn("int32", n)
    flags, plain_flags = drawn("bool", n, seed=3)
    keys, plain_keys = drawn("uint8", n, few=True, seed=4)
    offsets = np.unique(np.random.default_rng(5).integers(0, n + 1, 50))
    for given, numbers in (({"segments": flags}, {"segments": plain_flags}), ({"keys": keys}, {"keys": plain_keys}),
                           ({"segments": cupy.asarray(offsets)}, {"segments": offsets})):
        same(onepass.scan(x, reverse=reverse, **given), onepass.scan(plain, reverse=reverse, **numbers))
    same(onepass.segment_reduce(x, cupy.asarray(offsets), "max", init=-5), onepass.segment_reduce(plain, offsets, "max", init=-5))
    same(onepass.reduce_by_key(keys, x), onepass.reduce_by_key(plain_keys, plain))


@pytest.mark.parametrize("dtype", FLOATS)
def test_recurrence(dtype):
    (a, plain_a), (b, plain_b) = drawn(dtype, (60, 50), seed=6), drawn(dtype, (60, 50), seed=7)
    a, plain_a = a / 16, plain_a / 16
    for axis in (0, 1):
        result = onepass.linear_recurrence(a, b, axis=axis, init=b.take(cupy.asarray(0), axis=axis))
        expected = onepass.linear_recurrence(plain_a, plain_b, axis=axis, init=plain_b.take(0, axis=axis))
        np.testing.assert_allclose(cupy.asnumpy(result), expected, rtol=1e-5, atol=1e-5)


# ---- selections
@pytest.mark.parametrize("dtype", [*TYPES, "float16", "complex64"])
@pytest.mark.parametrize("n", [0, 1, 1025, 300003])
def test_compressions(dtype, n):
    plain = np.random.default_rng(8).integers(0, 2, n).astype(dtype)
    x, (mask, plain_mask) = cupy.asarray(plain), drawn("bool", n, seed=9)
    same(onepass.compress(x, mask), plain[plain_mask])
    same(onepass.compress(x, mask, size=n // 2 + 3, fill=1), onepass.compress(plain, plain_mask, size=n // 2 + 3, fill=1))
    same(onepass.partition(x, mask), (plain[plain_mask], plain[~plain_mask]))
    same(onepass.nonzero(x), np.nonzero(plain))
    same(onepass.nonzero(x, size=100), onepass.nonzero(plain, size=100))


def test_nonzero_of_dimensions():
    for shape in ((7, 11), (3, 4, 500), (0, 5), (5, 0, 2)):
        x, plain = drawn("bool", shape)
        same(onepass.nonzero(x), np.nonzero(plain))


# ---- sorts
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sorts(dtype, n):
    x, plain = drawn(dtype, n, few=n % 2 == 1)
    values, plain_values = drawn("int32", n, seed=3)
    for descending in (False, True):
        same(onepass.sort(x, descending=descending), onepass.sort(plain, descending=descending))
        same(onepass.argsort(x, descending=descending), onepass.argsort(plain, descending=descending))
        same(onepass.sort_by_key(x, values, descending=descending), onepass.sort_by_key(plain, plain_values, descending=descending))
    same(onepass.unique(x), np.unique(plain))
    options = {"return_index": True, "return_inverse": True, "return_counts": True}
    same(onepass.unique(x, **options), onepass.unique(plain, **options))
    same(onepass.unique_consecutive(x, return_counts=True), onepass.unique_consecutive(plain, return_counts=True))


@pytest.mark.parametrize("dtype", FLOATS)
def test_nans(dtype):
    x, plain = with_nans(dtype, 30011)
    for function in (onepass.sort, onepass.argsort, onepass.cummax, onepass.unique, onepass.nonzero):
        same(function(x), function(plain))
    same(onepass.top_k(x, 6000), onepass.top_k(plain, 6000))
    same(onepass.unique(x, return_counts=True), onepass.unique(plain, return_counts=True))


def test_rows():
    x, plain = drawn("float32", (70, 900))
    values, plain_values = drawn("int64", (70, 900), seed=3)
    for axis in (0, 1, None):
        same(onepass.sort(x, axis=axis), onepass.sort(plain, axis=axis))
        same(onepass.argsort(x, axis=axis, index_dtype="int32"), onepass.argsort(plain, axis=axis, index_dtype="int32"))
        same(onepass.sort_by_key(x, values, axis=axis), onepass.sort_by_key(plain, plain_values, axis=axis))
    for axis in (0, 1):
        for k in (1, 5, 70):
            same(onepass.top_k(x, k, axis=axis), onepass.top_k(plain, k, axis=axis))
        same(onepass.nth_element(x, 30, axis=axis), onepass.nth_element(plain, 30, axis=axis))


@pytest.mark.parametrize("dtype", TYPES)
def test_histograms(dtype):
    x, plain = drawn(dtype, 100003)
    same(onepass.histogram(x, 20), onepass.histogram(plain, 20))
    edges = np.array([0.0, 0.5, 2.0, 7.0])
    same(onepass.histogram(x, cupy.asarray(edges)), onepass.histogram(plain, edges))
    for edges in (np.array([-2**63, 0, 2, 2**63 - 1]), np.array([0, 2**63 + 1, 2**64 - 1], "u8")):
        same(onepass.histogram(x, cupy.asarray(edges)), onepass.histogram(plain, edges))


@pytest.mark.parametrize("n", SIZES)
def test_float16(n):
    x, plain = drawn("float16", n)
    for function in (onepass.cumsum, onepass.cummax, onepass.sort, onepass.argsort, onepass.unique, onepass.nonzero,
                     onepass.unique_consecutive, lambda x: onepass.top_k(x, x.size // 3),
                     lambda x: onepass.scan(x, init=100, reverse=True), lambda x: onepass.cumsum(x, dtype="float32"),
                     lambda x: onepass.histogram(x, 5, range=(-8, 8))):
        same(function(x), function(plain))
    if n:
        same(onepass.nth_element(x, n // 2), onepass.nth_element(plain, n // 2))
    offsets = np.array([0, n // 3, n])
    same(onepass.segment_reduce(x, cupy.asarray(offsets)), onepass.segment_reduce(plain, offsets))


# ---- streams, memory, errors
def test_calls_run_in_the_current_stream_and_do_not_wait():
    x = cupy.random.default_rng(1).standard_normal(1 << 22, dtype=np.float32)
    onepass.cumsum(x)
    onepass.compress(x, x > 0, size=1000)
    kernel = cupy.RawKernel("""extern "C" __global__ void wait(long long cycles) {
        long long start = clock64(); while (clock64() - start < cycles) {} }""", "wait")
    kernel.compile()
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        kernel((1,), (1,), (400_000_000,))
        result = onepass.cumsum(x)
        padded = onepass.compress(x, x > 0, size=1000)
        assert not stream.done, "a call waited"
    stream.synchronize()
    np.testing.assert_allclose(cupy.asnumpy(result), np.cumsum(cupy.asnumpy(x).astype(np.float64)), rtol=1e-3, atol=1e-1)
    assert (padded == x[x > 0][:1000]).all()


def test_memory_is_cupys_and_none_is_kept():
    x = cupy.random.default_rng(1).standard_normal(1 << 22)
    pool = cupy.get_default_memory_pool()
    onepass.argsort(x)
    before, asked = pool.used_bytes(), []

    def allocate(size):
        asked.append(size)
        return pool.malloc(size)

    with cupy.cuda.using_allocator(allocate):
        order = onepass.argsort(x)
    assert sum(asked) > 2 * order.nbytes, "memory of the call was not CuPy's"
    assert pool.used_bytes() - before == order.nbytes, "memory was kept"


def test_no_memory():
    """CuPy's own error, and the input as it was."""
    x = cupy.arange(1 << 20)[::-1].copy()

    def refuse(size):
        raise cupy.cuda.memory.OutOfMemoryError(size, 0, 0)

    where, order = None, cupy.empty(x.size, np.int64)
    from onepass._cupy_arrays import CUPY

    with cupy.cuda.using_allocator(refuse), pytest.raises(cupy.cuda.memory.OutOfMemoryError):
        where = CUPY.where(x)
        onepass._core.argsort(where, x.data.ptr, x.size, order.data.ptr, onepass._core.TYPES.index("int64"), 8, False)
    assert (x == cupy.arange(1 << 20)[::-1]).all()
    assert (onepass.argsort(x) == cupy.arange(1 << 20)[::-1]).all()


def test_wrong_arguments():
    x = cupy.arange(10)
    with pytest.raises(TypeError, match="^onepass.compress: mask is ndarray, not a CuPy array"):
        onepass.compress(x, np.ones(10, bool))
    with pytest.raises(TypeError, match="^onepass.compress: mask is a CUDA array"):
        onepass.compress(np.arange(10), x > 3)
    with pytest.raises(ValueError, match="^onepass.cumsum: out has shape"):
        onepass.cumsum(x, out=cupy.empty(9, np.int64))
    with pytest.raises(TypeError, match="^onepass.sort: x has dtype complex64"):
        onepass.sort(x.astype(np.complex64))


@pytest.mark.skipif(not onepass.info()["device"] or cupy.cuda.runtime.getDeviceCount() < 2, reason="one CUDA device")
def test_another_device():
    with cupy.cuda.Device(1):
        x, plain = drawn("float32", 100003)
        same(onepass.sort(x), np.sort(plain))
    with pytest.raises(ValueError, match="^onepass.sort: x is on CUDA device 1, and the current one is 0"):
        onepass.sort(x)
