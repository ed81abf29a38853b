"""Sentences about searches and submarines (8, 14)."""

import pytest

from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.boats import BoatPinned, BoatPlaced, BoatShadows, BoatSunk
from engine.cbps.events.search import (
    SearchEnded,
    SearchLaunched,
    SearchMoved,
    SearchShadows,
    SearchTried,
    SearchTurned,
)
from engine.cbps.prose.log import describe

BASE = SearchLaunched(
    search="search-3", kind_of="standard", origin="1108", group="58.1", bearing=270, radius="1118"
)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        pytest.param(
            BASE, "Search 3 starts from 1108 on 270 degrees, up to 10 hexes.", id="8.25-standard"
        ),
        pytest.param(
            SearchLaunched(
                search="search-3", kind_of="narrow", origin="1108", group="58.1", radius="1122"
            ),
            "Search 3 starts from 1108 on a narrow search to 1122.",
            id="8.26-narrow",
        ),
        pytest.param(
            SearchMoved(search="search-3", hex="1118", zone="far"),
            "Search 3 flies to 1118 and examines the far zone.",
            id="8.27-zone",
        ),
        pytest.param(
            SearchMoved(search="search-3", hex="1120", passed=("1119", "1120")),
            "Search 3 flies through 1119, 1120.",
            id="8.32-narrow",
        ),
        pytest.param(
            SearchMoved(search="search-3", hex="1114", is_back=True),
            "Search 3 flies to 1114 on its way home.",
            id="8.28-home",
        ),
        pytest.param(
            SearchTried(search="search-3", force="A"),
            "Search 3 looks for Force A.",
            id="8.331-attempt",
        ),
        pytest.param(
            SearchTried(search="search-3", force="B", is_left_out=True),
            "",
            id="7.54-left-out",
        ),
        pytest.param(
            SearchShadows(search="search-3", force="1"),
            "Search 3 shadows Butai 1.",
            id="18.12-shadows",
        ),
        pytest.param(
            SearchShadows(search="search-3"),
            "Search 3 stops shadowing and turns for home.",
            id="18.11-turns",
        ),
        pytest.param(
            SearchTurned(search="search-3"),
            "Search 3 has found carriers and turns for home (18.23).",
            id="18.23-turns",
        ),
        pytest.param(SearchEnded(search="search-3"), "Search 3 is over.", id="8.28-over"),
        pytest.param(
            BoatPlaced(boat="cavalla", hex="1718", why="setup"),
            "Cavalla is stationed in 1718.",
            id="14.11-set-up",
        ),
        pytest.param(
            BoatPlaced(boat="cavalla", hex="1718", why="move"),
            "Cavalla moves to 1718.",
            id="14.12-moves",
        ),
        pytest.param(
            BoatPlaced(boat="cavalla", hex="1718", why="follow"),
            "Cavalla follows into 1718.",
            id="14.152-follows",
        ),
        pytest.param(
            BoatShadows(boat="cavalla", force="A"), "Cavalla shadows Force A.", id="14.15-shadows"
        ),
        pytest.param(
            BoatShadows(boat="cavalla"), "Cavalla is no longer shadowing.", id="14.151-stops"
        ),
        pytest.param(BoatPinned(boat="cavalla", pin=2), "Cavalla is pinned: 2.", id="14.171-pin"),
        pytest.param(
            BoatPinned(boat="cavalla", pin=0), "Cavalla is no longer pinned.", id="14.12-unpinned"
        ),
        pytest.param(BoatSunk(boat="cavalla"), "Cavalla is sunk.", id="14.171-sunk"),
    ],
)
def test_search_and_submarine_events_are_described_in_sentences(
    event: CbpsEvent, sentence: str
) -> None:
    assert describe(event) == sentence
