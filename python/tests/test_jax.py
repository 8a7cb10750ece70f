# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays: values beside NumPy's, jax.numpy's and jax.lax.associative_scan's; in eager calls, under jit and vmap. This file is
over 300 lines because it has the tests of all functions."""
import numpy as np
import pytest

import onepass

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import onepass.jax  # noqa: E402

TYPES = ["bool", "int8", "uint16", "int32", "uint32", "float32"]
WIDE = ["int64", "uint64", "float64"]
OPS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "bitwise_and": np.bitwise_and,
       "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
RANDOM = np.random.default_rng(1)


# A test that has this argument runs with and without integers and floats of 64 bits.
@pytest.fixture(params=[False, True], ids=["32", "64"])
def x64(request):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", request.param)
    yield request.param
    jax.config.update("jax_enable_x64", before)


def array(shape, dtype="float32"):
    """Small numbers, whose sums and products are exact, with a NaN among many floats."""
    x = RANDOM.integers(-2, 3, shape) if np.dtype(dtype).kind in "if" else RANDOM.integers(0, 3, shape)
    x = x.astype(dtype)
    if x.dtype.kind == "f" and x.size > 20:
        x.flat[x.size // 2] = np.nan
    return jnp.asarray(x)


def same(result, expected):
    assert isinstance(result, jax.Array)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


def everywhere(call, *arrays, exact=True, eager=True):
    """A call's results. They have the same bits under jit, and under vmap they are what calls on each array give. Without `eager`
    only compiled calls are made, as each operation of an eager one is compiled by itself."""
    compiled = jax.jit(call)
    result = compiled(*arrays)
    if eager:
        for one, other in zip(jax.tree_util.tree_leaves(result), jax.tree_util.tree_leaves(call(*arrays))):
            assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
    batches = [np.stack([x, np.flip(x), x]) for x in map(np.asarray, arrays)]
    mapped = jax.tree_util.tree_leaves(jax.jit(jax.vmap(call))(*batches))
    for i in range(2):
        alone = jax.tree_util.tree_leaves(compiled(*[x[i] for x in batches]))
        for rows, one in zip(mapped, alone):
            np.testing.assert_allclose(np.asarray(rows[i]), np.asarray(one), rtol=0 if exact else 1e-5)
    return result


# ---- scans
def scanned(x, op, axis, reverse, exclusive):
    """The scan by NumPy."""
    x = np.asarray(x)
    x = np.flip(x, axis) if reverse else x
    inclusive = OPS[op].accumulate(x, axis, dtype=x.dtype)
    if exclusive:
        first = np.full([1 if i == axis else extent for i, extent in enumerate(x.shape)], identity(op, x.dtype), x.dtype)
        inclusive = np.concatenate([first, inclusive.take(range(x.shape[axis] - 1), axis)], axis)
    return np.flip(inclusive, axis) if reverse else inclusive


def identity(op, dtype):
    if op in ("min", "max"):
        limits = np.iinfo(dtype) if dtype.kind != "f" else None
        return {"min": limits.max if limits else np.inf, "max": limits.min if limits else -np.inf}[op]
    return {"prod": 1, "bitwise_and": np.array(-1).astype(dtype)}.get(op, 0)


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("op", OPS)
def test_scan(op, reverse, exclusive):
    for dtype, shape, axis in (("int32", (7,), 0), ("uint32", (5, 11), 1), ("float32", (5, 11), 0), ("uint16", (2, 3, 4), 1),
                               ("float32", (300,), 0), ("int8", (1, 1), 0), ("float32", (3, 20), 1)):
        if dtype == "float32" and op.startswith("bitwise"):
            continue
        x = array(shape, dtype)
        same(onepass.scan(x, op, axis=axis - len(shape), reverse=reverse, exclusive=exclusive),
             scanned(x, op, axis, reverse, exclusive))
    everywhere(lambda x: onepass.scan(x, op, axis=0, reverse=reverse, exclusive=exclusive), array((4, 5), "int32"))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_cumulative(name, x64):
    expected = {"cumsum": jnp.cumsum, "cumprod": jnp.cumprod, "cummax": jax.lax.cummax, "cummin": jax.lax.cummin}[name]
    for axis, dtype in enumerate(WIDE if x64 else TYPES):
        if dtype == "bool" and name.startswith("cumm"):
            continue
        x = array((6, 50), dtype)
        same(getattr(onepass, name)(x, axis=axis % 2), expected(x, axis=axis % 2))
    x = array((6, 50), "int32")
    same(getattr(onepass, name)(x, axis=None), expected(x.reshape(-1), axis=0))
    same(getattr(onepass, name)(x[0, 0]), x[:1, 0])
    everywhere(getattr(onepass, name), array((3, 8)))
    twice = jax.vmap(jax.vmap(lambda x: getattr(onepass, name)(x, axis=0), 1, 1))
    same(twice(jnp.stack([x, x + 1]))[1], getattr(onepass, name)(x + 1, axis=0))


def test_narrow_types():
    """They wrap around as JAX's do."""
    x = jnp.full(300, 100, "int8")
    same(onepass.cumsum(x), jnp.cumsum(x))
    same(onepass.cumsum(x, dtype="int32"), jnp.cumsum(x, dtype="int32"))
    same(onepass.cumsum(x > 0, reverse=True), jnp.arange(300, 0, -1))
    same(onepass.scan(x > 0, "bitwise_and", exclusive=True), x > 0)


def test_init():
    x = array((3, 4), "int32")
    same(onepass.scan(x, "sum", init=5), jnp.cumsum(x, axis=1) + 5)
    same(onepass.scan(x, "max", axis=0, init=1, exclusive=True), np.maximum(scanned(x, "max", 0, False, True), 1))
    same(jax.jit(lambda x, init: onepass.scan(x, init=init))(x, jnp.int32(7)), jnp.cumsum(x, axis=1) + 7)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_numbers_at_the_ends_of_a_type(dtype, x64):
    if dtype in WIDE and not x64:
        pytest.skip("JAX has it with jax_enable_x64 alone")
    x, offsets, ends = jnp.array([1, 2], dtype), jnp.array([0, 0, 2]), np.iinfo(dtype)
    for end in (int(ends.min), int(ends.max)):
        for given in (end, np.dtype(dtype).type(end), np.array(end, dtype)):
            same(onepass.scan(x, "bitwise_xor", init=given), np.array([end ^ 1, end ^ 3]).astype(dtype))
            same(onepass.compress(x, x > 1, size=2, fill=given), np.array([2, end], dtype))
            same(onepass.segment_reduce(x, offsets, "bitwise_xor", init=given), np.array([end, end ^ 3]).astype(dtype))
            same(onepass.jax.unique(x, size=3, fill=given), np.array([1, 2, end], dtype))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_segments(reverse, exclusive):
    x = array(50, "int32")
    offsets = jnp.array([0, 3, 3, 20, 21, 50])
    keys = jnp.searchsorted(offsets, jnp.arange(50), side="right")
    flags = jnp.concatenate([jnp.ones(1, bool), keys[1:] != keys[:-1]])
    expected = onepass.scan(np.asarray(x), segments=np.asarray(offsets), reverse=reverse, exclusive=exclusive, init=2)
    for heads in ({"segments": offsets}, {"segments": flags}, {"keys": keys}):
        result = everywhere(lambda x: onepass.scan(x, reverse=reverse, exclusive=exclusive, init=2, **heads), x)
        same(result, jnp.asarray(expected))


def test_long_arrays():
    """Where all cores work, and sums are rounded: on the CPU as for NumPy's arrays, on CUDA in one way of its own."""
    x = jnp.asarray(RANDOM.standard_normal(3_000_001), "float32")
    results = [onepass.cumsum(x), onepass.cumsum(x), jax.jit(onepass.cumsum)(x), jax.jit(lambda x: onepass.cumsum(x) * 1)(x)]
    expected = onepass.cumsum(np.asarray(x)) if jax.default_backend() == "cpu" else np.asarray(results[0])
    for result in results:
        assert np.asarray(result).tobytes() == expected.tobytes()
    np.testing.assert_allclose(expected, np.cumsum(np.asarray(x, np.float64)), atol=0.1)
    rows = x[:3_000_000].reshape(1000, 3000)
    np.testing.assert_array_equal(jax.vmap(onepass.sort)(rows), jnp.sort(rows))
    np.testing.assert_array_equal(onepass.argsort(x), jnp.argsort(x, stable=True))
    np.testing.assert_array_equal(jax.jit(lambda x: onepass.compress(x, x > 1, size=x.size))(x)[:5], x[x > 1][:5])


def loop(a, b, axis, reverse, init=0.0):
    """The recurrence by jax.lax.associative_scan."""
    def combine(first, second):
        return first[0] * second[0], second[0] * first[1] + second[1]

    factor, term = jax.jit(lambda a, b: jax.lax.associative_scan(combine, (a, b), axis=axis, reverse=reverse))(a, b)
    return np.asarray(term) + np.asarray(factor) * np.asarray(init)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, -1])
def test_recurrence(axis, reverse, x64):
    dtype = "float64" if x64 else "float32"
    a, b = (jnp.asarray(RANDOM.random((3, 4, 5)), dtype) for _ in range(2))
    tolerance = {"rtol": 1e-12 if x64 else 1e-5}
    result = everywhere(lambda a, b: onepass.linear_recurrence(a, b, axis=axis, reverse=reverse), a, b, exact=False)
    np.testing.assert_allclose(result, loop(a, b, axis % 3, reverse), **tolerance)
    before = jnp.asarray(RANDOM.random([extent for i, extent in enumerate(a.shape) if i != axis % 3]), dtype)
    for init in (2.0, np.float32(0.5), before):
        result = onepass.linear_recurrence(a, b, axis=axis, reverse=reverse, init=init)
        expanded = np.expand_dims(init, axis) if init is before else init
        np.testing.assert_allclose(result, loop(a, b, axis % 3, reverse, expanded), **tolerance)
    mapped = jax.vmap(lambda b: onepass.linear_recurrence(a, b, axis=axis, reverse=reverse))(jnp.stack([b, 2 * b]))
    np.testing.assert_allclose(mapped[1], loop(a, 2 * b, axis % 3, reverse), **tolerance)


# ---- sorts
@pytest.mark.parametrize("descending", [False, True])
def test_sort(descending, x64):
    shapes = [((40,), 0), ((4, 30), 1), ((30, 4), 0), ((2, 5, 3), 1), ((1, 9), 1), ((5, 30), 1)]
    for (shape, axis), dtype in zip(shapes, WIDE if x64 else TYPES):
        x = array(shape, dtype)
        # NaN last, or first in descending order, and equal items in their order.
        order = np.argsort(np.asarray(x), axis=axis, kind="stable")
        if descending:
            order = np.flip(x.shape[axis] - 1 - np.argsort(np.flip(np.asarray(x), axis), axis=axis, kind="stable"), axis)
        values = array(shape, "int8" if axis else "float32")
        ordered, indices, pair = jax.jit(lambda x, values: (
            onepass.sort(x, axis=axis, descending=descending), onepass.argsort(x, axis=axis, descending=descending),
            onepass.sort_by_key(x, values, axis=axis, descending=descending)))(x, values)
        same(ordered, np.take_along_axis(np.asarray(x), order, axis))
        same(indices, order.astype(jnp.arange(1).dtype))
        for one, other in zip((x, values), pair):
            same(other, np.take_along_axis(np.asarray(one), order, axis))
    if x64:
        return
    x = array((6, 7), "int32")
    same(onepass.sort(x, axis=None, descending=descending), jnp.sort(x, axis=None, descending=descending))
    same(onepass.argsort(x, index_dtype="int32"), jnp.argsort(x, stable=True).astype("int32"))
    everywhere(lambda x: onepass.sort(x, descending=descending), array(30))
    everywhere(lambda x: onepass.argsort(x, axis=0, descending=descending), array((3, 4)))
    everywhere(lambda x: onepass.sort_by_key(x, x + 1, descending=descending), array((3, 4), "int32"))


def test_zeros_and_nans():
    x = jnp.array([0.0, -0.0, jnp.nan, -jnp.nan, 1.0, -0.0])
    np.testing.assert_array_equal(jnp.signbit(onepass.sort(x))[:3], [False, True, True])
    same(onepass.argsort(x), jnp.array([0, 1, 5, 4, 2, 3]))


# ---- selection
@pytest.mark.parametrize("size, dtype", [(0, "float32"), (3, "int8"), (50, "float32"), (20, "bool")])
def test_sized(size, dtype):
    x = array(20, dtype)
    options = {"return_index": True, "return_inverse": True, "return_counts": True, "size": size}

    def calls(x):
        return onepass.compress(x, x != 0, size=size, fill=1), onepass.nonzero(x, size=size), \
            onepass.nonzero(x.reshape(4, 5), size=size, fill=7), onepass.jax.unique(x, **options)

    compressed, indices, coordinates, uniques = everywhere(calls, x, eager=False)
    values = np.asarray(x)
    same(compressed, np.append(values[values != 0], np.ones(50, x.dtype))[:size])
    expected = jax.jit(lambda x: (jnp.nonzero(x, size=size, fill_value=-1), jnp.nonzero(x.reshape(4, 5), size=size, fill_value=7),
                                  jnp.unique(x, **options)))(x)
    for one, other in zip(jax.tree_util.tree_leaves((indices, coordinates, uniques)), jax.tree_util.tree_leaves(expected)):
        same(one, other)


def test_exact():
    x = array((4, 10), "int32")
    values = np.asarray(x)
    same(onepass.compress(x, x > 0), values[values > 0])
    half = x.astype("bfloat16")
    same(onepass.compress(half, x > 0), np.asarray(half)[values > 0])
    for one, other in zip(onepass.nonzero(x), np.nonzero(values)):
        same(one, other.astype(np.int32))
    items, first, run, counts = onepass.unique(x, return_index=True, return_inverse=True, return_counts=True)
    expected = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    for one, other in zip((items, first, run.reshape(-1), counts), expected):
        np.testing.assert_array_equal(one, other.reshape(one.shape))
    y = np.array([1.0, np.nan, np.nan, -0.0, 0.0, 1.0], "float32")
    same(onepass.unique(jnp.asarray(y)), np.unique(y))
    items, run, counts = onepass.unique_consecutive(jnp.asarray(y), return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(items, [1, np.nan, np.nan, 0, 1])
    np.testing.assert_array_equal(run, [0, 1, 2, 3, 3, 4])
    np.testing.assert_array_equal(counts, [1, 1, 1, 2, 1])
    padded = everywhere(lambda y: onepass.jax.unique_consecutive(y, size=7, fill=5), jnp.asarray(y), eager=False)
    np.testing.assert_array_equal(padded[5:], [5, 5])


@pytest.mark.parametrize("size, dtype", [(0, "float32"), (3, "int8"), (50, "float32"), (20, "bool")])
def test_partition(size, dtype):
    x = array(20, dtype)
    values, chosen = np.asarray(x), np.asarray(x) != 0
    for part, expected in zip(onepass.partition(x, x != 0), (values[chosen], values[~chosen])):
        same(part, expected)
    parts = everywhere(lambda x: onepass.jax.partition(x, x != 0, size=size, fill=1), x, eager=False)
    for part, expected in zip(parts, (values[chosen], values[~chosen])):
        same(part, np.append(expected, np.ones(50, x.dtype))[:size])


# ---- segments
@pytest.mark.parametrize("op", OPS)
def test_segment_reduce(op, x64):
    offsets = np.array([2, 2, 5, 30, 30])
    for dtype in WIDE if x64 else ["bool", "int8", "uint32", "float32"]:
        if np.dtype(dtype).kind == "f" and op.startswith("bitwise"):
            continue
        x = array(40, dtype)
        of = jnp.arange(1).dtype if dtype == "bool" and op in ("sum", "prod") else x.dtype
        result = onepass.segment_reduce(x, offsets, op)
        items = np.asarray(x).astype(of)
        same(result, np.array([onepass.segment_reduce(np.asarray(x), np.array([0, 0]), op)[0],
                               OPS[op].reduce(items[2:5], dtype=of), OPS[op].reduce(items[5:30], dtype=of), result[0]], of))
    if x64:
        return
    offsets = jnp.asarray(offsets)
    everywhere(lambda x: onepass.segment_reduce(x, offsets, op), array(40, "int32"))
    x = array(40, "int32")
    same(onepass.segment_reduce(x, offsets, "min", init=-1), jnp.minimum(onepass.segment_reduce(x, offsets, "min"), -1))
    both = jax.vmap(lambda x, offsets: onepass.segment_reduce(x, offsets, op))(jnp.stack([x, x]), jnp.stack([offsets, offsets + 1]))
    same(both[1], onepass.segment_reduce(x, offsets + 1, op))
    # What does not ascend, or is outside, is brought into the array.
    same(onepass.segment_reduce(x, jnp.array([-5, 3, 1, 99]), op), onepass.segment_reduce(x, jnp.array([0, 3, 3, 40]), op))


def test_reduce_by_key():
    keys, values = np.array([3, 3, 1, 1, 1, 3], "int32"), np.array([1, 2, 3, 4, 5, 6], "float32")
    for one, other in zip(onepass.reduce_by_key(jnp.asarray(keys), values), onepass.reduce_by_key(keys, values)):
        same(one, other)
    sized = everywhere(lambda k, v: onepass.jax.reduce_by_key(k, v, "max", size=5), keys, values, eager=False)
    np.testing.assert_array_equal(sized[0], [3, 1, 3, 3, 3])
    np.testing.assert_array_equal(sized[1], [2, 5, 6, -np.inf, -np.inf])
    np.testing.assert_array_equal(onepass.jax.reduce_by_key(keys, values, size=2)[1], [3, 12])


# ---- histograms
def test_histogram(x64):
    for dtype in ["int8", "int32", "float32"] + (["float64"] if x64 else []):
        x = array(1000, dtype)
        finite = jnp.asarray(np.asarray(x)[~np.isnan(x)])
        for bins, between in ((5, (-2, 3)), (7, (-1, 2)), (4, (0, 0)), (jnp.array([-1.0, 0, 0.5, 2]), None)):
            counts, edges = onepass.histogram(x, bins, range=between)
            expected, expected_edges = np.histogram(np.asarray(finite), np.asarray(bins) if between is None else bins, between)
            np.testing.assert_array_equal(counts, expected)
            np.testing.assert_allclose(edges, expected_edges, rtol=1e-6, atol=1e-6)
            assert counts.dtype == jnp.arange(1).dtype
        counts, edges = onepass.histogram(finite, 6)
        np.testing.assert_array_equal(counts, np.histogram(np.asarray(finite), np.asarray(edges))[0])
        np.testing.assert_allclose(edges, np.histogram(np.asarray(finite), 6)[1], rtol=1e-6, atol=1e-6)
    for bins, between, dtype in ((5, (-2, 3), "int8"), (7, None, "int32"), (jnp.array([-1.0, 0, 0.5, 2]), None, "float32")):
        everywhere(lambda x: onepass.histogram(x, bins, range=between), array(100, dtype), exact=False, eager=False)
    infinite = jnp.array([0.0, 1.0, jnp.inf])
    np.testing.assert_array_equal(onepass.histogram(infinite, jnp.array([0.0, 1.0, jnp.inf]))[0], [1, 2])
    np.testing.assert_array_equal(onepass.histogram(jnp.array([True, False, True]), 2, range=(0, 2))[0], [1, 2])


def test_no_dimension():
    """An array without dimensions counts as a row of one item, and its sort has none either, as NumPy's."""
    x = jnp.array(3.0)
    for axis, shape in ((-1, ()), (0, ()), (None, (1,))):
        for call in (onepass.sort, onepass.argsort, lambda x, axis: onepass.sort_by_key(x, x, axis=axis)[0],
                     lambda x, axis: onepass.sort_by_key(x, x, axis=axis)[1]):
            assert call(x, axis=axis).shape == call(np.array(3.0), axis=axis).shape == shape
    assert onepass.cumsum(x).shape == onepass.cumsum(np.array(3.0)).shape == (1,)
    assert jax.grad(onepass.sort)(x) == 1


def test_histogram_of_nothing():
    counts, edges = onepass.histogram(jnp.zeros(0), 3)
    same(counts, jnp.zeros(3, int))
    np.testing.assert_allclose(edges, onepass.histogram(np.zeros(0), 3)[1], rtol=1e-6)


@pytest.mark.parametrize("call", [onepass.sort, onepass.argsort])
def test_exported_for_any_length(call):
    export = pytest.importorskip("jax.export")
    own = [export.DisabledSafetyCheck.custom_call("onepass_" + name) for name in ("sort", "sort_by_key")]
    length, = export.symbolic_shape("n")
    exported = export.export(jax.jit(call), disabled_checks=own)(jax.ShapeDtypeStruct((length,), np.float32))
    x = jnp.array([3.0, 1.0, 2.0], np.float32)
    same(exported.call(x), call(x))
