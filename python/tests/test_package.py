# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: what it exports and documents, threads, processes, memory, and how long it takes to import."""
import doctest
import gc
import importlib
import importlib.metadata
import inspect
import multiprocessing
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import onepass

FUNCTIONS = [name for name in onepass.__all__ if inspect.isfunction(getattr(onepass, name))]
X = np.arange(300000)
SUMS = np.cumsum(X)


def test_examples():
    names = [module.name for module in pkgutil.iter_modules(onepass.__path__, "onepass.")
             if all(library not in module.name for library in ("torch", "jax", "cupy"))]
    attempted = 0
    for name in ["onepass", *names]:
        results = doctest.testmod(importlib.import_module(name))
        assert results.failed == 0
        attempted += results.attempted
    assert attempted > 2 * len(FUNCTIONS)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_of_documents(page):
    """Lines EXPRESSION  # NUMBERS of blocks of Python."""
    text = pathlib.Path(__file__).parents[2].joinpath(page).read_text()
    checked = 0
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        names = {}
        for line in re.split("import torch|import jax", block)[0].splitlines():  # tensors of the examples are on CUDA
            code, _, numbers = line.partition("  # ")
            if numbers:
                np.testing.assert_array_equal(eval(code.strip(), names), np.array(numbers.split(), int))
                checked += 1
            else:
                exec(code, names)
    assert checked >= 4


@pytest.mark.parametrize("name", FUNCTIONS)
def test_documentation(name):
    text = inspect.getdoc(getattr(onepass, name))
    assert ">>> " in text
    assert name in ("info", "release_workspace") or "Returns" in text or "whose arguments it has" in text
    assert inspect.signature(getattr(onepass, name)).return_annotation is not inspect.Signature.empty


def test_types_are_installed():
    folder = pathlib.Path(onepass._core.__file__).parent
    assert (folder / "py.typed").exists()
    assert "def scan(" in (folder / "_core.pyi").read_text()


def test_info():
    info = onepass.info()
    assert info["version"] == onepass.__version__ == importlib.metadata.version("onepass")
    assert info["threads"] >= 1
    assert info["cuda"] or not info["device"]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process cannot choose its cores here")
def test_threads_are_those_that_the_process_may_use():
    program = "import os, onepass; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]);" \
        "print(onepass.info()['threads'])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "1\n"


def test_import_brings_numpy_alone():
    program = "import sys, onepass; print(sorted({name.partition('.')[0] for name in sys.modules} & {'torch', 'jax', 'cupy'}))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_gil_is_released():
    """Another thread runs in the midst of a call."""
    x = np.random.default_rng(1).standard_normal(3_000_000)
    seen, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            seen.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(5):
            items = x.copy()
            start = time.perf_counter()
            onepass._core.sort(None, items, x.size, onepass._core.TYPES.index("float64"), False)
            end = time.perf_counter()
            if any(start + (end - start) / 4 < moment < end - (end - start) / 4 for moment in seen):
                return
    finally:
        stop.set()
        thread.join()
    pytest.fail("no other thread has run")


def test_threads():
    results = [None] * 8

    def work(i):
        for _ in range(10):
            results[i] = onepass.cumsum(X)
            np.testing.assert_array_equal(onepass.sort(X[::-1]), X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, SUMS)


def _sums_are_right(_):
    return bool((onepass.cumsum(X) == SUMS).all() and (onepass.sort(X[::-1]) == X).all())


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes(method):
    """Also where the parent has made calls on all cores before."""
    assert _sums_are_right(None)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(_sums_are_right, range(4)).get(timeout=120) == [True] * 4


def test_arrays_are_given_back():
    x = np.arange(1000)
    before = sys.getrefcount(x)
    for _ in range(100):
        onepass.cumsum(x)
        onepass.sort(x)
        onepass.compress(x, x > 5)
    gc.collect()
    assert sys.getrefcount(x) == before


def test_the_same_bits_in_every_run():
    x = np.random.default_rng(1).standard_normal(1_000_003).astype("f4")
    first = onepass.cumsum(x)
    for _ in range(10):
        assert onepass.cumsum(x).tobytes() == first.tobytes()


def test_read_only_input():
    x = np.arange(10)
    x.flags.writeable = False
    np.testing.assert_array_equal(onepass.cumsum(x), np.cumsum(x))
    np.testing.assert_array_equal(onepass.sort(x), x)
    assert onepass.sort(x).flags.writeable


@pytest.mark.skipif(onepass.info()["cuda"], reason="this build has CUDA")
def test_cuda_that_is_not_built_in():
    stream = onepass._core.CudaStream(0, 0, lambda device: device, lambda size: 0, lambda address: None)
    x = np.arange(10)
    with pytest.raises(ValueError, match="built without CUDA"):
        onepass._core.scan(stream, x, 10, x, onepass._core.TYPES.index("int64"), 0, False, None)
    np.testing.assert_array_equal(x, np.arange(10))


class _CudaArray:
    __cuda_array_interface__ = {"shape": (3,), "typestr": "<i4", "data": (256, False), "version": 3}


class _Learned:
    """As PyTorch's tensors on CUDA that require a gradient."""

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")


@pytest.mark.parametrize("array", [_CudaArray(), _Learned()])
def test_cuda_arrays_of_other_libraries(array):
    with pytest.raises(TypeError, match="^onepass.sort: x is a CUDA array"):
        onepass.sort(array)
    with pytest.raises(TypeError, match="^onepass.sort_by_key: values is a CUDA array"):
        onepass.sort_by_key(np.ones(3), array)


def test_memory_of_buffers():
    """_core looks at memory by itself: what it cannot take is an error, and not a crash."""
    x = np.arange(10)
    code = onepass._core.TYPES.index("int64")
    for wrong in (x[::2], object(), "text"):
        with pytest.raises((TypeError, ValueError, BufferError)):
            onepass._core.scan(None, wrong, 5, x.copy(), code, 0, False, None)
    frozen = np.arange(10)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        onepass._core.scan(None, x, 10, frozen, code, 0, False, None)
    np.testing.assert_array_equal(frozen, np.arange(10))


def test_a_short_call_is_quick():
    """Some microseconds; the bound is for a machine that does other things, too."""
    x = np.arange(1000)
    best = min(_seconds(lambda: onepass.cumsum(x)) for _ in range(2000))
    assert best < 100e-6


def _seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@pytest.mark.skipif(sys.platform == "win32", reason="threads end otherwise there")
def test_daemon_threads_in_calls_when_python_ends():
    program = """
import threading, time
import numpy as np, onepass
x = np.arange(200000.0)[::-1].copy()
def work():
    while True:
        onepass.sort(x)
        onepass.cumsum(x)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
        assert (run.returncode, run.stderr) == (0, "")


def test_libraries_that_are_being_imported(monkeypatch):
    # Another thread may be importing them: then they are there, and have nothing yet.
    for name in ("torch", "jax", "cupy"):
        monkeypatch.setitem(sys.modules, name, type(sys)(name))
    assert onepass.cumsum([1, 2, 3]).tolist() == [1, 3, 6]
    assert onepass.compress(np.arange(3), [True, False, True]).tolist() == [0, 2]
