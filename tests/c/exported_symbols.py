# SPDX-License-Identifier: Apache-2.0
"""The shared library shows all that onepass/c.h and the calls of onepass/library.hpp need, and of C++ only onepass.
usage: exported_symbols.py LIBRARY FOLDER_OF_HEADERS"""
import pathlib
import re
import subprocess
import sys

listing = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True).stdout
shown = {line.split(" ", 2)[2].split("@")[0] for line in listing.splitlines()}
headers = pathlib.Path(sys.argv[2])
declared = set(re.findall(r"^ONEPASS_C_API [^;]*?\b(onepass_\w+)\(", (headers / "c.h").read_text(), re.M))
declared_in_cpp = set(re.findall(r"^(?:void|std::size_t) (\w+)\([^;{]*\);", (headers / "library.hpp").read_text(), re.M))
assert len(declared) > 60 and len(declared_in_cpp) > 25, (declared, declared_in_cpp)
names = {s.partition("(")[0].rpartition("::")[2] for s in shown - declared}
missing = (declared - shown) | (declared_in_cpp - names)
others = {s for s in shown - declared if not re.match(r"(typeinfo( name)? for |vtable for )?onepass::|ONEPASS_\d+\.\d+$", s)}
assert not missing and not others, (missing, others)
print(len(declared), "functions of C and", len(shown - declared), "symbols of C++")
