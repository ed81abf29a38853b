"""Sentences about US air units, missions, task groups and ships."""

import msgspec
import pytest

from engine.cbps.events import air, fleet
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.log import describe
from engine.kernel.unions import leaf_types


def moved(why: str, place: str = "mission", at: str = "strike-1") -> air.UnitMoved:
    """Return a move of Hornet F1."""
    return air.UnitMoved(unit="hornet-f1", place=place, at=at, why=why)  # type: ignore[arg-type]  # one of its words


SAID: tuple[tuple[CbpsEvent, str], ...] = (
    (moved("launch"), "Hornet F1 takes off with Strike 1."),
    (moved("raise", "ready", "hornet"), "Hornet F1 is raised to the flight deck of Hornet."),
    (moved("service", "servicing", "hornet"), "Hornet F1 is serviced aboard Hornet."),
    (moved("store", "hangar", "hornet"), "Hornet F1 goes back to the hangar of Hornet."),
    (moved("lower", "hangar", "hornet"), "Hornet F1 is lowered to the hangar aboard Hornet."),
    (moved("lower", "servicing", "hornet"), "Hornet F1 is lowered to servicing aboard Hornet."),
    (moved("land", "landed", "wasp"), "Hornet F1 lands on Wasp."),
    (moved("split", at="intercept-2"), "Hornet F1 leaves its mission and flies as Intercept 2."),
    (moved("divert", "landed", "wasp"), "Hornet F1 is sent to Wasp."),
    (moved("wait"), "Hornet F1 stays in the air with Strike 1."),
    (moved("leave", "gone", ""), "Hornet F1 has flown its mission and will not fly again."),
    (moved("home", "gone", ""), "Hornet F1 is home."),
    (moved("setup", "ready", "hornet"), "Hornet F1 is ready on Hornet."),
    (
        air.UnitLost(unit="hornet-f1", is_at_group=True, why="overboard"),
        "Hornet F1 is pushed overboard.",
    ),
    (
        air.UnitLost(unit="hornet-f1", is_at_group=False, why="fuel"),
        "Hornet F1 runs out of fuel and is lost.",
    ),
    (
        air.UnitAborted(unit="hornet-b1"),
        "Hornet B1 breaks off and takes no part in the attack.",
    ),
    (
        air.MissionFormed(mission="strike-1", kind_of="strike", hex="1108", fuel=14),
        "Strike 1 is formed in 1108 with fuel 14.",
    ),
    (
        air.MissionFormed(mission="intercept-1", kind_of="intercept", cap="58.1"),
        "Intercept 1 is formed as CAP of TG 58.1.",
    ),
    (
        air.MissionFormed(
            mission="intercept-2", kind_of="intercept", hex="1108", parent="intercept-1"
        ),
        "Intercept 2 is split from Intercept 1 (4.37).",
    ),
    (
        air.MissionJoined(mission="strike-1", fuel=14, group="58.4"),
        "Strike 1 has fuel 14 with the units from TG 58.4.",
    ),
    (
        air.CapDeployed(mission="intercept-1", hex="1108", fuel=13),
        "Intercept 1, previously CAP, goes on the map in 1108 with 13 points of fuel.",
    ),
    (air.MissionMoved(mission="strike-1", hex="1109"), "Strike 1 flies to 1109."),
    (
        air.MissionMoved(mission="strike-1", hex="1109", why="launch"),
        "Strike 1 flies on to 1109 right after its launch (4.42).",
    ),
    (
        air.MissionMoved(mission="strike-1", hex="1109", why="wrong-target"),
        "Strike 1 finds itself in 1109.",
    ),
    (
        air.FuelSpent(mission="strike-1", points=2, why="second-hex"),
        "Strike 1 spends 2 fuel for the second hex.",
    ),
    (air.MissionFlipped(mission="strike-1"), "Strike 1 has no contact attempts left."),
    (
        air.AttemptMade(mission="strike-1", target="A"),
        "Strike 1 tries to make contact with Force A.",
    ),
    (
        air.MissionFought(mission="strike-1", against="A"),
        "Strike 1 fights Force A.",
    ),
    (air.MissionEnded(mission="strike-1"), "Strike 1 is over."),
    (
        fleet.GroupMoved(group="58.1", hex="1109", heading="W"),
        "TG 58.1 sails to 1109 (W).",
    ),
    (
        fleet.GroupFormed(group="surface-1", hex="1108"),
        "Surface TG 1 is formed in 1108.",
    ),
    (fleet.GroupDetached(group="58.4"), "TG 58.4 leaves TF 58."),
    (fleet.GroupDetached(group="58.4", is_detached=False), "TG 58.4 rejoins TF 58."),
    (
        fleet.GroupMarked(group="58.4", marker="leeward"),
        "TG 58.4 has a Leeward Move marker: one unit per phase (17).",
    ),
    (
        fleet.GroupMarked(group="58.4", marker="station"),
        "TG 58.4 keeps station: one unit per carrier and phase (17).",
    ),
    (fleet.GroupMarked(group="58.4"), "TG 58.4 no longer has a wind marker (17)."),
    (
        fleet.GroupOperates(group="58.1", carrier="bataan"),
        "Bataan operates for TG 58.1 in this phase (17.3).",
    ),
    (
        fleet.LightsSwitched(group="58.1", is_lit=True),
        "TG 58.1 switches its lights on.",
    ),
    (
        fleet.ShipDetached(ship="iowa", group="surface-1"),
        "Iowa joins Surface TG 1 (6.15).",
    ),
    (
        fleet.ShipDetached(ship="oakland", escorts="hornet", hex="1108"),
        "Oakland stays with Hornet in 1108 (12.411).",
    ),
    (
        fleet.ShipHit(ship="hornet", hits=1, why="raid"),
        "Hornet takes 1 hit in the raid.",
    ),
    (fleet.ShipSunk(ship="hornet"), "Hornet sinks."),
    (
        fleet.ShipCrippled(ship="hornet", hex="1108"),
        "Hornet lies crippled in 1108.",
    ),
    (
        fleet.DeckInoperative(ship="hornet"),
        "The flight deck of Hornet is inoperative.",
    ),
    (
        fleet.DeckCrashed(ship="hornet", is_crashed=False),
        "The flight deck of Hornet is clear again.",
    ),
    (
        fleet.FiresChanged(ship="hornet", levels=(1, 3)),
        "Hornet has fires of level 1, 3.",
    ),
    (fleet.FiresChanged(ship="hornet"), "Hornet is no longer on fire."),
    (
        fleet.ShipsFired(ships=("iowa", "alabama")),
        "Iowa and Alabama fire at the raid overhead.",
    ),
)


@pytest.mark.parametrize(("event", "sentence"), [pytest.param(*pair, id=pair[1]) for pair in SAID])
def test_events_are_described_in_sentences(event: CbpsEvent, sentence: str) -> None:
    assert describe(event) == sentence


def test_every_air_and_fleet_event_has_a_sentence() -> None:
    said = {type(event) for event, _ in SAID}
    facts = {*leaf_types(CbpsEvent, vars(air)), *leaf_types(CbpsEvent, vars(fleet))}
    assert said == facts
    assert all(issubclass(kind, msgspec.Struct) for kind in facts)
