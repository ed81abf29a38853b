"""The player's manual: short pages, generated tables, working links, and no page that readers cannot reach."""

import re
from pathlib import Path

import pytest

from tools.dev.manual_tables import MANUAL, REFERENCE, with_tables

ROOT = MANUAL.parents[1]
PAGES = sorted(path.name for path in MANUAL.glob("*.md"))
MOST_WORDS = 1_500
"""Maximum number of words per page, not counting generated tables, which are for reference."""
GENERATED = re.compile(r"<!-- [a-z ]+ -->\n.*?<!-- end -->", re.DOTALL)
WORD = re.compile(r"\w\S*")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def words(text: str) -> int:
    """Return the number of words outside generated tables, ignoring table borders and list marks."""
    return len(WORD.findall(GENERATED.sub("", text)))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MkDocs both make them."""
    lines = page.read_text(encoding="utf-8").splitlines()
    headings = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^a-z0-9 -]", "", heading).replace(" ", "-") for heading in headings}


def read(name: str) -> str:
    return (MANUAL / name).read_text(encoding="utf-8")


def test_generated_tables_do_not_count_as_words() -> None:
    text = "One two.\n\n| a | `b c` |\n\n<!-- keys -->\n| x | y |\n<!-- end -->\n- three\n"
    assert words(text) == 6


@pytest.mark.parametrize("name", PAGES)
def test_manual_page_is_short(name: str) -> None:
    assert words(read(name)) <= MOST_WORDS


def test_only_reference_pages_have_generated_tables() -> None:
    assert {name for name in PAGES if GENERATED.search(read(name))} == {
        name for name in REFERENCE if "/" not in name
    }


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_generated_tables_match_the_program(name: str) -> None:
    text = read(name)
    assert with_tables(text, REFERENCE[name]) == text, "run python -m tools.dev.manual_tables"


@pytest.mark.parametrize("name", PAGES)
def test_links_resolve(name: str) -> None:
    for target in LINK.findall(read(name)):
        file, _, anchor = target.partition("#")
        page = (MANUAL / (file or name)).resolve()
        assert page.is_file(), target
        assert page.is_relative_to(ROOT / "docs"), target
        assert not anchor or anchor in anchors(page), target


def test_the_index_links_to_every_page() -> None:
    assert {*LINK.findall(read("README.md"))} >= {*PAGES} - {"README.md"}
