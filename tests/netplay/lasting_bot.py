"""A bot for tests that need a match to continue. It gives random commands, except those that give up the game."""

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View
from play.bots import create_seat_bot

_GIVES_UP = frozenset({"WithdrawHq"})
"""A side that withdraws its last headquarters has lost. Two random players do so within five commands in every
twentieth game of the South Pacific."""


class LastingBot:
    """Chooses at random among the commands that keep the match going, if there are any."""

    def __init__(self, game: str) -> None:
        self._bot = create_seat_bot("random", game)

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        options = tuple(one for one in decision.options if type(one).__name__ not in _GIVES_UP)
        lasting = msgspec.structs.replace(decision, options=options or decision.options)
        return self._bot.choose(view, lasting)
