"""Sentences about strikes and surface combat."""

import pytest

from engine.cbps.events import combat, japan
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.log import describe


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (japan.CapGenerated(force="1", points=3), "Butai 1 has 3 CAP points in this phase."),
        (japan.CapGenerated(force="A", points=0), "Force A has no CAP in this phase."),
        (japan.CapLost(force="1", points=1), "Butai 1 loses 1 CAP point."),
        (
            japan.CapLost(force="1", points=3, is_deckless=True),
            "Butai 1 loses 3 CAP points, which have no deck to land on (12.29).",
        ),
        (japan.HullHit(ship="zuikaku", hits=1), "Zuikaku takes 1 hit."),
        (
            japan.HullHit(ship="kongo", hits=3, is_permanent=True),
            "Kongo takes 3 permanent hits.",
        ),
        (japan.HullHit(ship="zuikaku", hits=0, previous=2), ""),
        (japan.HullSunk(ship="cruiser-force-1"), "Cruiser Force 1 sinks."),
        (japan.HitsAged(), "The hits on Japanese ships age by one turn (12.21)."),
        (
            combat.SurfaceCombatBegan(hex="1018", mover="japan"),
            "Surface combat in 1018. The Japanese came in.",
        ),
        (
            combat.CombatChosen(side="us", is_accepted=False),
            "The US ships try to avoid the combat (21.12).",
        ),
        (
            combat.AvoidanceRolled(side="us", die=3, drm=4, against=8, is_avoided=False),
            "The US ships do not get away: 3 +4 for carriers against 8 (21.14).",
        ),
        (combat.RoundBegan(hex="1018", round=2), "Round 2 of the combat in 1018."),
        (
            combat.ShipFired(ship="iowa", target="yamato"),
            "Iowa fires its guns at Yamato.",
        ),
        (
            combat.ShipFired(ship="destroyer-force-1", target="iowa", weapon="torpedoes"),
            "Destroyer Force 1 fires its torpedoes at Iowa.",
        ),
    ],
)
def test_strike_and_combat_events_are_described_in_sentences(
    event: CbpsEvent, sentence: str
) -> None:
    assert describe(event) == sentence
