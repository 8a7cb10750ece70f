# SPDX-License-Identifier: Apache-2.0
"""Sums and linear recurrences of tensors with gradients (onepass.torch says what they are)."""
from __future__ import annotations

import math
from typing import Any, Optional

import torch

from . import _gradients, _scan
from ._arrays import axis_number, number_of
from ._torch_arrays import TORCH, dense, is_recorded, is_wrapped


# ---- cumsum
@torch.library.custom_op("onepass::cumsum", mutates_args=())
def cumsum_operator(x: torch.Tensor, dim: int, reverse: bool, exclusive: bool) -> torch.Tensor:
    return _plain_cumsum(x.detach(), dim, reverse, exclusive)


def _plain_cumsum(x: torch.Tensor, dim: int, reverse: bool, exclusive: bool) -> torch.Tensor:
    dtype = None if x.is_floating_point() else x.dtype  # the sum of floats has their type
    result: torch.Tensor = _scan.cumsum(x, axis=dim, reverse=reverse, exclusive=exclusive, dtype=dtype)
    return result if x.ndim else result.reshape(())


@cumsum_operator.register_fake
def _(x: torch.Tensor, dim: int, reverse: bool, exclusive: bool) -> torch.Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _keep_arguments(ctx: Any, inputs: Any, output: Any) -> None:
    _, ctx.dim, ctx.reverse, ctx.exclusive = inputs


def _cumsum_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    return cumsum_operator(gradient, ctx.dim, not ctx.reverse, ctx.exclusive), None, None, None


cumsum_operator.register_autograd(_cumsum_backward, setup_context=_keep_arguments)


class _Cumsum(torch.autograd.Function):
    """The same for calls that are neither compiled nor transformed: it takes a fifth of the operator's time."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, dim: int, reverse: bool, exclusive: bool) -> torch.Tensor:
        ctx.dim, ctx.reverse, ctx.exclusive = dim, reverse, exclusive
        return _plain_cumsum(x, dim, reverse, exclusive)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        reverse = not ctx.reverse
        if not _is_eager(gradient):
            return _cumsum_backward(ctx, gradient)
        if gradient.requires_grad and torch.is_grad_enabled():
            return _Cumsum.apply(gradient, ctx.dim, reverse, ctx.exclusive), None, None, None
        return _plain_cumsum(gradient, ctx.dim, reverse, ctx.exclusive), None, None, None


def cumsum(function: str, x: torch.Tensor, axis: Optional[int], reverse: bool, exclusive: bool,
           dtype: Any) -> torch.Tensor:
    """onepass.cumsum by the operator."""
    given = TORCH.type_of(function, "x", dense(function, "x", x))
    of = TORCH.accumulated(given, "sum") if dtype is None else TORCH.named_type(function, "dtype", dtype)
    if of is not given:
        x = x.to(getattr(torch, of.name))
    if axis is None or x.ndim == 0:
        x = x.reshape(-1)
        axis = 0 if axis is None else axis_number(function, axis, 0)
    arguments = x, axis_number(function, axis, x.ndim), bool(reverse), bool(exclusive)
    result: torch.Tensor = _Cumsum.apply(*arguments) if _is_eager(x) else cumsum_operator(*arguments)
    return result


def _is_eager(x: torch.Tensor) -> bool:
    """Whether all that has to be done beside the call is to record a gradient."""
    return type(x) in (torch.Tensor, torch.nn.Parameter) and not torch.compiler.is_compiling() and \
        not is_wrapped(x) and not is_recorded() and x.device.type in ("cpu", "cuda") and x.ndim > 0


# ---- linear_recurrence
@torch.library.custom_op("onepass::linear_recurrence", mutates_args=())
def recurrence_operator(a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    from ._recurrence import linear_recurrence

    result: torch.Tensor = linear_recurrence(a.detach(), b.detach(), axis=dim, reverse=reverse)
    return result


@recurrence_operator.register_fake
def _(a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    return torch.empty_like(b, memory_format=torch.contiguous_format)


# The gradient of b where that of h is given. It has no gradient itself.
@torch.library.custom_op("onepass::recurrence_of_gradient", mutates_args=())
def gradient_operator(a: torch.Tensor, gradient: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    from ._recurrence import recurrence

    result: torch.Tensor = recurrence(TORCH, a.detach(), gradient.detach(), dim, not reverse, True)
    return result


@gradient_operator.register_fake
def _(a: torch.Tensor, gradient: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    return torch.empty_like(gradient, memory_format=torch.contiguous_format)


def _keep_recurrence(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    a, _, dim, ctx.reverse = inputs
    ctx.dim = dim % a.ndim
    ctx.save_for_backward(a, output)


def _recurrence_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    return _of_recurrence(ctx, gradient, recurrence_operator, gradient_operator, _of_factors)


def _of_factors(h: torch.Tensor, of_b: torch.Tensor, dim: int, reverse: bool) -> Any:
    return _gradients.of_factors(h, of_b, dim, reverse, torch.narrow, padded)


def _of_factors_at_once(h: torch.Tensor, of_b: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    """The same for contiguous tensors of which no gradient is recorded: each is read once, and nothing is copied."""
    width = math.prod(h.shape[dim + 1:])  # so far in front of an item stands the one before it
    result = torch.empty_like(h)
    items, gradients, products = h.view(-1), of_b.view(-1), result.view(-1)
    if reverse:
        items = items[width:]
    else:
        gradients, products = gradients[width:], products[width:]
    count = max(h.numel() - width, 0)
    torch.mul(items[:count], gradients[:count], out=products[:count])
    if h.numel():  # where a row begins, a product of two rows has been written
        result.narrow(dim, h.shape[dim] - 1 if reverse else 0, 1).zero_()
    return result


def _of_recurrence(ctx: Any, gradient: torch.Tensor, solve: Any, solve_gradient: Any, of_factors: Any) -> Any:
    """The gradients of a and b, by functions that are called as the operators are, and that of a where no gradient of it is
    recorded."""
    a, h = ctx.saved_tensors
    if torch.is_grad_enabled():  # gradients of gradients are asked for
        of_factors = _of_factors
        of_b = solve(_gradients.next_factors(a, ctx.dim, ctx.reverse, torch.roll), gradient, ctx.dim, not ctx.reverse)
    else:
        of_b = solve_gradient(a, gradient, ctx.dim, ctx.reverse)
    of_a = None
    if ctx.needs_input_grad[0]:
        of_a = of_factors(h, of_b, ctx.dim, ctx.reverse)
    return of_a, of_b, None, None


def padded(x: torch.Tensor, dim: int, before: int, behind: int) -> torch.Tensor:
    """x with so many zeros more along a dimension."""
    return torch.nn.functional.pad(x, [0, 0] * (x.ndim - 1 - dim) + [before, behind])


recurrence_operator.register_autograd(_recurrence_backward, setup_context=_keep_recurrence)


class _Recurrence(torch.autograd.Function):
    """The same for calls that are neither compiled nor transformed."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
        from ._recurrence import recurrence

        ctx.dim, ctx.reverse = dim, reverse
        h: torch.Tensor = recurrence(TORCH, a, b, dim, reverse, False)
        ctx.save_for_backward(a, h)
        return h

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        from ._recurrence import recurrence

        if not _is_eager(gradient):
            return _recurrence_backward(ctx, gradient)

        def solve_gradient(a: torch.Tensor, g: torch.Tensor, dim: int, reverse: bool) -> Any:
            return recurrence(TORCH, a, g, dim, not reverse, True)

        return _of_recurrence(ctx, gradient, _Recurrence.apply, solve_gradient, _of_factors_at_once)


def linear_recurrence(a: torch.Tensor, b: torch.Tensor, axis: int, reverse: bool, init: Any) -> torch.Tensor:
    """onepass.linear_recurrence by the operator."""
    from ._recurrence import checked, initial_of

    function = "linear_recurrence"
    a, b, dim = checked(function, TRACED, a, b, axis)
    if init is not None:
        is_tensor = isinstance(init, torch.Tensor) and init.ndim == 0 and not init.is_complex() and \
            (init.device.type != "meta" or a.device.type == "meta")
        init = init.to(a.dtype) if is_tensor else initial_of(function, TRACED, a, dim, init)
        b = _with_initial(a, b, dim, -1 if reverse else 0, init)
    solve = _Recurrence.apply if _is_eager(a) and _is_eager(b) else recurrence_operator
    result: torch.Tensor = solve(a, b, dim, bool(reverse))
    return result


def _with_initial(a: torch.Tensor, b: torch.Tensor, dim: int, first: int, init: Any) -> torch.Tensor:
    """b, whose first items get what comes from the h before them, as a new tensor: within torch.vmap it may have an axis more."""
    if b.shape[dim] == 0:
        return b
    return b.select_scatter(b.select(dim, first) + a.select(dim, first) * init, dim, first)


class _Traced(type(TORCH)):  # type: ignore[misc]
    """The same checks for tensors of which a gradient is recorded, or that have no memory."""

    array = staticmethod(dense)
    scalar = staticmethod(number_of)  # the operations on it round it; torch.compile does not trace NumPy's errstate


TRACED = _Traced()
