# SPDX-License-Identifier: Apache-2.0
"""Tensors as arguments of every kind: numbers with gradients, outputs, no dimension, negative axes, and what is refused."""
import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")
from test_torch import DEVICES, same  # noqa: E402

pytestmark = pytest.mark.parametrize("device", DEVICES)

NUMBERS = {
    "scan: init": lambda x, number: onepass.scan(x, init=number),
    "segment_reduce: init": lambda x, number: onepass.segment_reduce(x, torch.tensor([0, 2], device=x.device), init=number),
    "compress: fill": lambda x, number: onepass.compress(x, x > 1, size=4, fill=number),
    "compress: fill, complex": lambda x, number: onepass.compress(x.to(torch.complex64), x > 1, size=4, fill=number),
    "histogram: range": lambda x, number: onepass.histogram(x, 2, range=(torch.tensor(0.0), number)),
    "scan: init, NumPy": lambda x, number: onepass.scan(np.ones(3), init=number),
}


def refused_tangent(name):
    return pytest.raises(TypeError, match=f"^onepass.{name.split(',')[0]} has a tangent")


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_with_a_gradient(device, name):
    """A number would lose it."""
    x, number = torch.arange(4.0, device=device), torch.tensor(2.0, device=device, requires_grad=True)
    with pytest.raises(TypeError, match=f"^onepass.{name.split(',')[0]} requires a gradient"):
        NUMBERS[name](x, number)
    with refused_tangent(name), torch.autograd.forward_ad.dual_level():
        NUMBERS[name](x, torch.autograd.forward_ad.make_dual(number.detach(), torch.ones_like(number)))
    with torch.no_grad():
        NUMBERS[name](x, number)
    NUMBERS[name](x, number.detach())


def test_numbers_where_another_device_is_the_default(device):
    x = torch.arange(4.0, device=device)
    with torch.device("meta"):
        scanned = onepass.scan(x.bfloat16(), init=1)
        filled = onepass.compress(x.to(torch.complex64), x > 2, size=2)
    same(scanned.float(), torch.tensor([1.0, 2.0, 4.0, 7.0], device=device))
    assert torch.equal(filled, torch.tensor([3, 0], dtype=torch.complex64, device=device))


def test_no_dimension(device):
    """Sorts keep it, with a gradient and compiled, too."""
    x = torch.tensor(3.0, device=device)
    for given in (x, x.clone().requires_grad_()):
        torch._dynamo.reset()
        for call in (onepass.sort, torch.compile(onepass.sort, backend="eager")):
            assert call(given).shape == call(given, axis=0).shape == ()
            assert call(given, axis=None).shape == (1,)
            assert call(given) == 3
    assert torch.autograd.grad(onepass.sort(given), given)[0] == 1
    values, order = torch.ops.onepass.sort(x, 0, False)
    assert values.shape == order.shape == () and values == 3 and order == 0
    assert onepass.argsort(x).shape == onepass.sort_by_key(x, x)[1].shape == ()


def test_operators_take_negative_dimensions(device):
    a, b = (torch.rand(2, 3, 4, device=device, dtype=torch.float64).requires_grad_() for _ in range(2))
    offsets = torch.arange(24, device=device).view(2, 3, 4) % 5
    weights = offsets.double()
    ops = torch.ops.onepass
    for call in (lambda dim: ops.linear_recurrence(a, b, dim, True), lambda dim: ops.linear_recurrence(a, b, dim, False),
                 lambda dim: ops.cumsum(a * b, dim, False, True), lambda dim: ops.sort(a * b, dim, False)[0],
                 lambda dim: ops.top_k(a * b, 3, dim, True, True)[0]):
        for dim in (-1, -2):
            result, expected = call(dim), call(dim + 3)
            torch.testing.assert_close(result, expected)
            by = weights[tuple(slice(n) for n in result.shape)]
            for one, other in zip(torch.autograd.grad((result * by).sum(), (a, b)),
                                  torch.autograd.grad((expected * by).sum(), (a, b))):
                torch.testing.assert_close(one, other)


def test_values_of_eight_bits(device):
    x = torch.tensor([3.0, 1.0, 2.0, 0.5, 1.5, 0.0], device=device)
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        for given in (x, x.view(2, 3), x.view(3, 2).t()):
            keys, values = onepass.sort_by_key(given, given.to(dtype))
            same(keys, torch.sort(given).values.contiguous())
            assert values.dtype == dtype
            same(values.float(), keys)


def test_out_whose_items_share_memory(device):
    x, one = torch.ones(6, device=device), torch.full((1,), 7.0, device=device)
    for reverse in (False, True):
        with pytest.raises(ValueError, match="^onepass.cumsum: out has items in one place"):
            onepass.cumsum(x, out=one.expand(6), reverse=reverse)
    assert one == 7
    onepass.cumsum(x[:1], out=one.expand(1))
    assert one == 1


def test_out_from_inference_mode(device):
    with torch.inference_mode():
        out = torch.zeros(2, 3, device=device)
    assert out.is_inference()
    x = torch.ones(2, 3, device=device)
    for arguments in ({}, {"reverse": True}, {"axis": 0, "reverse": True}):
        expected = onepass.cumsum(x, **arguments)
        assert onepass.cumsum(x, out=out, **arguments) is out
        torch.testing.assert_close(out.clone(), expected)
        with torch.inference_mode():
            other = torch.zeros(2, 3, device=device)
            torch.testing.assert_close(onepass.cumsum(x, out=other, **arguments), expected)


MASK, OFFSETS = [True, False, True, False, False], [0, 2, 5]


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "compress: mask is list", lambda x: onepass.compress(x, MASK)),
    (TypeError, "compress: mask is ndarray", lambda x: onepass.compress(x, np.array(MASK))),
    (TypeError, "segment_reduce: offsets is list", lambda x: onepass.segment_reduce(x, OFFSETS)),
    (TypeError, "segment_reduce: offsets is ndarray", lambda x: onepass.segment_reduce(x, np.array(OFFSETS))),
    (TypeError, "compress: mask has dtype torch.float32", lambda x: onepass.compress(x, x)),
    (TypeError, "sort: x has dtype torch.complex64", lambda x: onepass.sort(x.to(torch.complex64))),
    (ValueError, "compress: mask has shape", lambda x: onepass.compress(x, x[1:] > 0)),
    (TypeError, "segment_reduce: offsets have dtype", lambda x: onepass.segment_reduce(x, x.detach())),
    (ValueError, "segment_reduce: x has 2 dim", lambda x: onepass.segment_reduce(x[None], torch.tensor(OFFSETS))),
    (TypeError, "sort_by_key: values is (not an array|a CUDA array, and the other)",
     lambda x: onepass.sort_by_key(np.ones(5), x.clone().requires_grad_())),
    (TypeError, "linear_recurrence: b is (not an array|a CUDA array, and the other)",
     lambda x: onepass.linear_recurrence(np.ones(5), x.clone().requires_grad_())),
    (TypeError, "cumsum: x is not an array", lambda x: onepass.cumsum([x.clone().requires_grad_()])),
    (ValueError, "linear_recurrence: init is .*, which is no float32",
     lambda x: onepass.linear_recurrence(x, x, init=torch.tensor(2j))),
    (TypeError, r"cumsum: dtype is \[\]", lambda x: onepass.cumsum(x, dtype=[])),
    (TypeError, r"argsort: index_dtype is \[\]", lambda x: onepass.argsort(x.detach(), index_dtype=[])),
    (ValueError, "compress: size is 4611686018427387904", lambda x: onepass.compress(x.detach(), x > 1, size=2**62)),
    (ValueError, "scan: op is ", lambda x: onepass.scan(x.detach(), np.array(["sum", "prod"]))),
    (ValueError, "segment_reduce: op is ",
     lambda x: onepass.segment_reduce(x.detach(), torch.tensor(OFFSETS), np.array(["sum", "prod"]))),
])
@pytest.mark.parametrize("grad", [False, True])
def test_refused(device, error, text, call, grad):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(torch.arange(5.0, device=device).requires_grad_(grad))
