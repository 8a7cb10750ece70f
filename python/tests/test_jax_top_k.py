# SPDX-License-Identifier: Apache-2.0
"""top_k and nth_element of JAX's arrays, beside NumPy's stable sort."""
import numpy as np
import pytest

import onepass

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from test_jax import TYPES, WIDE, array, everywhere, same, x64  # noqa: E402, F401
from test_top_k import expected_top_k  # noqa: E402


@pytest.mark.parametrize("largest, ordered", [(True, True), (False, True), (True, False)])
def test_top_k(largest, ordered, x64):  # noqa: F811
    shapes = [((40,), 0), ((4, 30), 1), ((30, 4), 0), ((2, 5, 3), 1), ((1, 9), 1), ((5, 30), 1)]
    for (shape, axis), dtype in zip(shapes, WIDE if x64 else TYPES):
        x = array(shape, dtype)
        length = shape[axis]
        for k in {0, 1, length // 2, length}:
            items, indices = jax.jit(lambda x: onepass.top_k(x, k, axis, largest, ordered))(x)
            expected, expected_indices = expected_top_k(np.asarray(x), k, axis, largest, ordered)
            same(items, expected)
            same(indices, expected_indices.astype(jnp.arange(1).dtype))
    if not x64:
        everywhere(lambda x: onepass.top_k(x, 3, largest=largest, sorted=ordered), array((4, 7)))
        everywhere(lambda x: onepass.top_k(x, 2, None, largest, ordered), array((4, 7), "int32"))


def test_as_jax_has_it():
    x = array((6, 50), "int32")
    for one, other in zip(onepass.top_k(x, 9), jax.lax.top_k(x, 9)):
        same(one, other)
    items, indices = onepass.top_k(x[0, 0], 1)
    same(items, x[0, :1])
    same(indices, jnp.zeros(1, "int32"))
    twice = jax.vmap(jax.vmap(lambda x: onepass.top_k(x, 2)[1]))(x.reshape(2, 3, 50))
    same(twice, jax.lax.top_k(x.reshape(2, 3, 50), 2)[1])


def test_nth_element(x64):  # noqa: F811
    shapes = [((40,), 0), ((4, 30), 1), ((30, 4), 0), ((2, 5, 3), 1), ((1, 9), 1), ((5, 30), 1)]
    for (shape, axis), dtype in zip(shapes, WIDE if x64 else TYPES):
        x = array(shape, dtype)
        ordered = np.sort(np.asarray(x), axis)
        for n in {0, shape[axis] // 2, -1}:
            same(jax.jit(lambda x: onepass.nth_element(x, n, axis))(x), np.take(ordered, n, axis))
    if not x64:
        everywhere(lambda x: onepass.nth_element(x, 5, axis=None), array((4, 7), "int32"))
        same(onepass.nth_element(jnp.float32(4), 0), jnp.float32(4))


def test_long_rows():
    x = jnp.asarray(np.random.default_rng(1).standard_normal((3, 300_007)), "float32")
    for one, other in zip(onepass.top_k(x, 1000), jax.lax.top_k(x, 1000)):
        same(one, other)
    same(onepass.nth_element(x, 150_000), jnp.sort(x, 1)[:, 150_000])


def test_zeros_and_nans():
    x = jnp.array([0.0, -0.0, jnp.nan, -jnp.nan, 1.0, -0.0])
    items, indices = onepass.top_k(x, 5)
    same(indices, jnp.array([2, 3, 4, 0, 1]))
    np.testing.assert_array_equal(jnp.signbit(items)[3:], [False, True])


def test_the_largest_have_weights():
    """A mixture of experts: indices and gradients of one call, under jit."""
    scores, weights = array((8, 16), "int32").astype("float32"), jnp.arange(16.0)

    def chosen(top_k):
        def loss(scores):
            items, indices = top_k(scores, 4)
            return (jax.nn.softmax(items) * weights[indices]).sum()
        return jax.jit(jax.value_and_grad(loss))(scores)

    for one, other in zip(chosen(onepass.top_k), chosen(jax.lax.top_k)):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)
