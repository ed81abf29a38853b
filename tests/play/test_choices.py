"""Options as a tree: no two lines of a list have the same text."""

import pytest

from engine.eots import commands as eots
from engine.eots.ids import HexId, UnitId
from engine.kernel.ids import Role
from engine.registry import ruleset
from play.choices import Choice
from saves.timeline import fold_record
from tests.golden_games.corpus import read
from tests.tui.eots.offensives import PRESENTER, begun
from tests.tui.playback.records import CBPS, EOTS, QMG, presenter
from tui.widgets.lists.choice_lines import lay_out_choices

LRB = UnitId("cw-lrb-seac")
PLACES = (
    *("1805", "2008", "2105", "2205", "2206", "2305", "2307", "3823", "4021", "4322", "4423"),
    *("4824", "4828", "5100", "5808"),
)


def _read(lines: tuple[Choice, ...]) -> list[str]:
    """Return the text of a list at 80x24, without digits."""
    shown: dict[int, str] = {}
    over = ""
    for line in lay_out_choices(lines, 33):
        if line.row < 0:
            over = line.text
        else:
            shown[line.row] = shown.get(line.row, over) + line.text
    return list(shown.values())


def _check(lines: tuple[Choice, ...]) -> None:
    read = _read(lines)
    assert len(set(read)) == len(read), read
    for line in lines:
        if line.is_heading:
            _check(line.children)


def test_the_places_of_the_last_reinforcement_are_named() -> None:
    table = begun()
    table.switch_role(Role("allied"))
    options = [eots.Place(unit=LRB, at=HexId(at)) for at in PLACES]
    lines = PRESENTER.choices(table.view(), options)
    _check(lines)
    assert all(at in text for at, text in zip(PLACES, _read(lines), strict=True))
    assert any("SEAC LRB" in words for words in lines[0].headings)


@pytest.mark.full
@pytest.mark.parametrize("name", [EOTS, QMG, CBPS])
def test_no_two_lines_of_a_list_have_the_same_text(name: str) -> None:
    header, records = read(name)
    rules, shows = ruleset(header.game), presenter(name)
    state, asked = rules.initial_state(), 0
    for record in records[:400]:
        state = fold_record(rules, state, record)
        for decision in rules.pending_decisions(state) if record.seq % 5 == 0 else ():
            _check(shows.choices(rules.project(state, decision.role), decision.options))
            asked += 1
    assert asked
