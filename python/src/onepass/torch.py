# SPDX-License-Identifier: Apache-2.0
"""Operators of PyTorch's own: with gradients, and for torch.compile. onepass's functions use them where that is needed.

torch.ops.onepass.cumsum(x, dim, reverse, exclusive): the sums along a dimension, in x's type, which int64, a float type or
another type of 32 or 64 bits has to be. Its gradient is the sum in the other direction.
"""
from __future__ import annotations

from typing import Any, Optional

import torch

from ._arrays import axis_number
from ._torch_arrays import TORCH


@torch.library.custom_op("onepass::cumsum", mutates_args=())
def cumsum_operator(x: torch.Tensor, dim: int, reverse: bool, exclusive: bool) -> torch.Tensor:
    from ._scan import cumsum

    result: torch.Tensor = cumsum(x.detach(), axis=dim, reverse=reverse, exclusive=exclusive, dtype=x.dtype)
    return result if x.ndim else result.reshape(())


@cumsum_operator.register_fake
def _(x: torch.Tensor, dim: int, reverse: bool, exclusive: bool) -> torch.Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _keep_arguments(ctx: Any, inputs: Any, output: Any) -> None:
    _, ctx.dim, ctx.reverse, ctx.exclusive = inputs


def _cumsum_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    return cumsum_operator(gradient, ctx.dim, not ctx.reverse, ctx.exclusive), None, None, None


cumsum_operator.register_autograd(_cumsum_backward, setup_context=_keep_arguments)


def cumsum(function: str, x: torch.Tensor, axis: Optional[int], reverse: bool, exclusive: bool,
           dtype: Any) -> torch.Tensor:
    """onepass.cumsum by the operator."""
    given = TORCH.type_of(function, "x", x)
    of = TORCH.accumulated(given, "sum") if dtype is None else TORCH.named_type(function, "dtype", dtype)
    x = x.to(getattr(torch, of.name))
    if axis is None or x.ndim == 0:
        x = x.reshape(-1)
        axis = 0 if axis is None else axis_number(function, axis, 0)
    result: torch.Tensor = cumsum_operator(x, axis_number(function, axis, x.ndim), bool(reverse), bool(exclusive))
    return result
