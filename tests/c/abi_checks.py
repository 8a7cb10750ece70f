# SPDX-License-Identifier: Apache-2.0
"""scripts/abi sees what would break a program that was built before: another type of an argument, another layout of a struct or
a class, another number of an enumerator, a function less."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "primitives/include/onepass"
CHANGES = [  # in which header, what is there, what is there instead
    ("c.h", r"onepass_create_cpu\(int threads", "onepass_create_cpu(long threads"),
    ("c.h", r"  int descending;\n  int begin_bit;", "  int begin_bit;\n  int descending;"),
    ("c.h", r"  int end_bit;\n", "  int end_bit;\n  int more;\n"),
    ("c.h", r"ONEPASS_OK = 0", "ONEPASS_OK = 1"),
    ("c.h", r"ONEPASS_C_API const char\* onepass_version\(void\);", ""),
    ("library.hpp", r"sum, product,", "product, sum,"),
    ("library.hpp", r"float16, bfloat16 }", "bfloat16, float16 }"),
    ("library.hpp", r"  int threads_;\n  void\* stream_;", "  void* stream_;\n  int threads_;"),
    ("library.hpp", r"  int shift = 0;\n  int bits = 8;", "  int bits = 8;\n  int shift = 0;"),
    ("errors.hpp", r"what_\[96\]", "what_[64]"),
]


def main():
    for name, old, new in [("c.h", "", ""), *CHANGES]:
        header = (HEADERS / name).read_text()
        changed = re.sub(old, new, header, count=1) if old else header
        assert (changed != header) == bool(old), old
        with tempfile.TemporaryDirectory() as folder:
            for other in ("c.h", "library.hpp", "errors.hpp", "config.hpp"):
                shutil.copy(HEADERS / other, folder)
            Path(folder, name).write_text(changed)
            run = subprocess.run([ROOT / "scripts/abi", "--headers", folder], capture_output=True, text=True)
        assert run.returncode == bool(old), (old, run.stdout[-500:], run.stderr[-500:])
    print(f"abi checks: {len(CHANGES)} changes seen")


if __name__ == "__main__":
    main()
