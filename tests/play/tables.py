"""Toy games at one keyboard, for tests of sessions and screens."""

from typing import Any

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.local_session import LocalSession
from saves.headers import Seat
from saves.logfile import LogWriter
from saves.match import Match
from tests.toy_game import BLUE, RED, TOY

SECRET = bytes(range(32))


class First:
    """A bot that takes the first option."""

    def choose(self, view: View, decision: Decision[Any]) -> Command:
        command: Command = decision.options[0]
        return command


class Talking(First):
    """A bot that takes the first option and gives a reason."""

    reason = "Takes what comes first."


def seats(red: str = "Ann", blue: str = "Bob") -> tuple[Seat, ...]:
    return (
        Seat(role=RED, player=red, seat_id="seat-red"),
        Seat(role=BLUE, player=blue, seat_id="seat-blue"),
    )


def toy_match(
    log: LogWriter | None = None, scenario: str = "short", red: str = "Ann"
) -> Match[Any]:
    return Match.create(TOY, TOY.position(scenario, {}), scenario, {}, seats(red), SECRET, log)


def toy_session(*bots: Role, log: LogWriter | None = None, scenario: str = "short") -> LocalSession:
    return LocalSession(toy_match(log, scenario), {role: First() for role in bots})
