# SPDX-License-Identifier: Apache-2.0
"""The functions as torch.compile calls them where they have no operator: outside its graphs.

A call passes addresses to _core. In a graph that ends there, torch.compile would keep the addresses as numbers, and free the
tensors.
"""
from __future__ import annotations

import torch

from . import _histogram, _reduce, _scan, _select, _sort, _top_k, _unique

argsort = torch.compiler.disable(_sort.argsort)
compress = torch.compiler.disable(_select.compress)
histogram = torch.compiler.disable(_histogram.histogram)
nonzero = torch.compiler.disable(_select.nonzero)
nth_element = torch.compiler.disable(_top_k.nth_element)
partition = torch.compiler.disable(_select.partition)
reduce_by_key = torch.compiler.disable(_reduce.reduce_by_key)
scan_of = torch.compiler.disable(_scan.scan_of)
segment_reduce = torch.compiler.disable(_reduce.segment_reduce)
sort_by_key = torch.compiler.disable(_sort.sort_by_key)
unique = torch.compiler.disable(_unique.unique)
unique_consecutive = torch.compiler.disable(_unique.unique_consecutive)
