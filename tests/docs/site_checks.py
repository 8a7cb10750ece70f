# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/site_check.py finds each kind of fault in a site, and none in one that is right."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib"))
from site_check import faults  # noqa: E402

TEXT = '<html><body><a href="pages.html">nav</a><div class="contents">{}</div></body></html>'
RIGHT = {
    "index.html": '<p><a href="md_one.html">1</a><br><img src="p.svg"> <code>[a](b)</code></p>',
    "md_one.html": '<h1 id="top">x</h1><a href="#top">top</a> <a href="index.html">back</a> [&amp;](int x) <a href="https://x.y">z</a>',
    "pages.html": '<a href="md_one.html">1</a>',
}
WRONG = [  # page, its text, what is said of it
    ("md_one.html", '<a href="none.html">x</a>', "md_one.html: links to none.html, which is not there"),
    ("md_one.html", '<img src="none.svg">', "md_one.html: links to none.svg, which is not there"),
    ("md_one.html", '<a href="index.html#none">x</a>', "md_one.html: links to index.html#none, which has no such anchor"),
    ("md_one.html", "see [this](that.md)", "md_one.html: has the text [this](that.md)"),
    ("md_two.html", '<a href="md_one.html">1</a>', "md_two.html: no text links to it"),
]


def faults_of(pages):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages.items():
            Path(folder, name).write_text(TEXT.format(text))
        Path(folder, "p.svg").touch()
        Path(folder, "search").mkdir()
        Path(folder, "search/search.js").touch()
        return list(faults(folder))


def main():
    found = faults_of(RIGHT)
    assert not found, found
    for page, text, expected in WRONG:
        found = faults_of({**RIGHT, page: text})
        assert found == [expected], (found, expected)
    print(f"site checks: {len(WRONG)} faults found")


if __name__ == "__main__":
    main()
