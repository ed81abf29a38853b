"""Sentences about raids (10)."""

import pytest

from engine.cbps.events import raids as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.log import describe
from engine.cbps.prose.names import display_name


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        pytest.param(
            ev.RaidPlaced(raid="1-a", origin="1", hex="1111", target="58.1", points=8),
            "Raid 1-A of 8 points appears in hex 1111, bound for TG 58.1 (10.21).",
            id="10.21-placed",
        ),
        pytest.param(
            ev.RaidPlaced(
                raid="raid-Guam",
                origin="Guam",
                hex="1407",
                target="58.1",
                points=1,
                is_land=True,
                is_taking_off=True,
            ),
            "Raid Guam of 1 land point appears in hex 1407, with US fighters overhead (11.27).",
            id="11.27-taking-off",
        ),
        pytest.param(
            ev.RaidPlaced(
                raid="raid-Yap",
                origin="Yap/Peleliu",
                hex="1507",
                target="Guam",
                points=4,
                is_land=True,
                kind_of="reinforcement",
            ),
            "Raid Yap of 4 land points appears in hex 1507: reinforcements from Yap/Peleliu for Guam"
            " (16.21).",
            id="16.21-reinforcements",
        ),
        pytest.param(
            ev.RaidEnded(raid="1-a", why="homeless"),
            "Raid 1-A finds no flight deck to return to and is lost (10.33).",
            id="10.33-homeless",
        ),
        pytest.param(
            ev.RaidCalledOff(force="J", why="unproved"),
            "Force J turns out to have no carriers and sends no raid; what was revealed is undone"
            " (10.1C).",
            id="10.1C-undone",
        ),
        pytest.param(
            ev.RaidCalledOff(force="1", why="nothing-left"),
            "Butai 1 sends no raid: its losses leave no points for one (10.1F).",
            id="10.1F-nothing-left",
        ),
        pytest.param(
            ev.RaidMoved(raid="1-b", hexes=("1111", "1110")),
            "Raid 1-B flies over 1111 to hex 1110.",
            id="10.23-moved",
        ),
        pytest.param(
            ev.RaidMoved(raid="1-b", hexes=("1110",)),
            "Raid 1-B flies to hex 1110.",
            id="10.23-last-hex",
        ),
        pytest.param(
            ev.RaidTurned(raid="1-b", target="58.4"),
            "Raid 1-B turns to TG 58.4, which has carriers (10.23).",
            id="OP-38-turned",
        ),
        pytest.param(
            ev.RaidTurned(raid="raid-Guam", target="Guam", is_home=True),
            "Raid Guam flies home to Guam (11.28).",
            id="11.28-home",
        ),
        pytest.param(
            ev.RaidTurned(raid="1-a", target="Guam", is_home=True, kind_of="shuttle"),
            "Raid 1-A flies on to Guam (23.2).",
            id="23.2-shuttle",
        ),
        pytest.param(
            ev.RaidSplit(raid="1-a", fighters=1, attackers=4),
            "Raid 1-A has 1 fighter point and 4 attacker points.",
            id="10.13-divided",
        ),
        pytest.param(
            ev.RaidReduced(raid="1-a", fighters=1, attackers=2, why="flak"),
            "Raid 1-A loses 1 escort and 2 attackers to flak.",
            id="5.51-flak",
        ),
        pytest.param(
            ev.RaidReduced(raid="1-a", attackers=2, why="combat"),
            "Raid 1-A loses 2 attackers to US fighters.",
            id="4.55-fighters",
        ),
        pytest.param(
            ev.RaidAborted(raid="1-a", points=2),
            "2 points of Raid 1-A turn away and do not attack.",
            id="5.51-aborted",
        ),
        pytest.param(
            ev.RaidAborted(raid="1-a", points=1),
            "1 point of Raid 1-A turns away and does not attack.",
            id="5.51-one-aborted",
        ),
        pytest.param(
            ev.RaidEnded(raid="1-a", why="returns"), "Raid 1-A flies home.", id="10.31-returns"
        ),
        pytest.param(
            ev.PointsDestroyed(through=3), "3 points got through to TF 58.", id="S1-through"
        ),
        pytest.param(ev.PointsDestroyed(destroyed=3), "", id="15.1-told-by-the-raid"),
        pytest.param(ev.RaidIntercepted(raid="1-a"), "", id="5.61-told-by-the-fight"),
    ],
)
def test_raid_events_are_described_in_sentences(event: CbpsEvent, sentence: str) -> None:
    assert describe(event) == sentence


def test_scenario_raids_are_shown_with_their_printed_names() -> None:
    assert display_name("raid-II-a") == "Raid II-A"
    assert display_name("raid-I") == "Raid I"
