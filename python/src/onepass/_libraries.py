# SPDX-License-Identifier: Apache-2.0
"""Which library an array belongs to. PyTorch, JAX and CuPy are not imported before an array of
theirs comes."""
from __future__ import annotations

import sys
from typing import Any, Dict

import numpy as np

from ._arrays import is_on_cuda, wrong_type
from ._jax_arrays import JAX
from ._numpy_arrays import NUMPY


# The libraries of arrays that have come, by the array's own type.
KNOWN: Dict[type, Any] = {np.ndarray: NUMPY}


def library_of(function: str, x: Any, *beside: Any) -> Any:
    """The methods for x's library (NumpyArrays, TorchArrays, JaxArrays or CupyArrays). What belongs to none of them is taken as
    NumPy takes it. `beside`: the call's other arrays; where one is JAX's, a NumPy array x becomes JAX's, too, as JAX may be
    tracing the other."""
    known = KNOWN.get(type(x))
    if known is not None:
        if beside and known is NUMPY:
            array = getattr(sys.modules.get("jax"), "Array", ())
            if any(isinstance(other, array) for other in beside):
                return JAX
        return known
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, getattr(torch, "Tensor", ())):
        from ._torch_arrays import TORCH

        KNOWN[torch.Tensor] = TORCH
        return TORCH
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, getattr(jax, "Array", ())):
        KNOWN[type(x)] = JAX
        return JAX
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(x, getattr(cupy, "ndarray", ())):
        from ._cupy_arrays import CUPY

        KNOWN[cupy.ndarray] = CUPY
        return CUPY
    if is_on_cuda(x):
        wrong_type(function, "x", "is a CUDA array of a library that onepass does not know; pass it as a tensor or as a CuPy array")
    return NUMPY
