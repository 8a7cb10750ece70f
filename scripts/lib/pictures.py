# SPDX-License-Identifier: Apache-2.0
"""Draws docs/results/*.svg from the JSON files beside them: for each device the ladder as bars and onepass's speed over
its fastest peer's as a heat map, for each program bandwidth against size. Run by scripts/report.

pictures.py [DIR]
"""
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import LogNorm  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib.results import FASTEST, RESULTS, digest, pictures_of, read_all, size_name  # noqa: E402

plt.rcParams.update({"svg.hashsalt": "onepass", "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans", "Verdana"],
                     "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
                     "figure.constrained_layout.use": True})
COLOURS = {"onepass": "#d1495b", "memcpy": "#444444", "cub": "#00798c", "thrust": "#66a182", "std": "#00798c",
           "std_par": "#66a182", "omp": "#edae49"}
NAMES = {"cub": "CUB", "thrust": "Thrust", "memcpy": "copy", "std": "std, serial", "std_par": "std on TBB",
         "omp": "Thrust on OpenMP"}
RUNG = "#9bb7d4"


def save(figure, folder, name, reports):
    """Without a date, so that the same results make the same file; with what tells of which results it is."""
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None, "Description": f"results {digest(folder, reports)}"})
    plt.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    print(f"wrote {path}")


# ---- the ladder
CASES = {"whole/i32": "inclusive sum of {} int32", "parts_of_1024/i32": "each 1,024 of {} on their own, by a block",
         "parts_of_32/i32": "each 32 of {} on their own, by a warp"}


def ladder(report, folder):
    whole, *parts = [case for case in CASES if case in report.cases()]
    for name, cases in zip(pictures_of(report), ([whole], parts)):
        bars = {case: [c for c in report.ladder(case) if c != "memcpy"] for case in cases}
        heights = [len(bars[case]) for case in cases]
        figure, axes = plt.subplots(len(cases), 1, figsize=(8, 0.7 + 0.21 * sum(heights) + 0.4 * len(cases)),
                                    height_ratios=heights, squeeze=False)
        for axis, case in zip(axes[:, 0], cases):
            draw_bars(axis, report, case, bars[case])
        axes[-1, 0].set_xlabel("% of the speed of a copy")
        figure.suptitle(f"From the naive scan to onepass, {report.device}", fontsize=11)
        save(figure, folder, name, [report])


def draw_bars(axis, report, case, names):
    size = 1 << 28 if 1 << 28 in report.sizes(case) else report.sizes(case)[-1]
    longest = 0
    for place, name in enumerate(names):
        runs = {s: run for s, run in report.find(case, name).items() if s <= size}
        run = runs[max(runs)]  # of a smaller size where this one was left out
        percent = 100 * run.memcpy
        longest = max(longest, percent)
        axis.barh(place, percent, color=COLOURS.get(name, RUNG), height=0.75)
        text = f"{percent:.2g} %, " if percent < 10 else f"{percent:.0f} %, "
        text += f"{run.gigabytes:,.1f} GB/s" if run.gigabytes < 100 else f"{run.gigabytes:,.0f} GB/s"
        axis.text(percent + 0.8, place, text + ("" if run.items == size else f" at {size_name(run.items)}"), va="center",
                  fontsize=8, bbox=dict(facecolor="white", edgecolor="none", pad=0.5))
    axis.axvline(100, color=COLOURS["memcpy"], linewidth=1, zorder=0)
    axis.set_yticks(range(len(names)), [NAMES.get(name, name) for name in names])
    axis.invert_yaxis()
    axis.set_xlim(0, max(100, longest) + 18)
    axis.set_title(CASES[case].format(size_name(size)), loc="left", fontsize=9)


# ---- bandwidth against size
def bandwidth(report, folder):
    cases = report.cases()
    columns = min(4, len(cases))
    rows = -(-len(cases) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(2.7 * columns, 2.1 * rows + 0.6), sharex=True, squeeze=False)
    lines = {}
    for axis, case in zip(axes.flat, cases):
        for name in report.contenders(case):
            runs = report.find(case, name)
            style = dict(linestyle="--") if name == "memcpy" else dict(marker="o", markersize=3)
            lines[name], = axis.plot(sorted(runs), [runs[s].gigabytes for s in sorted(runs)], linewidth=1.2,
                                     color=COLOURS.get(name), **style)
        axis.set_xscale("log", base=2)
        axis.set_xticks(report.sizes(), [f"$2^{{{s.bit_length() - 1}}}$" for s in report.sizes()])
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
        axis.set_title(case, fontsize=8)
        axis.tick_params(labelsize=7)
    for axis in axes.flat[len(cases):]:
        axis.set_axis_off()
    for axis in axes[:, 0]:
        axis.set_ylabel("GB/s", fontsize=8)
    figure.legend(lines.values(), [NAMES.get(name, name) for name in lines], loc="outside upper right",
                  ncols=len(lines), frameon=False)
    figure.suptitle(f"{report.program}, {report.device}: bandwidth against items", fontsize=10, x=0.01, ha="left")
    save(figure, folder, report.name, [report])


# ---- ratios
def ratios(reports, folder):
    heights = [len(report.cases()) for report in reports]
    left = [report for place, report in enumerate(reports) if sum(heights[:place]) < sum(heights) / 2]
    halves = [half for half in (left, reports[len(left):]) if half]
    gap = 2  # rows that a title and a scale take
    tallest = max(sum(len(report.cases()) + gap for report in half) for half in halves)
    figure = plt.figure(figsize=(5.2 * len(halves), 0.2 * tallest + 0.6))
    for sub, half in zip(figure.subfigures(1, len(halves), squeeze=False)[0], halves):
        rows = [len(report.cases()) for report in half]
        spare = tallest - sum(rows) - gap * len(rows)
        axes = sub.subplots(len(rows) + 1, 1, height_ratios=rows + [max(spare, 0.01)], squeeze=False)[:, 0]
        axes[-1].set_axis_off()
        for axis, report in zip(axes, half):
            heat_map(axis, report)
    figure.suptitle(f"onepass's speed over its fastest peer's, {reports[0].device}", fontsize=10)
    save(figure, folder, f"{reports[0].slug}_ratios", reports)


def heat_map(axis, report):
    sizes, cases = report.sizes(), [case for case in report.cases() if report.find(case, "onepass")]
    values = []
    for case in cases:
        runs = report.find(case, "onepass")
        ratios_of = [runs[s].speed_over(FASTEST) if s in runs else None for s in sizes]
        values.append([float("nan") if ratio is None else ratio for ratio in ratios_of])
    axis.pcolormesh(values, cmap="RdYlGn", norm=LogNorm(0.25, 4), edgecolors="white", linewidth=1)
    for y, line in enumerate(values):
        for x, value in enumerate(line):
            if value == value:
                axis.text(x + 0.5, y + 0.5, f"{value:.2f}" if value < 10 else f"{value:.1f}", ha="center",
                          va="center", fontsize=7, color="white" if not 0.4 < value < 3 else "black")
    axis.set_xticks([x + 0.5 for x in range(len(sizes))], [size_name(s) for s in sizes], fontsize=7)
    axis.set_yticks([y + 0.5 for y in range(len(cases))], cases, fontsize=7)
    axis.tick_params(length=0)
    axis.invert_yaxis()
    axis.set_title(report.program, loc="left", fontsize=8)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else RESULTS
    reports = read_all(folder)
    if not reports:
        sys.exit(f"{folder} holds no results")
    for report in reports:
        (ladder if report.program == "ladder" else bandwidth)(report, folder)
    for slug in dict.fromkeys(report.slug for report in reports):
        compared = [report for report in reports if report.slug == slug and report.program != "ladder"]
        if compared:
            ratios(compared, folder)


main()
