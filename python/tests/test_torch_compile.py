# SPDX-License-Identifier: Apache-2.0
"""torch.compile of every function: what has no operator runs outside the graph, on tensors that are still there. And what
torch.jit.trace and make_fx record: the operators alone."""
import pytest

import onepass

torch = pytest.importorskip("torch")
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from test_torch import DEVICES  # noqa: E402

pytestmark = pytest.mark.parametrize("device", DEVICES)


def bounds(x, *values):
    return torch.tensor(values, device=x.device)


CALLS = {
    "argsort": onepass.argsort,
    "argsort, rows": lambda x: onepass.argsort(x.view(100, -1), axis=0),
    "cummax": onepass.cummax,
    "cummin": lambda x: onepass.cummin(x, reverse=True),
    "cumprod": lambda x: onepass.cumprod(x.sign()),
    "cumsum": onepass.cumsum,
    "cumsum, out": lambda x: onepass.cumsum(x, out=torch.empty_like(x)),
    "scan, init": lambda x: onepass.scan(x, init=3.0, exclusive=True),
    "scan, keys": lambda x: onepass.scan(x, keys=(x > 0).long()),
    "scan, segments": lambda x: onepass.scan(x, "max", segments=bounds(x, 0, 40, 5000), reverse=True),
    "sort": onepass.sort,
    "sort_by_key": lambda x: onepass.sort_by_key(x, -x),
    "sort_by_key, rows": lambda x: onepass.sort_by_key(x.view(100, -1), x.view(100, -1).half()),
    "top_k": lambda x: onepass.top_k(x, 20),
    "nth_element": lambda x: onepass.nth_element(x, 20),
    "nth_element, rows": lambda x: onepass.nth_element(x.view(100, -1), 3, 0),
    "unique": lambda x: onepass.unique((x * 9).long(), return_index=True, return_inverse=True, return_counts=True),
    "unique alone": lambda x: onepass.unique((x * 9).long()),
    "unique_consecutive": lambda x: onepass.unique_consecutive(x.long(), return_inverse=True, return_counts=True),
    "reduce_by_key": lambda x: onepass.reduce_by_key(x.long(), x),
    "reduce_by_key, floats": lambda x: onepass.reduce_by_key(x.round(), x, "max"),
    "segment_reduce": lambda x: onepass.segment_reduce(x, bounds(x, 0, 9, 3000)),
    "segment_reduce, max": lambda x: onepass.segment_reduce(x, bounds(x, 0, 9, 3000), "max"),
    "segment_reduce, init": lambda x: onepass.segment_reduce(x.half(), bounds(x, 0, 9, 3000), init=3.0),
    "histogram": lambda x: onepass.histogram(x, 3),
    "histogram, range": lambda x: onepass.histogram(x, 3, range=(0, 3)),
    "histogram, edges": lambda x: onepass.histogram(x, bounds(x, 0.0, 1.0, 2.0)),
    "histogram, values": lambda x: onepass.histogram((x * 10).long(), 10, range=(0, 10)),
    "compress": lambda x: onepass.compress(x, x > 1),
    "compress, size": lambda x: onepass.compress(x, x > 1, size=5000, fill=-1),
    "partition": lambda x: onepass.partition(x, x > 1),
    "nonzero": lambda x: onepass.nonzero(x > 1),
    "nonzero, size": lambda x: onepass.nonzero(x > 1, size=300),
    "linear_recurrence": lambda x: onepass.linear_recurrence(x.sigmoid(), x, init=2.0),
}


def test_every_function_is_here(device):
    others = {"CudaError", "info", "release_workspace"}
    assert {name.split(",")[0].split(" ")[0] for name in CALLS} == set(onepass.__all__) - others


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", CALLS)
def test_compiled(device, name, backend):
    call = CALLS[name]
    x = torch.randn(10000, generator=torch.Generator().manual_seed(1)).to(device)
    torch._dynamo.reset()
    compiled = torch.compile(call, backend=backend)
    expected = call(x)
    for _ in range(3):
        torch.testing.assert_close(compiled(x), expected, rtol=0, atol=0)


@pytest.mark.parametrize("init", [2, 2.5, True, 1e300])
def test_numbers_break_no_graph(device, init):
    torch._dynamo.reset()
    x = torch.arange(1.0, 6.0, device=device) / 8
    compiled = torch.compile(lambda x: onepass.linear_recurrence(x, x, init=init), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), onepass.linear_recurrence(x, x, init=init), rtol=0, atol=0)


# What has an operator, which stands in a graph.
OPERATORS = ["compress", "cumsum", "linear_recurrence", "segment_reduce", "sort", "top_k"]
RECORDERS = {
    "torch.jit.trace": lambda call, x: torch.jit.trace(call, (x,)),
    "make_fx": lambda call, x: make_fx(lambda x: call(x))(x),
    "make_fx, pre_dispatch": lambda call, x: make_fx(lambda x: call(x), pre_dispatch=True)(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("recorder", RECORDERS)
@pytest.mark.parametrize("name", CALLS)
def test_recorded(device, name, recorder):
    """The trace has the operators, also where a gradient is recorded. What has none is refused: its trace would return memory
    that nobody writes to."""
    call, record = CALLS[name], RECORDERS[recorder]
    x, other = torch.randn(2, 10000, generator=torch.Generator().manual_seed(1)).to(device)
    if name not in OPERATORS:
        function = name.split(",")[0].split(" ")[0]
        with pytest.raises(TypeError, match=f"^onepass.{function}: .* is recorded by torch.jit.trace or make_fx"):
            record(call, x)
        return
    for given in (x, x.clone().requires_grad_()):
        torch.testing.assert_close(record(call, given)(other), call(other), rtol=0, atol=0)


def test_a_compiled_gradient_is_refused_where_there_is_none(device):
    torch._dynamo.reset()
    x = torch.randn(10, device=device, requires_grad=True)
    with pytest.raises(TypeError, match="^onepass.cummax: x requires a gradient"):
        torch.compile(lambda x: onepass.cummax(x * 2), backend="eager")(x)


@pytest.mark.parametrize("call", [
    lambda x: onepass.top_k(x, 1)[0],
    lambda x: onepass.compress(x, x > 0),
    lambda x: onepass.cumsum(x, reverse=True),
    lambda x: onepass.segment_reduce(x, bounds(x, 0, 1)),
    lambda x: onepass.linear_recurrence(x, x),
])
def test_operators_run_while_something_is_compiled(device, call, monkeypatch):
    """PyTorch's flag for that is one for all threads; and it runs operators of constants itself meanwhile."""
    x = torch.tensor([3.0], device=device)
    expected = call(x)
    monkeypatch.setattr(torch.compiler, "_is_compiling_flag", True)
    assert torch.compiler.is_compiling()
    torch.testing.assert_close(call(x), expected)


@pytest.mark.skipif(torch.__version__.startswith("2.5."), reason="PyTorch 2.5 has no graph of it")
def test_as_many_segments_as_are_found_out(device):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        function = torch.compile(lambda x, mask: onepass.segment_reduce(x, onepass.compress(torch.arange(4, device=device), mask)),
                                 fullgraph=True, backend="aot_eager")
        x, mask = torch.tensor([1.0, 2.0, 4.0], device=device), torch.tensor([True, False, True, True], device=device)
        torch.testing.assert_close(function(x, mask), torch.tensor([3.0, 4.0], device=device))
