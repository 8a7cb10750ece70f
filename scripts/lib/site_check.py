# SPDX-License-Identifier: Apache-2.0
"""Checks a site that Doxygen has made: every link and picture of its pages is there, every page of a document can be reached
from the first one by links of the texts alone, and no link was left as the text `[...](...)`.

site_check.py FOLDER [PAGES]   PAGES: how many documents there must be at least
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FIRST = "index.html"
VOID = {"img", "br", "hr", "meta", "link", "input", "area", "col", "wbr"}


class Page(HTMLParser):
    """A page's links, the links within its text, what its links can name, and its text outside of code."""

    def __init__(self, text):
        super().__init__()
        self.links, self.in_text, self.anchors, self.words = [], [], set(), []
        self.depth = self.text_from = self.code_from = 0  # nested elements; where the text, and code in it, begin
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[key] for key in ("id", "name") if given.get(key))
        self.depth += tag not in VOID
        if not self.text_from and tag == "div" and given.get("class") == "contents":
            self.text_from = self.depth
        is_code = tag in ("code", "pre") or (tag == "div" and "fragment" in (given.get("class") or ""))
        if not self.code_from and is_code:
            self.code_from = self.depth
        for target in (given.get(key) for key in ("href", "src", "data")):
            if target and "://" not in target and not target.startswith(("javascript:", "mailto:", "data:")):
                self.links.append(target)
                if self.text_from:
                    self.in_text.append(target)

    def handle_endtag(self, tag):
        if self.depth == self.text_from:
            self.text_from = 0
        if self.depth == self.code_from:
            self.code_from = 0
        self.depth -= tag not in VOID

    def handle_data(self, data):
        if self.text_from and not self.code_from:
            self.words.append(data)


def faults(folder):
    pages = {path.name: Page(path.read_text()) for path in sorted(Path(folder).glob("*.html"))}
    if FIRST not in pages or not (Path(folder) / "search/search.js").exists():
        yield f"{FIRST} or the search is not there"
        return
    for name, page in pages.items():
        for link in sorted(set(page.links)):
            target, _, anchor = link.partition("#")
            target = unquote(target) or name
            if not (Path(folder) / target).exists():
                yield f"{name}: links to {link}, which is not there"
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                yield f"{name}: links to {link}, which has no such anchor"
        for left in re.findall(r"\[[^\[\]]*\]\([^()\s]*\)", "".join(page.words)):
            yield f"{name}: has the text {left}"
    reached, new = set(), {FIRST}
    while new:
        reached |= new
        new = {link.partition("#")[0] for name in new for link in pages[name].in_text} & set(pages) - reached
    for name in pages:
        if name.startswith("md_") and name not in reached:
            yield f"{name}: no text links to it"


def main():
    found = list(faults(sys.argv[1]))
    count = len(list(Path(sys.argv[1]).glob("md_*.html")))
    if len(sys.argv) > 2 and count < int(sys.argv[2]):
        found.append(f"{count} documents became pages, and not {sys.argv[2]}")
    for fault in found:
        print(fault)
    print(f"site: {count} documents, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
