# SPDX-License-Identifier: Apache-2.0
"""Turns what people read into what Doxygen reads: a header's plain comments, and a document's links; its filter.

A comment right before a declaration documents it, and the declarations after it that have none of their own, as overloads
do; a heading `// ---- title ----` stands over all that follow. The text stays as it was written: examples and lists of
promises keep their lines.

Doxygen looks for a link's file from the folder in which it runs. So links from a document's own folder become links from
there.

doxygen_filter.py HEADER|DOCUMENT
"""
import os
import re
import sys

COMMENT = re.compile(r"^(\s*)//(?: (.*))?$")
HEADING = re.compile(r"^-+ (.*?) -+$")
BESIDE = re.compile(r"^(\s+\S.*[;,])\s+// (.*)$")  # a member with its comment behind it
NO_DECLARATION = re.compile(r"^(namespace|using namespace|#|}|ONEPASS_|extern)")


def pieces(lines):
    """(comment's lines, its indentation) or (None, line), in their order."""
    comment, indent = [], ""
    for line in lines:
        match = COMMENT.match(line)
        if match:
            indent = indent if comment else match[1]
            comment.append(match[2] or "")
            continue
        if comment:
            yield comment, indent
            comment = []
        yield None, line


def documented(lines, command=""):
    return f"/** {command}\n@verbatim\n" + "\n".join(lines) + "\n@endverbatim */"


def filtered(text):
    out, heading, last, own = [], [], [], None
    is_between = True  # of declarations of a namespace
    for number, (comment, line) in enumerate(pieces(text.splitlines())):
        if comment is not None and number == 0:
            out.append(documented([text for text in comment if "SPDX" not in text], "@file"))
        elif comment is not None:
            titles = [match[1] for match in map(HEADING.match, comment) if match]
            rest = [text for text in comment if not HEADING.match(text)]
            if not line:  # at a namespace's level
                heading, last = titles or heading, rest
                is_between = True
            else:
                own = rest
        else:
            starts = is_between and re.match(r"\w", line) and not NO_DECLARATION.match(line)
            if starts and heading + last:
                out.append(documented(heading + last))
            elif own and line.strip() and not line.startswith("#"):
                out.append(documented(own))
            own = None
            if re.match(r"\S", line) or not line:
                is_between = not line or line[-1] in "};" or bool(NO_DECLARATION.match(line))
            out.append(BESIDE.sub(r"\1  ///< \2", line))
    return "\n".join(out) + "\n"


def linked(text, folder):
    def from_here(match):
        path = os.path.normpath(os.path.join(folder, match[1]))
        return f"]({path}" if os.path.exists(path) else match[0]

    return re.sub(r"\]\(([^)#\s:]+)", from_here, text)


if __name__ == "__main__":
    name = os.path.relpath(sys.argv[1])
    with open(name) as file:
        sys.stdout.write(linked(file.read(), os.path.dirname(name)) if name.endswith(".md") else filtered(file.read()))
