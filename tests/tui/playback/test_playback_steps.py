"""Steps of a playback and news of a turn, from golden games as one side knows them."""

import re

import pytest

from engine.eots.ids import Side
from tests.tui.playback.records import CBPS, EOTS, QMG, presenter, session, stretch
from tui.eots.playback.turn_recap import _winners_text
from tui.panels.overlay_pages import BattleBoard, CardPage, page_text
from tui.playback.run import PlaybackRun
from tui.presenter.presenter import Selection

STRETCHES = (
    pytest.param(EOTS, "allied", 8, 66, id="eots"),
    pytest.param(QMG, "germany", 163, 215, id="qmg"),
    pytest.param(CBPS, "us", 30, 92, id="cbps"),
)


@pytest.mark.parametrize(("name", "role", "first", "last"), STRETCHES)
def test_steps_are_in_order_and_on_the_map(name: str, role: str, first: int, last: int) -> None:
    seen_events, before, after = stretch(name, role, first, last)
    words = presenter(name)
    playback_steps = words.playback_steps(seen_events, before, after)
    scene = words.scene(after, Selection())
    assert scene is not None
    stops = [beat.event_count for beat in playback_steps]
    assert stops == sorted(set(stops))
    assert stops[-1] <= len(seen_events)
    assert all(beat.text.strip() for beat in playback_steps)
    assert {at for beat in playback_steps for at in beat.visible_places} <= set(scene.cells)
    assert any(beat.visible_places for beat in playback_steps)


@pytest.mark.parametrize(("name", "role", "first", "last"), STRETCHES)
def test_later_events_change_only_the_last_step(
    name: str, role: str, first: int, last: int
) -> None:
    seen_events, before, after = stretch(name, role, first, last)
    words = presenter(name)
    whole = words.playback_steps(seen_events, before, after)
    for number in range(0, len(seen_events), 7):
        part = words.playback_steps(seen_events[:number], before, after)
        assert [one.event_count for one in part[:-1]] == [
            one.event_count for one in whole[: len(part[:-1])]
        ]


def test_offensive_is_shown_from_card_to_battle() -> None:
    seen_events, before, after = stretch(EOTS, "allied", 8, 42)
    playback_steps = presenter(EOTS).playback_steps(seen_events, before, after)
    texts = [beat.text.split("\n")[0] for beat in playback_steps]
    assert texts[:4] == [
        "Japan plays J-48 General Adachi as an event",
        "Japanese South Seas HQ may activate up to 7 units",
        "Japanese 14th Army enters enemy air range at 2812 (7.25E)",
        "Japanese 18th Army moves to 3720 Wewak (14 hexes)",
    ]
    assert isinstance(playback_steps[0].page, CardPage)
    assert playback_steps[2].paths[0][0] == "2812"
    assert playback_steps[2].paths[0][-1] == "3319"
    assert not any("The Allies activate" in text for text in texts), "own orders are known"
    boards = [beat.page for beat in playback_steps if isinstance(beat.page, BattleBoard)]
    stages = [sum(len(party.rolls) for party in board.sides) for board in boards]
    assert stages == [0, 1, 2, 2]
    assert any(
        "without a target" in beat.text
        for beat in playback_steps
        if isinstance(beat.page, BattleBoard)
    )
    assert boards[-1].summaries == ("Japan wins the air-naval combat, 22 to 0 (9.3)",)
    assert [one.loss for one in boards[-1].sides[1].fighters] == ["eliminated", ""]


def test_battle_roll_lists_its_modifiers() -> None:
    seen_events, before, after = stretch(EOTS, "allied", 42, 60)
    board = presenter(EOTS).playback_steps(seen_events, before, after)[-1].page
    assert isinstance(board, BattleBoard)
    roll = board.sides[0].rolls[0]
    assert (roll.total, roll.die, roll.result) == ("Strength 24", "Die 0 +3 = 3", "12 hits")
    assert roll.reasons == ("+3 Surprise Attack (9.2)",)


def test_viewer_of_one_side_does_not_see_enemy_cards() -> None:
    for role, foreign in (("allied", "J-79"), ("japan", "A-27")):
        seen_events, before, after = stretch(EOTS, role, 66, 70)
        playback_steps = presenter(EOTS).playback_steps(seen_events, before, after)
        assert not any(foreign in beat.text for beat in playback_steps), role


def test_news_include_tracks_battles_and_captures_with_places() -> None:
    seen_events, before, after = stretch(EOTS, "allied", 8, 105)
    news = presenter(EOTS).news(seen_events, before, after)
    lines = {line.text: line.place for line in news}
    assert "US Political Will falls from 8 to 6: Tojo Resigns (J-43)" in lines
    battle = "Battle of 2813 Manila/Corregidor: Japan wins in the air and at sea; the Allies lose 1 step (FEAF Air)"
    assert next(iter(lines)) == battle, "captures and losses come first"
    assert lines[battle] == "2813"
    taken = "Japan takes 2014 Kuantan, 2220 Soerabaja, 3219 Vogelkop, 3319 Biak and 3 more"
    assert lines[taken] == "2014"
    assert any(text.startswith("Japan plays 5 cards: ") for text in lines)


def test_news_name_a_battle_interrupted_by_own_responses() -> None:
    seen_events, before, after = stretch(EOTS, "allied", 60, 62)
    first = presenter(EOTS).news(seen_events, before, after)[0]
    assert first.place == "4715"
    assert first.text.startswith("Battle of 4715 Kwajalein: the Allies win in the air and at sea")


def test_news_name_the_winner_of_the_whole_battle_once() -> None:
    won = [(Side.ALLIED, "in the air and at sea"), (Side.ALLIED, "on the ground")]
    assert _winners_text(won) == "the Allies win in the air, at sea and on the ground"
    won[1] = (Side.JAPAN, "on the ground")
    assert _winners_text(won) == "the Allies win in the air and at sea, Japan wins on the ground"


def test_news_name_the_reacting_units() -> None:
    seen_events, before, after = stretch(EOTS, "japan", 92, 106)
    last = presenter(EOTS).news(seen_events, before, after)[-1]
    assert last.text == "The Allies react with 3 units: FE Air, AVG Air, CA Exeter"


def test_turn_report_has_one_line_per_cause() -> None:
    seen_events, before, after = stretch(EOTS, "allied", 189, 250)
    title, *lines = presenter(EOTS).turn_report(seen_events, before, after)
    assert title == "End of turn 2, Jan-Apr 42"
    assert "Submarine warfare: no effect (12.21)" in lines
    assert any(line.startswith("Japan loses 1 step by attrition (6.24)") for line in lines)
    assert any(line.startswith("3 reinforcements are delayed to turn 6 (10.24)") for line in lines)
    assert len(lines) == len(set(lines))


def test_political_will_change_is_reported_with_its_cause() -> None:
    seen_events, before, after = stretch("eots-1942-44-greedy-mixed", "allied", 170, 180)
    title, *lines = presenter(EOTS).turn_report(seen_events, before, after)
    assert title.startswith("End of turn 2")
    said = [line for line in lines if line.startswith("US Political Will ") and "(16.41)" in line]
    steps = [
        line
        for beat in presenter(EOTS).playback_steps(seen_events, before, after)
        for line in beat.text.split("\n")
        if "Political Will" in line and "(16.41)" in line
    ]
    assert said
    assert steps
    for line in (*said, *steps):
        assert re.search(
            r": [A-Z][^:]* (surrender|surrenders|is recaptured|return|returns)\b", line
        ), line


def test_six_country_battle_shows_who_responds() -> None:
    seen_events, before, after = stretch(QMG, "germany", 163, 195)
    words = presenter(QMG)
    playback_steps = words.playback_steps(seen_events, before, after)
    boards = [beat for beat in playback_steps if isinstance(beat.page, BattleBoard)]
    assert [beat.targets for beat in boards[:2]] == [("moscow",), ("moscow",)]
    first, second = (page_text(beat.page, 60) for beat in boards[:2] if beat.page)
    assert first[0] == second[0] == "Battle of Moscow"
    assert not any("destroyed" in line for line in first)
    assert any("destroyed" in line for line in second)
    assert not any("draws" in beat.text for beat in playback_steps)


def test_six_country_news_have_one_line_each() -> None:
    seen_events, before, after = stretch(QMG, "germany", 163, 186)
    news = presenter(QMG).news(seen_events, before, after)
    assert news[0].text.startswith("Victory points: Axis ")
    assert [line.place for line in news[1:3]] == ["moscow", "north_sea"]


def test_round_report_adds_up_the_score() -> None:
    seen_events, before, after = stretch(QMG, "germany", 1, 62)
    title, total, *lines = presenter(QMG).turn_report(seen_events, before, after)
    assert title == "End of round 1"
    assert total.startswith("Axis ")
    axis = sum(int(line.split()[2].rstrip(":")) for line in lines if line.startswith("The Axis"))
    assert total.startswith(f"Axis {axis}, ")


def test_an_air_battle_is_shown_exchange_by_exchange() -> None:
    seen_events, before, after = stretch(CBPS, "us", 30, 92)
    playback_steps = presenter(CBPS).playback_steps(seen_events, before, after)
    boards = [beat.page for beat in playback_steps if isinstance(beat.page, BattleBoard)]
    assert boards
    assert any(roll.part == "Air to air" for party in boards[0].sides for roll in party.rolls)
    assert any("escort to US fighters" in beat.text for beat in playback_steps)
    assert any(len(path) > 1 for beat in playback_steps for path in beat.paths)


def test_game_turn_report_shows_the_score() -> None:
    seen_events, before, after = stretch(CBPS, "us", 0, 92)
    title, *lines = presenter(CBPS).turn_report(seen_events, before, after)
    assert title.startswith("End of the turn of 19 June, ")
    assert lines


def test_battle_board_continues_after_an_interrupting_question() -> None:
    replay = session(EOTS, "allied", 60, 64)
    replay.go_to_record(64)
    show = PlaybackRun(replay, presenter(EOTS), 60)
    assert show.collect_events()
    losses, capture = show.playback_steps
    assert isinstance(losses.page, BattleBoard)
    assert losses.page.summaries == ("The Allies win the air-naval combat, 20 to 9 (9.3)",)
    assert losses.page.sides[0].fighters[0].loss == "-1 step"
    assert capture.page is None
    assert show.advance() == losses
    assert show.shown_events == show.seen_events[: losses.event_count]
