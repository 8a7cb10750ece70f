# SPDX-License-Identifier: Apache-2.0
"""What python/extension/xla_ffi.hpp says of XLA's interface, beside the header of the jaxlib that is installed."""
import pathlib
import re
import shutil
import subprocess

import pytest

jax = pytest.importorskip("jax")

OURS = pathlib.Path(__file__).parents[1] / "extension" / "xla_ffi.hpp"
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
# Names that other versions have. The functions among them onepass never calls.
OTHER_NAMES = {"XLA_FFI_Extension_Base": "XLA_FFI_InternalExtension", "XLA_FFI_Error_GetMessage": "XLA_FFI_Error_GetDetails", "XLA_FFI_Type_Register": "XLA_FFI_TypeId_Register",
               "XLA_FFI_ExecutionContext_Get": "XLA_FFI_InvokeContext_Get"}


def members():
    """Each structure of ours, with its members."""
    for name, body in re.findall(r"struct (XLA_FFI_\w+) \{(.*?)\n\};", OURS.read_text(), re.DOTALL):
        found = []
        for line in re.sub(r"//.*", "", body).split(";"):
            pointer = re.search(r"\(\*(\w+)\)", line)
            if pointer:
                found.append(pointer[1])
            elif line.strip():
                found += re.findall(r"(\w+)\s*(?:,|$)", line.strip())
        yield name, found


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_layout(tmp_path):
    header = pathlib.Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    theirs = header.read_text()
    checks = []
    for name, found in members():
        assert found
        struct = name if re.search(rf"struct {name}\b", theirs) else OTHER_NAMES[name]
        for member in found:
            there = member if re.search(rf"\({member}\)", theirs) else OTHER_NAMES.get(member, member)
            checks.append(f"static_assert(offsetof(ours::{name}, {member}) == offsetof({struct}, {there}));\n"
                          f"static_assert(sizeof(ours::{name}::{member}) == sizeof({struct}::{there}));")
    assert len(checks) > 70
    constants = re.findall(r"\b(XLA_FFI_(?:Extension|Error_Code|AttrType|DataType)_\w+) = (\d+)", OURS.read_text())
    assert len(constants) == 18
    checks += [f"static_assert(int({name}) == {value});" for name, value in constants]
    program = tmp_path / "layout.cpp"
    program.write_text(f'#include <cstddef>\n#include "{header}"\n#include "{OURS}"\nnamespace ours = onepass::python::xla;\n' + "\n".join(checks) + "\n")
    subprocess.run([COMPILER, "-std=c++17", "-fsyntax-only", str(program)], check=True)
