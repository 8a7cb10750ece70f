# SPDX-License-Identifier: Apache-2.0
"""Draws diagrams of docs/how-it-works.md, docs/query.md and docs/distributed.md into docs/diagrams/*.svg. Run by
scripts/report.

diagrams.py
"""
import pathlib

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import FancyArrowPatch, Rectangle  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "diagrams"
plt.rcParams.update({"svg.hashsalt": "onepass", "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans", "Verdana"],
                     "font.size": 9, "figure.constrained_layout.use": True})
RED, BLUE, GREEN, GREY, PALE = "#d1495b", "#9bb7d4", "#66a182", "#bbbbbb", "#f0f0f0"


def canvas(width, height):
    figure, axis = plt.subplots(figsize=(8, 8 * height / width))
    axis.set_xlim(0, width)
    axis.set_ylim(height, 0)  # downward, as a page is read
    axis.axis("off")
    return figure, axis


def save(figure, name):
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    print(f"wrote {path}")


def box(axis, x, y, width, height, colour, text="", **options):
    axis.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor="#444444", linewidth=0.6))
    axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", **options)


def arrow(axis, begin, end, bend=0.0, colour="#444444"):
    axis.add_patch(FancyArrowPatch(begin, end, connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>", mutation_scale=8,
                                   color=colour, linewidth=0.9))


# ---- how a tile learns its prefix: groups of `width` tiles by a tree each, the groups from the left
def look_back(tiles=14, width=4):
    figure, axis = canvas(17.4, 7.2)
    left = 2.2
    published = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12}
    asking = 11
    axis.text(0, 0.5, "tiles", va="center")
    axis.text(0, 1.5, "aggregates", va="center")
    axis.text(0, 3.2, "groups", va="center")
    axis.text(0, 5.2, "prefix", va="center")
    for t in range(tiles):
        colour = RED if t == asking else BLUE if t in published else PALE
        box(axis, left + t, 0.1, 0.9, 0.8, colour, str(t))
        if t in published or t == asking:
            box(axis, left + t + 0.1, 1.2, 0.6, 0.6, GREEN, f"$a_{{{t}}}$")
    for group in range((asking + width - 1) // width):
        first, last = group * width, min(asking, (group + 1) * width) - 1
        middle = left + (first + last) / 2 + 0.45
        box(axis, middle - 1, 2.9, 2, 0.6, GREEN, f"$a_{{{first}}} \\cdots a_{{{last}}}$")
        for t in range(first, last + 1):
            arrow(axis, (left + t + 0.45, 1.8), (middle + (t - (first + last) / 2) * 0.3, 2.9))
        arrow(axis, (middle, 3.5), (left + asking - 1.5 + 0.3 * group, 4.9), 0.05 * (group - 1))
    box(axis, left + asking - 2.3, 4.9, 3.4, 0.6, RED, f"what precedes tile {asking}", color="white")
    arrow(axis, (left + asking + 0.98, 4.9), (left + asking + 0.8, 0.95), 0.12, RED)
    axis.text(left, 6.4, f"Tile {asking} asks; tile 12 has published before it, tile 13 not yet. Aligned groups (of 32 "
              "tiles, four here) are\ncombined by one tree each, and the groups from the left: always in the same way, "
              "whoever came first.", va="center")
    save(figure, "look_back")


# ---- what a block of the pipeline does at a time: a schedule of its tiles, from how long each role takes
ROLES = [("loader", 1.0, GREY), ("reducers", 0.8, BLUE), ("publisher", 0.35, GREEN), ("look-ahead", 0.9, GREEN),
         ("finishers", 0.95, RED)]


def pipeline(tiles=9, slots=6, flight=1.6):
    free_at = dict.fromkeys((name for name, _, _ in ROLES), 0.0)
    freed, bars = [], []

    def work(role, ready):
        """When the role is done with a tile that it may begin at `ready`."""
        name, duration, colour = role
        begin = max(ready, free_at[name])
        free_at[name] = begin + duration
        bars.append((name, begin, duration, colour, len(freed)))
        return begin + duration

    for k in range(tiles):
        room = freed[k - slots] if k >= slots else 0.0
        landed = work(ROLES[0], room) + flight  # the copy is under way while the loader goes on
        reduced = work(ROLES[1], landed)
        ordered = work(ROLES[2], reduced)
        prefixed = work(ROLES[3], max(landed, ordered + 0.5))
        freed.append(work(ROLES[4], max(ordered, prefixed)))
    figure, axis = canvas(17.4, 6.2)
    left, scale = 2.4, 15 / max(freed)
    rows = {name: 0.3 + 1.0 * row for row, (name, _, _) in enumerate(ROLES)}
    for name, y in rows.items():
        axis.text(0, y + 0.35, name, va="center")
        axis.plot([left, 17.4], [y + 0.85, y + 0.85], color="#dddddd", linewidth=0.6)
    for name, begin, duration, colour, tile in bars:
        box(axis, left + begin * scale, rows[name], duration * scale, 0.7, colour, str(tile),
            color="white" if colour == RED else "black")
    axis.text(left, 5.75, "Time runs to the right; each number is one of the block's tiles. While one is stored,\nlater "
              "ones are combined, published and fetched, as far as the ring has slots (six here).", va="center")
    save(figure, "pipeline")


# ---- a sort across four GPUs by bins: what one rank did, in us (docs/history/performance-log.md)
PUT_IN_BINS, COUNTED = 1252, 1306
GROUPS_HAVE_COME = (1616, 1961, 2204, 2868, 3459, 4051, 4537, 4944, 5319, 5438)
GROUPS_SORTED = ((1736, 2046), (1814, 2253), (2175, 2526), (2443, 3058), (3006, 3601), (3522, 4196), (4118, 4848),
                 (4595, 5506), (5001, 5895), (5518, 6017))


def sort_by_bins():
    figure, axis = canvas(17.4, 5.4)
    left, scale = 3.2, 14.2 / GROUPS_SORTED[-1][1]
    rows = {"items into bins": 0.3, "groups come": 1.3, "one is sorted,": 2.3, "and the next": 3.3}
    for name, y in rows.items():
        axis.text(0, y + 0.35, name, va="center")
        axis.plot([left, 17.4], [y + 0.85, y + 0.85], color="#dddddd", linewidth=0.6)

    def bar(row, begin, end, colour, text):
        box(axis, left + begin * scale, rows[row], (end - begin) * scale, 0.7, colour, text)

    bar("items into bins", 0, PUT_IN_BINS, BLUE, "one pass")
    for k, come in enumerate(GROUPS_HAVE_COME):
        bar("groups come", GROUPS_HAVE_COME[k - 1] if k else COUNTED, come, GREY, str(k))
    for k, (begin, end) in enumerate(GROUPS_SORTED):
        bar("one is sorted," if k % 2 == 0 else "and the next", begin, end, GREEN, str(k))
    for ms in range(7):
        axis.text(left + 1000 * ms * scale, 4.45, f"{ms} ms", ha="center", va="center", color="#666666")
    axis.text(left, 5.1, "One of four H200 sorts its share of $2^{30}$ uint32. A group waits for the ranks that send it.",
              va="center")
    save(figure, "sort_by_bins")


# ---- a question of apps/query, step by step: what each array holds, and what has made it
def question():
    def texts(*values):
        return [str(value) for value in values]

    steps = [  # name, made by, cells, colour
        ("row", "", texts(*range(8)), PALE),
        ("borough", "", texts("Queens", "Bronx", "Manh.", "Queens", "Manh.", "Queens", "Bronx", "Manh."), BLUE),
        ("fare", "", texts(31, 12, 25, 22, 40, 28, 21, 18), BLUE),
        ("payment", "", texts(*["card"] * 3, "cash", *["card"] * 4), BLUE),
        ("condition", "a step over all rows", texts(1, 0, 1, 0, 1, 1, 1, 0), GREEN),
        ("rows taken", "compaction", texts(0, 2, 4, 5, 6), GREEN),
        ("keys", "ranks of their boroughs", texts(2, 1, 1, 2, 0), GREEN),
        ("keys in order", "radix sort by key", texts(0, 1, 1, 2, 2), GREEN),
        ("their rows", "go with the keys", texts(6, 2, 4, 0, 5), GREEN),
        ("their fares", "gather", texts(21, 25, 40, 31, 28), GREEN),
        ("sums of groups", "reduction by key", texts(21, 65, 59), GREEN),
        ("largest first", "radix sort by key", texts(65, 59, 21), RED),
        ("boroughs", "go with the sums", texts("Manh.", "Queens", "Bronx"), RED)]
    figure, axis = canvas(15.6, 14.2)
    for y, (name, by, cells, colour) in enumerate(steps):
        y = 1.05 * y + (y > 3) * 0.3
        axis.text(0, y + 0.5, name, va="center", weight="bold")
        axis.text(6.9, y + 0.5, by, va="center", ha="right")
        for x, cell in enumerate(cells):
            box(axis, 7.2 + 1.05 * x, y + 0.1, 1, 0.8, colour, cell, color="white" if colour == RED else "black")
    save(figure, "question")


if __name__ == "__main__":
    look_back()
    pipeline()
    sort_by_bins()
    question()
