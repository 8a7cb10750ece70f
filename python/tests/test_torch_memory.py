# SPDX-License-Identifier: Apache-2.0
"""Tensors without memory of their own, and those of which PyTorch keeps a tangent: refused where no operator takes them."""
import numpy as np
import pytest

import onepass
from onepass import _core
from onepass._arrays import TYPES

torch = pytest.importorskip("torch")
import torch.autograd.forward_ad as forward  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

from onepass._torch_arrays import TORCH  # noqa: E402

ONES = torch.ones(6)
# Per function and argument that is looked at: the call. x is of six floats.
CALLS = {
    "argsort: x": onepass.argsort,
    "nth_element: x": lambda x: onepass.nth_element(x, 2),
    "unique: x": onepass.unique,
    "unique_consecutive: x": onepass.unique_consecutive,
    "nonzero: x": onepass.nonzero,
    "partition: x": lambda x: onepass.partition(x, torch.ones(6, dtype=torch.bool)),
    "compress: x": lambda x: onepass.compress(x, torch.ones(6, dtype=torch.bool), size=4),
    "histogram: x": lambda x: onepass.histogram(x, 3, range=(0, 1)),
    "histogram: bins": lambda x: onepass.histogram(ONES, x),
    "cummax: x": onepass.cummax,
    "scan: x": lambda x: onepass.scan(x, init=1),
    "sort_by_key: keys": lambda x: onepass.sort_by_key(x, ONES),
    "sort_by_key: values": lambda x: onepass.sort_by_key(ONES, x),
    "segment_reduce: x": lambda x: onepass.segment_reduce(x, torch.tensor([0, 1, 3]), "max"),
    "reduce_by_key: values": lambda x: onepass.reduce_by_key(ONES, x),
}
# The functions with an operator, which takes tensors without memory, but knows nothing of tangents.
OPERATORS = {
    "cumsum: x": onepass.cumsum,
    "cumsum: x, reverse": lambda x: onepass.cumsum(x, reverse=True),
    "sort: x": onepass.sort,
    "top_k: x": lambda x: onepass.top_k(x, 2),
    "compress: x, all": lambda x: onepass.compress(x, torch.ones(6, dtype=torch.bool)),
    "segment_reduce: x, sums": lambda x: onepass.segment_reduce(x, torch.tensor([0, 1, 3])),
    "linear_recurrence: a": lambda x: onepass.linear_recurrence(x, ONES),
    "linear_recurrence: b": lambda x: onepass.linear_recurrence(ONES, x),
    "linear_recurrence: init": lambda x: onepass.linear_recurrence(torch.ones(6, 2), torch.ones(6, 2), init=x),
}


def refused(name, what):
    return pytest.raises(TypeError, match=f"^onepass.{name.split(',')[0]} {what}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_no_memory(name):
    with FakeTensorMode(), refused(name, "has no memory"):
        CALLS[name](torch.empty(6))
    with refused(name, "has no memory"):
        torch.vmap(CALLS[name])(torch.ones(2, 6))
    with refused(name, "has no memory"):
        CALLS[name](torch._efficientzerotensor(6))
    with refused(name, "is not dense"):
        CALLS[name](torch.nested.nested_tensor([torch.ones(2), torch.ones(4)]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
def test_no_memory_and_an_operator(name):
    with refused(name, "has no memory"):
        OPERATORS[name](torch._efficientzerotensor(6))
    for layout in (torch.strided, torch.jagged):
        with refused(name, "is not dense"):
            OPERATORS[name](torch.nested.nested_tensor([torch.ones(2), torch.ones(4)], layout=layout))


def test_offsets_without_memory():
    with refused("segment_reduce: offsets", "has no memory"):
        onepass.segment_reduce(torch.ones(3), torch._efficientzerotensor(3, dtype=torch.int64))
    with refused("scan: segments", "has no memory"):
        onepass.scan(torch.ones(3), segments=torch._efficientzerotensor(3, dtype=torch.int64))


@pytest.mark.filterwarnings("ignore")
def test_quantized():
    x = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)
    for name, call in (("compress", lambda x: onepass.compress(x, torch.ones(3, dtype=torch.bool))),
                       ("nonzero", onepass.nonzero), ("sort", onepass.sort)):
        with refused(f"{name}: x", "is quantized"):
            call(x)


@pytest.mark.parametrize("name", [*CALLS, *OPERATORS])
def test_tangents(name):
    call = {**CALLS, **OPERATORS}[name]
    with refused(name, "has a tangent"):
        torch.func.jvp(call, (torch.ones(6),), (torch.ones(6),))
    with refused(name, "has a tangent"), forward.dual_level():
        call(forward.make_dual(torch.ones(6), torch.ones(6)))
    with forward.dual_level():
        torch.testing.assert_close(onepass.cumsum(torch.ones(3)), torch.arange(1.0, 4.0))


def test_a_plain_subclass():
    class Named(torch.Tensor):
        pass

    x = torch.tensor([3.0, 1.0, 2.0])
    for call in (onepass.cummax, onepass.argsort, onepass.unique):
        torch.testing.assert_close(torch.Tensor(call(x.as_subclass(Named))), torch.Tensor(call(x)), check_dtype=False)
    mask, offsets = torch.tensor([True, False, True]), torch.tensor([0, 1, 3])
    kept = onepass.compress(x, mask.as_subclass(Named))
    torch.testing.assert_close(kept.as_subclass(torch.Tensor), torch.tensor([3.0, 2.0]))
    sums = onepass.segment_reduce(x, offsets.as_subclass(Named))
    torch.testing.assert_close(sums.as_subclass(torch.Tensor), torch.tensor([3.0, 3.0]))


def test_an_output_without_items():
    """NumPy gives an empty array strides of 0."""
    x = torch.from_numpy(np.ones((3, 0), np.float32))
    assert onepass.cumsum(x, out=x) is x


def test_null_pointers():
    """The extension looks at nothing where there is nothing."""
    for check in (lambda n: _core.are_offsets(0, n, 9), lambda n: _core.are_bools(0, n), lambda n: _core.has_nan(0, n, 8),
                  lambda n: _core.has_nan(0, n, 9), lambda n: _core.has_nan(0, n, 10)):
        check(0)
        with pytest.raises(ValueError, match="without memory"):
            check(3)


class Device(TorchDispatchMode):
    """Lets operations run on this device alone."""

    def __init__(self, device):
        super().__init__()
        self.device = device

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        assert operation != torch.ops.aten.lift_fresh.default, "a number is copied to the device"
        assert all(x.device.type == self.device for x in tree_leaves(arguments) if isinstance(x, torch.Tensor))
        return operation(*arguments, **(options or {}))


def test_no_copy_to_the_device():
    """On CUDA it would wait, and break the capture of a graph. PyTorch's device without items shows it on every machine."""
    x = torch.empty(5, device="meta")
    with Device("meta"):
        TORCH.combine("sum", x, 2.0)
        assert TORCH.even_edges(x, TYPES["float32"], 0, 1, 4, (0, 1)).device == x.device


@pytest.mark.parametrize("items", [[], [3], [0, 99999], list(range(100000))])
def test_results_have_no_more_memory_than_items(items):
    """What torch.save writes of a tensor is all of its memory."""
    x = torch.zeros(100000)
    x[torch.tensor(items, dtype=torch.int64)] = 1
    for result in (onepass.compress(x, x > 0), onepass.nonzero(x)):
        assert result.shape[0] == len(items)
        assert result.untyped_storage().nbytes() == result.nbytes
