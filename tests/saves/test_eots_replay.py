"""A game of 1943 is the same game however it is kept (robustness P2): saved after each event, replayed, rolled back."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Event
from saves.codec import AnyGame, codec
from saves.framing import scan
from saves.logfile import log_bytes, write_log
from saves.match import Match
from saves.records import digest, events_of
from saves.snapshots import read_snapshot, write_snapshot
from saves.timeline import Timeline
from tests.saves.play import new_eots
from tests.sizes import sized

SEEDS = range(sized(1, 20, 1_000, of="games of 1943"))
EVERY = 25
"""Events between two replays."""
BACK = 7
"""Events that are rolled back."""

_PACK = msgspec.msgpack.Encoder().encode
_LOAD = msgspec.msgpack.Decoder(State).decode


def secret_of(seed: int) -> bytes:
    return digest(str(seed).encode(), b"test")


def step(match: Match[State], player: RandomPlayer) -> None:
    rules: AnyGame = EOTS
    asked = rules.asked(match.state)
    role = asked[match.seq % len(asked)]
    command = player.choose(rules.project(match.state, role), rules.decision(match.state, role))
    match.submit(role, command, match.seq)


def player_of(seed: int) -> RandomPlayer:
    """Return a random player; their habits take turns."""
    return RandomPlayer(DerivedDice(secret_of(seed), 1 << 20), list(Habit)[seed % len(Habit)])


def played(seed: int) -> Match[State]:
    """Return a whole game."""
    match, player = new_eots(secret=secret_of(seed)), player_of(seed)
    while EOTS.asked(match.state):
        step(match, player)
    return match


def _keep(event: Event, state: State) -> State:
    """Return a state that went through bytes, after an event that did so too."""
    packed = codec(EOTS).pack(event)
    assert codec(EOTS).event(*packed) == event
    after = EOTS.evolve(state, codec(EOTS).event(*packed))  # type: ignore[arg-type]  # read as an event of this game
    again = _LOAD(_PACK(after))
    assert again == after
    return again


def _check_rolled_back(states: Sequence[State], events: Sequence[Event]) -> None:
    """Seven events back and forth again lead to the same place."""
    state = states[-1 - BACK]
    for event, known in zip(events[-BACK:], states[-BACK:], strict=True):
        state = _keep(event, state)
        assert state == known


def _check_replayed(path: Path, match: Match[State], seq: int) -> None:
    """From the start, and from the last snapshot, the records lead to the same place."""
    records = match.records[: seq + 1]
    found = scan("test", log_bytes(match.header, records))
    fresh: Timeline[State] = Timeline(EOTS)
    fresh.load(found.records)
    assert fresh.state == match.state_at(seq)
    known = read_snapshot(path, EOTS, found.records)
    assert known is not None
    cached: Timeline[State] = Timeline(EOTS)
    cached.load(found.records, known)
    assert cached.state == fresh.state
    for role in EOTS.asked(fresh.state):
        assert EOTS.decision(cached.state, role) == EOTS.decision(fresh.state, role)


@pytest.mark.campaign("P2")
@pytest.mark.parametrize("seed", SEEDS)
def test_p2_a_game_kept_after_each_event_is_the_running_game(tmp_path: Path, seed: int) -> None:
    match = played(seed)
    path = tmp_path / "game.fplog"
    write_log(path, match.header, match.records)
    assert write_snapshot(path, EOTS, match.records[0], match.state_at(0))
    states, events = [EOTS.blank()], list[Event]()
    checked = 0
    for record in match.records:
        for event in events_of(EOTS, record):
            states.append(_keep(event, states[-1]))
            events.append(event)
        assert states[-1] == match.state_at(record.seq)
        if len(events) // EVERY > checked:
            checked = len(events) // EVERY
            _check_rolled_back(states, events)
            _check_replayed(path, match, record.seq)
            assert write_snapshot(path, EOTS, record, states[-1])
    assert checked > 10
    assert EOTS.outcome(states[-1]) == EOTS.outcome(match.state) is not None


@pytest.mark.campaign("P2")
@pytest.mark.parametrize(
    "seed", range(sized(1, 4, 100, of="games of 1943 with commands taken back"))
)
def test_p2_seven_commands_taken_back_ask_the_same_again(seed: int) -> None:
    match, player = new_eots(secret=secret_of(seed)), player_of(seed)
    while EOTS.asked(match.state) and match.seq < 150:
        step(match, player)
        if match.seq % 20 or not EOTS.asked(match.state):
            continue
        before = match.state_at(match.seq - BACK)
        match.takeback(match.seq - BACK)
        assert match.state == before
        for asked in EOTS.asked(before):
            assert EOTS.decision(match.state, asked) == EOTS.decision(before, asked)
    found = scan("test", log_bytes(match.header, match.records))
    fresh: Timeline[State] = Timeline(EOTS)
    fresh.load(found.records)
    assert fresh.state == match.state
