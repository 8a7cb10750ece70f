# SPDX-License-Identifier: Apache-2.0
"""The source tree as the rules see it: its files, their text, and which includes which."""
import os
import re
import subprocess
from pathlib import Path

CODE = {".hpp", ".cuh", ".inc", ".cpp", ".cu", ".h"}
HEADERS = {".hpp", ".cuh", ".h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
PUBLIC = "primitives/include/"


class Tree:
    def __init__(self, root):
        self.root = Path(root).resolve()
        self.files = sorted(self._list())
        self._text = {}

    def _list(self):
        """What git has or would add; every file where the tree is no repository."""
        try:
            names = subprocess.run(["git", "-C", str(self.root), "ls-files", "-co", "--exclude-standard", "-z"],
                                   check=True, capture_output=True, text=True).stdout.split("\0")
            names = [name for name in names if name and (self.root / name).is_file()]
            if names:
                return set(names)
        except (OSError, subprocess.CalledProcessError):
            pass
        skipped = {".git", "build", "out"}
        return {path.relative_to(self.root).as_posix() for path in self.root.rglob("*")
                if path.is_file() and path.relative_to(self.root).parts[0] not in skipped}

    def text(self, name):
        """A file's text; empty for a picture or other binary file."""
        if name not in self._text:
            data = (self.root / name).read_bytes()
            self._text[name] = "" if b"\0" in data else data.decode("utf-8", "replace")
        return self._text[name]

    def code(self, suffixes=CODE):
        return [name for name in self.files if Path(name).suffix in suffixes]

    def includes(self, name):
        """(as written, the tree's file it names or None) for each include of `name`."""
        result = []
        for bracket, written in INCLUDE.findall(self.text(name)):
            if bracket == '"':
                target = os.path.normpath(os.path.join(os.path.dirname(name), written))
                result.append((written, target if target in self.files else self._from_include_dirs(written)))
            else:
                target = PUBLIC + written
                result.append((written, target if target in self.files else None))
        return result

    def _from_include_dirs(self, written):
        for folder in ("tests/", "bench/", PUBLIC):
            if folder + written in self.files:
                return folder + written
        return None

    def reach(self, name):
        """Everything behind `name`: {the tree's files}, {other headers as written}."""
        seen, outside, open_files = set(), set(), [name]
        while open_files:
            for written, target in self.includes(open_files.pop()):
                if target is None:
                    outside.add(written)
                elif target not in seen:
                    seen.add(target)
                    open_files.append(target)
        return seen, outside
