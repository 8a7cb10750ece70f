#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onepass's calls and PyTorch's on a CUDA device, in one process, and prints how many times as fast onepass is.

against_torch.py [--log2-items 28] [--filter TEXT] [--repeats 9] [--json FILE]

Results are compared first where they are exact. A time is the median of `repeats` calls (three, if they
take more than 50 ms), from events of the stream; that of a
short call is the host's for many calls in a row, the best of five rounds. Each result is allocated in each call, on both
sides. A case that fails says so.
"""
import argparse
import json
import time

import_begin = time.perf_counter()
import torch  # noqa: E402

import_torch = time.perf_counter()
import onepass  # noqa: E402

import_end = time.perf_counter()


def short_calls():
    """name, onepass's call, PyTorch's call; 1,000 items"""
    x = torch.randn(1000, device="cuda")
    mask, learned = x > 0, x.clone().requires_grad_()
    yield "cumsum", lambda: onepass.cumsum(x), lambda: torch.cumsum(x, 0)
    yield "cumsum, gradient recorded", lambda: onepass.cumsum(learned), lambda: torch.cumsum(learned, 0)
    yield "cumsum of bool", lambda: onepass.cumsum(mask), lambda: torch.cumsum(mask, 0)
    rows = x.view(10, 100)
    yield "cumsum of 10 rows", lambda: onepass.cumsum(rows), lambda: torch.cumsum(rows, 1)
    yield "cummax", lambda: onepass.cummax(x), lambda: torch.cummax(x, 0)
    yield "sort", lambda: onepass.sort(x), lambda: torch.sort(x)
    yield "argsort", lambda: onepass.argsort(x), lambda: torch.argsort(x, stable=True)
    yield "top_k, 10", lambda: onepass.top_k(x, 10), lambda: torch.topk(x, 10)
    yield "compress", lambda: onepass.compress(x, mask), lambda: torch.masked_select(x, mask)
    yield "nonzero", lambda: onepass.nonzero(mask), lambda: torch.nonzero(mask)


def long_calls(n):
    """name, onepass's call, PyTorch's call, whether their results are the same bits"""
    x = torch.randn(n, device="cuda")
    yield "a copy", None, x.clone, False
    yield "cumsum f32", lambda: onepass.cumsum(x), lambda: torch.cumsum(x, 0), False
    yield ("reverse cumsum f32", lambda: onepass.cumsum(x, reverse=True),
           lambda: torch.flip(torch.cumsum(torch.flip(x, [0]), 0), [0]), False)
    for dtype in (torch.float16, torch.bfloat16):
        short = x.to(dtype)
        name = str(dtype)[6:]
        yield f"cumsum {name}", lambda: onepass.cumsum(short), lambda: torch.cumsum(short, 0), False
        part = short[:n >> 1]
        yield f"sort {name}, half", lambda: onepass.sort(part), lambda: torch.sort(part).values, True
        yield f"top_k {name}, 1000", lambda: onepass.top_k(short, 1000)[0], lambda: torch.topk(short, 1000).values, True
    del short, part
    mask = x > 0
    yield "cumsum bool to i64", lambda: onepass.cumsum(mask), lambda: torch.cumsum(mask, 0), True
    yield "nonzero", lambda: onepass.nonzero(mask), lambda: torch.nonzero(mask), True
    yield "compress f32", lambda: onepass.compress(x, mask), lambda: torch.masked_select(x, mask), True
    del mask
    for rows, length in ((n >> 12, 1 << 12), (1 << 12, n >> 12), (n >> 8, 1 << 8), (n >> 4, 1 << 4)):
        y = x.view(rows, length)
        yield f"cumsum f32 {rows} x {length}", lambda: onepass.cumsum(y), lambda: torch.cumsum(y, 1), False
        if length >= 256:
            yield (f"cumsum f32 {rows} x {length}, axis 0", lambda: onepass.cumsum(y, axis=0),
                   lambda: torch.cumsum(y, 0), False)
    y = x[:n >> 4].view(-1, 4)
    yield f"cumsum f32 {y.shape[0]} x 4, axis 0", lambda: onepass.cumsum(y, axis=0), lambda: torch.cumsum(y, 0), False
    i = torch.randint(-2**31, 2**31 - 1, (n,), device="cuda", dtype=torch.int32)
    yield "cumsum i32 to i64", lambda: onepass.cumsum(i), lambda: torch.cumsum(i, 0), True
    del i
    half = x[:n >> 1]
    yield "sort f32, half", lambda: onepass.sort(half), lambda: torch.sort(half).values, True
    yield "argsort f32, half", lambda: onepass.argsort(half), lambda: torch.argsort(half, stable=True), True
    for k in (10, 1000):
        yield f"top_k f32, {k}", lambda: onepass.top_k(x, k)[0], lambda: torch.topk(x, k).values, True
    y = x.view(-1, 4096)
    yield f"top_k f32, 64 of {y.shape[0]} x 4096", lambda: onepass.top_k(y, 64)[0], lambda: torch.topk(y, 64).values, True
    bytes_ = x.view(torch.uint8)[:n]
    yield ("histogram of bytes; bincount", lambda: onepass.histogram(bytes_, 256, range=(0, 256)),
           lambda: torch.bincount(bytes_, minlength=256), False)
    yield ("histogram f32, 100 bins; histc", lambda: onepass.histogram(x, 100, range=(-4, 4)),
           lambda: torch.histc(x, 100, -4, 4), False)
    del bytes_
    whole = torch.randint(-2**62, 2**62, (n >> 2,), device="cuda")
    yield "argsort i64, a quarter", lambda: onepass.argsort(whole), lambda: torch.argsort(whole, stable=True), True
    del whole
    rows = x[:n >> 2].view(-1, 4096)
    yield f"sort f32 {rows.shape[0]} x 4096", lambda: onepass.sort(rows), lambda: torch.sort(rows, 1).values, True
    a, b = torch.rand(n >> 14, 4096, device="cuda"), torch.randn(n >> 14, 4096, device="cuda")
    # PyTorch's side is no recurrence, but moves as many bytes: the ceiling.
    yield f"recurrence f32 {n >> 14} x 4096; a b + b", lambda: onepass.linear_recurrence(a, b), lambda: torch.addcmul(b, a, b), False
    yield ("the same, axis 0; a b + b", lambda: onepass.linear_recurrence(a, b, axis=0), lambda: torch.addcmul(b, a, b), False)
    learned = [t.requires_grad_() for t in (a.clone(), b.clone())]

    def with_backward():
        torch.autograd.grad(onepass.linear_recurrence(*learned), learned, b)

    yield f"recurrence and backward f32 {n >> 14} x 4096", with_backward, None, False
    lengths = torch.randint(0, 21, (n // 40,), device="cuda")
    ends = torch.cumsum(lengths, 0)
    offsets = torch.cat([ends.new_zeros(1), ends])
    items = x[:int(ends[-1])]
    segment = torch.repeat_interleave(torch.arange(lengths.numel(), device="cuda"), lengths)
    yield ("segment sums f32, mean 10", lambda: onepass.segment_reduce(items, offsets),
           lambda: torch.zeros(lengths.numel(), device="cuda").index_add_(0, segment, items), False)


def time_short(call, calls=2000):
    for _ in range(100):
        call()
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - begin) / calls * 1e6)
    return best


def time_long(call, repeats):
    times = []
    for k in range(repeats + 2):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        if k >= 2:
            times.append(begin.elapsed_time(end) * 1e3)
        if k >= 4 and times[-1] > 5e4:  # a long call needs no more than three
            break
    return sorted(times)[len(times) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2-items", type=int, default=28)
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    n, results = 1 << options.log2_items, []
    device = torch.cuda.get_device_name()
    torch.manual_seed(1)
    print(f"onepass {onepass.__version__}, PyTorch {torch.__version__}, {device}, {n} items; imports: PyTorch "
          f"{import_torch - import_begin:.2f} s, onepass {import_end - import_torch:.3f} s")

    def row(name, items, ours, theirs, is_equal, timer):
        if options.filter not in name:
            return
        try:
            if is_equal and not torch.equal(ours(), theirs()):
                raise AssertionError("results differ")
            a, b = [timer(call) if call else float("nan") for call in (ours, theirs)]
        except Exception as error:
            print(f"{name:40} {items:10} FAILED {error!r}"[:200], flush=True)
            return
        print(f"{name:40} {items:10} {a:12.1f} {b:12.1f} {b / a:8.2f}{' equal' if is_equal else ''}", flush=True)
        results.append({"name": name, "items": items, "onepass_us": a, "torch_us": b})

    print(f"{'':40} {'items':>10} {'onepass, us':>12} {'PyTorch, us':>12} {'times':>8}")
    for name, ours, theirs in short_calls():
        row(name, 1000, ours, theirs, False, time_short)
    for name, ours, theirs, is_equal in long_calls(n):
        row(name, n, ours, theirs, is_equal, lambda call: time_long(call, options.repeats))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": device, "torch": torch.__version__, "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
