#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a layer with Mamba's recurrence, h[t] = exp(dt[t] A) h[t - 1] + dt[t] B[t] x[t], y[t] = C[t] h[t], to remember marked
numbers of a sequence, once with onepass.linear_recurrence and once with the plain loop over time. Both losses have to be the
same. Prints the time of a step and the losses, and draws them.

selective_scan.py [--length 256] [--batch 16] [--channels 16] [--states 8] [--steps 40] [--loop-steps 40] [--picture FILE.png]
"""
import argparse
import math
import time

import torch

import onepass


def recurrence_by_loop(a, b):
    """Along axis 1."""
    h, results = torch.zeros_like(b[:, 0]), []
    for t in range(b.shape[1]):
        h = a[:, t] * h + b[:, t]
        results.append(h)
    return torch.stack(results, 1)


class SelectiveScan(torch.nn.Module):
    """Inputs and outputs have the shape (batch, length, 2) and (batch, length)."""

    def __init__(self, channels, states, recurrence):
        super().__init__()
        self.recurrence = recurrence
        self.into = torch.nn.Linear(2, channels)
        self.step = torch.nn.Linear(2, channels)
        self.weights = torch.nn.Linear(2, 2 * states)
        self.log_a = torch.nn.Parameter(torch.log(torch.arange(1.0, states + 1)).repeat(channels, 1))
        self.out = torch.nn.Linear(channels, 1)

    def forward(self, u):
        x, dt = self.into(u), torch.nn.functional.softplus(self.step(u))
        b, c = self.weights(u).chunk(2, -1)
        a = torch.exp(-dt[..., None] * self.log_a.exp())  # (batch, length, channels, states)
        h = self.recurrence(a, (dt * x)[..., None] * b[:, :, None])
        return self.out((h * c[:, :, None]).sum(-1)).squeeze(-1)


def batch_of(size, length, generator, device):
    """Random numbers, some marked; the answer at each time is the last marked number."""
    values = torch.rand(size, length, generator=generator)
    marked = torch.rand(size, length, generator=generator) < 0.1
    marked[:, 0] = True
    last = torch.where(marked, torch.arange(length), 0).cummax(1).values
    return torch.stack([values, marked.float()], -1).to(device), values.gather(1, last).to(device)


def train(recurrence, options, steps, device):
    """The losses, and the median of the seconds of a step."""
    torch.manual_seed(1)
    layer = SelectiveScan(options.channels, options.states, recurrence).to(device)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.01)
    generator, losses, seconds = torch.Generator().manual_seed(2), [], []
    for _ in range(steps):
        u, answer = batch_of(options.batch, options.length, generator, device)
        begin = time.perf_counter()
        loss = (layer(u) - answer).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # waits for the device
        seconds.append(time.perf_counter() - begin)
    return losses, sorted(seconds)[len(seconds) // 2]


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def draw(file, ours, theirs):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot(ours, label="onepass.linear_recurrence")
    axes.plot(theirs, "--", label="plain loop")
    axes.set_xlabel("step")
    axes.set_ylabel("mean squared error")
    axes.legend()
    figure.savefig(file, dpi=150, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name, number in (("length", 256), ("batch", 16), ("channels", 16), ("states", 8), ("steps", 40), ("loop-steps", 40)):
        parser.add_argument(f"--{name}", type=positive, default=number)
    parser.add_argument("--picture", default="")
    options = parser.parse_args()
    device = "cuda" if onepass.info()["device"] and torch.cuda.is_available() else "cpu"
    ours, our_seconds = train(lambda a, b: onepass.linear_recurrence(a, b, axis=1), options, options.steps, device)
    theirs, loop_seconds = train(recurrence_by_loop, options, options.loop_steps, device)
    worst = max(abs(a - b) / b for a, b in zip(ours, theirs))
    print(f"{device}, batch {options.batch}, length {options.length}, {options.channels} x {options.states} states")
    print(f"a step: onepass {our_seconds * 1e3:.2f} ms, the loop {loop_seconds * 1e3:.2f} ms, {loop_seconds / our_seconds:.1f} times")
    print(f"loss: {ours[0]:.4f} to {ours[-1]:.4f} in {len(ours)} steps; the loop's differ by at most {worst:.1e} of it")
    if options.picture:
        draw(options.picture, ours, theirs)
        print(f"picture: {options.picture}")
    if not all(map(math.isfinite, ours + theirs)):
        raise SystemExit("a loss is no number")
    if worst > 1e-3:
        raise SystemExit("the losses differ")


if __name__ == "__main__":
    main()
