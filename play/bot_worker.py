"""The process in which bots look ahead: it receives a request, searches within a time limit, and replies.

:mod:`play.bot_process` starts it as ``python -P -m play.bot_worker DESCRIPTOR``. It ends when the other side closes the
connection, even during a search.
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
from engine.bots.player import Player, Thinker, Thought, bot_decision, looks_ahead
from engine.bots.registry import create_bot
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role

_NICE: Final = 5
"""Niceness added to this process, so that the user interface stays responsive."""
_MAX_BOTS: Final = 256
"""Maximum number of bots kept in memory."""


class BotRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a bot's answer."""

    number: int
    player: str
    """Unique name of the bot, used as its key in memory."""
    bot: str
    game: str
    role: str
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    known: msgspec.Raw
    """The information available to the bot's seat, encoded as a position."""


class BotAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A bot's answer."""

    number: int
    """Number of the :class:`BotRequest` being answered."""
    command: msgspec.Raw = msgspec.Raw(b"null")
    reason: str = ""
    problem: str = ""
    """Error message if there is no command; otherwise empty."""


REQUEST_DECODER: Final = msgspec.json.Decoder(BotRequest)


def search_best(
    thinker: Thinker,
    ask: BotRequest,
    is_called: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> Thought:
    """Return the best move found within the time limit.

    The search stops early if another step could exceed the limit, judging by the longest step so far.

    Args:
        thinker: The bot.
        ask: The request, with the time limit.
        is_called: Returns True if the search should stop early.
        clock: Returns the time in seconds.
    """
    until = clock() + ask.seconds
    rules = registry.ruleset(ask.game)
    role = Role(ask.role)
    known = msgspec.json.decode(ask.known, type=rules.position_type)
    opening = rules.open_game(known, DerivedDice(bytes(SECRET_BYTES), 0))
    state = rules.fold(rules.initial_state(), opening)
    question, view = bot_decision(rules, state, role, thinker), rules.project(state, role)
    if not thinker.should_search(view, question):
        return Thought(thinker.choose(view, question), thinker.reason)
    thoughts = iter(thinker.search(known, role, question))
    best, longest, last = next(thoughts), 0.0, clock()
    while last + longest < until and not is_called():
        thought = next(thoughts, None)
        if thought is None:
            break
        best, now = thought, clock()
        longest, last = max(longest, now - last), now
    thinker.finish(best)
    return best


class _BotCache:
    """The bots that have received requests, each with its own memory."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}

    def bot_for(self, ask: BotRequest) -> Player:
        """Return the bot for a request, creating it if necessary."""
        found = self._players.pop(ask.player, None)
        if found is None:
            found = create_bot(ask.bot, ask.game, DerivedDice(secrets.token_bytes(SECRET_BYTES), 0))
        self._players[ask.player] = found
        if len(self._players) > _MAX_BOTS:
            del self._players[next(iter(self._players))]
        return found


def _answer_request(bots: _BotCache, ask: BotRequest, line: Connection) -> BotAnswer:
    player = bots.bot_for(ask)
    assert looks_ahead(player), "the bot must look ahead"
    thought = search_best(player, ask, line.poll)
    command = msgspec.Raw(msgspec.json.encode(thought.command))
    return BotAnswer(number=ask.number, command=command, reason=thought.reason)


def serve(line: Connection) -> None:
    """Answer requests until the other side closes the connection."""
    bots = _BotCache()
    with suppress(EOFError, OSError):
        while True:
            ask = REQUEST_DECODER.decode(line.recv_bytes())
            try:
                answer = _answer_request(bots, ask, line)
            except Exception as error:  # noqa: BLE001  # outermost loop; the parent process logs the problem
                answer = BotAnswer(number=ask.number, problem=f"{type(error).__name__}: {error}")
            line.send_bytes(msgspec.json.encode(answer))


def main() -> None:
    """Run as another program's bot process."""
    for key in (signal.SIGINT, signal.SIGQUIT):  # the parent process decides when this one ends
        signal.signal(key, signal.SIG_IGN)
    os.nice(_NICE)
    with Connection(int(sys.argv[1])) as line:
        serve(line)


if __name__ == "__main__":
    main()
