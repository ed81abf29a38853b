"""Line mode: a whole game by numbers and notation, and every word that it accepts."""

from collections.abc import Iterable
from typing import Any

import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.play.tables import SECRET, First, toy_match, toy_session
from tests.toy_game import BLUE, RED, TOY
from tests.tui.hostile import TEXTS, is_clean
from tui.console.game import PlainGame
from tui.eots.presenter import EotsPresenter
from tui.presenter.presenter import Presenter


class Script:
    """A player who types prepared lines and then hangs up."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.printed: list[str] = []

    async def read(self, prompt: str) -> str:
        self.printed.append(prompt)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def write(self, line: str) -> None:
        self.printed.append(line)

    @property
    def text(self) -> str:
        return "\n".join(self.printed)


async def played(lines: Iterable[str], session: LocalSession | None = None) -> Script:
    script = Script(lines)
    await PlainGame(session or toy_session(BLUE), Presenter(TOY), script.read, script.write).run()
    return script


async def test_whole_game_is_played_in_line_mode() -> None:
    session = toy_session(BLUE)
    script = await played(["hold", "commit", "roll"] * 20, session)
    assert session.outcome() is not None
    assert "The game is over." in script.text


async def test_number_selects_a_choice() -> None:
    session = toy_session(BLUE)
    await played(["1", "commit"], session)
    assert session.seq >= 1


async def test_hotseat_asks_each_player_to_take_the_keyboard() -> None:
    script = await played(["hold", "commit", "", "hold", "commit"], toy_session())
    assert "Blue, take the keyboard" in script.text


async def test_undo_before_commit_leaves_no_record() -> None:
    session = toy_session(BLUE)
    script = await played(["hold", "undo", "undo", "commit"], session)
    assert "Undone: hold" in script.text
    assert "Nothing to undo." in script.text
    assert "Nothing planned yet." in script.text
    assert all(record.role != RED for record in session.match.records)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        pytest.param("help", "give a command, such as: done", id="help"),
        pytest.param("?", "Lay a card (1.1)", id="question"),
        pytest.param("why roll", "1.1:", id="why-forbidden"),
        pytest.param("why hold", "Nothing forbids it.", id="why-allowed"),
        pytest.param("why nonsense", "unknown command", id="why-unreadable"),
        pytest.param("roll", "Not now. 1.1:", id="refused"),
        pytest.param("nonsense", "unknown command 'nonsense'", id="unreadable"),
        pytest.param("99", "There is no choice 99.", id="number-beyond"),
        pytest.param("hand", "c", id="hand"),
        pytest.param("log", ">", id="log"),
        pytest.param("hex 4021", "4021", id="hex"),
        pytest.param("map", "There is no such hex.", id="no-map"),
        pytest.param("find x", "Nothing has that name.", id="find"),
        pytest.param("page", "Pages: T Tracks", id="pages"),
        pytest.param("page T", "scores:", id="page"),
        pytest.param("verbs", "lay CARD", id="verbs"),
        pytest.param("goals", "This game lists no goals.", id="goals"),
        pytest.param("roster", "No line contains these words.", id="roster"),
        pytest.param("calendar", "No arrivals.", id="calendar"),
        pytest.param("notes", "There are no notes.", id="notes"),
        pytest.param("note", "note HEX TEXT writes a note", id="note-how"),
        pytest.param("note hold the line", "Note saved.", id="note"),
        pytest.param("save", "This game is not saved.", id="save"),
        pytest.param("back", "there is no command to take back", id="back"),
        pytest.param("/ hold", "   1  hold", id="filter"),
        pytest.param("/ zzz", "No choice contains these words.", id="filter-empty"),
        pytest.param("", ">", id="empty-line"),
    ],
)
async def test_line_mode_commands_are_answered(line: str, answer: str) -> None:
    script = await played([line, "quit"])
    assert answer in script.text


async def test_filter_works_again_after_one_without_a_match() -> None:
    script = await played(["/ zzz", "/ hold", "quit"])
    assert script.text.index("No choice contains these words.") < script.text.index("   1  hold")


async def test_quit_ends_the_game_immediately() -> None:
    script = await played(["quit", "hold"])
    assert script.lines == ["hold"]


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=f"S1-{name}") for name, text in TEXTS.items()]
)
async def test_untrusted_names_and_lines_are_sanitised(text: str) -> None:
    match = toy_match(red=text.encode("utf-8", "replace").decode())
    script = await played(
        [text, f"why {text}", f"find {text}", "quit"], LocalSession(match, {BLUE: First()})
    )
    for line in script.printed:
        for piece in line.split("\n"):
            assert is_clean(piece) or "  " in piece
            assert "\x1b" not in piece


async def test_game_command_takes_precedence_over_a_line_mode_command() -> None:
    rules = ruleset("eots")
    position = rules.position("1943", {})
    roles = rules.roles(rules.initial_state())
    seats = tuple(Seat(role=role, player=str(role), seat_id=str(role)) for role in roles)
    match = Match[Any].create(rules, position, "1943", {}, seats, SECRET)
    session = LocalSession(match, {}, Role("allied"))
    script = Script(["save us-corps-xiv", "save", "oc A-0", "quit"])
    await PlainGame(session, EotsPresenter(rules), script.read, script.write).run()
    assert "This game is not saved." in script.text
    assert script.text.count("Not now.") == 2


@pytest.mark.full
async def test_commit_with_arguments_is_the_game_command() -> None:
    rules = ruleset("cbps")
    seats = (Seat(role=Role("us"), player="Ann", seat_id="us"),)
    match = Match[Any].create(rules, rules.position("6", {}), "6", {}, seats, SECRET)
    script = Script(["place hornet-f1 hangar", "commit intercept-1"])
    session = LocalSession(match, {})
    await PlainGame(session, Presenter(rules), script.read, script.write).run()
    assert "missions are committed in the US Intercept Segment" in script.text
    assert len(session.draft.commands) == 1


async def test_resignation_in_line_mode_must_be_repeated() -> None:
    session = toy_session(BLUE)
    script = await played(["resign", "hold", "resign", "resign"], session)
    assert script.text.count("Repeat the command to confirm.") == 2
    assert "Red resigned." in script.text
    assert "The game is over. Winner: Blue. Red resigned." in script.text


async def test_match_is_adjourned_and_resumed_in_line_mode() -> None:
    session = toy_session(BLUE)
    words = ["offer adjournment", "offer adjournment", "hold", "resume", "resume", "offer draw"]
    script = await played([*words, "offer draw"], session)
    assert "The match is adjourned. Type resume to continue." in script.text
    assert "Red resumed the match." in script.text
    assert "a bot never agrees to a draw" in script.text
    assert session.outcome() is None
