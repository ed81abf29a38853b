"""Every roll of a game is reported by exactly one event, with its face."""

from typing import Any

import pytest
from typing_extensions import override

from engine import registry
from engine.bots.registry import create_bot
from engine.kernel.dice import DerivedDice, Die
from engine.kernel.ids import Role
from play.bots import play_bots
from play.games import NewGame, create_match
from saves.entries import decode_command, visible_events
from saves.headers import Header
from saves.logfile import read_log
from saves.match import derive_secret
from saves.records import Record
from saves.timeline import Timeline
from tests.sizes import sampled, sized

COMMANDS = 150


class RecordingDice(DerivedDice):
    """Dice that note every face rolled."""

    def __init__(self, secret: bytes, record: int) -> None:
        super().__init__(secret, record)
        self.faces: list[int] = []

    @override
    def roll(self, die: Die) -> int:
        self.faces.append(super().roll(die))
        return self.faces[-1]


def played(game: str, scenario: str, seed: int) -> tuple[Header, list[Record]]:
    """Return the records of a game of bots."""
    match = create_match(NewGame(game=game, scenario=scenario), None, derive_secret(str(seed)))
    roles = match.ruleset.roles(match.state)
    dice = DerivedDice(derive_secret(f"players {seed}"), 0)
    players = {Role(role): create_bot("greedy", game, dice) for role in roles}
    for count, _ in enumerate(play_bots(match, players)):
        if count == sized(COMMANDS // 2, 4 * COMMANDS):
            break
    return match.header, list(match.records)


def check(header: Header, records: list[Record]) -> int:
    """Roll the dice of every command again, compare them with the events, and return their number."""
    rules: Any = registry.ruleset(header.game)
    timeline: Timeline[Any] = Timeline(rules)
    count = 0
    assert header.secret is not None
    for record in records:
        if record.kind == "command":
            assert record.command is not None
            dice = RecordingDice(header.secret, record.seq)
            command = decode_command(rules, record.command)
            rules.decide(timeline.state, record.role, command, dice)
            events = visible_events(rules, record)
            reported = [roll.face for event in events for roll in rules.die_rolls(event)]
            assert sorted(reported) == sorted(dice.faces), record.seq
            count += len(reported)
        timeline.add(record, timeline.state_after(record))
    return count


@pytest.mark.parametrize("game", registry.games())
def test_the_tutorials_report_every_roll(game: str) -> None:
    log = read_log(registry.tutorial(game))
    assert bool(check(log.header, list(log.records))) == (game != "qmg")


@pytest.mark.parametrize(
    ("game", "scenario"),
    sampled([("eots", "1943"), ("eots", "south-pacific"), ("cbps", "6"), ("cbps", "8")], 2),
)
def test_bot_games_report_every_roll(game: str, scenario: str) -> None:
    assert check(*played(game, scenario, seed=3)) > 0
