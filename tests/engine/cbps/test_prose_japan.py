"""Sentences about Japanese forces."""

import pytest

from engine.cbps.events import japan as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.log import describe


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (ev.ForceArrived(force="A", hex="0117"), "Force A arrives in 0117 (7.1)."),
        (
            ev.ForceArrived(force="B", hex="0117", partner="A"),
            "Force B is revealed beside Force A (7.52).",
        ),
        (
            ev.ForceMoved(force="A", hex="0117", heading="E", why="mission"),
            "Force A moves E to 0117, on its mission.",
        ),
        (
            ev.ForceMoved(force="1", hex="0117", why="away"),
            "Butai 1 does not move: no hex leads away from the US carriers (7.21).",
        ),
        (ev.ForceRemoved(force="A", why="false-contact"), "Force A was a false contact."),
        (ev.ForceRenamed(force="A", name="1"), "Force A is now Butai 1 (9.1)."),
        (
            ev.LevelChanged(force="A", level=2, chit="2-3 Carriers", is_carrier=True),
            "Force A reaches level 2: 2-3 Carriers.",
        ),
        (
            ev.LevelChanged(force="A", level=3, chit="surface"),
            "Force A is a surface force of level 3.",
        ),
        (
            ev.ShipsDrawn(force="1", ships=("shokaku", "cruiser-force-1")),
            "Butai 1 is made up of Shokaku and Cruiser Force 1.",
        ),
        (ev.Detected(force="A", detection="S"), "Force A is spotted."),
        (
            ev.Detected(force="A", detection="", why="activation"),
            "Force A is no longer detected (8.14).",
        ),
        (ev.AdvantageChanged(force="1"), "Butai 1 has a US Advantage marker (8.35)."),
        (
            ev.PointsMoved(owner="1", points=5, to="aall"),
            "Butai 1: 5 points come to light in Available at all ranges.",
        ),
        (
            ev.PointsMoved(owner="Guam", points=1, source="raid-a", to="lost"),
            "Guam: 1 point from Raid A to Lost.",
        ),
        (ev.BoxesShifted(owner="Guam"), "Air points of Guam move up one box (9.12)."),
        (
            ev.DoubleFormed(force="A", partner="B"),
            "Force A and Force B are a double force (7.5).",
        ),
        (ev.DoubleFormed(force="A"), "Force A and its other half separate (19.4)."),
        (ev.ForceRemoved(force="A", why="retired"), "Force A has retired from the map (19.2)."),
        (ev.ForceFuel(force="A", fuel="given-up"), "Force A gives up refuelling (20.7)."),
        (
            ev.ForceFuel(force="A", fuel="given-up", is_over=True),
            "Force A gives up refuelling (20.8).",
        ),
        (ev.OilersPlaced(), "The oilers leave (20.8)."),
        (
            ev.OilersPlaced(hexes=("0723", "1025", "1424")),
            "The oilers lie in 0723, 1025 and 1424 (20.3).",
        ),
        (
            ev.ForceFuel(force="A", fuel="wants", oiler="1025", queue=1, is_try=True),
            "Force A has not refuelled yet (20.61).",
        ),
        (
            ev.ForceFuel(force="A", fuel="wants", oiler="1025"),
            "Force A makes for the oiler in 1025 (20.5).",
        ),
        (ev.HullLeft(ship="hiyo", hex="0926"), "Hiyo is crippled and alone in 0926 (12.41)."),
        (
            ev.HullExited(ship="hiyo", is_vp_exit=True),
            "Hiyo leaves the map from the invasion zone.",
        ),
        (ev.HullExited(ship="hiyo"), "Hiyo leaves the map."),
        (
            ev.ChitsReturned(chits=("Large",), is_to_cup=False),
            "The Large chit is set aside (7.36).",
        ),
        (ev.CommitmentSet(index=6), "The Commitment Index is 6 (13.1)."),
        (
            ev.CommitmentSet(index=6, departed=2, without="B"),
            "The Commitment Index stays 6 without Force B (13.13).",
        ),
        (ev.HitsAged(is_end=True), "At the end, all hits on Japanese ships are permanent (15.1)."),
        (
            ev.ForceHit(force="A", hits=99),
            "A submarine has sunk a ship of Force A, not yet identified (14.162).",
        ),
        (ev.ForceHit(force="A", hits=2), "Force A has taken 2 hits from a submarine (14.162)."),
        (
            ev.PointsMoved(owner="1", points=1, to="raid-a"),
            "Butai 1: 1 point comes to light in Raid A.",
        ),
        (
            ev.GuamChanged(air_value=6, base="Iwo Jima"),
            "Iwo Jima sends reinforcements to Guam (16.12).",
        ),
        (ev.LevelChanged(force="1", level=4, chit="2 CVL"), "Butai 1 reaches level 4."),
        (ev.ForceRenamed(force="A", name="10"), "Force A is now Butai 10 (9.1)."),
        (ev.ForceFound(name="false-contact-2", points=1), "False contact 2: 1 point."),
        (ev.ForceFound(name="A", points=5), "Force A: 5 points."),
    ],
)
def test_events_of_japanese_forces_are_described_in_sentences(
    event: CbpsEvent, sentence: str
) -> None:
    """The sentences contain only what a player knows."""
    assert describe(event) == sentence


@pytest.mark.parametrize(
    "event",
    [
        ev.ForceActivated(force="A"),
        ev.ChitTaken(chit="Large", force="A"),
        ev.RaidsCounted(force="A", raids=1),
    ],
)
def test_bookkeeping_events_have_no_sentence(event: CbpsEvent) -> None:
    """The log contains the draw, the raid and the move."""
    assert describe(event) == ""
