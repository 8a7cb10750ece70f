# SPDX-License-Identifier: Apache-2.0
"""The shared library shows all that onepass/c.h declares, and of C++ only onepass. usage: exported_symbols.py LIBRARY HEADER"""
import re
import subprocess
import sys

listing = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True).stdout
shown = {line.split(" ", 2)[2].split("@")[0] for line in listing.splitlines()}
declared = set(re.findall(r"^ONEPASS_C_API [^;]*?\b(onepass_\w+)\(", open(sys.argv[2]).read(), re.M))
assert len(declared) > 40, declared
missing = declared - shown
others = {s for s in shown - declared if not re.match(r"(typeinfo( name)? for |vtable for )?onepass::|ONEPASS_0\.1$", s)}
assert not missing and not others, (missing, others)
print(len(declared), "functions of C and", len(shown - declared), "symbols of C++")
