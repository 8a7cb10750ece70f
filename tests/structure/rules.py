# SPDX-License-Identifier: Apache-2.0
"""Keeps the structure: which folder may include which, what lies at the top, how long files are, what no text may say.

rules.py [ROOT] prints one line for each breach and exits 1 if there is any. self_test.py shows that each rule can fail.
"""
import os
import re
import sys
from pathlib import Path

from functions import functions
from tree import CODE, HEADERS, PUBLIC, Tree

FAMILIES = ("scan", "compact", "radix_sort", "segmented_scan", "segmented_reduce", "histogram", "select")
# Above the families: they make calls of theirs, by the public headers.
ABOVE_FAMILIES = ("distributed", "library")
# What calls take and throw. These headers include no call, so core may know them.
VOCABULARY = tuple(f"{PUBLIC}onepass/{name}.hpp" for name in (
    "communicator", "config", "errors", "flags", "iterator_system", "operators", "policy", "radix_options", "segments",
    "workspace"))
TILE_MEMORY = "core/lookback/tile_memory.hpp"  # what a workspace is made of
TOP_FOLDERS = {"core", "primitives", "python", "apps", "tests", "bench", "cmake", "docs", "scripts", "packaging"}
TOP_FILES = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
LONGEST = 300
REASON = f"over {LONGEST} lines because"
FUNCTION, LONGEST_FUNCTION = 40, 60
FUNCTION_REASON = f"Over {FUNCTION} lines because"
FEW_FILES = 5
# Written in halves, so that this file does not break its own rule.
FORBIDDEN = [
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"), "a left-over note"),
    (re.compile(r"\bplace" r"holder\b|\bnot imple" r"mented\b", re.IGNORECASE), "unfinished work"),
    (re.compile(r"(?<![\w.])/(work|root|farm|home/\w+)/|/tmp/(spec|bash_jobs)"), "a machine's own path"),
    (re.compile(r"\bstatic\s+(const\s+)?(detail::)?resident_" r"blocks\s+\w+\("), "facts of one file's kernel, kept for all files"),
]


def may_include(name):
    """The prefixes of what `name` may include of the tree; None: anything."""
    top, _, rest = name.partition("/")
    folder = rest.split("/")[0]
    own = f"{top}/{folder}/"
    if top == "core":
        return ("core/",) + VOCABULARY
    if name in VOCABULARY:
        return VOCABULARY + (TILE_MEMORY,)
    if name.startswith(PUBLIC):
        return ("core/", "primitives/")
    if top == "primitives":
        return ("core/", PUBLIC, own)
    if top == "python":
        return (PUBLIC, "python/")
    if top == "apps":
        return (PUBLIC, "apps/common/", own)
    if top == "bench":
        return (PUBLIC, "bench/") + (("core/",) if folder == "ladder" else ())
    return None


def arrows(tree):
    for name in tree.code():
        allowed = may_include(name)
        for written, target in tree.includes(name):
            if target and allowed is not None and not target.startswith(allowed):
                yield f"{name}: may not include {target}"
    for name in ("core/lookback/look_back.hpp", "core/lookback/descriptor.hpp"):
        if name in tree.files:
            for target in sorted(tree.reach(name)[0]):
                if target.startswith(("core/cuda/", "core/cpu/")):
                    yield f"{name}: the protocol is for every backend, but {target} is behind it"


# The calls across ranks, the communicators, and all that they are made of.
ACROSS_RANKS = re.compile(rf"^(core/exchange/|primitives/distributed/|{PUBLIC}onepass/(distributed|mpi|nccl|thread_ranks|cuda_thread_ranks|communicator|splitters|shares|rank_carry))")


def across_ranks(tree):
    """Nothing else in the library knows of ranks: who does not use them compiles none of it."""
    for name in inside(tree):
        if not ACROSS_RANKS.match(name):
            for _, target in tree.includes(name):
                if target and ACROSS_RANKS.match(target):
                    yield f"{name}: knows of ranks by {target}"


def includes_exist(tree):
    for name in tree.code():
        for written, target in tree.includes(name):
            if target is None and (written.startswith((".", "onepass/")) or f'"{written}"' in tree.text(name)):
                yield f"{name}: includes {written}, which is not there"


def plain_library_header(tree):
    name = PUBLIC + "onepass/library.hpp"
    if name in tree.files:
        for written in sorted(tree.reach(name)[1]):
            if written.startswith(("cuda", "thrust/", "cub/", "nv/")):
                yield f"{name}: is plain C++, but {written} is behind it"


def macro_includes(tree):
    """An include that a macro names is one that no rule sees."""
    for name in tree.code():
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            if re.match(r"\s*#\s*include\s+[A-Za-z_]", line):
                yield f"{name}:{number}: includes what a macro names"


def public_face(tree):
    """All that users call, pass or catch is declared under primitives/include/onepass."""
    for name in tree.code():
        if name.startswith(("core/", "primitives/")) and not name.startswith((PUBLIC, "primitives/library/")):
            if re.search(r"^namespace onepass(::operators)? \{", tree.text(name), re.MULTILINE):
                yield f"{name}: declares something outside onepass::detail"


def inside(tree):
    """The library's own files."""
    return [name for name in tree.files if name.startswith(("core/", "primitives/"))]


def names(tree):
    """A file's name alone says which one it is."""
    seen = {}
    for name in inside(tree):
        if Path(name).suffix in CODE and not name.startswith("primitives/library/"):
            other = seen.setdefault(Path(name).name, name)
            if other != name:
                yield f"{name}: has the name of {other}"


NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]*) ?\{")
CONSTANT = re.compile(r"(?:inline )?constexpr [^(=]*?\b(\w+) = ")
CLASS = re.compile(r"^(?:struct|class|enum|enum class) (\w+)(?: : [^;]*|(?: final)?) \{")


def definitions(tree):
    """Two headers may come into one program, so no two give a constant or a class of one namespace the same name."""
    seen = {}
    for name in inside(tree):
        if Path(name).suffix not in HEADERS:
            continue
        scope = ""
        for line in tree.text(name).splitlines():
            if opened := NAMESPACE.match(line):
                scope = opened.group(1)
            found = re.findall(r"(\w+) = ", line) if CONSTANT.match(line) else CLASS.findall(line)
            for what in found:
                other = seen.setdefault((scope, what), name)
                if other != name:
                    yield f"{name}: defines {scope}::{what}, as does {other}"


def folder_maps(tree):
    """A folder with more than a few files, or with folders, has a README that names each of them."""
    folders = {}
    for name in inside(tree):
        parts = Path(name).parts
        for depth in range(1, len(parts)):
            folders.setdefault("/".join(parts[:depth]), set()).add(parts[depth])
    for folder, held in sorted(folders.items()):
        files = {name for name in held if Path(name).suffix in CODE}
        if len(files) <= FEW_FILES:
            continue
        if "README.md" not in held:
            yield f"{folder}: has {len(files)} files and no README.md"
            continue
        text = tree.text(folder + "/README.md")
        for name in sorted(files):
            if f"`{name}`" not in text:
                yield f"{folder}/README.md: does not name {name}"


def function_lengths(tree):
    for name in inside(tree):
        if Path(name).suffix not in CODE:
            continue
        lines = tree.text(name).splitlines()
        for first, length, function in functions(tree.text(name)):
            above = "\n".join(lines[max(0, first - 8):first])
            if length > LONGEST_FUNCTION:
                yield f"{name}:{first}: {function} has {length} lines"
            elif length > FUNCTION and FUNCTION_REASON not in above:
                yield f"{name}:{first}: {function} has {length} lines; say '{FUNCTION_REASON} ...' above it, or cut it"


IN_PLACE = re.compile(r"in[ _-]place|takes? place|in the place of", re.IGNORECASE)


def glossary(tree):
    """Words that docs/glossary.md replaces by the field's: none of them in the library or in the documents."""
    page = tree.text("docs/glossary.md") if "docs/glossary.md" in tree.files else ""
    banned = re.findall(r"^\| `([^`|]+)` \|", page.partition("## Words that are not used")[2], re.MULTILINE)
    if not banned:
        return
    pattern = re.compile(r"(?<![A-Za-z])(" + "|".join(map(re.escape, banned)) + r")(?![A-Za-z])", re.IGNORECASE)
    for name in tree.files:
        if not (name in inside(tree) or name.endswith(".md")) or name == "docs/glossary.md":
            continue
        if name.startswith(("docs/history/", "CHANGELOG")):
            continue
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            for word in pattern.findall(IN_PLACE.sub("", line)):
                yield f"{name}:{number}: '{word}' is not a word of docs/glossary.md: {line.strip()[:80]}"


def top_level(tree):
    for top in sorted({name.split("/")[0] for name in tree.files}):
        is_folder = (tree.root / top).is_dir()
        if not top.startswith(".") and top not in (TOP_FOLDERS if is_folder else TOP_FILES):
            yield f"{top}: does not belong at the top level"
    for name in tree.code():
        parts = name.split("/")
        if parts[0] == "primitives" and parts[1] not in FAMILIES + ABOVE_FAMILIES + ("include",):
            yield f"{name}: primitives holds {', '.join(FAMILIES + ABOVE_FAMILIES)} and include"


def length(tree):
    for name in tree.files:
        if name.startswith(("core/", "primitives/", "python/", "apps/", "tests/", "bench/")) and Path(name).suffix in CODE | {".py"}:
            lines = tree.text(name).splitlines()
            if len(lines) > LONGEST and REASON not in "\n".join(lines[:30]):
                yield f"{name}: {len(lines)} lines; say '{REASON} ...' in its opening comment, or cut it"


def openings(tree):
    for name in tree.files:
        text = tree.text(name)
        is_script = text.startswith("#!")
        if Path(name).suffix in CODE | {".py", ".cmake"} or Path(name).name == "CMakeLists.txt" or is_script:
            if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:3]):
                yield f"{name}: does not open with the licence line"
        if Path(name).suffix in HEADERS and "#pragma once" not in text:
            yield f"{name}: a header without #pragma once"
        if is_script and not os.access(tree.root / name, os.X_OK):
            yield f"{name}: a script that cannot be executed"


def words(tree):
    for name in tree.files:
        if name == "LICENSE":
            continue
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            for pattern, what in FORBIDDEN:
                if pattern.search(line):
                    yield f"{name}:{number}: {what}: {line.strip()[:80]}"


def documents(tree):
    """Links and paths that the documents name exist."""
    for name in tree.files:
        if not name.endswith(".md"):
            continue
        text, folder = tree.text(name), os.path.dirname(name)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not (tree.root / folder / target).exists():
                yield f"{name}: links to {target}, which is not there"
        prefix = "|".join(sorted(TOP_FOLDERS | {r"\.ci"}))
        for target in re.findall(rf"`((?:{prefix})/[\w./-]*)`", text):
            if not (tree.root / target).exists():
                yield f"{name}: names {target}, which is not there"
        for target in re.findall(r"<(onepass/\w+\.hpp)>", text):
            if PUBLIC + target not in tree.files:
                yield f"{name}: names {target}, which is not there"


RULES = (arrows, across_ranks, includes_exist, macro_includes, plain_library_header, public_face, names, definitions, folder_maps,
         top_level, length, function_lengths, openings, glossary, words, documents)


def breaches(tree):
    return [(rule.__name__, line) for rule in RULES for line in rule(tree)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    tree = Tree(root)
    found = breaches(tree)
    for rule, line in found:
        print(f"{rule}: {line}")
    print(f"structure: {len(tree.files)} files, {len(RULES)} rules, {len(found)} breaches")
    return 1 if found or not tree.files else 0


if __name__ == "__main__":
    sys.exit(main())
