# SPDX-License-Identifier: Apache-2.0
"""The workflow files for a public host: they are YAML that yamllint accepts, every step calls a script that is there with
options that the script names. Their format is checked by
`check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml`, which is PyPI's.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = "{extends: default, rules: {line-length: {max: 200}, document-start: disable}}"


def main():
    files = sorted((ROOT / ".github/workflows").glob("*.yml"))
    failures = [] if files else ["there is no workflow"]
    lint = subprocess.run(["yamllint", "--strict", "-d", RULES, *files], capture_output=True, text=True)
    if lint.returncode:
        failures.append(lint.stdout + lint.stderr)
    calls = 0
    for path in files:
        for script, rest in re.findall(r"(?<![\w/])((?:scripts/|\.ci/)\w+)([^\n]*)", path.read_text()):
            calls += 1
            if not (ROOT / script).exists():
                failures.append(f"{path.name}: calls {script}, which is not there")
                continue
            text = (ROOT / script).read_text()
            for option in re.findall(r" (--[a-z-]+)", rest):
                if option not in text:
                    failures.append(f"{path.name}: calls {script} with {option}, which it does not have")
    if calls < 5:
        failures.append(f"workflows call {calls} scripts only")
    for failure in failures:
        print(failure)
    print(f"workflows: {len(files)} files, {calls} calls of scripts, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
