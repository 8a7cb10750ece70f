# SPDX-License-Identifier: Apache-2.0
"""The programs of python/examples, with small inputs."""
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def test_selective_scan():
    """Both ways have the same losses, or the program fails; and the loss falls."""
    pytest.importorskip("torch")
    options = "--length 48 --batch 4 --channels 4 --states 2 --steps 30 --loop-steps 8".split()
    run = subprocess.run([sys.executable, EXAMPLES / "selective_scan.py", *options], capture_output=True, text=True, check=True)
    first, last = map(float, re.search(r"loss: ([\d.]+) to ([\d.]+) in 30 steps", run.stdout).groups())
    assert last < 0.9 * first


@pytest.mark.parametrize("number", ["0", "-1", "x"])
def test_selective_scan_refuses(number):
    pytest.importorskip("torch")
    run = subprocess.run([sys.executable, EXAMPLES / "selective_scan.py", "--steps", number], capture_output=True, text=True)
    assert run.returncode == 2 and "argument --steps" in run.stderr
