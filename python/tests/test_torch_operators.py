# SPDX-License-Identifier: Apache-2.0
"""The operators of torch.ops.onepass: gradients, fake tensors, torch.compile; and linear_recurrence of tensors."""
import subprocess
import sys

import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")
from test_torch import DEVICES, same  # noqa: E402

pytestmark = pytest.mark.parametrize("device", DEVICES)


def random(*shape, device, grad=False):
    generator = torch.Generator().manual_seed(1)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(device).requires_grad_(grad)


def loop(a, b, dim, reverse, init=None):
    """The recurrence by PyTorch's own operations."""
    steps = list(zip(a.unbind(dim), b.unbind(dim)))
    h, results = init, []
    for factor, term in steps[::-1] if reverse else steps:
        h = term if h is None else factor * h + term
        results.append(h)
    return torch.stack(results[::-1] if reverse else results, dim)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_recurrence(device, dim, reverse):
    a, b = random(4, 5, 6, device=device), random(4, 5, 6, device=device).flip(0)
    init = random(4, 5, 6, device=device).select(dim, 1)
    for before in (None, 2.0, torch.tensor(2.0, device=device), init):
        result = onepass.linear_recurrence(a, b, axis=dim, reverse=reverse, init=before)
        torch.testing.assert_close(result, loop(a, b, dim, reverse, before))
    torch.testing.assert_close(onepass.linear_recurrence(a.transpose(0, 2), b.transpose(0, 2), axis=dim, reverse=reverse),
                               loop(a.transpose(0, 2), b.transpose(0, 2), dim, reverse))
    long_a, long_b = torch.rand(300, 4000, device=device), torch.rand(300, 4000, device=device)
    expected = onepass.linear_recurrence(long_a.cpu().numpy(), long_b.cpu().numpy(), reverse=reverse)
    torch.testing.assert_close(onepass.linear_recurrence(long_a, long_b, reverse=reverse).cpu(), torch.from_numpy(expected))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, dim", [((3, 4), 0), ((3, 4), 1), ((2, 3, 2), 1), ((5,), 0), ((3, 1), 1), ((0, 3), 0)])
def test_gradient_of_recurrence(device, shape, dim, reverse):
    a, b = random(*shape, device=device, grad=True), random(*shape, device=device, grad=True)
    init = random(*shape[:dim], *shape[dim + 1:], device=device, grad=True)

    def with_init(a, b, init):
        return onepass.linear_recurrence(a, b, axis=dim, reverse=reverse, init=init)

    def without(a, b):
        return onepass.linear_recurrence(a, b, axis=dim, reverse=reverse)

    assert torch.autograd.gradcheck(with_init, (a, b, init))
    assert torch.autograd.gradcheck(without, (a, b))
    assert torch.autograd.gradgradcheck(without, (a, b))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_gradient_of_factors_beside_infinity(device, dim, reverse):
    """The factor of a row's first item counts for nothing, whatever stands at the end of the row before."""
    a, b = torch.ones(3, 4, device=device, requires_grad=True), torch.ones(3, 4, device=device)
    b.select(dim, 0 if reverse else b.shape[dim] - 1).fill_(float("inf"))
    gradient, = torch.autograd.grad(onepass.linear_recurrence(a, b, axis=dim, reverse=reverse), a, torch.ones_like(a))
    first = a.shape[dim] - 1 if reverse else 0
    assert bool((gradient.select(dim, first) == 0).all())
    assert not gradient.isnan().any()


@pytest.mark.filterwarnings("ignore:.*performance drop")
@pytest.mark.parametrize("reverse", [False, True])
def test_mapped_recurrence(device, reverse):
    """torch.vmap over each argument alone, and over all."""
    a, b = random(2, 3, 4, device=device), random(2, 3, 4, device=device).flip(0)
    init = random(2, 4, device=device)

    def call(a, b, init):
        return onepass.linear_recurrence(a, b, axis=0, reverse=reverse, init=init)

    for axes in ((0, None, None), (None, 0, None), (None, None, 0), (0, 0, 0)):
        given = [x if axis == 0 else x[0] for x, axis in zip((a, b, init), axes)]
        result = torch.vmap(call, axes)(*given)
        for i in range(2):
            torch.testing.assert_close(result[i], call(*[x[i] if axis == 0 else x for x, axis in zip(given, axes)]))


@pytest.mark.filterwarnings("ignore:.*performance drop")
def test_batches_of_gradients(device):
    """is_grads_batched, by which PyTorch asks for many gradients at once, in functions with a backward of their own, too."""
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return onepass.cumsum(gradient, reverse=True) + onepass.linear_recurrence(gradient, gradient)

    x, rows = random(6, device=device, grad=True), torch.eye(6, dtype=torch.float64, device=device)
    calls = (onepass.cumsum, onepass.sort, lambda x: onepass.linear_recurrence(x, x),
             lambda x: onepass.linear_recurrence(x, x, reverse=True))
    for call in (*calls, Doubled.apply):
        batch, = torch.autograd.grad(call(x), x, rows, is_grads_batched=True)
        torch.testing.assert_close(batch, torch.stack([torch.autograd.grad(call(x), x, row)[0] for row in rows]))
    for call in calls:
        assert torch.autograd.gradcheck(call, x, check_batched_grad=True)
        jacobian = torch.autograd.functional.jacobian
        torch.testing.assert_close(jacobian(call, x, vectorize=True), jacobian(call, x))


@pytest.mark.filterwarnings("ignore:.*performance drop")
def test_mapped_over_masks_and_offsets(device):
    x = random(6, device=device)
    masks = torch.tensor([[True, False, True, False, False, True], [False, True, True, True, False, False]], device=device)
    result = torch.vmap(lambda mask: onepass.compress(x, mask))(masks)
    same(result, torch.stack([x[mask] for mask in masks]))
    offsets = torch.tensor([[0, 2, 6], [1, 1, 5]], device=device)
    result = torch.vmap(lambda offsets: onepass.segment_reduce(x, offsets))(offsets)
    same(result, torch.stack([onepass.segment_reduce(x, row) for row in offsets]))


def test_gradients(device):
    x = random(30, device=device, grad=True)
    mask = torch.arange(30, device=device) % 3 == 0
    offsets = torch.tensor([2, 5, 5, 20], device=device)
    for call in (lambda x: onepass.compress(x, mask), lambda x: onepass.compress(x.view(5, 6), mask.view(5, 6)),
                 lambda x: onepass.sort(x), lambda x: onepass.sort(x.view(5, 6), axis=0, descending=True),
                 lambda x: onepass.sort(x.view(5, 6), axis=None), lambda x: onepass.top_k(x, 7)[0],
                 lambda x: onepass.top_k(x.view(5, 6), 3, 0, False)[0], lambda x: onepass.top_k(x.view(5, 6), 4, None)[0],
                 lambda x: onepass.top_k(x.view(5, 6), 2, 1, sorted=False)[0], lambda x: onepass.segment_reduce(x, offsets),
                 lambda x: onepass.segment_reduce(x, offsets.int())):
        assert torch.autograd.gradcheck(call, x)
        assert torch.autograd.gradgradcheck(call, x)
    detached = x.detach()
    same(onepass.sort(x).detach(), torch.sort(detached).values)
    same(onepass.top_k(x, 5)[0].detach(), torch.topk(detached, 5).values)
    same(onepass.top_k(x, 5)[1], torch.topk(detached, 5).indices)
    with pytest.raises(ValueError, match="^onepass.top_k: k is 31"):
        onepass.top_k(x, 31)
    with pytest.raises(TypeError, match="^onepass.nth_element: x requires a gradient"):
        onepass.nth_element(x, 3)
    same(onepass.compress(x, mask).detach(), detached[mask])


def test_operators(device):
    x = random(4, 6, device=device, grad=True)
    row = random(24, device=device, grad=True)
    mask = torch.arange(24, device=device).view(4, 6) % 3 == 0
    ops = torch.ops.onepass
    for operator, arguments in ((ops.linear_recurrence, (x, x, 1, False)), (ops.linear_recurrence, (x, x.t().t(), 0, True)),
                                (ops.recurrence_of_gradient, (x.detach(), x.detach(), 1, True)),
                                (ops.compress, (x, mask)), (ops.sort, (x, 0, True)), (ops.sort, (x.detach().float(), 1, False)),
                                (ops.top_k, (x, 3, 1, True, False)), (ops.top_k, (x.detach().float(), 2, 0, False, True)),
                                (ops.segment_sum, (row, torch.tensor([0, 5, 9], device=device))),
                                (ops.cumsum, (x, 1, False, True))):
        torch.library.opcheck(operator, arguments)


def test_compiled(device):
    """Whole graphs, without a break."""
    mask = torch.arange(24, device=device).view(4, 6) % 3 == 0
    offsets = torch.tensor([0, 5, 9, 24], device=device)
    for call in (lambda x: onepass.linear_recurrence(x.sigmoid(), x, axis=0) * 2, lambda x: onepass.sort(x * 3, axis=0) + 1,
                 lambda x: onepass.top_k(x * 2, 3, axis=0)[0] + 1, lambda x: onepass.compress(x * 2, mask).sum(),
                 lambda x: onepass.segment_reduce(x.view(-1) * 2, offsets),
                 lambda x: onepass.cumsum(x * 2, axis=1, reverse=True)):
        x = random(4, 6, device=device, grad=True)
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            result = torch.compile(call, fullgraph=True, backend="aot_eager")(x)
        result.square().sum().backward()
        again = x.detach().clone().requires_grad_()
        expected = call(again)
        expected.square().sum().backward()
        torch.testing.assert_close(result, expected)
        torch.testing.assert_close(x.grad, again.grad)


def test_training_finds_the_factors(device):
    """A recurrence whose factor is learned: the loss falls as that of the plain loop does."""
    x, target = random(8, 30, device=device), None
    losses = {}
    for name, recurrence in (("onepass", lambda a, b: onepass.linear_recurrence(a, b)),
                             ("loop", lambda a, b: loop(a, b, 1, False))):
        target = loop(torch.full_like(x, 0.7), x, 1, False)
        factor = torch.zeros((), dtype=x.dtype, device=device, requires_grad=True)
        optimizer = torch.optim.SGD([factor], lr=0.02)
        losses[name] = []
        for _ in range(40):
            loss = (recurrence(factor.tanh().expand_as(x), x) - target).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[name].append(loss.item())
    np.testing.assert_allclose(losses["onepass"], losses["loop"], rtol=1e-9)
    assert losses["onepass"][-1] < 0.05 * losses["onepass"][0]


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "b is ndarray, not a tensor", lambda x: onepass.linear_recurrence(x, np.ones(5, "f4"))),
    (TypeError, "a has dtype torch.int64", lambda x: onepass.linear_recurrence(x.long(), x)),
    (ValueError, "b has shape", lambda x: onepass.linear_recurrence(x.clone().requires_grad_(), x[1:])),
    (ValueError, "axis is 1", lambda x: onepass.linear_recurrence(x.clone().requires_grad_(), x, axis=1)),
    (ValueError, "init is .*, which is no float32",
     lambda x: onepass.linear_recurrence(x.clone().requires_grad_(), x, init=torch.tensor(1.0, device="meta"))),
    (ValueError, "init is 1000.*, which is no float32",
     lambda x: onepass.linear_recurrence(x.clone().requires_grad_(), x, init=10**400)),
])
def test_refused(device, error, text, call):
    with pytest.raises(error, match=f"^onepass.linear_recurrence: {text}"):
        call(torch.arange(5.0, device=device))


def test_compiled_before_any_other_call(device):
    """In a process of its own, where onepass.torch has not been imported yet."""
    program = f"""
import torch, onepass
x = torch.ones(5, device="{device}")
assert torch.compile(lambda x: onepass.cumsum(x), fullgraph=True, backend="aot_eager")(x).tolist() == [1, 2, 3, 4, 5]"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
