"""The player's manual holds the tables that the program makes."""

import re

from tools.dev.manual_tables import MANUAL, filled


def test_the_tables_are_those_of_the_program() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    assert filled(text) == text, "run python -m tools.dev.manual_tables"


def test_links_lead_somewhere() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in text.splitlines()
        if line.startswith("#")
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in headings
        else:
            assert (MANUAL.parent / target).exists(), target
