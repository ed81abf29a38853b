"""News and reports in line mode, for those who play without a map."""

from play.local_session import LocalSession
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.tui.playback.records import EOTS, presenter, session
from tests.tui.test_plain import Script
from tui.console.game import PlainGame
from tui.console.reports import PlainReports
from tui.playback.recap import TurnRecap
from tui.presenter.presenter import Presenter


def test_since_lists_what_other_players_did() -> None:
    replay = session(EOTS, "allied", 8, 34)
    reading = PlainReports(replay, presenter(EOTS))
    assert list(reading.since("")) == ["Nobody has moved since your last move."]
    replay.go_to_record(34)
    assert list(reading.since("")) == [
        "  Japan plays J-48 General Adachi as an event: against 2813 Manila/Corregidor",
        "  Japan sends 7 units: 3 SN Brigade, 4 SN Brigade, 1 SN Brigade, 19th Army and 3 more [3319]",
    ]


def test_since_includes_the_remarks_of_a_bot() -> None:
    match = toy_match(scenario="middle")
    table = LocalSession(match, {}, RED)
    account = TurnRecap(table, Presenter(TOY))
    account.restart()
    match.remark("Holds, for nothing else is near.", BLUE)
    assert account.remarks_by_others() == ("Blue: Holds, for nothing else is near.",)


def test_battle_shows_the_latest_battle_board() -> None:
    reading = PlainReports(session(EOTS, "allied", 41, 41), presenter(EOTS))
    lines = list(reading.battle(""))
    assert lines[0] == "Battle of 2813 Manila/Corregidor"
    assert any("5 Air Division" in line and "FEAF Air" in line for line in lines)
    assert lines[-1] == "Japan wins the air-naval combat, 22 to 0 (9.3)"


def test_declared_battle_shows_the_possible_rolls() -> None:
    reading = PlainReports(session(EOTS, "allied", 34, 34), presenter(EOTS))
    lines = list(reading.battle(""))
    assert lines[0] == "Battle of 2813 Manila/Corregidor, not rolled yet"
    assert any("Strength 22" in line for line in lines)
    assert any("Hits by die: " in line for line in lines)


def test_turn_report_is_printed_once() -> None:
    replay = session(EOTS, "allied", 189, 250)
    script = Script([])
    game = PlainGame(replay, presenter(EOTS), script.read, script.write)
    game._print_log()
    assert "End of turn" not in script.text
    replay.go_to_record(201)
    for _ in range(2):
        game._print_log()
    assert script.printed.count("End of turn 2, Jan-Apr 42") == 1


def test_own_move_restarts_the_news() -> None:
    table = LocalSession(toy_match(scenario="middle"), {}, RED)
    account = TurnRecap(table, Presenter(TOY))
    assert account.news() == ()
    account.restart()
    table.submit(RED, Hold())
    table.submit(BLUE, Hold())
    assert account.start_seq == 0
    table.match.take_back(1, BLUE)
    assert account.news() == (), "what was taken back is not a news"
