# SPDX-License-Identifier: Apache-2.0
"""onepass.jax as a whole: empty arrays, several devices, threads, what is imported and compiled, errors."""
import doctest
import functools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import onepass

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import onepass.jax  # noqa: E402
from test_jax import array, same  # noqa: E402


def test_empty():
    empty, rows = jnp.zeros(0), jnp.zeros((3, 0))
    for name in ("cumsum", "cumprod", "cummax", "cummin", "sort"):
        for x in (empty, rows, rows.T):
            same(getattr(onepass, name)(x), x)
            same(getattr(onepass, name)(x, axis=0), x)
    same(onepass.argsort(rows), jnp.argsort(rows))
    same(onepass.linear_recurrence(rows, rows), rows)
    same(onepass.sort_by_key(empty, rows[0])[1], empty)
    same(onepass.compress(empty, empty > 0), empty)
    same(onepass.compress(empty, empty > 0, size=2, fill=3), jnp.full(2, 3.0))
    same(onepass.nonzero(empty, size=2)[0], jnp.array([-1, -1]))
    for part in onepass.partition(empty, empty > 0):
        same(part, empty)
    same(onepass.jax.partition(empty, empty > 0, size=2, fill=3)[1], jnp.full(2, 3.0))
    for axis in (0, 1):
        assert [x.shape for x in onepass.top_k(rows, 0, axis)] == [(0, 0) if axis == 0 else (3, 0)] * 2
    same(onepass.nth_element(rows, 1, axis=0), empty)
    assert [x.shape for x in onepass.nonzero(rows)] == [(0,), (0,)]
    same(onepass.unique(empty), empty)
    same(onepass.jax.unique(empty, size=2, fill=4), jnp.full(2, 4.0))
    same(onepass.segment_reduce(empty, jnp.array([0, 0, 0]), "max"), jnp.full(2, -jnp.inf))
    same(onepass.segment_reduce(jnp.ones(3), jnp.array([1])), empty)
    same(onepass.scan(empty, segments=jnp.zeros(0, "int32")), empty)
    np.testing.assert_array_equal(onepass.histogram(empty, 3, range=(0, 1))[0], [0, 0, 0])
    assert jax.vmap(onepass.cumsum)(jnp.zeros((0, 4))).shape == (0, 4)
    assert jax.vmap(onepass.sort)(jnp.zeros((0, 4))).shape == (0, 4)


def test_inside_loops():
    def step(carry, x):
        return carry + onepass.cumsum(x), onepass.sort(x)

    x = array((5, 6), "int32")
    total, ordered = jax.jit(lambda x: jax.lax.scan(step, jnp.zeros(6, "int32"), x))(x)
    same(total, jnp.cumsum(x, axis=1).sum(0, dtype="int32"))
    same(ordered, jnp.sort(x))


def test_offsets_of_a_type_narrower_than_the_array_is_long():
    """What is outside is left out, also where the type cannot say the array's length."""
    x = jnp.arange(300)
    for narrow in ("int8", "uint8", "int16"):
        offsets = jnp.array([0, 100, 120], narrow)
        if narrow != "uint8":
            offsets = jnp.concatenate([offsets, jnp.array([-1, -128], narrow)])
        same(onepass.scan(x, segments=offsets), onepass.scan(x, segments=jnp.array([0, 100, 120])))


def test_one_program_without_callbacks():
    text = jax.jit(lambda x: onepass.sort(onepass.cumsum(x))).lower(jnp.ones(4)).as_text()
    assert "@onepass_scan" in text and "@onepass_sort" in text
    assert "callback" not in text


def test_several_devices():
    """An array that is spread over devices."""
    program = """
import jax, jax.numpy as jnp, numpy as np, onepass
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("d",))
x = jax.device_put(jnp.arange(12.0).reshape(4, 3), NamedSharding(mesh, P("d")))
np.testing.assert_array_equal(jax.jit(onepass.cumsum)(x), np.cumsum(np.asarray(x), 1))
np.testing.assert_array_equal(jax.jit(lambda x: onepass.sort(-x, axis=0))(x), np.sort(-np.asarray(x), 0))
on_second = jax.device_put(jnp.arange(5), jax.devices()[1])
assert onepass.cumsum(on_second).devices() == {jax.devices()[1]}
print("done", len(jax.devices()))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True,
                            env={**os.environ, "JAX_PLATFORMS": "cpu",
                                 "XLA_FLAGS": "--xla_force_host_platform_device_count=2"})
    assert result.stdout == "done 2\n"


def test_imports():
    """onepass.jax comes with the first array of JAX's."""
    program = "import sys, onepass, numpy; onepass.cumsum(numpy.ones(3)); before = 'jax' in sys.modules; import jax;" \
        "onepass.cumsum(numpy.ones(3)); between = 'onepass.jax' in sys.modules; onepass.cumsum(jax.numpy.ones(3));" \
        "print(before, between, 'onepass.jax' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output == "False False True\n"


def test_examples():
    for name in ("_jax_moves", "_jax_scans", "_jax_segments"):
        results = doctest.testmod(__import__(f"onepass.{name}", fromlist=["_"]))
        assert results.failed == 0 and results.attempted >= 9


# ---- errors
X = np.arange(6, dtype="float32")


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "cumsum: x has dtype complex64", lambda x: onepass.cumsum(x.astype("complex64"))),
    (TypeError, "linear_recurrence: a has dtype bfloat16", lambda x: onepass.linear_recurrence(x.astype("bfloat16"), x)),
    (ValueError, "cumsum: axis is 1", lambda x: onepass.cumsum(x, axis=1)),
    (TypeError, "cumsum: axis is 'a'", lambda x: onepass.cumsum(x, axis="a")),
    (TypeError, "cumsum: out is given", lambda x: onepass.cumsum(x, out=X)),
    (TypeError, "cumsum: dtype is 'text'", lambda x: onepass.cumsum(x, dtype="text")),
    (TypeError, "compress: mask is a masked array",
     lambda x: onepass.compress(x, np.ma.array(np.ones(x.shape, bool), mask=np.ones(x.shape, bool)))),
    (ValueError, "linear_recurrence: init is 'a'", lambda x: onepass.linear_recurrence(x[:0], x[:0], axis=0, init="a")),
    (TypeError, "cumsum: x is list", lambda x: onepass.jax.cumsum([x])),
    (ValueError, "scan: op is 'mean'", lambda x: onepass.scan(x, "mean")),
    (TypeError, "scan: op is bitwise_or", lambda x: onepass.scan(x, "bitwise_or")),
    (ValueError, "scan: init has shape", lambda x: onepass.scan(x, init=x)),
    (ValueError, "scan: init is {}, which is no float32", lambda x: onepass.scan(x, init={})),
    (ValueError, "scan: init is '5', which is no float32", lambda x: onepass.scan(x, init="5")),
    (ValueError, "scan: init is .*300.*, which is no int8",
     lambda x: onepass.scan(x.astype("int8"), "max", init=np.int64(300))),
    (ValueError, "scan: init is .*, which is no int32", lambda x: onepass.scan(x.astype("int32"), init=np.float64(1e12))),
    (ValueError, "scan: init is nan, which is no int32", lambda x: onepass.scan(x.astype("int32"), init=float("nan"))),
    (ValueError, "compress: fill is 300, which is no int8", lambda x: onepass.compress(x.astype("int8"), x > 0, fill=300)),
    (ValueError, "segment_reduce: init is -1, which is no uint8",
     lambda x: onepass.segment_reduce(x.astype("uint8"), jnp.array([0, 6]), init=-1)),
    (TypeError, "histogram: bins is 'auto'", lambda x: onepass.histogram(x, "auto")),
    (TypeError, "histogram: range is 'ab'", lambda x: onepass.histogram(x, 2, range="ab")),
    (ValueError, "histogram: range is of integers", lambda x: onepass.histogram(x, 2, range=(0, 10**400))),
    (ValueError, "scan: keys are given beside", lambda x: onepass.scan(x, segments=x > 1, keys=x > 1)),
    (ValueError, "scan: segments has shape", lambda x: onepass.scan(x, segments=x[1:] > 1)),
    (ValueError, "scan: x has 2 dim", lambda x: onepass.scan(x.reshape(2, 3), segments=x > 1)),
    (TypeError, "scan: keys are float32", lambda x: onepass.scan(x, keys=x)),
    (TypeError, "linear_recurrence: a has dtype int32", lambda x: onepass.linear_recurrence(x.astype("int32"), x)),
    (TypeError, "linear_recurrence: b has dtype int32", lambda x: onepass.linear_recurrence(x, x.astype("int32"))),
    (ValueError, "linear_recurrence: b has shape", lambda x: onepass.linear_recurrence(x, x[1:])),
    (ValueError, "linear_recurrence: init has shape", lambda x: onepass.linear_recurrence(x, x, init=x)),
    (ValueError, "sort: axis is 2", lambda x: onepass.sort(x, axis=2)),
    (TypeError, "argsort: index_dtype is 'int8'", lambda x: onepass.argsort(x, index_dtype="int8")),
    (TypeError, "argsort: index_dtype is array", lambda x: onepass.argsort(x, index_dtype=np.array([1, 2]))),
    (ValueError, "histogram: range is .*, of which no edges can be made", lambda x: onepass.histogram(x, 2, range=(0, 10**30))),
    (ValueError, "sort_by_key: values has shape", lambda x: onepass.sort_by_key(x, x[1:])),
    (TypeError, "compress: mask has dtype", lambda x: onepass.compress(x, x)),
    (ValueError, "compress: mask has shape", lambda x: onepass.compress(x, x[1:] > 0)),
    (ValueError, "compress: size is -1", lambda x: onepass.compress(x, x > 0, size=-1)),
    (TypeError, "compress: size is not given", lambda x: jax.jit(lambda x: onepass.compress(x, x > 0))(x)),
    (TypeError, "nonzero: size is not given", lambda x: jax.jit(onepass.nonzero)(x)),
    (TypeError, "nonzero: x has no dim", lambda x: onepass.nonzero(x[0])),
    (TypeError, "unique: size is not given", lambda x: jax.jit(onepass.unique)(x)),
    (TypeError, "segment_reduce: offsets have dtype float32", lambda x: onepass.segment_reduce(x, x)),
    (ValueError, "segment_reduce: x has 2 dim", lambda x: onepass.segment_reduce(x.reshape(2, 3), x.astype("int32"))),
    (ValueError, "reduce_by_key: values has shape", lambda x: onepass.reduce_by_key(x, x[1:])),
    (ValueError, "histogram: bins is 0", lambda x: onepass.histogram(x, 0)),
    (ValueError, "histogram: bins has shape", lambda x: onepass.histogram(x, jnp.ones((2, 2)))),
    (ValueError, "histogram: range is", lambda x: onepass.histogram(x, 2, range=(1, 0))),
    (TypeError, "partition: size is not given", lambda x: jax.jit(lambda x: onepass.partition(x, x > 0))(x)),
    (TypeError, "partition: mask has dtype", lambda x: onepass.partition(x, x)),
    (ValueError, "partition: size is -1", lambda x: onepass.jax.partition(x, x > 0, size=-1)),
    (ValueError, "top_k: k is 7, and the axis has 6 items", lambda x: onepass.top_k(x, 7)),
    (TypeError, "top_k: k is 2.0", lambda x: onepass.top_k(x, 2.0)),
    (ValueError, "top_k: axis is 1", lambda x: onepass.top_k(x, 2, axis=1)),
    (ValueError, "nth_element: n is -7", lambda x: onepass.nth_element(x, -7)),
    (TypeError, "nth_element: x has a gradient", lambda x: jax.grad(lambda x: onepass.nth_element(x, 2))(x)),
    (TypeError, "cummax: x has a gradient", lambda x: jax.grad(lambda x: onepass.cummax(x).sum())(x)),
    (TypeError, "segment_reduce: x has a gradient",
     lambda x: jax.grad(lambda x: onepass.segment_reduce(x, jnp.array([0, 3]), "max").sum())(x)),
    (TypeError, "unique: x has a gradient", lambda x: jax.grad(lambda x: onepass.jax.unique(x, size=3).sum())(x)),
    (TypeError, "reduce_by_key: values has a gradient",
     lambda x: jax.grad(lambda x: onepass.reduce_by_key(jnp.arange(6), x, "max")[1].sum())(x)),
    (ValueError, "reduce_by_key: op is 'mean'", lambda x: onepass.reduce_by_key(x, x, "mean")),
    (ValueError, "histogram: bins is not an array", lambda x: onepass.histogram(x, [[1, 2], [3]])),
    (TypeError, "histogram: bins has dtype <U1", lambda x: onepass.histogram(x, ["a", "b"])),
    (ValueError, "histogram: range is .*, of which no edges can be made", lambda x: onepass.histogram(x, 2, range=(0, 1e300))),
    (TypeError, "compress: x has dtype key", lambda x: onepass.compress(jax.random.split(jax.random.key(0), 6), x > 0)),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(jnp.asarray(X))


@jax.default_device(jax.devices("cpu")[0])
def test_errors_of_handlers():
    """What a handler throws, and what XLA gives to one, comes out: here that of the CUDA handler, which finds no stream."""
    jax.ffi.register_ffi_target("onepass_test_scan_on_cuda", onepass._core.jax_handlers()["scan"][1], platform="cpu")
    numbers = {name: np.int64(1) for name in ("width", "height", "op", "exclusive", "reverse", "init")}
    with pytest.raises(Exception, match="GPU context is not available"):
        jax.ffi.ffi_call("onepass_test_scan_on_cuda", jax.ShapeDtypeStruct((4,), X.dtype))(jnp.ones(4, X.dtype), **numbers)
    with pytest.raises(Exception, match="onepass: XLA passed no int64 width"):
        jax.ffi.ffi_call("onepass_scan", jax.ShapeDtypeStruct((4,), X.dtype))(jnp.ones(4, X.dtype), op=np.int64(0))
    x = jnp.ones(4, "complex64")
    with pytest.raises(Exception, match="XLA's type 15 is not known"):
        jax.ffi.ffi_call("onepass_scan", jax.ShapeDtypeStruct((4,), x.dtype))(x, **numbers)


def test_gradients_that_are_not_asked_for():
    """Indices and counts have none, and calls on them can stand in a function that has."""
    def loss(x):
        order = onepass.argsort(x)
        counts, _ = onepass.histogram(x, 3)
        indices, = onepass.nonzero(x > 2, size=2, fill=0)
        runs = onepass.cumsum(x.astype("int32"))
        return (x[order] * jnp.arange(6)).sum() + counts.sum() + x[indices].sum() + runs.sum()

    expected = jnp.arange(6.0) + jnp.array([0, 0, 0, 1, 1, 0])
    np.testing.assert_array_equal(jax.grad(loss)(jnp.asarray(X)), expected)
    np.testing.assert_array_equal(jax.jit(jax.grad(loss))(jnp.asarray(X)), expected)


@pytest.mark.parametrize("text, call", [
    ("scan: keys has integers .* int32", lambda: onepass.scan(jnp.ones(4), keys=np.array([0, 0, 2**32, 2**32]))),
    ("scan: segments has integers .* int32", lambda: onepass.scan(jnp.ones(4), segments=np.array([0, 2**32]))),
    ("segment_reduce: offsets has integers .* int32", lambda: onepass.segment_reduce(jnp.ones(6), np.array([0, 2**32 + 1]))),
    ("segment_reduce: offsets has integers .* int32", lambda: onepass.segment_reduce(jnp.ones(6), np.array([-2**40, 1]))),
    ("segment_reduce: offsets has integers .* uint32", lambda: onepass.segment_reduce(jnp.ones(6), np.array([0, 2**32], "u8"))),
    ("histogram: bins has integers .* int32", lambda: onepass.histogram(jnp.array([5, 6]), [0, 2**32])),
    ("sort_by_key: values has integers .* int32", lambda: onepass.sort_by_key(jnp.ones(2), np.array([0, 2**31]))),
])
def test_wide_integers_of_numpy(text, call):
    """Where JAX has no integers of 64 bits, those that need them are refused."""
    with pytest.raises(ValueError, match=f"^onepass.{text}"):
        call()
    ends = np.array([-2**31, 2**31 - 1])
    np.testing.assert_array_equal(onepass.sort_by_key(jnp.ones(2), ends)[1], ends)
    jax.config.update("jax_enable_x64", True)
    try:
        np.testing.assert_array_equal(onepass.scan(jnp.ones(4), keys=np.array([0, 0, 2**32, 2**32])), [1, 2, 1, 2])
    finally:
        jax.config.update("jax_enable_x64", False)


@functools.cache
def _traced(n):
    return jax.jit(onepass.cumsum).lower(jax.ShapeDtypeStruct((n,), "float32")).compile()


def test_threads():
    results = {}

    def work(n):
        for _ in range(5):
            results[n] = np.asarray(_traced(n)(jnp.ones(n, "float32")))

    threads = [threading.Thread(target=work, args=(n,)) for n in (10, 1000, 100_000, 1_000_000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, result in results.items():
        np.testing.assert_array_equal(result, np.arange(1, n + 1))


def test_first_calls_of_several_threads():
    program = """
import threading
import jax.numpy as jnp, onepass
x, failed, start = jnp.ones(4).block_until_ready(), [], threading.Barrier(8)
def work():
    start.wait()
    try:
        onepass.cumsum(x)
    except Exception as error:
        failed.append(error)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_module_is_imported_when_it_is_asked_for():
    program = """
import jax.numpy as jnp, onepass, sys
assert "onepass.jax" not in sys.modules
print(onepass.jax.unique(jnp.array([3, 1, 3, 2]), size=4, fill=0))
assert not hasattr(onepass, "tensorflow")
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[1 2 3 0]\n"
