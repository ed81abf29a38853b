"""Tests for the details of one rule, card or test series."""

from collections.abc import Mapping

import pytest

from tools.dev.coverage_details import details
from tools.robustness_series import ROOT


def listed(text: str) -> Mapping[str, tuple[int, list[str]]]:
    """Return the announced number and the paths below each heading of a single rule or card."""
    groups: dict[str, tuple[int, list[str]]] = {}
    for line in text.splitlines():
        heading, _, count = line.strip().partition(": ")
        if heading in {"code", "tests", "scripts"}:
            groups[heading] = (int(count), [])
        elif line.startswith("    "):
            groups[[*groups][-1]][1].append(line.strip())
    return groups


@pytest.mark.full
def test_details_of_a_rule_list_all_files_that_mention_it() -> None:
    text = details("cp-04")
    assert text.startswith("Empire of the Sun, CP-04")
    groups = listed(text)
    assert [*groups] == ["code", "tests", "scripts"]
    for count, paths in groups.values():
        assert count == len(paths)
        for path in paths:
            assert "CP-04" in (ROOT / path).read_text(encoding="utf-8"), path
    assert groups["code"][1]


@pytest.mark.full
def test_details_of_a_number_list_every_game_with_such_a_rule() -> None:
    headings = [line for line in details("7.1").splitlines() if not line.startswith(" ")]
    titles = ("Empire of the Sun, 7.1", "Quartermaster General, 7.1", "Carrier Battle: ")
    assert len(headings) == len(titles)
    for heading, title in zip(headings, titles, strict=True):
        assert heading.startswith(title)


@pytest.mark.full
def test_details_of_a_card_list_its_uses_and_scripts() -> None:
    event = details("j-24")
    assert event.startswith("J-24 Submarine Attack (reaction)\n")
    assert "Played: steps 6, 12\nActs in: step 12\n" in event
    assert "Script with the reaction declined: cards-attack-japan-declined.script\n" in event
    assert "tests/scripts/eots/card-j-24-window.script" in listed(event)["scripts"][1]
    plunder = details("DE_PLUNDER")
    assert plunder.startswith("de_plunder Plunder (germany, ")
    assert "Script with a legal use: de_plunder.use.script\n" in plunder
    assert "tests/scripts/qmg/cards/de_plunder.use.script" in listed(plunder)["scripts"][1]


@pytest.mark.full
def test_details_of_a_series_list_its_counts_and_tests() -> None:
    lines = details("d2").splitlines()
    assert lines[0] == "D2 Bit flips"
    assert any(line.startswith("  tests/saves/test_logfile.py: ") for line in lines)
    assert any(" quick, " in line and line.endswith(" nightly") for line in lines)


@pytest.mark.full
@pytest.mark.parametrize("id", ["99.9", "J-999", "D99", "words"])
def test_an_unknown_id_is_refused(id: str) -> None:
    with pytest.raises(LookupError):
        details(id)
