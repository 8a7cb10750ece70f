# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a C++ file and how many lines each has."""
import re

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
TYPE = re.compile(r"\b(class|struct|union|enum|namespace)\b[^()]*$|^extern\b")


def without_text(source):
    """The source with its comments and strings, and directives, as blanks: lines stay where they are."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    source = NOT_CODE.sub(blank, source)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, source, flags=re.MULTILINE)


def functions(source):
    """(first line, number of lines, name) of each function with a body that stands in a namespace or a class."""
    code = without_text(source)
    scopes, start = [], 0  # a scope: "type", "other" or where its function begins
    for at, character in enumerate(code):
        if character == "{":
            opening = code[start:at]
            is_inside = any(scope not in ("type",) for scope in scopes)
            head = re.sub(r"template\s*<[^{}]*?>\s*(?=\w)", "", opening).strip()
            if is_inside:
                scopes.append("other")
            elif TYPE.search(head):
                scopes.append("type")
            elif ")" in opening:
                first = start + len(opening) - len(opening.lstrip())
                name = re.search(r"([\w~]+|operator\s*\S+)\s*\(", opening)
                scopes.append((first, name.group(1) if name else "?"))
            else:
                scopes.append("other")
            start = at + 1
        elif character == "}":
            scope = scopes.pop() if scopes else "other"
            if isinstance(scope, tuple):
                first = code.count("\n", 0, scope[0]) + 1
                yield first, code.count("\n", 0, at) + 2 - first, scope[1]
            start = at + 1
        elif character == ";" and not any(scope not in ("type",) for scope in scopes):
            start = at + 1
