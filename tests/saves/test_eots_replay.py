"""A game is the same however it is stored (P2): saved after each event, replayed, or rolled back."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ruleset import EOTS
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Event
from engine.registry import AnyRuleset, ruleset
from saves.codec import AnyGame, codec
from saves.commitments import digest
from saves.entries import visible_events
from saves.framing import scan
from saves.logfile import log_bytes, write_log
from saves.match import Match
from saves.snapshots import read_snapshot, write_snapshot
from saves.timeline import Timeline
from tests.saves.play import new_eots
from tests.sizes import sampled, sized

SEEDS = range(sized(1, 20, 1_000, of="games of 1943"))
OTHERS = range(sized(1, 3, 1_000, of="games of each of the other titles"))
SCENARIOS: Final = {"qmg": ("base", "total-war"), "cbps": tuple("123456789")}
"""Scenarios of the other games, which are used in turn."""
EVERY = 25
"""Number of events between two replays."""
BACK = 7
"""Number of events that are rolled back."""

_PACK = msgspec.msgpack.Encoder().encode


@cache
def _decoder(state: type[Any]) -> "msgspec.msgpack.Decoder[Any]":
    return msgspec.msgpack.Decoder(state)


def secret_of(seed: int) -> bytes:
    return digest(str(seed).encode(), b"test")


def step(match: Match[Any], player: RandomPlayer) -> None:
    rules: AnyGame = match.ruleset
    asked = rules.active_roles(match.state)
    role = asked[match.seq % len(asked)]
    question = rules.decision(match.state, role)
    command = player.choose(None, question)  # type: ignore[arg-type]  # it looks at no view
    match.submit(role, command, match.seq)


def player_of(seed: int) -> RandomPlayer:
    """Return a random player. The seeds cycle through the habits."""
    return RandomPlayer(DerivedDice(secret_of(seed), 1 << 20), list(Habit)[seed % len(Habit)])


def played(rules: AnyRuleset, scenario: str, seed: int) -> Match[Any]:
    """Return a whole game."""
    position = rules.position(scenario, {})
    match = Match[Any].create(rules, position, scenario, {}, (), secret_of(seed))
    player = player_of(seed)
    while rules.active_roles(match.state):
        step(match, player)
    return match


def _keep(rules: AnyGame, event: Event, state: Any) -> Any:  # noqa: ANN401 - of any game
    """Return a state that was encoded and decoded, after an event that was too."""
    packed = codec(rules).pack(event)
    assert codec(rules).event(*packed) == event
    after = rules.evolve(state, codec(rules).event(*packed))
    kept = rules.to_cache(after)
    again = rules.from_cache(_decoder(type(kept)).decode(_PACK(kept)))
    assert again == after
    return again


def _check_rolled_back(rules: AnyGame, states: Sequence[Any], events: Sequence[Event]) -> None:
    """Seven events back and forward again lead to the same state."""
    state = states[-1 - BACK]
    for event, known in zip(events[-BACK:], states[-BACK:], strict=True):
        state = _keep(rules, event, state)
        assert state == known


def _check_replayed(path: Path, match: Match[Any], seq: int) -> None:
    """The records lead to the same state from the start and from the last snapshot."""
    rules, records = match.ruleset, match.records[: seq + 1]
    found = scan("test", log_bytes(match.header, records))
    fresh: Timeline[Any] = Timeline(rules)
    fresh.load(found.records)
    assert fresh.state == match.state_at(seq)
    known = read_snapshot(path, rules, found.records)
    assert known is not None
    cached: Timeline[Any] = Timeline(rules)
    cached.load(found.records, known)
    assert cached.state == fresh.state
    for role in rules.active_roles(fresh.state):
        assert rules.decision(cached.state, role) == rules.decision(fresh.state, role)


def _check_kept(folder: Path, match: Match[Any]) -> None:
    """A game is stored after each event, and replayed from the start and from the last snapshot every 25 events."""
    rules, path = match.ruleset, folder / "game.fplog"
    write_log(path, match.header, match.records)
    assert write_snapshot(path, rules, match.records[0], match.state_at(0))
    states, events = [rules.initial_state()], list[Event]()
    checked = 0
    for record in match.records:
        for event in visible_events(rules, record):
            states.append(_keep(rules, event, states[-1]))
            events.append(event)
        assert states[-1] == match.state_at(record.seq)
        if len(events) // EVERY > checked:
            checked = len(events) // EVERY
            _check_rolled_back(rules, states, events)
            _check_replayed(path, match, record.seq)
            assert write_snapshot(path, rules, record, states[-1])
    assert checked == len(events) // EVERY
    assert rules.outcome(states[-1]) == rules.outcome(match.state) is not None


@pytest.mark.full
@pytest.mark.series("P2")
@pytest.mark.parametrize("seed", SEEDS)
def test_p2_game_restored_after_each_event_equals_the_running_game(
    tmp_path: Path, seed: int
) -> None:
    match = played(EOTS, "1943", seed)
    assert len(match.records) > 10
    _check_kept(tmp_path, match)


@pytest.mark.series("P2")
@pytest.mark.parametrize("game", sampled([*SCENARIOS][::-1], 1, of="other titles"))
@pytest.mark.parametrize("seed", OTHERS)
def test_p2_other_games_restored_after_each_event_equal_the_running_game(
    tmp_path: Path, game: str, seed: int
) -> None:
    scenario = SCENARIOS[game][seed % len(SCENARIOS[game])]
    _check_kept(tmp_path, played(ruleset(game), scenario, seed))


@pytest.mark.series("P2")
@pytest.mark.parametrize(
    "seed", range(sized(1, 4, 100, of="games of 1943 with commands taken back"))
)
def test_p2_seven_commands_taken_back_restore_the_same_decisions(seed: int) -> None:
    match, player = new_eots(secret=secret_of(seed)), player_of(seed)
    while EOTS.active_roles(match.state) and match.seq < 150:
        step(match, player)
        if match.seq % 20 or not EOTS.active_roles(match.state):
            continue
        before = match.state_at(match.seq - BACK)
        match.take_back(match.seq - BACK)
        assert match.state == before
        for asked in EOTS.active_roles(before):
            assert EOTS.decision(match.state, asked) == EOTS.decision(before, asked)
    found = scan("test", log_bytes(match.header, match.records))
    fresh: Timeline[Any] = Timeline(EOTS)
    fresh.load(found.records)
    assert fresh.state == match.state
