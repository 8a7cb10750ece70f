# SPDX-License-Identifier: Apache-2.0
"""Says how much of core/ and primitives/ the tests run, from what `llvm-cov export` prints.

coverage.py EXPORT EXCEPTIONS ROOT prints a line for each file, then each branch that never went both ways and each piece of
code that never ran, and exits 1 if there is one that EXCEPTIONS does not name, or if it names what is not there any more.

A template counts as run if one of its instances was: a condition that takes one way for ints and the other for strings went
both ways. What the compiler decides (conditions of `if constexpr`, other constants, functions that it calls) is left out.

EXCEPTIONS has a line for each: file | what stands in the line of code | why. Where the reason begins with "sometimes:", code
may have run.
"""
import json
import sys
from collections import defaultdict
from pathlib import Path

CODE, BRANCH = 0, 4


def read(export, root):
    """For each file: {place: [times true, times false]} of branches, {place: times} of regions of code."""
    branches, regions = defaultdict(dict), defaultdict(dict)
    for function in json.loads(Path(export).read_text())["data"][0]["functions"]:
        names = [name[len(root) + 1:] if name.startswith(root + "/") else None for name in function["filenames"]]
        ours = [name if name and name.startswith(("core/", "primitives/")) else None for name in names]
        for *place, true, false, file, _, kind in function["branches"]:
            if ours[file] and kind == BRANCH:
                counts = branches[ours[file]].setdefault(tuple(place), [0, 0])
                counts[0] += true
                counts[1] += false
        for *place, count, file, _, kind in function["regions"]:
            if ours[file] and kind == CODE:
                place = tuple(place)
                regions[ours[file]][place] = regions[ours[file]].get(place, 0) + count
    return branches, regions


def lines_run(regions):
    """{line: whether it ran}; a region within another counts for its own lines."""
    run = {}
    for (first, _, last, _), count in sorted(regions.items(), key=lambda r: (r[0][0], r[0][1], -r[0][2], -r[0][3])):
        for line in range(first, last + 1):
            at_edge = line in run and line in (first, last)
            run[line] = (run[line] or count > 0) if at_edge else count > 0
    return run


def is_for_the_compiler(source, line):
    """In a condition of `if constexpr`, which may take two lines, or in a function that the compiler calls."""
    before = source[line - 2] if line > 1 else ""
    return "constexpr" in source[line - 1] or ("if constexpr" in before and before.rstrip()[-1] not in "{;")


def gaps_of(branches, regions, source):
    """(line, what) of each branch that never went one way, and of each outermost region that never ran."""
    for (line, begin, last, end), (true, false) in sorted(branches.items()):
        if true and false:
            continue
        condition = source[line - 1][begin - 1:end - 1] if line == last else source[line - 1][begin - 1:] + " ..."
        yield line, f"{condition}: never {'asked' if not (true or false) else 'false' if true else 'true'}"
    ended, seen = (0, 0), {place[0] for place, counts in branches.items() if not all(counts)}
    for (line, begin, last, end), count in sorted(regions.items(), key=lambda r: (r[0][0], r[0][1], -r[0][2], -r[0][3])):
        if count == 0 and (line, begin) >= ended:
            ended = (last, end)
            if line in seen or is_for_the_compiler(source, line):
                continue
            seen.add(line)
            yield line, "never run" if line == last else f"never run, to line {last}"


def read_exceptions(path):
    rows = [line.split(" | ") for line in Path(path).read_text().splitlines() if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 3:
            sys.exit(f"{path}: not `file | code | why`: {' | '.join(row)}")
    return rows


def main():
    export, exceptions, root = sys.argv[1:]
    branches, regions = read(export, root)
    allowed = read_exceptions(exceptions)
    used, bad = set(), []
    print(f"{'lines':>12}   {'branches':>12}")
    sums = [0] * 4
    for file in sorted(regions):
        source = (Path(root) / file).read_text().splitlines()
        run = lines_run(regions[file])
        ways = [bool(count) for counts in branches[file].values() for count in counts]
        row = [sum(run.values()), len(run), sum(ways), len(ways)]
        sums = [a + b for a, b in zip(sums, row)]
        print("{:>5} of {:>4}   {:>5} of {:>4}   {}".format(*row, file))
        for line, what in gaps_of(branches[file], regions[file], source):
            code = source[line - 1].strip()
            names = [i for i, (name, text, _) in enumerate(allowed) if name == file and text in code]
            used.update(names)
            if not names:
                bad.append(f"{file}:{line}: {what}\n    {code}")
    print("{:>5} of {:>4}   {:>5} of {:>4}   in all: {:.1%} of lines, {:.1%} of branches".format(
        *sums, sums[0] / sums[1], sums[2] / sums[3]))
    bad += [f"{exceptions}: no longer needed: {' | '.join(row)}"
            for i, row in enumerate(allowed) if i not in used and not row[2].startswith("sometimes:")]
    print("\n".join(bad + [f"coverage: {len(bad)} gaps, {len(allowed)} exceptions"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
