# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16 tensors: computed in float32, and each result rounded once."""
import pytest

import onepass

torch = pytest.importorskip("torch")
from test_torch import DEVICES, SIZES, same, tensor  # noqa: E402

pytestmark = [pytest.mark.parametrize("device", DEVICES), pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])]


def equal(result, expected):
    """NumPy has no bfloat16, and float32 holds all items of both types."""
    assert result.dtype == expected.dtype
    same(result.float(), expected.float())


@pytest.mark.parametrize("n", SIZES)
def test_scans(device, dtype, n):
    x = tensor(dtype, n, device)
    exact = torch.cumsum(x.double(), 0)
    equal(onepass.cumsum(x), exact.to(dtype))
    equal(onepass.cumsum(x, reverse=True), torch.cumsum(x.double().flip(0), 0).flip(0).to(dtype))
    equal(onepass.scan(x, init=1000), (exact + 1000).to(dtype))
    equal(onepass.cumprod(x.sign()), torch.cumprod(x.float().sign(), 0).to(dtype))
    equal(onepass.cumsum(x, dtype=torch.float32), exact.float())
    if n:
        equal(onepass.cummax(x), torch.cummax(x.float(), 0).values.to(dtype))
        equal(onepass.cummin(x), torch.cummin(x.float(), 0).values.to(dtype))
    out = torch.empty_like(x)
    assert onepass.cumsum(x, out=out) is out
    equal(out, exact.to(dtype))


def test_items_are_rounded_first(device, dtype):
    fine = 1 + torch.finfo(dtype).eps / 8
    x = torch.full((3,), fine, device=device)
    for given in (x, x.double(), x.half(), x.bfloat16()):
        equal(onepass.cumsum(given, dtype=dtype), torch.tensor([1, 2, 3], dtype=dtype, device=device))
    equal(onepass.scan(torch.zeros(2, dtype=dtype, device=device), init=fine), torch.ones(2, dtype=dtype, device=device))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1000, 3), (3, 4000), (2, 3, 4, 5)])
def test_axes(device, dtype, shape):
    x = tensor(dtype, shape, device)
    if x.numel() > 3:
        x.view(-1)[x.numel() // 2] = float("nan")
    wide = x.float()
    for axis in range(len(shape)):
        equal(onepass.cumsum(x, axis=axis), torch.cumsum(wide, axis).to(dtype))
        for descending in (False, True):
            ordered, order = torch.sort(wide, dim=axis, stable=True, descending=descending)
            equal(onepass.sort(x, axis=axis, descending=descending), ordered.to(dtype).contiguous())
            same(onepass.argsort(x, axis=axis, descending=descending), order.contiguous())
            k = shape[axis] // 2
            items, indices = onepass.top_k(x, k, axis, descending)
            equal(items, ordered.narrow(axis, 0, k).to(dtype).contiguous())
            same(indices, order.narrow(axis, 0, k).contiguous())


def test_every_value(device, dtype):
    x = torch.randperm(1 << 16, generator=torch.Generator().manual_seed(1)).to(torch.int16).view(dtype).to(device)
    wide = x.float()
    # On the CPU: on a GPU, PyTorch 2.11 sorts NaNs with a sign in front of all others where there are many items.
    ordered, order = (sorted_.to(device) for sorted_ in torch.sort(wide.cpu(), stable=True))
    equal(onepass.sort(x), ordered.to(dtype))
    same(onepass.argsort(x), order)
    equal(onepass.nth_element(x, 1000), ordered[1000].to(dtype))
    number = x[~x.isnan()]
    equal(onepass.unique(number), torch.unique(number.float()).to(dtype))
    same(onepass.nonzero(x), torch.nonzero(x))
    mask = wide > 1
    equal(onepass.compress(x, mask), x[mask])
    equal(onepass.compress(x, mask, size=9, fill=0.5), x[mask][:9])


def test_runs_and_segments(device, dtype):
    keys, x = tensor(dtype, 10_007, device, seed=2).sort().values, tensor(dtype, 10_007, device)
    items, counts = onepass.unique_consecutive(keys, return_counts=True)
    expected, expected_counts = torch.unique_consecutive(keys.float(), return_counts=True)
    equal(items, expected.to(dtype))
    same(counts, expected_counts)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    sums = torch.segment_reduce(x.double(), "sum", lengths=counts).to(dtype)
    equal(onepass.segment_reduce(x, offsets), sums)
    found, results = onepass.reduce_by_key(keys, x)
    equal(found, items)
    equal(results, sums)
    counted, edges = onepass.histogram(x, 5, range=(-8, 8))
    same(counted, torch.histc(x.float(), 5, -8, 8).long())
    assert edges.dtype == torch.float32


def test_gradients(device, dtype):
    x = tensor(dtype, (5, 40), device)
    weights = tensor(dtype, (5, 40), device, seed=2)
    offsets = torch.tensor([0, 3, 40], device=device)

    def gradient(call, wide):
        given = (x.float() if wide else x.clone()).requires_grad_()
        result = call(given)
        by = weights.view(-1)[:result.numel()].view(result.shape)
        return torch.autograd.grad(result, given, by.float() if wide else by)[0]

    for ours, theirs in ((lambda x: onepass.cumsum(x), lambda x: torch.cumsum(x, 1)),
                         (lambda x: onepass.sort(x, axis=0), lambda x: torch.sort(x, dim=0, stable=True).values),
                         (lambda x: onepass.compress(x, x > 1), lambda x: x[x > 1]),
                         (lambda x: onepass.segment_reduce(x[0], offsets), lambda x: torch.stack([x[0, :3].sum(), x[0, 3:].sum()]))):
        equal(gradient(ours, False), gradient(theirs, True).to(dtype))
    items, indices = onepass.top_k(learned := x.clone().requires_grad_(), 7)
    items.sum().backward()
    equal(learned.grad, torch.zeros_like(x).scatter(1, indices, 1))
    compiled = torch.compile(lambda x: onepass.cumsum(x) * 2, backend="eager", fullgraph=True)
    equal(compiled(x), onepass.cumsum(x) * 2)


def test_recurrences_are_not_for_them(device, dtype):
    x = tensor(dtype, 10, device)
    with pytest.raises(TypeError, match="^onepass.linear_recurrence: a has dtype"):
        onepass.linear_recurrence(x, x)
