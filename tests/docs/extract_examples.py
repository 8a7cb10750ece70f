# SPDX-License-Identifier: Apache-2.0
"""Makes a test program of the examples in documents: extract_examples.py OUTPUT DOCUMENT...

In a header an example is what is indented by three blanks in a comment, after an empty comment line:

    // Computes this and that.
    //
    //   onepass::inclusive_scan(x.begin(), x.end(), y.begin());  // y = 3 4 8 9 14

In a .md file it is a block fenced as ```cpp. A closing comment `// NAME = NUMBERS, NAME = NUMBERS` is checked: what
NAME holds must open with these numbers. Examples with CUDA or device memory in them run on the GPU in a CUDA build. A block
that declares nothing is a fragment, and is not run. A block with a `namespace onepass` or an ONEPASS_TEST in it is a part of a
file, and stays as it is; its includes by relative paths are the library's, which the program has.
"""
import re
import sys
from pathlib import Path

EXPECTATION = re.compile(r"([A-Za-z_][\w.()\[\]>-]*) = ([-\d. ]+)(?=$|,|;)")
DECLARATION = re.compile(r"^\s*(const |auto |bool |int |float |double |struct |unsigned |std::\w+|thrust::\w+_vector|#include)")
PART_OF_A_FILE = re.compile(r"^(namespace onepass\b|ONEPASS_TEST\()", re.MULTILINE)
OPENING = """// SPDX-License-Identifier: Apache-2.0
// Made by tests/docs/extract_examples.py.
#include <onepass/distributed.hpp>
#include <onepass/library.hpp>
#include <onepass/onepass.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

template <class T>
std::string shown(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_arithmetic_v<T>) {
    text << +value;
  } else {
    for (const auto& item : value) {
      using item_type = typename T::value_type;
      text << (text.tellp() > 0 ? " " : "") << +static_cast<item_type>(item);
    }
  }
  return text.str();
}

// Whether `value` opens with the numbers of `expected`.
template <class T>
testing::AssertionResult opens_with(const T& value, const std::string& expected) {
  const std::string text = shown(value) + " ";
  if (text.compare(0, expected.size() + 1, expected + " ") == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "holds " << text;
}

[[maybe_unused]] static bool no_device() {
#if ONEPASS_HAS_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
#else
  return false;
#endif
}
"""


def header_examples(text):
    """(line number, lines) of each example in a header's comments."""
    lines, number = text.splitlines(), 0
    while number < len(lines):
        block = []
        if lines[number].strip() == "//":
            for line in lines[number + 1:]:
                if not re.match(r"\s*//(   |$)", line) or (line.strip() == "//" and not block):
                    break
                block.append(re.sub(r"^\s*// {0,3}", "", line))
            if any(DECLARATION.match(line) for line in block):
                yield number + 2, block
        number += len(block) + 1


def fenced_examples(text):
    for found in re.finditer(r"^```cpp\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, found.start()) + 2, found.group(1).splitlines()


def test_of(document, index, number, block):
    """(its #include lines, its text as a test)."""
    text = "\n".join(block)
    if PART_OF_A_FILE.search(text):
        own = [line for line in block if line.startswith("#include") and '"../' not in line]
        return own, "\n".join([f"// {document.name}:{number}"] + [line for line in block if not line.startswith("#include")])
    on_device = re.search(r"\bcuda|device_vector|thrust::device\b", text)
    body = ["  using namespace onepass::library;"] if document.stem == "library" else []
    for line in block:
        if line.startswith("#include"):
            continue
        body.append("  " + line)
        for name, numbers in EXPECTATION.findall(line.partition("//")[2]):
            body.append(f'  EXPECT_TRUE(opens_with({name}, "{numbers.strip()}"));')
    stem = document.stem if document.suffix == ".hpp" else document.name  # a page may have a header's name
    name = f"{re.sub(r'[^a-z0-9]', '_', stem.lower())}_{index}"
    needs_cuda = re.search(r"\bcuda(_|\()|cudaStream", text)
    lines = [f'// {document.name}:{number}']
    if "int main(" in text:  # a whole program: its parts before main stay outside
        code = "\n".join(body).replace("int main()", f"int main_of_{name}()")
        code = re.sub(r"\}\s*$", "  return 0;\n  }", code)  # which main() alone may leave out
        lines += [f"namespace {name} {{", code, "}"]
        body = [f"  EXPECT_EQ({name}::main_of_{name}(), 0);"]
    if on_device:
        lines += ["#if ONEPASS_HAS_CUDA", f"TEST(examples, {name}_gpu) {{",
                  '  if (no_device()) GTEST_SKIP() << "no CUDA device";', *body, "}"]
        if not needs_cuda:  # without CUDA, Thrust's device is the host
            lines += ["#else", f"TEST(examples, {name}_cpu) {{", *body, "}"]
        lines += ["#endif"]
    else:
        lines += [f"TEST(examples, {name}_cpu) {{", *body, "}"]
    if needs_cuda and "int main(" in text:
        lines = ["#if ONEPASS_HAS_CUDA", *lines, "#endif"]
    return [line for line in block if line.startswith("#include")], "\n".join(lines)


def main():
    output, documents = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    includes, tests = [], []
    # What a header other than onepass.hpp includes is a part of that, which has the examples; onepass.hpp is made of the others.
    parts = {"onepass.hpp"}.union(*(re.findall(r'^#include "(\w+\.hpp)"', document.read_text(), re.MULTILINE)
                                    for document in documents if document.name != "onepass.hpp"))
    for document in documents:
        text = document.read_text()
        found = list(fenced_examples(text) if document.suffix == ".md" else header_examples(text))
        if not found and document.suffix == ".hpp" and document.name not in parts:
            tests.append(f'TEST(examples, {document.stem}) {{ FAIL() << "a public header without an example"; }}')
        for index, (number, block) in enumerate(found, 1):
            own_includes, test = test_of(document, index, number, block)
            includes += own_includes
            tests.append(test)
    output.write_text("\n".join([OPENING, *sorted(set(includes)), "", *tests]) + "\n")


if __name__ == "__main__":
    main()
