# SPDX-License-Identifier: Apache-2.0
"""onepass/c.h through ctypes, as a language without a binding of its own would call it. usage: from_python.py LIBRARY"""
import ctypes
import random
import sys

library = ctypes.CDLL(sys.argv[1])
library.onepass_last_message.restype = ctypes.c_char_p
library.onepass_version.restype = ctypes.c_char_p
INT32, INT64, FLOAT64, SUM = 4, 6, 9, 0

execution = ctypes.c_void_p()


def call(name, *args):
    status = getattr(library, "onepass_" + name)(*args)
    if status != 0:
        raise ValueError(f"{status}: {library.onepass_last_message().decode()}")


random.seed(1)
n = ctypes.c_size_t(5000)
values = [random.randrange(-1000, 1000) for _ in range(n.value)]
x, out, order = (ctypes.c_int32 * n.value)(*values), (ctypes.c_int32 * n.value)(), (ctypes.c_int64 * n.value)()

call("create_cpu", 2, ctypes.byref(execution))
call("inclusive_scan", execution, INT32, x, n, out, None, SUM)
assert list(out) == [sum(values[: i + 1]) for i in range(n.value)]

call("argsort", execution, INT32, x, n, INT64, order, None)
assert list(order) == sorted(range(n.value), key=lambda i: values[i])

flags, count = (ctypes.c_uint8 * n.value)(*(v > 0 for v in values)), ctypes.c_size_t()
call("compact", execution, INT32, x, n, flags, out, ctypes.byref(count))
assert list(out)[: count.value] == [v for v in values if v > 0]


class radix_options(ctypes.Structure):
    _fields_ = [("descending", ctypes.c_int), ("begin_bit", ctypes.c_int), ("end_bit", ctypes.c_int)]


keys = (ctypes.c_double * n.value)(*(v / 8 for v in values))
call("radix_sort", execution, FLOAT64, keys, n, ctypes.byref(radix_options(1, 0, -1)))
assert list(keys) == sorted((v / 8 for v in values), reverse=True)

largest, indices = (ctypes.c_int32 * 10)(), (ctypes.c_int64 * 10)()
call("top_k", execution, INT32, x, n, None, ctypes.c_size_t(10), largest, INT64, indices, None)
assert list(indices) == sorted(range(n.value), key=lambda i: -values[i])[:10]
assert list(largest) == [values[i] for i in indices]


class segments(ctypes.Structure):
    _fields_ = [("row_length", ctypes.c_int64), ("offsets", ctypes.c_void_p), ("offset_count", ctypes.c_size_t)]


medians = (ctypes.c_int32 * 5)()
call("nth_element", execution, INT32, x, n, ctypes.byref(segments(1000, None, 0)), ctypes.c_size_t(500), medians)
assert list(medians) == [sorted(values[i : i + 1000])[500] for i in range(0, n.value, 1000)]

try:
    call("radix_sort", execution, INT32, None, n, None)
except ValueError as error:
    assert "radix_sort: keys is null" in str(error), error
else:
    raise AssertionError("a null pointer was taken")
library.onepass_destroy(execution)
print("onepass", library.onepass_version().decode(), "from Python: passed")
