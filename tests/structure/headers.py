# SPDX-License-Identifier: Apache-2.0
"""Compiles headers alone: each .hpp with a plain C++ compiler, and where nvcc is given each .cuh too. Left out are those
that another one of these includes before all else, or a source of an app or of the static library: that compiles them
alone. Then all public headers together, as no two may declare the same name. And where nvcc is given the fuzzer's sources,
which it compiles nowhere else without a GPU: they have more types and iterators than the tests.

headers.py --cccl DIR [--cxx g++] [--nvcc nvcc] [--jobs N]
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import INCLUDE, Tree

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core/", "primitives/", "apps/", "tests/support/", "bench/support/", "bench/ladder/")
INCLUDE_DIRS = ("primitives/include", "tests", "bench")
PUBLIC = "primitives/include/onepass/"
NEED_MPI = ("core/exchange/mpi_exchange.hpp", "primitives/include/onepass/mpi.hpp")


def mpi_includes():
    """Where <mpi.h> is, as options, or None where there is no MPI."""
    try:
        shown = subprocess.run(["mpicxx", "-show"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return [option.replace("-I", "-isystem", 1) for option in shlex.split(shown) if option.startswith("-I")]


def first_include(tree, name):
    """The tree's header that `name` includes before all else, under no condition."""
    found = INCLUDE.search(tree.text(name))
    return tree.includes(name)[0][1] if found and "#if" not in tree.text(name)[:found.start()] else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cccl", required=True, help="folder with CCCL's headers")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--nvcc", help="CUDA's compiler; without it only the plain compiler is asked")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    includes = [f"-I{ROOT / folder}" for folder in INCLUDE_DIRS]
    plain = [*shlex.split(options.cxx), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *includes,
             "-isystem", options.cccl, "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
    # To PTX only: it is the device's view of the header, and no assembler or second compiler runs after it.
    device = [options.nvcc, "-std=c++17", "-arch=sm_90", "-ptx", "-o", os.devnull, *includes]
    device_syntax = [*device, "-fdevice-syntax-only", "--extended-lambda"]
    tree = Tree(ROOT)
    headers = [name for name in tree.code({".hpp", ".cuh"}) if name.startswith(FOLDERS)]
    # Sources that are compiled without a precompiled header.
    sources = [name for name in tree.code({".cpp"}) if name.startswith(("apps/", "primitives/library/"))]
    mpi = mpi_includes()
    if mpi is None:
        print(f"headers: no MPI here, so these are not compiled: {', '.join(NEED_MPI)}")
        headers = [name for name in headers if name not in NEED_MPI]
    plain += mpi or []
    first = {first_include(tree, name) for name in headers + sources if not name.endswith(".cuh")}
    jobs = [(plain, [name]) for name in headers if name.endswith(".hpp") and name not in first]
    public = [name for name in tree.code({".hpp"}) if name.startswith(PUBLIC) and (mpi is not None or name not in NEED_MPI)]
    jobs.insert(0, (plain, public))
    if options.nvcc:
        # Not the public headers, which take longest: each stands first in a test that nvcc compiles.
        first = {first_include(tree, name) for name in headers if name.endswith(".cuh")}
        jobs = [(device, [name]) for name in headers if name.endswith(".cuh") and name not in first] + jobs
        jobs.insert(0, (device, [name for name in public if name not in NEED_MPI]))
        jobs += [(device_syntax, [name]) for name in tree.code({".cpp"})
                 if name.startswith("tests/fuzz/") and not name.startswith("tests/fuzz/files/")]

    with tempfile.TemporaryDirectory() as folder:
        def compiles(job):
            compiler, names = job
            name = names[0] if len(names) == 1 else "all public headers"
            suffix = "cpp" if compiler is plain else "cu"
            source = Path(folder, f"{name.replace('/', '_')}.{suffix}")
            # Not a header itself: #pragma once warns there.
            source.write_text("".join(f'#include "{ROOT / included}"\n' for included in names))
            run = subprocess.run([*compiler, source], capture_output=True, text=True)
            if run.returncode:
                first = run.stderr[max(0, run.stderr.find("error") - 200):][:600]
                print(f"{name}, by {compiler[0]}: ...{first}...\n", flush=True)
            return run.returncode == 0

        with ThreadPoolExecutor(options.jobs) as pool:
            failed = len(jobs) - sum(pool.map(compiles, jobs))
    print(f"headers: {len(jobs)} compilations, {failed} failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
