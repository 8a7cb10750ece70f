# SPDX-License-Identifier: Apache-2.0
"""What scripts/architectures and scripts/compilers take for a failure: a spill that is new, a compiler that warns."""
import importlib.machinery
import importlib.util
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def spills():
    new_spills = script("architectures").new_spills

    def row(architecture, spilled, kernel="k"):
        return {"call": "scan", "architecture": architecture, "kernel": kernel, "spills": spilled}

    first = row(90, 8)
    assert new_spills([first, row(80, 8), row(100, 0)], [first]) == []  # no more than on the first
    assert new_spills([first, row(80, 16)], [first]) == [row(80, 16)]
    assert new_spills([first, row(80, 16)], [first, row(80, 16)]) == []  # known
    assert new_spills([first, row(80, 24)], [first, row(80, 16)]) == [row(80, 24)]
    assert new_spills([row(90, 16)], [first]) == [row(90, 16)]
    assert new_spills([row(80, 4, "other")], []) == [row(80, 4, "other")]  # a kernel that the first has not


def compilers():
    module = script("compilers")
    with tempfile.TemporaryDirectory() as folder:
        command = ["g++", *module.WARNINGS]
        assert module.check(command, "int main() {}\n", folder) == ""
        assert "conversion" in module.check(command, "int f(long x) { return x; }\nint main() { return f(1); }\n", folder)
        refused = module.check([*command, "-std=c++14", f"-I{module.PUBLIC}"], "#include <onepass/library.hpp>\n", folder)
        assert refused.startswith('#error "onepass needs C++17'), refused
    assert list(module.compilers("g")), "no compiler"


if __name__ == "__main__":
    spills()
    compilers()
    print("measuring scripts: passed")
