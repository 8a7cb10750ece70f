# SPDX-License-Identifier: Apache-2.0
"""Tensors on CUDA: streams, memory, graphs, and that nothing waits that need not. Results are compared in test_torch.py."""
import pytest

import onepass

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not (onepass.info()["device"] and torch.cuda.is_available()), reason="no CUDA device")


@pytest.fixture
def x():
    return torch.randn(1 << 22, device="cuda")


def test_calls_run_in_the_current_stream_and_do_not_wait(x):
    onepass.cumsum(x)
    onepass.compress(x, x > 0, size=1000)
    onepass.histogram(x, 9, range=(-3, 3))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        result = onepass.cumsum(x)
        padded = onepass.compress(x, x > 0, size=1000)
        counts, _ = onepass.histogram(x, 9, range=(-3, 3))
        assert not stream.query(), "a call waited"
    torch.cuda.synchronize()
    torch.testing.assert_close(result.double(), torch.cumsum(x.double(), 0), rtol=1e-3, atol=1e-1)
    assert torch.equal(padded, x[x > 0][:1000])
    assert torch.equal(counts.cpu(), onepass.histogram(x.cpu(), 9, range=(-3, 3))[0])


def test_memory_is_pytorchs_and_none_is_kept(x):
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    order = onepass.argsort(x)
    assert torch.cuda.max_memory_allocated() - before > 2 * order.numel() * 8, "memory of the call was not PyTorch's"
    assert torch.cuda.memory_allocated() - before == order.numel() * 8, "memory was kept"


def test_graph(x):
    still = x.clone()
    onepass.sort(still)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = onepass.sort(still)
        sums = onepass.cumsum(still)
    for given in (x, -x):
        still.copy_(given)
        graph.replay()
        assert torch.equal(captured, torch.sort(given).values)
        assert torch.equal(sums, onepass.cumsum(given))


def test_graph_of_axes_recurrences_numbers_and_histograms(x):
    a, b = x[:1 << 20].view(-1, 256).sigmoid(), x[1 << 20:1 << 21].view(-1, 256).clone()

    def results():
        return (onepass.cumsum(b, axis=0), onepass.cumsum(b, reverse=True), onepass.linear_recurrence(a, b),
                onepass.linear_recurrence(a, b, axis=0, reverse=True), onepass.scan(b, init=2),
                *onepass.histogram(b, 9, range=(-3, 3)))

    results()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = results()
    for scale in (1, -3):
        b.mul_(scale)
        graph.replay()
        for one, other in zip(captured, results()):
            assert torch.equal(one, other)


def test_a_short_scan_allocates_its_result_alone(x):
    def allocations(call):
        before = torch.cuda.memory_stats()["allocation.all.allocated"]
        result = call()
        return torch.cuda.memory_stats()["allocation.all.allocated"] - before, result

    short = x[:500]
    for call in (lambda: onepass.cumsum(short), lambda: onepass.cummax(short), lambda: onepass.cumsum(short > 0)):
        call()
    assert allocations(lambda: onepass.cumsum(short))[0] == 1
    assert allocations(lambda: onepass.cummax(short))[0] == 1


def test_the_same_bits_in_every_run(x):
    assert len({onepass.cumsum(x).cpu().numpy().tobytes() for _ in range(100)}) == 1


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one CUDA device")
def test_the_tensors_device_is_used(x):
    other = x.to("cuda:1")
    result = onepass.cumsum(other)
    assert result.device == other.device and torch.cuda.current_device() == 0
    assert torch.equal(result.cpu(), onepass.cumsum(x).cpu())
    with pytest.raises(ValueError, match="^onepass.compress: mask is on cuda:0, not on cuda:1"):
        onepass.compress(other, x > 0)


def test_no_memory():
    """PyTorch's own error, and the input as it was."""
    large = torch.zeros(150_000_000, dtype=torch.int32, device="cuda")
    order = torch.empty(large.numel(), dtype=torch.int64, device="cuda")
    hog = torch.empty(max(torch.cuda.mem_get_info()[0] - (600 << 20), 1), dtype=torch.uint8, device="cuda")
    try:
        code = onepass._core.TYPES.index("int32")
        from onepass._torch_arrays import TORCH

        with pytest.raises(torch.OutOfMemoryError):
            onepass._core.argsort(TORCH.where(large), large.data_ptr(), large.numel(), order.data_ptr(), code, 8, False)
    finally:
        del hog
        torch.cuda.empty_cache()
    assert not large.any()
    assert torch.equal(onepass.argsort(large), torch.arange(large.numel(), device="cuda"))
