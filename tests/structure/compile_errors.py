# SPDX-License-Identifier: Apache-2.0
"""Calls that get segments of a kind that they do not take, or a device without nvcc: a compiler's first word about each is the
library's own sentence.

compile_errors.py --cccl DIR [--cxx g++]
"""
import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SORTS = "onepass: sorts and selections take onepass::offsets, onepass::segments or onepass::rows"
SCANS = "onepass: segmented scans take head flags, onepass::offsets, onepass::rows or onepass::columns"
REDUCE = "onepass: segmented_reduce takes head flags, onepass::offsets, onepass::rows or onepass::columns"
REDUCE_ASYNC = "onepass: segmented_reduce_async takes head flags"
NVCC = "onepass: compile this file with nvcc to run it on CUDA"
CALLS = [
    ("three_way_partition_copy(onepass::cuda(), x, x + 9, y, y + 9, y + 18, [](int i) { return i > 0; }, "
     "[](int i) { return i < 0; })", NVCC),
    ("reduce_by_key(onepass::cuda(), x, x + 9, x, y, y + 9)", NVCC),
    ("segmented_reduce(onepass::cuda(), x, x + 9, onepass::offsets(o, o + 2), y)", NVCC),
    ("segmented_sort(onepass::cuda(), x, x + 9, onepass::rows(3))", NVCC),
    ("top_k(onepass::cuda(), x, x + 9, 2, y)", NVCC),
    ("split(onepass::cuda(), x, x + 9, y, [](int i) { return i > 0; })", NVCC),
    ("segmented_sort(x, x + 9, onepass::columns(3))", SORTS),
    ("segmented_sort(x, x + 9, x)", SORTS),
    ("segmented_sort_by_key(onepass::cpu(), x, x + 9, y, onepass::columns(3))", SORTS),
    ("segmented_sort_copy(x, x + 9, y, x)", SORTS),
    ("top_k(x, x + 9, onepass::columns(3), 2, y)", SORTS),
    ("nth_element(x, x + 9, x, 2, y)", SORTS),
    ("inclusive_segmented_scan(x, x + 9, onepass::segments(o, o + 2, o), y)", SCANS),
    ("exclusive_segmented_scan(onepass::cpu(), x, x + 9, onepass::segments(o, o + 2, o), y, 0)", SCANS),
    ("segmented_reduce(x, x + 9, onepass::segments(o, o + 2, o), y)", REDUCE),
    ("segmented_reduce(onepass::cpu(), x, x + 9, onepass::segments(o, o + 2, o), y, onepass::sum())", REDUCE),
    ("segmented_reduce_async(x, x + 9, onepass::offsets(o, o + 2), y, o)", REDUCE_ASYNC),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cccl", required=True, help="folder with CCCL's headers")
    parser.add_argument("--cxx", default="g++")
    options = parser.parse_args()
    compiler = [*shlex.split(options.cxx), "-std=c++17", "-fsyntax-only", f"-I{ROOT / 'primitives/include'}", "-isystem",
                options.cccl, "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (call, sentence) in enumerate(CALLS):
            source = Path(folder, f"call_{number}.cpp")
            source.write_text("#include <onepass/onepass.hpp>\n"
                              f"void call(int* x, int* y, onepass::index_t* o) {{ onepass::{call}; }}\n")
            run = subprocess.run([*compiler, source], capture_output=True, text=True)
            errors = [line for line in run.stderr.splitlines() if "error: " in line]
            if run.returncode == 0 or not errors or sentence not in errors[0]:
                wrong += 1
                print(f"{call}: {errors[0] if errors else 'compiles'}")
    print(f"compile_errors: {len(CALLS)} calls, {wrong} without their sentence")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
