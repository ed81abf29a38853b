"""The recap's information about other players' forces."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.eots.events import battle, cards, offensive, tracks
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.kernel.ids import Role, Rule
from play.event_history import SeenEvent
from tests.tui.eots.offensives import begun
from tui.eots.playback.turn_recap import _losses_text, news


def _facts(*given: tuple[Side, Any]) -> Sequence[SeenEvent]:
    return [
        SeenEvent(seq=1, number=number, role=Role(side), is_own=side is Side.ALLIED, event=event)
        for number, (side, event) in enumerate(given, start=1)
    ]


def _named(side: Side, hq: str, *units: str) -> list[tuple[Side, Any]]:
    chosen = offensive.HqChosen(side=side, hq=UnitId(hq), limit=9)
    activated = (
        offensive.UnitActivated(side=side, unit=UnitId(unit), service=None) for unit in units
    )
    return [(side, event) for event in (chosen, *activated)]


_JAPANESE = _named(Side.JAPAN, "jp-hq-south-seas", "jp-army-14", "jp-bb-yamato")
_ALLIED = _named(Side.ALLIED, "us-hq-south-pacific-halsey", "us-cv-enterprise")


@pytest.mark.parametrize("order", [(_JAPANESE, _ALLIED), (_ALLIED, _JAPANESE)])
def test_forces_belong_to_the_side_of_their_units(order: tuple[Any, Any]) -> None:
    session = begun()
    session.switch_role(Role("allied"))
    view: Any = session.view()
    facts = _facts(*order[0], *order[1])
    lines = [one.text for one in news(facts, view, view)]
    assert lines == ["Japan reacts with 2 units: 14th Army, BB Yamato"]


def test_cancelled_offensive_and_unopposed_landing_are_listed_first() -> None:
    """My own event is not news; the enemy's captures come before cards (5.32D)."""
    session = begun()
    session.switch_role(Role("allied"))
    view: Any = session.view()
    began = offensive.OffensiveBegan(
        side=Side.ALLIED,
        card=CardId("A-21"),
        event=False,
        ov=3,
        lv=None,
        iv=3,
        special_iv=3,
        naval_move=15,
        locked=False,
        from_future=False,
    )
    facts = _facts(
        (Side.ALLIED, tracks.WarInEuropeMoved(rule=Rule("A-11"), to=0)),
        (Side.ALLIED, began),
        (
            Side.JAPAN,
            cards.CardPlayed(side=Side.JAPAN, card=CardId("J-22"), use="reaction", future=False),
        ),
        (Side.JAPAN, offensive.OffensiveCancelled(rule=Rule("5.32D"))),
        (Side.JAPAN, battle.BattleBegan(at=HexId("4322"), units=(UnitId("jp-sn-1"),))),
        (Side.JAPAN, offensive.BattleResolved(at=HexId("4322"))),
    )
    lines = [one.text for one in news(facts, view, view)]
    assert lines[0].startswith("The Allied offensive is cancelled by J-22 Weather")
    assert lines[1].endswith("enters 4322 New Georgia unopposed")
    assert not any("War in Europe" in line for line in lines)


@pytest.mark.parametrize("reader", Side)
def test_the_readers_own_losses_come_first(reader: Side) -> None:
    lost = [UnitId("us-cv-enterprise"), UnitId("jp-bb-yamato"), UnitId("jp-bb-yamato")]
    first, second = _losses_text(lost, reader).removeprefix("; ").split("; ")
    texts = {
        Side.ALLIED: "the Allies lose 1 step (CV Enterprise)",
        Side.JAPAN: "Japan loses 2 steps (BB Yamato)",
    }
    assert (first, second) == (texts[reader], texts[reader.enemy])
