# SPDX-License-Identifier: Apache-2.0
"""Reads docs/results/DEVICE_PROGRAM.json, as scripts/bench writes them; for scripts/table and scripts/lib/pictures.py."""
import hashlib
import json
import pathlib
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"
NO_PEERS = ("memcpy_1_thread", "onepass_1_thread")  # that there are ratios to, too
FASTEST = "the fastest peer"
WAYS = {"cub": ("cub_keys", "cub_radix", "cub_segmented", "cub_sort")}  # other calls of a peer that do the same


@dataclass
class Run:
    """One contender on one problem of one size."""
    program: str     # scan
    case: str        # inclusive_sum/i32
    contender: str   # onepass
    items: int
    microseconds: float
    gigabytes: float          # read and written, a second
    items_per_second: float
    memcpy: float | None      # share of its speed
    over: dict = field(default_factory=dict)  # onepass's speed over each peer's
    note: str = ""

    def speed_over(self, peer):
        """onepass's speed over a peer's, of whose ways the faster one counts, or over the fastest of all peers (FASTEST); None
        where it was not measured."""
        ways = [way for way in self.over if way not in NO_PEERS] if peer == FASTEST else (peer, *WAYS.get(peer, ()))
        return min((self.over[way] for way in ways if way in self.over), default=None)


@dataclass
class Report:
    """All that was measured on one device by one program."""
    device: str   # NVIDIA H200
    slug: str     # nvidia_h200
    program: str
    date: str
    command: str
    runs: list

    @property
    def name(self):
        return f"{self.slug}_{self.program}"

    def cases(self):
        return list(dict.fromkeys(run.case for run in self.runs))

    def sizes(self, case=None):
        return sorted({run.items for run in self.runs if case in (None, run.case)})

    def contenders(self, case):
        return list(dict.fromkeys(run.contender for run in self.runs if run.case == case))

    def ladder(self, case):
        """The contenders of a ladder: the rungs from the ground up, the peers, onepass and the roof."""
        names = self.contenders(case)
        rungs = [name for name in names if any(run.note for run in self.find(case, name).values())]
        last = [name for name in ("onepass", "memcpy") if name in names]
        return rungs + [name for name in reversed(names) if name not in rungs + last] + last

    def find(self, case, contender, items=None):
        """The runs of a contender by size; or its run at one size, None where there is none."""
        runs = {run.items: run for run in self.runs if (run.case, run.contender) == (case, contender)}
        return runs if items is None else runs.get(items)


def read(path):
    """The Report in a file; None for a JSON file of another kind."""
    content = json.loads(path.read_text())
    if "benchmarks" not in content:
        return None
    runs = []
    for b in content["benchmarks"]:
        _, program, *case, contender, items = b["name"].split("/")
        over = {key[len("speed_to_"):]: value for key, value in b.items() if key.startswith("speed_to_")}
        runs.append(Run(program, "/".join(case), contender, int(items), b["real_time"], b["bytes_per_second"] / 1e9,
                        b["items_per_second"], b.get("share_of_memcpy"), over, b.get("label", "")))
    context = content["context"]
    program = runs[0].program
    slug = path.stem[:-len(program) - 1]
    return Report(context["device"], slug, program, context["date"][:10], context["command"], runs)


def read_all(folder=RESULTS):
    """Every Report in a folder, GPUs' first."""
    reports = [report for path in sorted(folder.glob("*.json")) if (report := read(path)) and report.runs]
    return sorted(reports, key=lambda r: (not r.slug.startswith("nvidia"), r.slug, r.program))


def pictures_of(report):
    """The names of the pictures of one program's results."""
    has_parts = any(case.startswith("parts_") for case in report.cases())
    return [report.name] + ([f"{report.name}_parts"] if has_parts else [])


def digest(folder, reports):
    """What a picture carries to tell of which results it is."""
    sums = [hashlib.sha256((folder / f"{report.name}.json").read_bytes()).hexdigest() for report in reports]
    return hashlib.sha256("".join(sums).encode()).hexdigest()[:16]


def size_name(items):
    return f"2^{items.bit_length() - 1}" if items & (items - 1) == 0 else str(items)
