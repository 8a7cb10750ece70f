# SPDX-License-Identifier: Apache-2.0
"""Gradients of JAX's arrays: jax.test_util.check_grads in reverse mode, of second order, under jit and vmap."""
import numpy as np
import pytest

import onepass

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import onepass.jax  # noqa: E402


@pytest.fixture(autouse=True)
def x64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def random(*shape):
    return jnp.asarray(np.random.default_rng(1).standard_normal(shape))


def checked(call, *arrays):
    """Numerical and analytic gradients agree, also those of gradients; the compiled ones and those of a batch agree with them."""
    check_grads(jax.jit(call), arrays, order=2, modes=["rev"])

    def loss(*arrays):
        return (call(*arrays) ** 3).sum()

    every = tuple(range(len(arrays)))
    gradients = jax.jit(jax.grad(loss, every))(*arrays)
    batches = [np.stack([x, 2 * x]) for x in map(np.asarray, arrays)]
    mapped = jax.jit(jax.vmap(jax.grad(loss, every)))(*batches)
    for one, other in zip(gradients, mapped):
        np.testing.assert_allclose(one, other[0], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("reverse, exclusive", [(False, False), (True, False), (False, True), (True, True)])
def test_cumsum(reverse, exclusive):
    checked(lambda x: onepass.cumsum(x, axis=0 if exclusive else 1, reverse=reverse, exclusive=exclusive), random(3, 4))


def test_scan_with_init():
    checked(lambda x, init: onepass.scan(x, init=init), random(5), random())


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", [((3, 4), 0), ((2, 3, 2), 1), ((5,), 0), ((3, 1), 1)])
def test_recurrence(shape, axis, reverse):
    init = random(*shape[:axis], *shape[axis + 1:])
    checked(lambda a, b, init: onepass.linear_recurrence(a, b, axis=axis, reverse=reverse, init=init), random(*shape),
            random(*shape) + 1, init)


def test_gradient_of_the_recurrence_beside_the_plain_loop():
    a, b = random(6, 50) * 0.5, random(6, 50)

    def loop(a, b):
        def step(h, ab):
            h = ab[0] * h + ab[1]
            return h, h
        return jax.lax.scan(step, jnp.zeros(6), (a.T, b.T))[1].T

    ours = jax.jit(jax.grad(lambda a, b: jnp.sin(onepass.linear_recurrence(a, b)).sum(), (0, 1)))(a, b)
    theirs = jax.jit(jax.grad(lambda a, b: jnp.sin(loop(a, b)).sum(), (0, 1)))(a, b)
    for one, other in zip(ours, theirs):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("descending", [False, True])
def test_sorts(descending):
    checked(lambda x: onepass.sort(x, axis=0, descending=descending), random(5, 3))
    checked(lambda k, v: jnp.stack(onepass.sort_by_key(k, v, descending=descending)), random(6), random(6) + 2)


@pytest.mark.parametrize("largest, ordered", [(True, True), (False, True), (True, False)])
def test_top_k(largest, ordered):
    checked(lambda x: onepass.top_k(x, 3, largest=largest, sorted=ordered)[0], random(3, 7))
    checked(lambda x: onepass.top_k(x, 2, 0, largest, ordered)[0], random(5, 3))
    x = random(20)
    chosen = jax.grad(lambda x: onepass.top_k(x, 6, largest=largest, sorted=ordered)[0].sum())(x)
    np.testing.assert_array_equal(np.flatnonzero(chosen), np.sort(np.argsort(-x if largest else x)[:6]))


def test_partition():
    mask = jnp.arange(12) % 3 == 0
    checked(lambda x: jnp.concatenate(onepass.jax.partition(x, mask, size=9)), random(12))
    checked(lambda x: onepass.jax.partition(x, mask, size=12)[1], random(12))


def test_selection():
    mask = jnp.arange(12) % 3 == 0
    for size in (2, 4, 9):
        checked(lambda x, fill: onepass.compress(x, mask, size=size, fill=fill), random(12), random())
    checked(lambda x: onepass.compress(x, mask.reshape(3, 4), size=5), random(3, 4))
    x = random(12)
    np.testing.assert_array_equal(jax.grad(lambda x: onepass.compress(x, mask).sum())(x), mask.astype(x.dtype))


def test_segments():
    offsets = jnp.array([2, 5, 5, 9])
    checked(lambda x: onepass.segment_reduce(x, offsets), random(12))
    checked(lambda x, init: onepass.segment_reduce(x, offsets, init=init), random(12), random())
    keys = jnp.array([1, 1, 2, 2, 2, 1])
    checked(lambda x: onepass.jax.reduce_by_key(keys, x, size=4)[1], random(6))


def test_keys_and_edges():
    keys = jnp.array([1.5, 1.5, 2.5, 2.5, 2.5, 1.5])
    checked(lambda keys: onepass.jax.reduce_by_key(keys, jnp.ones(6), size=4)[0], random(6))  # each key is a run
    gradient = jax.grad(lambda keys: onepass.jax.reduce_by_key(keys, jnp.ones(6), size=3)[0].sum())(keys)
    np.testing.assert_array_equal(gradient, [1, 0, 1, 0, 0, 1])
    x = random(9)
    checked(lambda x: onepass.histogram(x, 3)[1], x)
    np.testing.assert_allclose(jax.grad(lambda x: onepass.histogram(x, 3)[1].sum())(x),
                               jax.grad(lambda x: jnp.histogram(x, 3)[1].sum())(x))


INTEGERS = {
    "argsort": lambda i: onepass.argsort(i),
    "compress": lambda i: onepass.compress(i, i > 1, size=6),
    "cummax": onepass.cummax,
    "cumsum": onepass.cumsum,
    "histogram": lambda i: onepass.histogram(i, 6)[0],
    "nth_element": lambda i: onepass.nth_element(i, 2),
    "partition": lambda i: onepass.jax.partition(i, i > 1, size=6)[1],
    "reduce_by_key": lambda i: onepass.jax.reduce_by_key(i, i, size=6)[1],
    "segment_reduce": lambda i: onepass.segment_reduce(i, jnp.array([0, 2, 6])).sum(),
    "sort": onepass.sort,
    "top_k": lambda i: onepass.top_k(i, 6)[0],
    "unique": lambda i: onepass.jax.unique(i, size=6),
    "unique_consecutive": lambda i: onepass.jax.unique_consecutive(i, size=6),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_have_none(name):
    """Indices that come from a call with a gradient are constants for the next one."""
    x = random(6)
    factors = INTEGERS[name](onepass.top_k(x, 6)[1])
    gradient = jax.grad(lambda x: (x * INTEGERS[name](onepass.top_k(x, 6)[1])).sum())
    np.testing.assert_array_equal(gradient(x), jnp.broadcast_to(factors, 6))
    np.testing.assert_array_equal(jax.jit(gradient)(x), jnp.broadcast_to(factors, 6))


def test_training_finds_the_factor():
    """A recurrence whose factor is learned: the loss falls."""
    x = random(8, 30)
    target = onepass.linear_recurrence(jnp.full_like(x, 0.7), x)

    @jax.jit
    def step(factor):
        def loss(factor):
            return ((onepass.linear_recurrence(jnp.broadcast_to(jnp.tanh(factor), x.shape), x) - target) ** 2).mean()
        value, gradient = jax.value_and_grad(loss)(factor)
        return factor - 0.02 * gradient, value

    factor, losses = jnp.zeros(()), []
    for _ in range(100):
        factor, value = step(factor)
        losses.append(float(value))
    assert losses[-1] < 0.05 * losses[0]
