# SPDX-License-Identifier: Apache-2.0
"""Operators of PyTorch's own: with gradients, and for torch.compile. onepass's functions use them where that is needed.

torch.ops.onepass.cumsum(x, dim, reverse, exclusive)
    The sums along a dimension, in x's type. Its gradient is the sum in the other direction.
torch.ops.onepass.linear_recurrence(a, b, dim, reverse)
    h[t] = a[t] h[t - 1] + b[t] along a dimension. The gradient of b is the recurrence in the other direction, with the factor
    of the item before; that of a is the gradient of b times the h before.
torch.ops.onepass.compress(x, mask)
    The items whose flag is true. The gradient goes back to where the items were.
torch.ops.onepass.sort(x, dim, descending)
    The items in order, and their indices. The gradient goes back to where the items were.
torch.ops.onepass.top_k(x, k, dim, largest, sorted)
    The k largest or smallest items, and their indices. The gradient goes back to where the items were.
torch.ops.onepass.segment_sum(x, offsets)
    The sum of each segment. The gradient of an item is that of its segment.

They have gradients in reverse mode alone: called directly, they give a tensor with a tangent none. onepass's functions refuse it.
"""
from __future__ import annotations

from ._torch_moves import (
    compress, compress_operator, segment_sum, segment_sum_operator, sort, sort_operator, top_k, top_k_operator,
)
from ._torch_scans import cumsum, cumsum_operator, gradient_operator, linear_recurrence, recurrence_operator

__all__ = [
    "compress", "compress_operator", "cumsum", "cumsum_operator", "gradient_operator", "linear_recurrence",
    "recurrence_operator", "segment_sum", "segment_sum_operator", "sort", "sort_operator", "top_k",
    "top_k_operator",
]
