# SPDX-License-Identifier: Apache-2.0
"""How much a reader has to read to follow a call from its public header to the kernel and back.

reading.py [--files] prints for each call of CALLS how many files and lines that are, and exits 1 where they are more than
the budget. Counted is everything behind the call's dispatch file but for the public face, what SUPPORT names (arguments,
policies, memory, launches, loads and shuffles: what a reader takes as given), and the folders that the call does not go through.
"""
import sys
from pathlib import Path

from tree import PUBLIC, Tree

SUPPORT = ("core/support/", "core/execution/", "core/cuda/runtime/", "core/cuda/io/")
# The call, its dispatch file, what its way does not go through, and the budget in files and lines.
CALLS = [
    ("inclusive_scan, CUDA, tile driver", "primitives/scan/scan_dispatch.hpp",
     ("core/cpu/", "core/cuda/pipeline/"), 12, 1600),
    ("copy_if, CUDA", "primitives/compact/compact_dispatch.hpp",
     ("core/cpu/", "primitives/compact/cpu/"), 18, 2500),
    ("radix_sort of 2^28 uint32 keys, CUDA", "primitives/radix_sort/sort_dispatch.hpp",
     ("core/cpu/", "primitives/radix_sort/cpu/", "primitives/radix_sort/cuda/small/", "primitives/radix_sort/cuda/segmented/",
      "primitives/radix_sort/cuda/msd_first/bucket_ties.cuh", "primitives/radix_sort/cuda/msd_first/choose_digits.cuh",
      "primitives/radix_sort/cuda/msd_first/fix_ties.cuh", "primitives/radix_sort/cuda/msd_first/fix_many_ties.cuh", "primitives/radix_sort/cuda/onesweep/few_tiles.cuh",
      "primitives/radix_sort/cuda/onesweep/frequent_digits.cuh", "primitives/radix_sort/cuda/onesweep/index_output.cuh",
      "primitives/radix_sort/cuda/msd_first/long_ranges.cuh", "primitives/radix_sort/gather_by_index.hpp",
      "primitives/radix_sort/cuda/counting/", "primitives/radix_sort/struct_keys/"), 20, 3000),
    ("reduce_by_key, CUDA", "primitives/segmented_reduce/run_reduce_dispatch.hpp",
     ("core/cpu/", "primitives/segmented_reduce/cpu/"), 24, 3200),
]


def behind(tree, start, cut):
    """The files that a reader opens, from `start` on."""
    seen, open_files = [], [start]
    while open_files:
        name = open_files.pop()
        if name in seen or name.startswith((PUBLIC,) + SUPPORT + cut):
            continue
        seen.append(name)
        open_files += [target for _, target in tree.includes(name) if target]
    return sorted(seen)


def main():
    tree = Tree(Path(__file__).resolve().parents[2])
    over = 0
    for call, start, cut, most_files, most_lines in CALLS:
        files = behind(tree, start, cut)
        lines = {name: len(tree.text(name).splitlines()) for name in files}
        is_over = len(files) > most_files or sum(lines.values()) > most_lines
        over += is_over
        print(f"{call}: {len(files)} files, {sum(lines.values())} lines (budget: {most_files}, {most_lines})"
              + (" OVER" if is_over else ""))
        if "--files" in sys.argv:
            for name in files:
                print(f"  {lines[name]:4} {name}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
