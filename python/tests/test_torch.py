# SPDX-License-Identifier: Apache-2.0
"""Tensors: every function against PyTorch's own, on the CPU and, where there is a device, on CUDA."""
import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")

DEVICES = ["cpu"] + (["cuda"] if onepass.info()["device"] and torch.cuda.is_available() else [])
TYPES = [torch.bool, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64]
UNSIGNED = [torch.uint16, torch.uint32, torch.uint64]
SIZES = [0, 1, 33, 1025, 16385, 100003]
pytestmark = pytest.mark.parametrize("device", DEVICES)


def tensor(dtype, shape, device, seed=1, few=False):
    rng = np.random.default_rng(seed)
    if dtype == torch.bool:
        x = rng.random(shape) < 0.5
    elif dtype.is_floating_point:
        x = rng.integers(-8, 8, shape)
    else:
        info = torch.iinfo(dtype)
        x = rng.integers(0 if few else info.min, 5 if few else info.max, shape, dtype=str(dtype)[6:], endpoint=True)
    return torch.from_numpy(np.ascontiguousarray(x)).to(dtype).to(device)


def same(result, expected):
    assert isinstance(result, torch.Tensor)
    assert result.dtype == expected.dtype and result.device == expected.device
    assert result.is_contiguous()
    np.testing.assert_array_equal(result.cpu().numpy(), expected.cpu().numpy())


# ---- scans
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_scans(device, dtype, n):
    x = tensor(dtype, n, device)
    same(onepass.cumsum(x), torch.cumsum(x, 0))
    same(onepass.cumprod(x.sign()), torch.cumprod(x.sign(), 0))
    if n and dtype != torch.bool:
        same(onepass.cummax(x), torch.cummax(x, 0).values)
        same(onepass.cummin(x), torch.cummin(x, 0).values)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1000, 3), (3, 4000), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", [torch.bool, torch.int32, torch.float64])
def test_axes_and_strides(device, dtype, shape):
    x = tensor(dtype, shape, device)
    for given in (x, x.transpose(0, -1), x[::2], x[..., ::3]):
        for axis in range(-given.ndim, given.ndim):
            same(onepass.cumsum(given, axis=axis), torch.cumsum(given, axis))
            same(onepass.cumsum(given, axis=axis, reverse=True), torch.cumsum(given.flip(axis), axis).flip(axis))
        same(onepass.cumsum(given, axis=None), torch.cumsum(given.reshape(-1), 0))


def test_forms(device):
    x = tensor(torch.int32, 5000, device)
    wide = x.to(torch.int64)
    same(onepass.scan(x, exclusive=True, init=7), torch.cumsum(wide, 0) - wide + 7)
    same(onepass.scan(x, init=torch.tensor(7)), torch.cumsum(wide, 0) + 7)
    same(onepass.cumsum(x, dtype=torch.int32), torch.cumsum(x, 0, dtype=torch.int32))
    same(onepass.cumsum(x, dtype="float64"), torch.cumsum(x, 0, dtype=torch.float64))
    out = torch.empty(5000, dtype=torch.int64, device=device)
    assert onepass.cumsum(x, out=out) is out
    same(out, torch.cumsum(x, 0))
    assert onepass.cumsum(wide, out=wide) is wide
    same(wide, out)
    gaps = torch.zeros(10000, dtype=torch.int64, device=device)[::2]
    onepass.cumsum(x, out=gaps)
    same(gaps.contiguous(), out)
    parameter = torch.nn.Parameter(x.double())
    with torch.no_grad():
        same(onepass.cumsum(parameter), torch.cumsum(parameter, 0))
    same(onepass.cumsum(torch.tensor(3, device=device)), torch.tensor([3], device=device))


@pytest.mark.parametrize("form", ["offsets", "flags", "keys"])
@pytest.mark.parametrize("reverse", [False, True])
def test_segments(device, form, reverse):
    rng = np.random.default_rng(3)
    x = rng.integers(-9, 9, 3000)
    heads = rng.random(3000) < 0.01
    given = {"offsets": {"segments": np.flatnonzero(heads)}, "flags": {"segments": heads},
             "keys": {"keys": np.cumsum(heads)}}[form]
    for op in ("sum", "min", "bitwise_xor"):
        for init in (None, 3):
            expected = onepass.scan(x, op, reverse=reverse, init=init, **given)
            tensors = {name: torch.from_numpy(value).to(device) for name, value in given.items()}
            result = onepass.scan(torch.from_numpy(x).to(device), op, reverse=reverse, init=init, **tensors)
            same(result, torch.from_numpy(expected).to(device))


def test_nan_stays(device):
    x = tensor(torch.float32, 50000, device)
    x[40000] = float("nan")
    same(onepass.cummax(x), torch.cummax(x, 0).values)
    same(onepass.cummin(x), torch.cummin(x, 0).values)


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_unsigned_integers(device, dtype):
    """Those that PyTorch has few operations for: compared with NumPy's."""
    x = np.random.default_rng(1).integers(0, 2**16 - 1, (30, 100)).astype(str(dtype)[6:])
    x[0, :3] = np.iinfo(x.dtype).max
    given = torch.from_numpy(x).to(device)
    for op in ("max", "min", "bitwise_or"):
        for init in (None, int(np.iinfo(x.dtype).max) - 1):
            expected = onepass.scan(x, op, reverse=True, init=init)
            same(onepass.scan(given, op, reverse=True, init=init), torch.from_numpy(expected).to(device))
    wrapped = onepass.scan(x, "sum", dtype=x.dtype, init=3)
    same(onepass.scan(given, "sum", dtype=dtype, init=3), torch.from_numpy(wrapped).to(device))
    mask = torch.from_numpy(x > 1000).to(device)
    same(onepass.compress(given, mask), torch.from_numpy(x[x > 1000]).to(device))
    same(onepass.compress(given, mask, size=9), torch.from_numpy(onepass.compress(x, x > 1000, size=9)).to(device))
    same(onepass.sort(given), torch.from_numpy(np.sort(x)).to(device))
    same(onepass.argsort(given), torch.from_numpy(np.argsort(x, kind="stable")).to(device))
    for a, b in zip(onepass.unique(given, return_index=True, return_inverse=True, return_counts=True),
                    np.unique(x, return_index=True, return_inverse=True, return_counts=True)):
        same(a, torch.from_numpy(b).to(device).reshape(a.shape))  # the inverse of NumPy 1 has one dimension


# ---- selections
@pytest.mark.parametrize("dtype", [*TYPES, torch.float16, torch.bfloat16, torch.complex64])
@pytest.mark.parametrize("n", SIZES)
def test_selections(device, dtype, n):
    x = torch.randn(n, device=device).to(dtype)
    mask = torch.rand(n, device=device) < 0.3
    equal = lambda a, b: a.dtype == b.dtype and a.device == b.device and torch.equal(a, b)
    assert equal(onepass.compress(x, mask), torch.masked_select(x, mask))
    chosen, others = onepass.partition(x, mask)
    assert equal(chosen, x[mask]) and equal(others, x[~mask])
    same(onepass.nonzero(mask), torch.nonzero(mask))
    for size in (0, 1, n // 3, n + 2):
        expected = torch.zeros(size, dtype=dtype, device=device)
        kept = x[mask][:size]
        expected[:kept.numel()] = kept
        assert equal(onepass.compress(x, mask, size=size), expected)
        positions = torch.full((size, 1), -1, device=device)
        kept = torch.nonzero(mask)[:size]
        positions[:kept.shape[0]] = kept
        same(onepass.nonzero(mask, size=size), positions)


@pytest.mark.parametrize("shape", [(0, 3), (30, 40), (3, 4, 5)])
def test_nonzero_of_more_dimensions(device, shape):
    x = tensor(torch.int32, shape, device, few=True) - 1
    for given in (x, x.transpose(0, -1)):
        same(onepass.nonzero(given), torch.nonzero(given))
        same(onepass.compress(given, given > 0), given[given > 0])


def test_what_is_conjugated_or_negated_later(device):
    """PyTorch marks such tensors, and leaves their memory as it is."""
    z = torch.complex(torch.arange(5.0, device=device), torch.ones(5, device=device))
    mask = torch.arange(5, device=device) != 2
    assert z.conj().is_conj()
    assert torch.equal(onepass.compress(z.conj(), mask), z.conj()[mask])
    negated = torch._neg_view(torch.arange(5.0, device=device))
    assert negated.is_neg() and negated.is_contiguous()
    for x in (negated, negated[None], z.conj().imag):
        same(onepass.cumsum(x), torch.cumsum(x, -1))
        same(onepass.sort(x), torch.sort(x).values)


# ---- sorts
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("descending", [False, True])
def test_sorts(device, dtype, n, descending):
    x = tensor(dtype, n, device, few=True)
    if dtype.is_floating_point and n > 3:
        x[n // 2] = float("nan")
        x[n // 3] = -torch.tensor(float("nan"))
    # On CUDA PyTorch's own sort takes a NaN with a sign for the smallest item.
    ordered, indices = (t.to(device) for t in torch.sort(x.cpu(), stable=True, descending=descending))
    same(onepass.sort(x, descending=descending), ordered)
    same(onepass.argsort(x, descending=descending), indices)
    same(onepass.argsort(x, descending=descending, index_dtype=torch.int32), indices.to(torch.int32))
    for values in (torch.arange(n, device=device), torch.arange(n, device=device).to(torch.int16)):
        keys, moved = onepass.sort_by_key(x, values, descending=descending)
        same(keys, ordered)
        same(moved, values[indices])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1000, 3), (3, 4000), (2, 3, 4, 5)])
def test_sorts_of_rows(device, shape):
    x = tensor(torch.float32, shape, device)
    for axis in range(len(shape)):
        expected = torch.sort(x, dim=axis, stable=True)
        same(onepass.sort(x, axis=axis), expected.values.contiguous())
        same(onepass.argsort(x, axis=axis), expected.indices.contiguous())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_unique(device, dtype, n):
    x = tensor(dtype, n, device, few=True)
    for a, b in zip(onepass.unique(x, return_inverse=True, return_counts=True),
                    torch.unique(x, return_inverse=True, return_counts=True)):
        same(a, b)
    same(onepass.unique(x), torch.unique(x))
    for a, b in zip(onepass.unique_consecutive(x, return_inverse=True, return_counts=True),
                    torch.unique_consecutive(x, return_inverse=True, return_counts=True)):
        same(a, b)
    same(onepass.unique_consecutive(x), torch.unique_consecutive(x))
    same(onepass.unique_consecutive(x, return_counts=True)[1], torch.unique_consecutive(x, return_counts=True)[1])


def test_each_nan_is_its_own(device):
    x = torch.tensor([float("nan"), 1.0, float("nan")], device=device)
    assert onepass.unique(x).numel() == torch.unique(x).numel() == 3


# ---- reductions
@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(device, dtype):
    x = tensor(dtype, 5000, device)
    lengths = torch.from_numpy(np.random.default_rng(2).integers(0, 20, 400)).to(device)
    offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0).clip(max=5000)])
    expected = torch.stack([x[a:b].sum() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())])
    same(onepass.segment_reduce(x, offsets), expected)
    keys = torch.arange(5000, device=device) // 7 % 2
    for given in (keys, keys.to(torch.int8), keys.to(torch.bool), keys.to(torch.float32)):
        kept, sums = onepass.reduce_by_key(given, x)
        same(kept, torch.unique_consecutive(given))
        same(sums, torch.stack([part.sum() for part in x.split(7)]))


# ---- gradients and operators
def test_gradient(device):
    x = torch.randn(3, 40, device=device, dtype=torch.float64, requires_grad=True)
    for arguments in ({}, {"axis": 0}, {"reverse": True}, {"exclusive": True}, {"axis": None, "reverse": True, "exclusive": True}):
        assert torch.autograd.gradcheck(lambda given: onepass.cumsum(given, **arguments), x)
        assert torch.autograd.gradgradcheck(lambda given: onepass.cumsum(given, **arguments), x)
    onepass.cumsum(x.float()).sum().backward()
    assert x.grad is not None


def test_operator(device):
    import onepass.torch

    for x in (torch.randn(30, device=device, requires_grad=True), torch.arange(24, device=device).reshape(2, 3, 4),
              torch.randn(4, 5, device=device).t(), torch.zeros(0, 3, device=device)):
        for dim in range(-x.ndim, x.ndim):
            torch.library.opcheck(onepass.torch.cumsum_operator, (x, dim, False, True))


def test_fake_tensors(device):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(3, 4, dtype=torch.int32, device=device)
        result = onepass.cumsum(x)
        assert result.shape == (3, 4) and result.dtype == torch.int64 and result.device == x.device


def test_compiled(device):
    function = torch.compile(lambda x: onepass.cumsum(x * 2, axis=0) + 1, fullgraph=True, backend="aot_eager")
    x = torch.randn(5, 6, device=device, dtype=torch.float64, requires_grad=True)
    y = function(x)
    torch.testing.assert_close(y, torch.cumsum(x * 2, 0) + 1)
    y.sum().backward()
    torch.testing.assert_close(x.grad, (2 * torch.arange(5, 0, -1, device=device)[:, None]).expand(5, 6).double())


# ---- what is refused
@pytest.mark.parametrize("error, text, call", [
    (TypeError, "cumsum: x has dtype torch.complex64", lambda x: onepass.cumsum(x.to(torch.complex64))),
    (TypeError, "cumsum: x is on meta", lambda x: onepass.cumsum(x.to("meta"))),
    (TypeError, "cumsum: x is not dense", lambda x: onepass.cumsum(x.to_sparse())),
    (TypeError, "cumsum: dtype is torch.complex64", lambda x: onepass.cumsum(x, dtype=torch.complex64)),
    (TypeError, "cumsum: out is list", lambda x: onepass.cumsum(x, out=[])),
    (TypeError, "cumsum: out has dtype", lambda x: onepass.cumsum(x, out=x.half())),
    (ValueError, "cumsum: out has shape", lambda x: onepass.cumsum(x, out=x[1:])),
    (ValueError, "cumsum: axis is 1", lambda x: onepass.cumsum(x, axis=1)),
    (TypeError, "compress: mask is ndarray, not a tensor", lambda x: onepass.compress(x, np.ones(5, bool))),
    (TypeError, "compress: mask has dtype torch.float32, not bool", lambda x: onepass.compress(x, x)),
    (ValueError, "compress: fill is 300", lambda x: onepass.compress(x.to(torch.int8), x > 0, size=3, fill=300)),
    (TypeError, "argsort: x requires a gradient", lambda x: onepass.argsort(x.requires_grad_())),
    (TypeError, "cummax: x requires a gradient", lambda x: onepass.cummax(x.requires_grad_())),
    (TypeError, "cumsum: x requires a gradient", lambda x: onepass.cumsum(x.clone().requires_grad_(), out=x)),
    (ValueError, "scan: segments do not ascend", lambda x: onepass.scan(x.cpu(), segments=torch.tensor([3, 1]))),
])
def test_refused(device, error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(torch.arange(5.0, device=device))
