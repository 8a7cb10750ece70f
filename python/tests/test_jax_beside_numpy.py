# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays beside JAX's."""
import numpy as np
import pytest

import onepass

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from test_jax import same  # noqa: E402


def test_numpy_array_in_front_of_a_traced_one():
    a, b = np.array([0.5, 0.5, 0.5], "f4"), jnp.array([8.0, 0.0, 1.0])
    for function in (lambda b: onepass.linear_recurrence(a, b),
                     lambda b: onepass.sort_by_key(a[::-1].copy(), b)[1],
                     lambda b: onepass.compress(a, b > 0, size=3, fill=0),
                     lambda b: onepass.partition(a, b > 4)[0],
                     lambda b: onepass.scan(a, keys=b.astype(int)),
                     lambda b: onepass.scan(a, segments=(b[1:] + 1).astype(int)),
                     lambda b: onepass.segment_reduce(a, (b[1:] + 1).astype(int)),
                     lambda b: onepass.reduce_by_key(a, b)[1]):
        result = function(b)
        assert isinstance(result, jax.Array)
        if function(b).shape == (3,):
            same(jax.jit(function)(b), result)
    gradient = jax.grad(lambda b: onepass.linear_recurrence(a, b).sum())(b)
    same(gradient, jnp.array([1.75, 1.5, 1.0], "f4"))
