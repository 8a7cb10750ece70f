# SPDX-License-Identifier: Apache-2.0
"""Scans without any option, of arrays that can be read as they are: most calls. They skip the checks of _scan.py."""
from __future__ import annotations

import math
from typing import Any, Dict, Optional

from . import _core
from ._arrays import OPERATORS
from ._libraries import KNOWN

# What plain_scan has found out about an item's type and an operator: the type's numbers, and the operator's.
_PLANS: Dict[Any, Any] = {}


def plain_scan(x: Any, op: str, axis: Optional[int]) -> Any:
    """The scan of a contiguous array without any option, if x is one that can be read as it is; otherwise None. For a short
    array the checks in _scan would take longer than the scan."""
    arrays = KNOWN.get(type(x))
    if arrays is None or not arrays.is_plain(x):
        return None
    plan = _PLANS.get((x.dtype, op)) or _plan(arrays, x, op)
    if plan is None:
        return None
    widens, code, of, number, is_bool = plan
    if is_bool:
        x = arrays.as_bools(x)
    dimensions = x.ndim
    if axis is not None and (type(axis) is not int or not -dimensions <= axis < dimensions):
        return None
    columns = axis is not None and dimensions > 1
    if columns and widens:
        return None
    to = arrays.empty(x, x.shape, of) if widens else arrays.empty_like(x)
    where, n = arrays.where(x), arrays.size(x)
    if n == 0:
        pass
    elif columns:
        axis %= dimensions
        _core.scan_by_columns(where, arrays.address(x), n, math.prod(x.shape[axis + 1:]), x.shape[axis],
                              arrays.address(to), code, number, False, None)
    elif widens:
        _core.wide_sum(where, arrays.address(x), n, arrays.address(to), code, False, 0)
    else:
        _core.scan(where, arrays.address(x), n, arrays.address(to), code, number, False, None)
    return to if columns or dimensions == 1 else to.reshape(-1)


def _plan(arrays: Any, x: Any, op: str) -> Any:
    """What _PLANS has for x's type and an operator; None where scan_of has to convert, or to refuse."""
    if not arrays.has_type(x):
        return None
    given = arrays.type_of("scan", "x", x)
    of = arrays.accumulated(given, op)
    widens = op == "sum" and of.is_wide_integer and given.is_narrow_integer
    if not (widens or given is of) or of.kind == "b":
        return None
    plan = _PLANS[x.dtype, op] = (widens, given.code, of, OPERATORS[op], given.kind == "b")
    return plan
