"""No internal names appear in players' texts (english.md): pools, tracks, hits of a search."""

import pytest
from msgspec.structs import replace

from engine.eots.ch11_pools import pool_name
from engine.eots.events.battle import HitsLost
from engine.eots.ids import HexId, Pool, Side
from engine.eots.prose import describe
from engine.eots.state import ChinaFront, Pools
from engine.eots.view import project_state
from engine.kernel.ids import Rule
from tests.engine.eots.positions import start_of
from tests.tui.eots.offensives import PRESENTER


def test_pools_tracks_and_hits_are_shown_in_plain_words() -> None:
    state = start_of("1943")
    tracks = replace(state.tracks, china_front=ChinaFront.THREAT_TO_CHUNGKING)
    state = replace(state, pools=Pools(allied_ground=1, cw_naval=2), tracks=tracks)
    view = project_state(state, Side.ALLIED)
    pages = "\n".join(line for page in PRESENTER.pages(view) for line in page[2])
    assert "1 Allied ground, 2 Commonwealth naval" in pages
    assert "threat to Chungking" in pages
    titles = [found.title for found in PRESENTER.find(view, "2 maw")]
    assert titles
    assert not any("us-air" in title for title in titles)


def test_11_0_every_pool_has_a_plain_name() -> None:
    assert {pool_name(pool) for pool in Pool} >= {"US naval", "Chinese ground", "Japanese air"}
    assert not any("-" in pool_name(pool) for pool in Pool)


@pytest.mark.parametrize(
    ("rule", "why"), [("9.2", "no friendly aircraft is left to match it (9.2F)"), ("9.4", "(9.4B)")]
)
def test_9_2_hits_without_a_target_are_reported(rule: str, why: str) -> None:
    lost = HitsLost(rule=Rule(rule), at=HexId("2813"), side=Side.JAPAN, hits=16)
    told = describe(lost)
    assert told.startswith("Japan has 16 hits left at 2813 Manila")
    assert told.endswith(why)
