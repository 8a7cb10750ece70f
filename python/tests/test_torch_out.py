# SPDX-License-Identifier: Apache-2.0
"""Tensors that calls write to, and tensors that share memory."""
import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from test_torch import DEVICES, same  # noqa: E402

pytestmark = pytest.mark.parametrize("device", DEVICES)


def test_out_on_another_device(device):
    x = torch.arange(5, device=device)
    for other in ["meta", *DEVICES]:
        if other != device:
            with pytest.raises(ValueError, match=f"^onepass.cumsum: out is on {other}.*, not on {device}"):
                onepass.cumsum(x, out=torch.empty(5, dtype=torch.int64, device=other))
            with pytest.raises(ValueError, match=f"^onepass.scan: out is on {other}"):
                onepass.scan(x, "max", keys=x, out=torch.empty(5, dtype=torch.int64, device=other))
    with pytest.raises(TypeError, match="^onepass.cumsum: out is not dense"):
        onepass.cumsum(x, out=torch.zeros(5, dtype=torch.int64, device=device).to_sparse())


@pytest.mark.filterwarnings("ignore")
def test_out_without_memory(device):
    x = torch.ones(6, device=device)
    with FakeTensorMode():
        fake = torch.empty(6, device=device)
    for reverse in (False, True):
        for out in (fake, torch._efficientzerotensor(6, device=device)):
            with pytest.raises(TypeError, match="^onepass.cumsum: out has no memory of its own"):
                onepass.cumsum(x, out=out, reverse=reverse)
        with pytest.raises(TypeError, match="^onepass.cumsum: out has no memory of its own"):
            torch.vmap(lambda out: onepass.cumsum(x, out=out, reverse=reverse))(torch.ones(2, 6, device=device))
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(4)], device=device)
    with pytest.raises(TypeError, match="^onepass.cumsum: out is not dense"):
        onepass.cumsum(x, out=nested)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 3])
def test_views_of_one_buffer(device, reverse, shift):
    """NumPy's arrays of one buffer become tensors of different storages."""
    buffer = np.arange(300000) % 7
    x, out = (torch.from_numpy(buffer[start:start + 299000]) for start in (5, 5 + shift))
    expected = torch.from_numpy(onepass.cumsum(x.numpy().copy(), reverse=reverse))
    onepass.cumsum(x, reverse=reverse, out=out)
    same(out, expected)
    same(onepass.sort(x), torch.sort(x).values)


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_out_may_overlap_where_segments_start(device, shift):
    x, whole = torch.arange(1000, device=device), torch.arange(1010, device=device)
    for name in ("keys", "segments"):
        given, out = whole[5:1005], whole[5 + shift:1005 + shift]
        given.copy_(x)
        onepass.scan(x, out=out, **{name: given})
        same(out, x)


def test_overlap(device):
    from onepass._torch_arrays import TORCH

    x = torch.zeros(4, 6, device=device)
    for a, b, expected in ((x, x, True), (x[:2], x[2:], False), (x[:2], x[1:], True), (x[:, :2], x[1:, 3], True),
                           (x, torch.zeros(4, 6, device=device), False), (x[0, 5], x[1], False), (x[1, 0], x[1], True)):
        assert TORCH.overlap(a, b) == TORCH.overlap(b, a) == expected
    assert TORCH.overlap(x[:0], x)


def test_a_written_tensor_is_not_taken_for_what_was_saved(device):
    """Autograd has to find that a tensor that it needs was written to."""
    weight, out = torch.ones(5, device=device, requires_grad=True), torch.zeros(5, device=device)
    product = weight * out
    before = out._version
    onepass.cumsum(torch.ones(5, device=device), out=out)
    assert out._version > before
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
    with torch.inference_mode():
        out = torch.zeros(5, device=device)
        same(onepass.cumsum(torch.ones(5, device=device), out=out), torch.arange(1.0, 6.0, device=device))


def test_negated_out(device):
    whole = torch.zeros(5, device=device)
    out = torch._neg_view(whole)
    assert onepass.cumsum(torch.ones(5, device=device), out=out) is out
    same(whole, -torch.arange(1.0, 6.0, device=device))


def test_recurrences_of_negated_tensors_with_gradients(device):
    a = torch.tensor([[0.5, 2.0, -1.0]], device=device)
    b = torch.tensor([[1.0, 3.0, 4.0]], device=device)
    expected = onepass.linear_recurrence(-a, -b)
    for negated in ((0, 1), (0,), (1,)):
        tensors = [torch._neg_view(x) if i in negated else -x for i, x in enumerate((a, b))]
        assert tensors[negated[0]].is_neg()
        tensors = [x.requires_grad_() for x in tensors]
        h = onepass.linear_recurrence(*tensors)
        same(h.detach(), expected)
        h.backward(torch._neg_view(torch.ones_like(h)))
        for x, reference in zip(tensors, (-a, -b)):
            other = [y.detach().clone().requires_grad_() for y in (-a, -b)]
            onepass.linear_recurrence(*other).backward(-torch.ones_like(h))
        torch.testing.assert_close([x.grad for x in tensors], [x.grad for x in other])


def test_numbers_beyond_the_type(device):
    x = torch.arange(5, dtype=torch.int8, device=device)
    for value in (300, np.int64(300), np.float64(300), torch.tensor(300), float("nan"), float("inf"), "5"):
        with pytest.raises(ValueError, match="^onepass.scan: init is .*, which is no int8"):
            onepass.scan(x, "max", init=value)
        with pytest.raises(ValueError, match="^onepass.compress: fill is .*, which is no int8"):
            onepass.compress(x, x > 0, size=9, fill=value)
    same(onepass.compress(x, x > 3, size=2, fill=torch.tensor(7)), torch.tensor([4, 7], dtype=torch.int8, device=device))
    same(onepass.compress(x.half(), x > 3, size=2, fill=0.5), torch.tensor([4, 0.5], device=device).half())
    assert torch.equal(onepass.compress(x.bfloat16(), x > 3, size=2, fill=0.5), torch.tensor([4, 0.5], device=device).bfloat16())
    assert torch.equal(onepass.compress(x.to(torch.complex64), x > 3, size=2, fill=1j), torch.tensor([4, 1j], device=device))
