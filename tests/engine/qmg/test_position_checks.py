"""Positions that no game could reach are refused with one sentence and the field (2, 4, 9, 10)."""

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.kernel.errors import PositionError
from engine.qmg import frames as fr
from engine.qmg.position import Pieces, Position, TurnMarks, Zones
from engine.qmg.position_checks import check_position, decode_position
from engine.qmg.ruleset import QMG
from engine.qmg.state import Grant, Shield
from tests.engine.qmg.table import position

TURN = fr.TurnFrame(country="uk", stage="play")
PLAY = fr.PlayStepFrame(country="uk")
SEARCH = fr.SearchFrame(country="uk", zone="deck", type="", left=1, to="hand", shown=True)
WINDOW = fr.Trigger(kind="turn_begin", cause="allies", by="uk")


def base(**changes: Any) -> Position:  # noqa: ANN401  # fields of a position
    return replace(position("base", "active uk", "homes"), **changes)


def framed(*frames: Any) -> Position:  # noqa: ANN401  # any frames
    return base(frames=(TURN, *frames))


def zones(country: str, **changes: Any) -> Position:  # noqa: ANN401  # fields of its cards
    cards = base().cards
    return base(cards={**cards, country: replace(cards[country], **changes)})


def source(card: str = "uk_land_battle#1", owner: str = "uk") -> fr.Source:
    return fr.Source(owner=owner, card=card)


def removal(**changes: Any) -> fr.RemovalFrame:  # noqa: ANN401  # its fields
    good = fr.RemovalFrame(
        owner="uk", piece="army", space="united_kingdom", by="germany", cause="axis", why="battle"
    )
    return replace(good, **changes)


NONSENSE = {
    "format": base(format=9),
    "scenario": base(scenario="total-peace"),
    "option": base(options={"weather": "on"}),
    "value": base(options={"reallocate": "maybe"}),
    "active": base(active="france"),
    "team": base(vp={"neutrals": 3}),
    "round": base(round=21),
    "step-of-the-turn": base(step="breakfast"),
    "force": base(pieces={"spain": Pieces()}),
    "space": base(pieces={"uk": Pieces(army=("narnia",))}),
    "kind-at-sea": base(pieces={"uk": Pieces(army=("north_sea",))}),
    "kind-on-land": base(pieces={"uk": Pieces(navy=("india",))}),
    "pool": base(pieces={"italy": Pieces(army=("italy", "balkans", "africa", "canada", "india"))}),
    "two-in-a-space": base(pieces={"uk": Pieces(army=("india", "india"))}),
    "enemies": base(pieces={"uk": Pieces(army=("italy",)), "italy": Pieces(army=("italy",))}),
    "air-alone": base(pieces={"uk": Pieces(air=("india",))}),
    "begin": base(turn=TurnMarks(begin={"uk": Pieces(army=("narnia",))})),
    "country-of-cards": base(cards={"france": Zones()}),
    "card": zones("uk", hand=("uk_nonsense#1",)),
    "hidden": zones("uk", hand=("?",)),
    "other-deck": zones("uk", hand=("de_plunder#1",)),
    "twice": zones("uk", hand=("uk_build_army#1",)),
    "total-war": zones("uk", hand=("uk_tw_maginot_line#1",)),
    "face-up": zones("uk", face_up=("uk_build_army#1",)),
    "laid": zones("uk", deck=(), responses=("uk_build_army#1",)),
    "on-table": zones("uk", deck=(), statuses=("uk_build_army#1",)),
    "replaced": replace(
        position("total-war", "active uk"), cards={"uk": Zones(hand=("uk_free_france#1",))}
    ),
    "card-missing": zones("uk", deck=()),
    "country-missing": base(cards={"uk": base().cards["uk"]}),
    "no-cards": base(cards={}),
    "in-play-and-in-hand": framed(
        fr.PlayFrame(country="uk", card="uk_build_army#1"),
        fr.PlayFrame(country="uk", card="uk_build_army#1"),
    ),
    "chosen-too-few": base(limits={"event": 3}),
    "set-up-pieces": base(active=""),
    "set-up-deck": Position(scenario="base", cards={"uk": Zones(deck=("uk_build_army#1",))}),
    "no-turn": base(frames=(PLAY,)),
    "turn-inside": framed(TURN),
    "other-turn": base(frames=(replace(TURN, country="usa"),)),
    "set-up-in-a-turn": base(frames=(fr.SetupFrame(left=(0,) * 6),)),
    "set-up-countries": base(active="", pieces={}, frames=(fr.SetupFrame(left=(0,)),)),
    "set-up-hand": base(active="", pieces={}, frames=(fr.SetupFrame(left=(3,) * 6),)),
    "stage": base(frames=(replace(TURN, stage="lunch"),)),
    "other-play": framed(fr.PlayStepFrame(country="italy")),
    "event": framed(fr.WindowFrame(trigger=replace(WINDOW, kind="rain"))),
    "event-of-nobody": framed(fr.WindowFrame(trigger=replace(WINDOW, by=""))),
    "event-card": framed(
        fr.WindowFrame(trigger=replace(WINDOW, kind="status_used", card="?")),
    ),
    "cause": framed(fr.WindowFrame(trigger=replace(WINDOW, cause="rain"))),
    "poll": framed(fr.WindowFrame(trigger=WINDOW, polled=3)),
    "boost": framed(fr.WindowFrame(trigger=WINDOW, changes=(("france", 1),))),
    "used-card": framed(fr.UseFrame(country="uk", card="de_plunder#1", ability=0)),
    "ability": framed(fr.UseFrame(country="uk", card="uk_raf#1", ability=9)),
    "declared": framed(fr.UseFrame(country="uk", card="uk_raf#1", ability=0)),
    "steps": framed(fr.StepsFrame(steps="nonsense", source=source())),
    "step": framed(fr.StepsFrame(steps="uk_land_battle:0", at=7, source=source())),
    "repeats": framed(fr.StepsFrame(steps="uk_land_battle:0", repeats=-1, source=source())),
    "source": framed(fr.StepsFrame(steps="uk_land_battle:0", source=source(owner="usa"))),
    "rest": framed(fr.StepsFrame(steps="uk_land_battle:0", source=source(), rest=("narnia",))),
    "played": framed(fr.PlayFrame(country="usa", card="uk_build_army#1")),
    "played-twice": framed(fr.PlayFrame(country="uk", card="uk_build_army#1")),
    "played-response": framed(fr.PlayFrame(country="uk", card="uk_raf#1")),
    "played-at": framed(fr.PlayFrame(country="uk", card="uk_build_army#1", stage="target")),
    "goal": framed(replace(fr.PlayFrame(country="uk", card="uk_build_army#1"), to="moon")),
    "no-removal": framed(removal(owner="")),
    "removal": framed(removal(piece="tank")),
    "target": framed(
        fr.EwFrame(
            target="france", amount=1, cause="axis", by="italy", card="it_decima_flottiglia_mas#1"
        )
    ),
    "hand": framed(fr.HandDiscardFrame(country="uk", left=3)),
    "count": framed(fr.HandDiscardFrame(country="uk", left=-1)),
    "types": framed(replace(fr.HandDiscardFrame(country="uk", left=0), types=("tank",))),
    "marshal": framed(fr.AirStepFrame(country="uk", pending=("uk", "india"))),
    "unsupplied": framed(fr.SupplyStepFrame(country="uk", left=("uk:army",))),
    "zone": framed(replace(SEARCH, zone="hand")),
    "wanted": framed(replace(SEARCH, type="tank")),
    "looked-at": framed(fr.LookFrame(country="uk", ordered=0, total=3)),
    "blocked": base(turn=TurnMarks(blocked=("nonsense",))),
    "shield": base(turn=TurnMarks(shields=(Shield(force="uk", piece="army"),))),
    "shield-steps": base(turn=TurnMarks(shields=(Shield(steps="uk_land_battle:0"),))),
    "grant": base(turn=TurnMarks(grants=(Grant(steps="uk_land_battle:0", at=0, owner="uk"),))),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_impossible_positions_are_refused_with_a_field(name: str) -> None:
    with pytest.raises(PositionError) as refused:
        check_position(NONSENSE[name])
    sentence = str(refused.value)
    assert sentence.isprintable()
    assert "$." in sentence


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        pytest.param(
            zones("uk", deck=base().cards["uk"].deck[1:]),
            "$.cards.uk: 'uk_asw_tactics#1' is missing; every card must be in one place (9.1)",
            id="9.1-missing",
        ),
        pytest.param(
            zones("uk", hand=("uk_build_army#1",)),
            "$.cards.uk.deck: 'uk_build_army#1' is in two places",
            id="9.1-two-places",
        ),
        pytest.param(
            zones("uk", hand=("de_plunder#1",)),
            "$.cards.uk.hand: 'de_plunder#1' belongs to another deck",
            id="9.1-other-country",
        ),
        pytest.param(
            base(pieces={"uk": Pieces(navy=("north_sea", "india"))}),
            "$.pieces.uk.navy: a Navy can only be at sea, not in india (0)",
            id="0-navy-on-land",
        ),
        pytest.param(
            base(pieces={"italy": Pieces(army=("italy", "balkans", "africa", "canada", "india"))}),
            "$.pieces.italy.army: 5 are on the board, but only 4 exist (1)",
            id="1-supply-of-pieces",
        ),
        pytest.param(
            replace(position("total-war", "active uk"), limits={"event": 0}),
            "cards of type",
            id="13.9-constructed",
        ),
    ],
)
def test_impossible_values_are_reported(broken: Position, said: str) -> None:
    with pytest.raises(PositionError) as refused:
        check_position(broken)
    assert said in str(refused.value)


def test_9_1_a_game_in_progress_with_a_missing_card_is_refused() -> None:
    """Such a game used to be played with 33 cards until an invariant broke."""
    plain = json.loads(msgspec.json.encode(framed(PLAY)))
    check_position(decode_position(json.dumps(plain).encode(), "whole.json"))
    plain["cards"]["uk"]["deck"].remove("uk_build_army#1")
    with pytest.raises(PositionError, match=r"\$\.cards\.uk: 'uk_build_army#1' is missing"):
        check_position(decode_position(json.dumps(plain).encode(), "short.json"))


def test_9_1_cards_not_named_before_the_set_up_are_in_their_decks() -> None:
    text = b'{"game": "qmg", "scenario": "base", "cards": {"uk": {"deck_top": ["uk_raf#1"]}}}'
    found = decode_position(text, "set-up.json")
    check_position(found)
    assert len(found.cards["uk"].deck) == 39
    assert len(found.cards["germany"].deck) == 41


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{", b'{"game":"eots"}', b'{"game":"qmg","rounds":1}']
)
def test_files_that_are_not_positions_are_refused(text: bytes) -> None:
    with pytest.raises(PositionError):
        decode_position(text, "bad.json")


@pytest.mark.parametrize(
    "good",
    [
        pytest.param(base(), id="begins"),
        pytest.param(framed(PLAY), id="play-step"),
        pytest.param(framed(fr.WindowFrame(trigger=WINDOW)), id="window"),
        pytest.param(framed(removal()), id="removal"),
        pytest.param(Position(scenario="base"), id="set-up"),
        pytest.param(QMG.position("total-war", {}), id="scenario"),
    ],
)
def test_reachable_positions_are_accepted(good: Position) -> None:
    check_position(good)
