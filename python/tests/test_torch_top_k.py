# SPDX-License-Identifier: Apache-2.0
"""top_k and nth_element of tensors."""
import pytest

import onepass

torch = pytest.importorskip("torch")
from test_torch import DEVICES, TYPES, UNSIGNED, same, tensor  # noqa: E402

pytestmark = pytest.mark.parametrize("device", DEVICES)


@pytest.mark.parametrize("dtype", [*TYPES, *UNSIGNED])
@pytest.mark.parametrize("shape", [(1025,), (0, 3), (3, 0), (1000, 3), (3, 4000), (2, 3, 4, 5)])
@pytest.mark.parametrize("largest", [False, True])
def test_top_k(device, dtype, shape, largest):
    x = tensor(dtype, shape, device, few=True)
    if dtype.is_floating_point and x.numel() > 3:
        x.view(-1)[x.numel() // 2] = float("nan")
    for axis in range(len(shape)):
        length = shape[axis]
        # As numbers of 64 bits, which torch sorts whatever the type.
        wide = x if dtype.is_floating_point else x.to(torch.int64)
        ordered, order = torch.sort(wide, dim=axis, stable=True, descending=largest)
        for k in {0, min(1, length), length // 2, length}:
            items, indices = onepass.top_k(x, k, axis, largest)
            same(items, ordered.narrow(axis, 0, k).to(dtype).contiguous())
            same(indices, order.narrow(axis, 0, k).contiguous())
            items, indices = onepass.top_k(x, k, axis, largest, sorted=False)
            found = order.narrow(axis, 0, k).sort(axis).values
            same(indices, found.contiguous())
            same(items, torch.take_along_dim(wide, found, axis).to(dtype).contiguous())
        if length and not largest:
            same(onepass.nth_element(x, length // 3, axis), ordered.select(axis, length // 3).to(dtype).contiguous())
