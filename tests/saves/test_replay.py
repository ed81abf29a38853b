"""A game that was saved, loaded, rolled back or played again is the same game (robustness P2, P5)."""

import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from saves.codec import AnyGame, codec
from saves.entries import decode_event, visible_events
from saves.framing import scan
from saves.logfile import log_bytes
from saves.match import Match
from saves.timeline import Timeline
from tests.saves.play import AUDIENCES, SEATS, SECRET, new_match, play, step
from tests.sizes import sized
from tests.toy_game import TOY, ToyState

ROOT = Path(__file__).parents[2]


@pytest.mark.series("P2")
@pytest.mark.parametrize(
    "seed", range(sized(6, 20, 1_000, of="games of the toy with commands taken back"))
)
def test_p2_game_saved_after_every_record_equals_the_running_game(seed: int) -> None:
    match = new_match()
    rng = random.Random(seed)
    rolling: Timeline[ToyState] = Timeline(TOY)
    rolling.add(match.records[0], match.state)
    while TOY.active_roles(match.state) and match.seq < 60:
        step(match, rng, takebacks=0.1)
        rolling.add(match.records[-1], rolling.state_after(match.records[-1]))
        assert rolling.state == match.state
        if match.seq % 5 == 0:
            found = scan("test", log_bytes(match.header, match.records))
            fresh: Timeline[ToyState] = Timeline(TOY)
            fresh.load(found.records)
            assert fresh.state == match.state
            back = max(0, match.seq - 7)
            again = fresh.state_at(back)
            assert again == match.state_at(back)
        assert not list(TOY.violations(match.state))


def test_p2_taking_back_seven_records_restores_the_same_choices() -> None:
    match = new_match()
    play(match, 30, seed=1)
    before = match.state_at(match.seq - 7)
    match.take_back(match.seq - 7)
    assert match.state == before
    for role in TOY.active_roles(before):
        assert TOY.decision(match.state, role) == TOY.decision(before, role)


def test_events_round_trip_through_their_bytes() -> None:
    game: AnyGame = TOY
    match = new_match()
    play(match, 200, seed=4)
    pack = codec(TOY).pack
    for record in match.records:
        for entry, event in zip(record.events, visible_events(TOY, record), strict=True):
            assert pack(event) == (entry.tag, entry.v, entry.body)
            for audience in AUDIENCES:
                (seen,) = game.redact_all((event,), audience)
                tag, v, body = pack(seen)
                again = msgspec.structs.replace(entry, tag=tag, v=v, body=body)
                assert decode_event(TOY, again) == seen


def test_the_same_secret_and_commands_give_the_same_file() -> None:
    one, other = new_match(), new_match()
    play(one, 50, seed=9)
    play(other, 50, seed=9)
    assert log_bytes(one.header, one.records) == log_bytes(other.header, other.records)


def test_player_names_change_the_chain_but_not_the_events() -> None:
    position = TOY.position("middle", {})
    named = new_match()
    unnamed = Match.create(TOY, position, "middle", {"hand": "3"}, SEATS[:1], SECRET)
    assert named.chain != unnamed.chain
    assert named.records[0].events == unnamed.records[0].events


_DIGEST = """
from saves.logfile import log_bytes
from saves.commitments import digest
from tests.saves.play import new_match, play
match = new_match()
play(match, 60, seed=2)
print(digest(log_bytes(match.header, match.records), b"test").hex())
"""


@pytest.mark.full
@pytest.mark.series("P3")
def test_p3_game_does_not_depend_on_the_interpreter_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, *options, "-c", _DIGEST],
            env={"PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "LANG": "C"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed, options in (("0", []), ("1", ["-O"]), ("random", []))
    }
    assert len(digests) == 1
