# SPDX-License-Identifier: Apache-2.0
"""Tensors as arguments of every kind: numbers with gradients, outputs, no dimension, negative axes, and what is refused."""
import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")
from test_torch import DEVICES, same  # noqa: E402

pytestmark = pytest.mark.parametrize("device", DEVICES)

NUMBERS = {
    "scan: init": lambda x, number: onepass.scan(x, init=number),
    "segment_reduce: init": lambda x, number: onepass.segment_reduce(x, torch.tensor([0, 2], device=x.device), init=number),
    "compress: fill": lambda x, number: onepass.compress(x, x > 1, size=4, fill=number),
    "compress: fill, complex": lambda x, number: onepass.compress(x.to(torch.complex64), x > 1, size=4, fill=number),
    "histogram: range": lambda x, number: onepass.histogram(x, 2, range=(torch.tensor(0.0), number)),
    "scan: init, NumPy": lambda x, number: onepass.scan(np.ones(3), init=number),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_with_a_gradient(device, name):
    """A number would lose it."""
    x, number = torch.arange(4.0, device=device), torch.tensor(2.0, device=device, requires_grad=True)
    with pytest.raises(TypeError, match=f"^onepass.{name.split(',')[0]} requires a gradient"):
        NUMBERS[name](x, number)
    with torch.no_grad():
        NUMBERS[name](x, number)
    NUMBERS[name](x, number.detach())
