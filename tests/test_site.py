"""The documentation site: its navigation lists every page once, and a default installation does without it."""

import re
import tomllib

from tests.tui.terminals import ROOT

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
DOCS = ROOT / "docs"


def test_the_navigation_lists_every_page_once() -> None:
    listed = re.findall(r"^ +- (?:[\w ]+: )?(\S+\.md)$", CONFIG.split("\nnav:\n")[1], re.MULTILINE)
    pages = [str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def test_broken_links_fail_a_strict_build() -> None:
    settings = CONFIG.split("\nvalidation:\n")[1].split("\nnav:\n")[0]
    assert settings.count(": warn") == 7
    assert not re.search(r": (?:info|ignore)$", settings, re.MULTILINE)


def test_only_the_docs_group_installs_mkdocs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    assert [name for name, wanted in groups.items() if "mkdocs" in str(wanted)] == ["docs"]
    assert "mkdocs" not in str(project["project"])
    assert project["tool"]["uv"]["default-groups"] == []


def test_the_built_site_is_not_committed() -> None:
    assert re.search(r"^site_dir: site$", CONFIG, re.MULTILINE)
    assert "/site/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
