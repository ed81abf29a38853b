"""No internal names stand where players read (english.md): pools, tracks, hits of a search."""

from msgspec.structs import replace

from engine.eots.ch11_pools import pool_words
from engine.eots.ids import Pool, Side
from engine.eots.state import ChinaFront, Pools
from engine.eots.view import project_state
from tests.engine.eots.positions import start_of
from tests.tui.eots.offensives import PRESENTER


def test_pools_tracks_and_hits_are_told_in_words() -> None:
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


def test_11_0_every_pool_has_words() -> None:
    assert {pool_words(pool) for pool in Pool} >= {"US naval", "Chinese ground", "Japanese air"}
    assert not any("-" in pool_words(pool) for pool in Pool)
