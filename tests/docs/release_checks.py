# SPDX-License-Identifier: Apache-2.0
"""scripts/release finds another version in each file that has one, a changelog that is not ready, and texts that say so."""
import importlib.machinery
import importlib.util
import re
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("release", str(ROOT / "scripts/release"))
release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
loader.exec_module(release)


def main():
    version = release.found(r"^project\(onepass VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert not list(release.versions(ROOT, version)), list(release.versions(ROOT, version))
    has_date = re.fullmatch(r"\d{4}-\d\d-\d\d", release.section(ROOT, version)[0]) is not None
    assert len(list(release.texts(ROOT))) == (0 if has_date else 2)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        named = ["tests/install/consumer/CMakeLists.txt", "docs/versions.md"]  # MAJOR.MINOR alone
        for name in [*(name for name, _ in release.VERSIONS), *named, "cmake/onepass_shared.map", "CHANGELOG.md", "README.md"]:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        lines = list(release.versions(tree, "9.8.7"))
        assert len(lines) == len(release.VERSIONS) + len(named) + 1, lines
        assert f"{named[0]} names version {version.rpartition('.')[0]}, and CMakeLists.txt 9.8" in lines, lines
        assert list(release.changelog(tree, "9.8.7")) == ["CHANGELOG.md has no section [9.8.7]"]
        changes = tree / "CHANGELOG.md"
        changes.write_text("# Changelog\n\n## [9.8.7] - unreleased\n\nText.\n")
        assert list(release.changelog(tree, "9.8.7")) == ["CHANGELOG.md: version 9.8.7 has no date, but 'unreleased'"]
        changes.write_text("# Changelog\n\n## [9.8.7] - 2026-01-02\n\nThe text.\n\n## [9.8.6] - 2026-01-01\n\nOlder.\n")
        assert not list(release.changelog(tree, "9.8.7"))
        notes = release.notes(tree, "9.8.7")
        assert "The text." in notes and "Older." not in notes and "## Limits" in notes
        changes.write_text("# Changelog\n\n## [9.8.7] - 2026-01-02\n")
        assert list(release.changelog(tree, "9.8.7")) == ["CHANGELOG.md: version 9.8.7 has no text"]
    print("release checks: passed")


if __name__ == "__main__":
    main()
