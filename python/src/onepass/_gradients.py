# SPDX-License-Identifier: Apache-2.0
"""Rules of gradients that PyTorch's operators and JAX's functions share. They are given the library's own operations."""
from __future__ import annotations

from typing import Any


def next_factors(a: Any, axis: int, reverse: bool, roll: Any) -> Any:
    """The factors with which the gradient of a recurrence's terms is a recurrence in the other direction."""
    return roll(a, 1 if reverse else -1, axis)


def of_factors(h: Any, of_terms: Any, axis: int, reverse: bool, part: Any, pad: Any) -> Any:
    """The gradient of a recurrence's factors: that of its terms times the h before.

    part(x, axis, first, count): these items along an axis. pad(x, axis, before, behind): x with so many zeros more.
    """
    height = h.shape[axis]
    steps = height - 1 if height else 0
    first = 1 if reverse else 0  # the items that have an h before them begin at 1 - first
    product = part(h, axis, first if steps else 0, steps) * part(of_terms, axis, 1 - first if steps else 0, steps)
    added = height - steps
    return pad(product, axis, 0 if reverse else added, added if reverse else 0)


def of_segment_sums(gradient: Any, segment: Any, where: Any, pad: Any) -> Any:
    """The gradient of items of which `segment` says in which segment they are: below 0 or behind the last, in none."""
    count = gradient.shape[0]
    return pad(gradient, 0, 0, 1)[where(segment < 0, count, segment)]
