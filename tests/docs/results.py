# SPDX-License-Identifier: Apache-2.0
"""The tables of measurements: what scripts/table says of a CPU's results alone, and that its check can fail. The
pictures too, where matplotlib is installed. And each ratio in the results is that of two rows beside it."""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE, PICTURES = ROOT / "scripts/table", ROOT / "scripts/lib/pictures.py"


def call(script, *arguments):
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)


def wrong_ratios(content):
    """Ratios to a contender that has no row of that case and size, or one of another time."""
    times = {b["name"]: b["real_time"] for b in content["benchmarks"]}
    for b in content["benchmarks"]:
        case, _, size = b["name"].rsplit("/", 2)
        for key, ratio in b.items():
            peer = "memcpy" if key == "share_of_memcpy" else key.removeprefix("speed_to_")
            if peer != key and abs(times.get(f"{case}/{peer}/{size}", 0) / b["real_time"] / ratio - 1) > 1e-6:
                yield f"{b['name']}: {key}"


def is_of_peer(key):
    return key.startswith("speed_to_") and not key.endswith("_1_thread")


def main():
    for path in sorted((ROOT / "docs/results").glob("*.json")):
        content = json.loads(path.read_text())
        wrong = list(wrong_ratios(content)) if "benchmarks" in content else []
        assert not wrong, (path.name, wrong[:3])
    cpu = [path for path in (ROOT / "docs/results").glob("*_ladder.json") if not path.name.startswith("nvidia")]
    assert cpu, "no results of a CPU's ladder"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(shutil.copy(cpu[0], folder))
        ladder = json.loads(copy.read_text())
        # Results of another program, made of the ladder's: onepass beside its peers.
        peers = [{**b, "name": b["name"].replace("/ladder/", "/scan/")}
                 for b in ladder["benchmarks"] if not b.get("label")]
        scan = pathlib.Path(folder, copy.name.replace("_ladder", "_scan"))
        scan.write_text(json.dumps({**ladder, "benchmarks": peers}))

        written = call(TABLE, "--results", folder)
        assert written.returncode == 0, written.stderr
        page = pathlib.Path(folder, "README.md").read_text()
        for expected in ("### ladder", "### scan", "`hillis_steele` |", "`onepass` |", "| whole/i32 |", "times std"):
            assert expected in page, f"{expected} is not in\n{page}"
        assert "H200" not in page
        # At each size the fastest peer counts. Of the ratios, onepass's and memcpy's own on one thread are to no peer.
        ratios = [[b[key] for key in b if is_of_peer(key)] for b in peers if "/onepass/" in b["name"]]
        fastest = [f"{min(of_size):.2f}" for of_size in ratios]
        shown = re.search(r"^\| whole/i32 \|.*$", page, re.MULTILINE)[0].strip(" |").split(" | ")
        assert len(fastest) > 1 and shown[-len(fastest):] == fastest, (shown, fastest)
        assert call(TABLE, "--check", "--results", folder).returncode == 0

        if importlib.util.find_spec("matplotlib"):
            drawn = call(PICTURES, folder)
            assert drawn.returncode == 0, drawn.stderr
            assert len(list(pathlib.Path(folder).glob("*.svg"))) == 3
            assert "scan, over std, serial<" in next(pathlib.Path(folder).glob("*_ratios.svg")).read_text()
            assert call(TABLE, "--check", "--results", folder).returncode == 0
        else:
            pathlib.Path(folder, copy.stem + ".svg").write_text("<svg/>")  # of no results

        ladder["benchmarks"][-1]["real_time"] *= 2
        copy.write_text(json.dumps(ladder))
        failed = call(TABLE, "--check", "--results", folder)
        assert failed.returncode == 1 and "run scripts/report" in failed.stderr, failed
        assert "README.md" in failed.stderr and copy.stem + ".svg" in failed.stderr, failed.stderr


main()
