# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16 of JAX's arrays: computed in float32, and each result rounded once."""
import warnings

import numpy as np
import pytest

import onepass

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from test_jax import same  # noqa: E402

pytestmark = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])


def whole(shape, dtype, seed=1):
    return jnp.asarray(np.random.default_rng(seed).integers(-8, 8, shape).astype(np.float32)).astype(dtype)


def rounded(x, dtype):
    return jnp.asarray(np.asarray(x, np.float32)).astype(dtype)


@pytest.mark.parametrize("axis", [0, 1])
def test_scans(dtype, axis):
    x = whole((3, 5000) if axis else (5000, 3), dtype)
    exact = np.cumsum(np.asarray(x, np.float32), axis)
    same(onepass.cumsum(x, axis=axis), rounded(exact, dtype))
    same(jax.jit(lambda x: onepass.scan(x, axis=axis, init=512))(x), rounded(exact + 512, dtype))
    same(onepass.cummax(x, axis=axis), rounded(np.maximum.accumulate(np.asarray(x, np.float32), axis), dtype))
    same(onepass.cumsum(x, axis=axis, dtype="float32"), exact)
    same(jax.vmap(onepass.cumsum)(x), onepass.cumsum(x))
    same(onepass.cumsum(x[:0]), x[:0])


def test_numbers_are_rounded_once(dtype):
    """Not to a float first, which may be in the middle between two of their values."""
    if dtype == "bfloat16":
        pytest.skip("NumPy has none to compare with")
    number = 1 + 2**-11 + 2**-30
    same(onepass.scan(jnp.zeros(2, dtype), init=number), np.full(2, number, dtype))
    same(onepass.compress(jnp.zeros(2, dtype), jnp.zeros(2, bool), size=1, fill=number), np.full(1, number, dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(onepass.scan(jnp.zeros(2, dtype), init=1e9), np.full(2, np.inf, dtype))


def test_every_value(dtype):
    bits = np.random.default_rng(1).permutation(np.arange(1 << 16, dtype=np.uint16))
    x = jax.lax.bitcast_convert_type(jnp.asarray(bits), dtype)
    wide = np.asarray(x, np.float32)
    order = np.argsort(wide, kind="stable")
    same(onepass.argsort(x), order.astype(np.int32))
    same(onepass.sort(x).astype("float32"), wide[order])
    items, indices = onepass.top_k(x, 5000, largest=False)
    same(items.astype("float32"), wide[order[:5000]])
    same(indices, order[:5000].astype(np.int32))
    same(onepass.nth_element(x, 777).astype("float32"), wide[order[777]])
    # XLA compares subnormal bfloat16 as zeros on the CPU.
    normal = (np.abs(wide) >= float(jnp.finfo(dtype).tiny)) | np.isnan(wide)
    same(onepass.unique(x[normal]).astype("float32"), np.unique(wide[normal]))
    same(onepass.nonzero(x[normal])[0], np.arange(normal.sum(), dtype=np.int32))
    chosen = wide > 1
    for part, expected in zip(onepass.partition(x, jnp.asarray(chosen)), (wide[chosen], wide[~chosen])):
        same(part.astype("float32"), expected)


def test_subnormal_numbers(dtype):
    """XLA sets that subnormal floats are zero. float16 has none that are subnormal as floats, and its own stay."""
    if dtype == "bfloat16":
        pytest.skip("its subnormal numbers are subnormal floats, too")
    magnitude = np.arange(0x600, dtype=np.uint16)
    wide = np.sort(np.concatenate([magnitude, magnitude | np.uint16(0x8000)]).view(np.float16)).astype(np.float32)
    x = rounded(wide, dtype)
    same(onepass.cummax(x), x)
    same(onepass.cumsum(x), rounded(np.cumsum(wide), dtype))
    same(onepass.segment_reduce(x, np.array([0, 3, x.size])), rounded([wide[:3].sum(), wide[3:].sum()], dtype))
    scaled = [jax.grad(lambda x: (cumsum(x) * jnp.float16(2e-5)).sum())(x[:3]) for cumsum in (onepass.cumsum, jnp.cumsum)]
    same(*scaled)


def test_segments(dtype):
    x, keys = whole(1000, dtype), jnp.sort(whole(1000, dtype, 2))
    offsets = np.array([0, 7, 7, 300, 1000])
    wide = np.asarray(x, np.float32)
    for op in ("sum", "max"):
        same(onepass.segment_reduce(x, offsets, op, init=100), rounded(onepass.segment_reduce(wide, offsets, op, init=100), dtype))
    found, sums = onepass.reduce_by_key(keys, x)
    expected, expected_sums = onepass.reduce_by_key(np.asarray(keys, np.float32), wide)
    same(found, rounded(expected, dtype))
    same(sums, rounded(expected_sums, dtype))
    counts, edges = onepass.histogram(x, 5, range=(-8, 8))
    np.testing.assert_array_equal(counts, np.histogram(wide, 5, (-8, 8))[0])
    assert edges.dtype == np.float32


def test_gradients(dtype):
    x, weights = whole(40, dtype), whole(40, dtype, 2)

    def gradient(call, x, weights):
        def loss(x):
            result = call(x)
            return (result * weights[:result.size]).sum()
        return jax.jit(jax.grad(loss))(x)

    for call in (onepass.cumsum, onepass.sort, lambda x: onepass.top_k(x, 7)[0],
                 lambda x: onepass.compress(x, x > 0, size=9), lambda x: onepass.segment_reduce(x, jnp.array([0, 9, 40]))):
        result = gradient(call, x, weights)
        same(result, rounded(gradient(call, x.astype("float32"), weights.astype("float32")), dtype))
