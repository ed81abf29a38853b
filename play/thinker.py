"""The process in which bots look ahead: it gets what a seat knows, thinks for so many seconds, and answers.

Started by :mod:`play.thinking` as ``python -P -m play.thinker DESCRIPTOR``; it ends when the other end of its line is
closed, also in the middle of a thought.
"""

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Annotated, Final

import msgspec

from engine import registry
from engine.bots.player import Player, Thinker, Thought, looks_ahead, question_of
from engine.bots.registry import bot
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role

_NICE: Final = 5
"""Keys go first."""
_PLAYERS: Final = 256
"""Bots that are remembered."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot is to think about."""

    number: int
    player: str
    """Tells it from all other bots; it is remembered under this name."""
    bot: str
    game: str
    role: str
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    known: msgspec.Raw
    """What its seat knows, as a position."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What it would do."""

    number: int
    """That of the :class:`Ask`."""
    command: msgspec.Raw = msgspec.Raw(b"null")
    reason: str = ""
    problem: str = ""
    """Why there is no command; empty when there is one."""


ASK: Final = msgspec.json.Decoder(Ask)


def best_thought(
    thinker: Thinker,
    ask: Ask,
    is_called: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> Thought:
    """Return the last thought before the time is up, or would be with one more step as long as the longest so far.

    Args:
        thinker: The bot.
        ask: What it is asked, and how long it may take.
        is_called: Says that nobody waits for the rest.
        clock: Tells seconds.
    """
    until = clock() + ask.seconds
    rules = registry.ruleset(ask.game)
    role = Role(ask.role)
    known = msgspec.json.decode(ask.known, type=rules.position_type)
    opening = rules.start(known, DerivedDice(bytes(SECRET_BYTES), 0))
    state = rules.fold(rules.blank(), opening)
    question, view = question_of(rules, state, role, thinker), rules.project(state, role)
    if not thinker.wonders(view, question):
        return Thought(thinker.choose(view, question), thinker.reason)
    thoughts = iter(thinker.thoughts(known, role, question))
    best, longest, last = next(thoughts), 0.0, clock()
    while last + longest < until and not is_called():
        thought = next(thoughts, None)
        if thought is None:
            break
        best, now = thought, clock()
        longest, last = max(longest, now - last), now
    thinker.settle(best)
    return best


class _Bots:
    """The bots that have been asked, with what they remember."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}

    def of(self, ask: Ask) -> Player:
        """Return who is asked."""
        found = self._players.pop(ask.player, None)
        if found is None:
            found = bot(ask.bot, ask.game, DerivedDice(secrets.token_bytes(SECRET_BYTES), 0))
        self._players[ask.player] = found
        if len(self._players) > _PLAYERS:
            del self._players[next(iter(self._players))]
        return found


def _answered(bots: _Bots, ask: Ask, line: Connection) -> Answer:
    player = bots.of(ask)
    assert looks_ahead(player), "only bots that look ahead are asked here"
    thought = best_thought(player, ask, line.poll)
    command = msgspec.Raw(msgspec.json.encode(thought.command))
    return Answer(number=ask.number, command=command, reason=thought.reason)


def serve(line: Connection) -> None:
    """Answer until the other end is closed."""
    bots = _Bots()
    with suppress(EOFError, OSError):
        while True:
            ask = ASK.decode(line.recv_bytes())
            try:
                answer = _answered(bots, ask, line)
            except Exception as error:  # noqa: BLE001 - the outermost loop of this process; it is told and logged there
                answer = Answer(number=ask.number, problem=f"{type(error).__name__}: {error}")
            line.send_bytes(msgspec.json.encode(answer))


def main() -> None:
    """Think for the program that has started this one."""
    for key in (signal.SIGINT, signal.SIGQUIT):  # the program that has started this one ends it
        signal.signal(key, signal.SIG_IGN)
    os.nice(_NICE)
    with Connection(int(sys.argv[1])) as line:
        serve(line)


if __name__ == "__main__":
    main()
