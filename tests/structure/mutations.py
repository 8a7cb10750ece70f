# SPDX-License-Identifier: Apache-2.0
"""Every place that tests/mutations.txt names is there: its expression for sed changes the file. scripts/mutate, which breaks
these places, is run now and then, so nobody would soon notice that one is gone.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    rows = [row for row in (ROOT / "tests/mutations.txt").read_text().splitlines() if row and not row.startswith("#")]
    failures = [] if rows else ["the list is empty"]
    for row in rows:
        name, expression = (field.strip() for field in row.split(" | ")[:2])
        path = ROOT / name
        if not path.exists():
            failures.append(f"{name} is not there")
            continue
        changed = subprocess.run(["sed", expression, path], capture_output=True, check=True).stdout
        if changed == path.read_bytes():
            failures.append(f"{name}: {expression} changes nothing")
    print("\n".join(failures) if failures else f"mutations: {len(rows)} places, all there")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
