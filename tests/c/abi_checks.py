# SPDX-License-Identifier: Apache-2.0
"""scripts/abi sees what would break a program that was built before: another type of an argument, another layout of a struct,
another number of an enumerator, a function less."""
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = (ROOT / "primitives/include/onepass/c.h").read_text()
CHANGES = [  # what is there, what is there instead
    (r"onepass_create_cpu\(int threads", "onepass_create_cpu(long threads"),
    (r"  int descending;\n  int begin_bit;", "  int begin_bit;\n  int descending;"),
    (r"  int end_bit;\n", "  int end_bit;\n  int more;\n"),
    (r"ONEPASS_OK = 0", "ONEPASS_OK = 1"),
    (r"ONEPASS_C_API const char\* onepass_version\(void\);", ""),
]


def main():
    for old, new in [("", ""), *CHANGES]:
        changed = re.sub(old, new, HEADER, count=1) if old else HEADER
        assert (changed != HEADER) == bool(old), old
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder, "c.h")
            header.write_text(changed)
            run = subprocess.run([ROOT / "scripts/abi", "--header", header], capture_output=True, text=True)
        assert run.returncode == bool(old), (old, run.stdout[-500:], run.stderr[-500:])
    print(f"abi checks: {len(CHANGES)} changes seen")


if __name__ == "__main__":
    main()
