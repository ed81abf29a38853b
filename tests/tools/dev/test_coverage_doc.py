"""Tests for the generated page on the coverage of rules and cards."""

import pytest

from tools.dev.coverage_doc import TARGET, build, format_ids, mentions, rules_section


def test_the_document_is_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == build(), (
        "run: uv run python -m tools.dev.coverage_doc"
    )


@pytest.mark.full
def test_rule_numbers_are_found_in_files_that_mention_them() -> None:
    assert any(
        name.endswith("ch09_battle/hits.py") for name in mentions(("engine",), (".py",))["9.2"]
    )
    assert "99.9" not in mentions(("engine",), (".py",))


@pytest.mark.full
def test_chapter_counts_add_up_to_the_total() -> None:
    rows = [
        [int(cell) if cell.strip().isdigit() else 0 for cell in line.strip("| ").split("|")]
        for line in rules_section("qmg")
        if line.startswith("| ") and line[2].isdigit()
    ]
    (total,) = [line for line in rules_section("qmg") if line.startswith("| all ")]
    assert (
        total == "| all | " + " | ".join(str(sum(row[n] for row in rows)) for n in (1, 2, 3)) + " |"
    )
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_uncovered_numbers_are_formatted_as_a_list() -> None:
    assert format_ids(["8.45", "9.2"]) == "8.45, 9.2"
    assert format_ids([]) == "none"
