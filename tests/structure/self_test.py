# SPDX-License-Identifier: Apache-2.0
"""Shows that rules.py can fail: a sound tree passes, and each of these changes to it breaks the rule that it should."""
import sys
import tempfile
from pathlib import Path

from rules import REASON, RULES, breaches
from tree import Tree

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
DETAIL = "namespace onepass::detail {\n"
DEFINED = "constexpr int least = 1;\nstruct tile_sum {\n};\n}\n"
LONG = "int line;\n" * 301
FUNCTION = "namespace onepass::detail {\nvoid f() {\n" + "  g();\n" * 45 + "}\n}\n"
SOUND = {
    "README.md": "See [the scan](primitives/scan/scan_dispatch.hpp), `scripts/demo` and <onepass/scan.hpp>.\n",
    "core/lookback/look_back.hpp": HEADER + '#include "descriptor.hpp"\n',
    "core/lookback/descriptor.hpp": HEADER + "#include <cuda/atomic>\n" + DETAIL + DEFINED,
    "core/cuda/warp.cuh": HEADER + '#include "../lookback/descriptor.hpp"\n',
    "primitives/scan/scan_dispatch.hpp": HEADER + '#include "../../core/lookback/look_back.hpp"\n',
    "primitives/compact/compact_dispatch.hpp": HEADER + "#include <onepass/scan.hpp>\n",
    "primitives/include/onepass/scan.hpp": HEADER + '#include "../../scan/scan_dispatch.hpp"\n',
    "primitives/include/onepass/library.hpp": HEADER + "#include <cstdint>\n",
    "primitives/include/onepass/communicator.hpp": HEADER + "#include <cstdint>\n",
    "core/exchange/rank_call.hpp": HEADER + "#include <onepass/communicator.hpp>\n",
    "primitives/distributed/scan_over_ranks.hpp": HEADER + '#include "../../core/exchange/rank_call.hpp"\n#include <onepass/scan.hpp>\n',
    "apps/common/plot.hpp": HEADER,
    "apps/demo/main.cpp": SPDX + '#include <onepass/scan.hpp>\n#include "../common/plot.hpp"\n',
    "tests/core/look_back.cpp": SPDX + '#include "../../core/lookback/look_back.hpp"\n',
    "tests/core/long.cpp": SPDX + f"// {REASON} it is a list.\n" + LONG,
    "bench/scan.cpp": SPDX + "#include <onepass/scan.hpp>\n",
    "python/extension/core.cpp": SPDX + "#include <onepass/library.hpp>\n",
    "docs/glossary.md": "## Words that are not used\n\n| word | say |\n|---|---|\n| `upto` | inclusive |\n",
    "scripts/demo": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n",
}
# A folder with many files, and its map.
SOUND.update({f"core/many/{name}.hpp": HEADER for name in "abcdef"})
SOUND["core/many/README.md"] = " ".join(f"`{name}.hpp`" for name in "abcdef") + "\n"
# (the rule, the file changed, its new text)
BAD = [
    ("arrows", "core/lookback/descriptor.hpp", HEADER + '#include "../../primitives/scan/scan_dispatch.hpp"\n'),
    ("arrows", "core/lookback/descriptor.hpp", HEADER + "#include <onepass/scan.hpp>\n"),
    ("arrows", "core/lookback/descriptor.hpp", HEADER + '#include "../cuda/warp.cuh"\n'),
    ("arrows", "primitives/compact/compact_dispatch.hpp", HEADER + '#include "../scan/scan_dispatch.hpp"\n'),
    ("arrows", "apps/demo/main.cpp", SPDX + '#include "../../core/lookback/look_back.hpp"\n'),
    ("arrows", "apps/common/plot.hpp", HEADER + '#include "../demo/main.cpp"\n'),
    ("arrows", "python/extension/core.cpp", SPDX + '#include "../../core/lookback/look_back.hpp"\n'),
    ("arrows", "bench/scan.cpp", SPDX + '#include "../core/lookback/look_back.hpp"\n'),
    ("arrows", "primitives/scan/scan_dispatch.hpp", HEADER + '#include "../../tests/core/look_back.cpp"\n'),
    ("arrows", "primitives/distributed/scan_over_ranks.hpp", HEADER + '#include "../scan/scan_dispatch.hpp"\n'),
    ("across_ranks", "core/cuda/warp.cuh", HEADER + '#include "../exchange/rank_call.hpp"\n'),
    ("across_ranks", "primitives/scan/scan_dispatch.hpp", HEADER + "#include <onepass/communicator.hpp>\n"),
    ("includes_exist", "bench/scan.cpp", SPDX + '#include "missing.hpp"\n'),
    ("includes_exist", "bench/scan.cpp", SPDX + "#include <onepass/missing.hpp>\n"),
    ("macro_includes", "core/cuda/warp.cuh", HEADER + "#include ONEPASS_CODE\n"),
    ("public_face", "core/cuda/warp.cuh", HEADER + "namespace onepass {\nint f();\n}\n"),
    ("names", "primitives/compact/warp.cuh", HEADER),
    ("definitions", "core/cuda/warp.cuh", HEADER + DETAIL + "constexpr int most = 3, least = 1;\n}\n"),
    ("definitions", "core/cuda/warp.cuh", HEADER + DETAIL + "template <class T>\nstruct tile_sum {\n};\n}\n"),
    ("folder_maps", "core/many/README.md", "`a.hpp` and others.\n"),
    ("function_lengths", "core/cuda/warp.cuh", HEADER + FUNCTION),
    ("function_lengths", "core/cuda/warp.cuh", HEADER + FUNCTION.replace("{\n", "{\n" + "  h();\n" * 20)),
    ("glossary", "core/cuda/warp.cuh", HEADER + "// The items upto here.\n"),
    ("plain_library_header", "primitives/include/onepass/library.hpp", HEADER + "#include <cuda_runtime.h>\n"),
    ("top_level", "src/main.cpp", SPDX),
    ("top_level", "NOTES.md", "Notes.\n"),
    ("top_level", "primitives/other/other.hpp", HEADER),
    ("length", "core/cuda/warp.cuh", HEADER + LONG),
    ("openings", "core/cuda/warp.cuh", "#pragma once\n"),
    ("openings", "core/cuda/warp.cuh", SPDX),
    ("words", "README.md", "TO" "DO: more.\n"),
    ("words", "scripts/demo", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\ncd /wo" "rk/main\n"),
    ("words", "bench/scan.cpp", SPDX + "// A place" "holder.\n"),
    ("words", "core/cuda/warp.cuh", HEADER + "static resident_" "blocks r(kernel, 32, 0);\n"),
    ("documents", "README.md", "See [this](docs/missing.md).\n"),
    ("documents", "README.md", "Run `scripts/missing`.\n"),
    ("documents", "README.md", "Include <onepass/missing.hpp>.\n"),
]


def broken_rules(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)
        return {rule for rule, _ in breaches(Tree(folder))}


def main():
    wrong = []
    if broken_rules(SOUND):
        wrong.append(f"the sound tree breaks {broken_rules(SOUND)}")
    for rule, name, text in BAD:
        found = broken_rules({**SOUND, name: text})
        if found != {rule}:
            wrong.append(f"{rule} should have failed on {name!r} with {text[-60:]!r}; failed: {found or 'none'}")
    for rule in RULES:
        if rule.__name__ not in {row[0] for row in BAD}:
            wrong.append(f"{rule.__name__} has no bad example")
    print("\n".join(wrong) if wrong else f"structure self-test: {len(BAD)} bad trees found out, the sound one passes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
