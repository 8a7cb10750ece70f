# SPDX-License-Identifier: Apache-2.0
"""The functions for JAX's arrays, through XLA's foreign function interface. onepass's functions use them where a JAX array comes.

They work under jax.jit, also within other functions, and have the same bits there, but for edges that `histogram` makes from the
items. jax.vmap makes rows of what it maps over, and one call of all rows. Floats have gradients in reverse mode (jax.grad,
jax.vjp) by `cumsum` and sums by `scan`, `linear_recurrence`, `sort`, `sort_by_key`, `top_k`, `compress`, `partition`, and sums by
`segment_reduce` and `reduce_by_key`, and by its keys and the edges that `histogram` makes, also gradients of gradients; other
functions refuse them. What has a length that depends on the items takes `size=` where JAX traces a function, and fills up what
is left. On CUDA calls run in XLA's stream, have their scratch from XLA, and wait for nothing.
"""
from __future__ import annotations

from ._jax_moves import argsort, compress, nonzero, partition, sort, sort_by_key
from ._jax_scans import cummax, cummin, cumprod, cumsum, linear_recurrence, scan, scan_of
from ._jax_segments import histogram, reduce_by_key, segment_reduce, unique, unique_consecutive
from ._jax_top_k import nth_element, top_k

__all__ = [
    "argsort", "compress", "cummax", "cummin", "cumprod", "cumsum", "histogram", "linear_recurrence", "nonzero", "nth_element",
    "partition", "reduce_by_key", "scan", "scan_of", "segment_reduce", "sort", "sort_by_key", "top_k", "unique",
    "unique_consecutive",
]
