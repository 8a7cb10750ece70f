# SPDX-License-Identifier: Apache-2.0
"""Scan, compaction, sort, selection, histograms, recurrences and segmented reduction for NumPy, PyTorch, JAX and CuPy
arrays, on CPUs and NVIDIA GPUs.

The result of a call is of its input's kind and on its device. Nothing waits for a GPU but what returns a length, a
histogram without a range or with given edges, and a call that is given a number on the GPU. Floats have the same bits on
every run.
"""
from __future__ import annotations

import importlib
import os
from typing import Any, Dict

from . import _core
from ._core import CudaError
from ._histogram import histogram
from ._recurrence import linear_recurrence
from ._reduce import reduce_by_key, segment_reduce
from ._scan import cummax, cummin, cumprod, cumsum, scan
from ._select import compress, nonzero, partition
from ._sort import argsort, sort, sort_by_key
from ._top_k import nth_element, top_k
from ._unique import unique, unique_consecutive

__version__ = _core.VERSION
__all__ = [
    "CudaError", "argsort", "compress", "cummax", "cummin", "cumprod", "cumsum", "histogram", "info", "linear_recurrence",
    "nonzero", "nth_element", "partition", "reduce_by_key", "release_workspace", "scan", "segment_reduce", "sort",
    "sort_by_key", "top_k", "unique", "unique_consecutive",
]


def release_workspace() -> None:
    """Gives unused memory of onepass on the current CUDA device back to the driver.

    Calls on tensors take their memory from PyTorch and keep none, so there is little: this is for programs that also call
    onepass's C++ library through this package's copy of it. Without CUDA it does nothing.

    Examples
    --------
    >>> import onepass
    >>> onepass.release_workspace()
    """
    _core.release_workspace()


def info() -> Dict[str, Any]:
    """What this build is, and what it runs on.

    Returns
    -------
    dict
        "version"; "cuda", whether it was built with CUDA; "device", whether there is a CUDA device that it can use;
        "threads", how many threads a call on the CPU may use, as the process's first call finds it.

    Examples
    --------
    >>> import onepass
    >>> sorted(onepass.info())
    ['cuda', 'device', 'threads', 'version']
    """
    # Not all cores of the machine may be this process's, as in a container or under taskset.
    threads = len(os.sched_getaffinity(os.getpid())) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {"version": __version__, "cuda": _core.BUILT_WITH_CUDA, "device": _core.has_cuda(), "threads": threads}


def __getattr__(name: str) -> Any:
    """onepass.jax and onepass.torch, which are imported when they are first asked for."""
    if name in ("jax", "torch"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
