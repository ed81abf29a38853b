"""Delayed spectators: the data that they may have, and that they receive no current information before."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.errors import DataError
from netplay.feed.feed import Feed
from netplay.feed.spectator_delay import SpectatorDelay, parse_delay
from netplay.match.host_config import HostConfig
from netplay.wire import messages as wire
from saves.match import Match
from tests.netplay.raw import seated
from tests.netplay.tables import Room, live, play, room, until
from tests.saves.play import new_match
from tests.toy_game import BLUE, RED, Hold

HOUR = HostConfig(window_seconds=0.0, lateness=SpectatorDelay(seconds=3_600.0))


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def later(table: Room, seconds: float) -> None:
    """Advance the time for what spectators may have."""
    feed = table.host.tables[table.match]._feed
    now = feed._now() + seconds
    feed._now = lambda: now
    table.host.tables[table.match].notify()


def grow(match: Match[Any]) -> None:
    role = match.asked[0]
    options = match.ruleset.decision(match.state, role).options
    match.submit(role, options[0], match.seq)


def test_a_record_is_public_after_the_delay() -> None:
    match, watch = new_match(None, "short"), Watch()
    feed = Feed(match, delay=SpectatorDelay(seconds=60.0), now=watch)
    for _ in range(3):
        watch.seconds += 20
        grow(match)
        feed.cache_state()
    assert (feed.head(RED), feed.head(None), match.seq) == (3, 0, 3)
    assert feed.records_after(None, 0, 0) == ((), None)
    heads = []
    for _ in range(4):
        heads.append(feed.head(None))
        watch.seconds += 20
    assert heads == [0, 1, 2, 3]
    assert len(feed.records_after(None, 0, 0)[0]) == 3


def test_the_delay_of_resumed_records_starts_when_the_match_is_reopened() -> None:
    match, watch = new_match(None, "short"), Watch()
    grow(match)
    feed = Feed(match, delay=SpectatorDelay(seconds=60.0), now=watch)
    assert feed.head(None) == 0
    watch.seconds += 60
    assert feed.head(None) == 1


def test_without_a_delay_spectators_see_current_records() -> None:
    match = new_match(None, "short")
    feed = Feed(match)
    grow(match)
    feed.cache_state()
    assert feed.head(None) == feed.head(RED) == 1
    assert not feed.is_delayed(None)


def test_a_turn_is_public_after_the_delay_in_turns() -> None:
    match = new_match(None, "short")
    feed = Feed(match, delay=SpectatorDelay(turns=2))
    turns = [match.ruleset.turn_name(match.state)]
    heads = []
    while match.outcome is None:
        heads.append((match.ruleset.turn_name(match.state), feed.head(None)))
        grow(match)
        feed.cache_state()
        turns.append(match.ruleset.turn_name(match.state))
    names = list(dict.fromkeys(turns))
    assert len(names) > 2, "the match has more turns than the delay"
    for turn, head in heads:
        known = names.index(turn) - 2
        last = max((seq for seq, name in enumerate(turns) if names.index(name) <= known), default=0)
        assert head == last, turn


def test_a_takeback_to_an_earlier_turn_reveals_no_more_records() -> None:
    match = new_match(None, "short")
    feed = Feed(match, delay=SpectatorDelay(turns=1))
    first = match.ruleset.turn_name(match.state)
    while match.ruleset.turn_name(match.state) == first:
        grow(match)
        feed.cache_state()
    shown = feed.head(None)
    assert shown == match.seq - 1
    match.take_back(0, match.asked[0])
    feed.cache_state()
    assert (match.ruleset.turn_name(match.state), feed.head(None)) == (first, shown)


@pytest.mark.parametrize(
    ("text", "lateness"),
    [
        ("30", SpectatorDelay(seconds=1_800)),
        ("0.5", SpectatorDelay(seconds=30)),
        ("45s", SpectatorDelay(seconds=45)),
        ("2 h", SpectatorDelay(seconds=7_200)),
        ("1d", SpectatorDelay(seconds=86_400)),
        ("2t", SpectatorDelay(turns=2)),
        ("1 turn", SpectatorDelay(turns=1)),
    ],
)
def test_a_delay_is_parsed_as_time_or_turns(text: str, lateness: SpectatorDelay) -> None:
    assert parse_delay(text) == lateness


@pytest.mark.parametrize("text", ["", "soon", "-3", "2x", "0.5t", "99999d", "1000t", "t"])
def test_a_malformed_delay_is_refused(text: str) -> None:
    with pytest.raises(DataError) as refused:
        parse_delay(text)
    assert refused.value.problem.startswith(f"'{text}' is ")


@pytest.mark.full
async def test_a_delayed_spectator_has_every_record_at_the_end(tmp_path: Path) -> None:
    async with room(tmp_path, manner=HOUR) as table:
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        assert watcher.seq == 0
        await red.submit(Hold())
        await until(lambda: blue.seq == 1)
        assert watcher.seq == 0
        later(table, 3_600)
        await until(lambda: watcher.seq == 1)
        await asyncio.gather(play(red, 500, 1), play(blue, 500, 2))
        await until(lambda: watcher.copy.is_revealed)
        assert watcher.seq == table.head


async def test_a_delayed_spectator_cannot_request_newer_data(tmp_path: Path) -> None:
    async with room(tmp_path, manner=HOUR, plain=True) as table:
        red = table.peer(RED)
        await live(red)
        await red.submit(Hold())
        await red.say("we attack at dawn")
        async with seated(table, None) as watcher:
            match = table.host.tables[table.match].match
            assert (watcher.welcome.seq, watcher.welcome.chain) == (0, match.records[0].chain)
            news = await watcher.ask(
                wire.PollUpdates(seq=0, chain=match.records[0].chain, digest=None)
            )
            assert isinstance(news, wire.Update)
            assert (news.head, news.records, news.chat) == (0, (), ())
            ahead = await watcher.ask(wire.PollUpdates(seq=1, chain=bytes(32), digest=None))
            assert isinstance(ahead, wire.Desync)
            assert (ahead.seq, len(ahead.records)) == (0, 1)
            chain = match.records[1].chain
            known = await watcher.ask(wire.PollUpdates(seq=1, chain=chain, digest=bytes(32)))
            assert isinstance(known, wire.Update), "it can have the record from before a restart"
            assert (known.head, known.records, known.chat) == (0, (), ())
