# SPDX-License-Identifier: Apache-2.0
"""The scripts in bash: from any folder they say how they are called, what they write of a command is JSON, and they can tell
whether each package that they need is there."""
import json
import re
import subprocess
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
WRONG = {  # arguments that a script answers by its usage
    "bank_conflicts": "--results", "bench": "--backend", "docs": "all", "fuzz": "--seed", "fuzz_files": "--seconds",
    "gpu": "--steps", "package": "rpm", "python": "--with", "report": "--results", "test": "--preset", "wheel": "rocm",
}


def bash(*command):
    return subprocess.run(["bash", *command], cwd=SCRIPTS, capture_output=True, text=True)


def usages():
    for name, argument in WRONG.items():
        run = bash(name, argument)
        assert run.returncode == 2 and run.stderr.startswith(f"usage: scripts/{name}"), (name, run.returncode, run.stderr)


def commands():
    """As they stand in a file, and where sed puts them into one."""
    command = r'scripts/bench --filter i32\b "a&b" #1'
    for text in ('json_text "$1"', 'sed "s#old#$(json_text "$1" | sed_text)#" <<<old'):
        run = bash("-c", f"source lib/results.sh; {text}", "bash", command)
        assert run.returncode == 0 and json.loads(f'"{run.stdout.strip()}"') == command, (text, run.stdout, run.stderr)


def packages():
    texts = [path.read_text() for path in [*SCRIPTS.iterdir(), SCRIPTS / "lib/setup.sh", SCRIPTS.parent / ".ci/run"] if path.is_file()]
    lines = [line for text in texts if "bash" in text for line in re.findall(r"^[^#\n]*\bneed ((?:[a-z][a-z0-9+.-]* ?)+)", text, re.M)]
    named = sorted({name for line in lines for name in line.split()})
    assert "g++" in named and "doxygen" in named, named
    unknown = bash("-c", 'source lib/setup.sh; for p; do [[ -n $(probe_of "$p") ]] || echo "$p"; done', "bash", *named)
    assert unknown.returncode == 0 and not unknown.stdout, (unknown.stdout, unknown.stderr)


if __name__ == "__main__":
    usages()
    commands()
    packages()
    print(f"shell scripts: {len(WRONG)} usages")
