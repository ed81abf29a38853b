"""Initiative, card plays and future offensives cards in whole games (4.2, 5, 7.29)."""

import pytest
from msgspec.structs import replace

from engine.eots.events.cards import DeckReshuffled
from engine.eots.frames import Phase
from engine.eots.ids import CardId, Side
from engine.eots.state import Condition, State
from tests.engine.eots.positions import Place, position, start_of, state_1943
from tests.engine.eots.table import Table, at_phase, to_play

pytestmark = pytest.mark.series("P10")

FIVE = "J-3 J-23 J-25 J-29 J-32"
ALLIED_FIVE = "A-13 A-29 A-31 A-36 A-54"


def on_turn(turn: int) -> State:
    return replace(state_1943(), turn=turn)


# -- 4.21


@pytest.mark.parametrize(
    ("turn", "allied", "japan", "first"),
    [
        pytest.param(3, ALLIED_FIVE, FIVE, "japan", id="4.21-equal-1942-japan"),
        pytest.param(4, ALLIED_FIVE, FIVE, "japan", id="4.21-equal-last-of-1942-japan"),
        pytest.param(5, ALLIED_FIVE, FIVE, "allied", id="4.21-equal-1943-allies"),
        pytest.param(6, ALLIED_FIVE, FIVE + " J-40", "japan", id="4.21-more-cards-first"),
        pytest.param(3, ALLIED_FIVE + " A-71", FIVE, "allied", id="4.21-more-cards-first-1942"),
    ],
)
def test_initiative_follows_the_hands(turn: int, allied: str, japan: str, first: str) -> None:
    table = Table(at_phase(on_turn(turn), Phase.INITIATIVE, allied=allied, japan=japan))
    assert (table.asked, table.rule) == (first, "4.22")


def seizing(card: str | None, *, allied: str = "A-31 A-13", japan: str = "J-23 J-3 J-25") -> Table:
    state = at_phase(on_turn(6), Phase.INITIATIVE, allied=allied, japan=japan, allied_future=card)
    return Table(state)


def test_the_smaller_hand_may_seize_the_initiative_only_with_an_event() -> None:
    """4.21, 7.29A: the card is used as an EC offensive; without it the larger hand begins."""
    table = seizing("A-62")
    assert (table.asked, table.rule, table.default) == ("allied", "4.21", "pass")
    assert table.lines == ["event A-62", "pass"]
    assert table.refusals("allied", "oc A-62") == ["7.29A", "4.21"]
    assert Table(table.state)("pass").asked == "japan"
    table("event A-62")
    assert table.offensive.event
    assert table.offensive.side is Side.ALLIED
    assert table.offensive.from_future


@pytest.mark.parametrize(
    ("card", "allied", "asked"),
    [
        pytest.param("A-8", "A-31 A-13", ["pass"], id="4.21-reaction-card-cannot-seize"),
        pytest.param("A-11", "A-31 A-13", ["pass"], id="4.21-political-card-cannot-seize"),
        pytest.param("A-62", "", None, id="OP-12-no-card-besides"),
        pytest.param("A-62", "A-13 A-31 A-36", None, id="4.21-equal-hands-no-seizing"),
        pytest.param(None, "A-31 A-13", None, id="4.21-no-future-card"),
    ],
)
def test_conditions_for_seizing_the_initiative(
    card: str | None, allied: str, asked: list[str] | None
) -> None:
    table = seizing(card, allied=allied)
    if asked is None:
        assert table.rule == "4.22"
    else:
        assert (table.rule, table.lines) == ("4.21", asked)


def test_a_card_placed_this_turn_cannot_seize_the_initiative() -> None:
    """7.29B."""
    state = at_phase(
        on_turn(6), Phase.INITIATIVE, allied="A-31", japan="J-23 J-3", allied_future="A-62"
    )
    deck = replace(state.decks[Side.ALLIED], future_turn=6)
    table = Table(replace(state, decks={**state.decks, Side.ALLIED: deck}))
    assert (table.asked, table.rule) == ("japan", "4.22")


def test_a_seizure_card_taken_back_does_not_seize_the_initiative() -> None:
    """4.21, CP-04: he may seize only with an EC offensive, so the larger hand begins after all."""
    table = seizing("A-62")("event A-62", "hq us-hq-southwest-pacific", "done", "take-back")
    assert (table.asked, table.rule) == ("japan", "4.22")
    assert table.state.decks[Side.ALLIED].future == "A-62"


# -- 4.22


def test_a_side_with_an_empty_hand_is_skipped_and_keeps_its_future_card() -> None:
    """EX-4-3, OP-28: a side with an empty hand makes no more plays; its passes are lost and its card is kept."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-31 A-13", japan="", japan_future="J-23")
    deck = replace(state.decks[Side.JAPAN], passes=1)
    table = Table(replace(state, decks={**state.decks, Side.JAPAN: deck}))
    table("discard A-31")
    assert table.asked == "allied"
    table("discard A-13")
    assert table.state.decks[Side.JAPAN].future == "J-23"
    assert table.state.decks[Side.JAPAN].passes == 0 or table.state.turn == 5


def test_default_of_a_card_play_is_pass_or_lowest_discard() -> None:
    """Decision 4.22: pass if possible, otherwise discard the card of the lowest value."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-31 A-59 A-8", japan="J-23")
    assert Table(state).default == "discard A-59"
    deck = replace(state.decks[Side.ALLIED], passes=1)
    table = Table(replace(state, decks={**state.decks, Side.ALLIED: deck}))
    assert table.default == "pass"
    table("pass")
    assert table.asked == "japan"
    assert table.state.decks[Side.ALLIED].passes == 0


def test_passing_without_passes_left_is_refused() -> None:
    """4.22-3, 12.4."""
    table = Table(to_play(on_turn(5), Side.ALLIED))
    assert table.refusals("allied", "pass") == ["12.4", "4.22", "12.5"]


# -- 5.0, 5.3


def test_reaction_cards_cannot_be_events_of_the_offensive_player() -> None:
    """5.32: he may use one as an OC or as a future offensives card, or discard it."""
    table = Table(to_play(on_turn(5), Side.ALLIED, allied="A-8 A-31"))
    assert table.refusals("allied", "event A-8") == ["5.32"]
    for line in ("oc A-8", "future A-8", "discard A-8"):
        assert line in table.lines


def test_an_operations_card_is_discarded_even_with_the_removal_clause() -> None:
    """5.0, 5.36."""
    table = Table(to_play(on_turn(5), Side.ALLIED, allied="A-62 A-31"))
    table("oc A-62", "hq us-hq-southwest-pacific", "done").until("4.22", "japan")
    assert "A-62" in table.state.decks[Side.ALLIED].discard


def test_an_event_with_the_removal_clause_is_removed_from_the_game() -> None:
    """5.36."""
    table = Table(to_play(on_turn(5), Side.ALLIED, allied="A-7 A-31"))
    table("event A-7").until("4.22", "japan")
    assert "A-7" in table.state.decks[Side.ALLIED].removed


def test_values_of_operations_cards_and_events() -> None:
    """5.1, 5.2: the OV gives movement in both uses; LV and EC IV belong to the event."""
    state = to_play(on_turn(5), Side.JAPAN, japan="J-23 J-3")
    event = Table(state)("event J-23").offensive
    assert (event.ov, event.lv, event.iv, event.special_iv, event.naval_move) == (2, 3, 6, 6, 10)
    oc = Table(state)("oc J-23").offensive
    assert (oc.ov, oc.lv, oc.iv, oc.special_iv, oc.naval_move) == (2, None, 4, 4, 10)


def test_a_surprise_event_rolls_only_for_special_reaction() -> None:
    """5.31B, 7.27: special reaction rolls against the OC IV."""
    table = Table(to_play(on_turn(5), Side.ALLIED, allied="A-13 A-31"))("event A-13")
    assert (table.offensive.iv, table.offensive.special_iv) == (None, 3)
    assert table.offensive.condition is Condition.SURPRISE


def test_an_event_may_grant_a_larger_naval_allowance() -> None:
    """7.22, J-9."""
    table = Table(to_play(on_turn(5), Side.JAPAN, japan="J-9 J-3"))("event J-9")
    assert table.offensive.naval_move == 21


# -- 5.32


def test_weather_cancels_the_whole_offensive() -> None:
    """5.32D, OP-16: units return, the card is discarded as if not played, and the weather card is removed."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-31 A-13", japan="J-19 J-3")
    table = Table(state)("event A-31", "hq us-hq-southwest-pacific", "activate us-air-5af")
    start = table.at("us-air-5af")
    table("done").until("7.23")
    fly = table("pick us-air-5af").offers("fly ")[0]
    table(fly, "halt").until("5.32D")
    assert table.default == "pass"
    table("react J-19")
    assert table.at("us-air-5af") == start
    assert "A-31" in table.state.decks[Side.ALLIED].discard
    assert "J-19" in table.state.decks[Side.JAPAN].removed
    assert table.state.events_played == ("J-19",)
    assert (table.asked, table.rule) == ("japan", "4.22")
    assert table.state.offensive is None


def test_weather_requires_an_offensive_with_activated_units() -> None:
    """5.32D."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-31 A-13", japan="J-19 J-3")
    table = Table(state)("event A-31", "hq us-hq-southwest-pacific", "done")
    assert (table.asked, table.rule) == ("japan", "4.22")


def test_a_card_taken_back_can_be_an_event_in_the_next_play() -> None:
    """CP-04: it is only barred during the current play."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-62 A-31 A-13", japan="J-23 J-3 J-25")
    table = Table(state)("event A-62", "hq us-hq-southwest-pacific", "done", "take-back")
    assert table.refusals("allied", "event A-62") == ["5.31"]
    table("oc A-31", "hq us-hq-southwest-pacific", "done").until("4.22", "japan")
    table("oc J-23", "hq jp-hq-south", "done").until("4.22", "allied")
    assert "event A-62" in table.lines


# -- 5.35


def test_a_fourth_card_is_not_drawn() -> None:
    """EX-5-4, CP-47."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-2 A-43 A-13")
    deck = replace(state.decks[Side.ALLIED], event_draws=2)
    table = Table(replace(state, decks={**state.decks, Side.ALLIED: deck}))
    table("event A-2")
    assert len(table.state.decks[Side.ALLIED].hand) == 3
    table("discard J-23", "event A-43")
    assert len(table.state.decks[Side.ALLIED].hand) == 2
    assert table.state.tracks.japan_rivalry


# -- 5.37


def test_special_event_cards_cannot_be_kept_or_discarded() -> None:
    """5.37, CP-36: J-43 may be discarded before 1944 by its own text."""
    early = Table(to_play(on_turn(5), Side.JAPAN, japan="J-43 J-3"))
    assert early.refusals("japan", "future J-43") == ["7.29", "5.37"]
    assert "discard J-43" in early.lines
    late = Table(to_play(start_of("1944"), Side.JAPAN, japan="J-43 J-3"))
    assert "discard J-43" not in late.lines
    allied = Table(to_play(start_of("1944"), Side.ALLIED, allied="A-79 A-31"))
    assert allied.offers("event A-79") == allied.offers("discard A-79") == []
    assert "oc A-79" in allied.lines


@pytest.mark.parametrize(
    "plays",
    [
        pytest.param(("discard J-43",), id="5.37-discarded"),
        pytest.param(("oc J-43", "hq jp-hq-south", "done"), id="5.37-EX-5-5-offensive"),
        pytest.param(("withdraw-hq J-43 jp-hq-south",), id="5.37-other-operation"),
    ],
)
def test_a_special_event_card_not_played_as_event_triggers_a_reshuffle(
    plays: tuple[str, ...],
) -> None:
    table = Table(to_play(on_turn(5), Side.JAPAN, japan="J-43 J-3", allied="A-31"))(*plays)
    table.until("4.22", "allied")
    assert CardId("J-43") in table.state.decks[Side.JAPAN].discard
    assert table.state.decks[Side.JAPAN].reshuffle
    table("discard A-31", "discard J-3")
    reshuffled = [event for event in table.facts(DeckReshuffled) if event.side is Side.JAPAN]
    assert [event.rule for event in reshuffled] == ["5.37"]


def test_a_cancelled_special_event_card_triggers_a_reshuffle() -> None:
    """5.37, 5.32D: it counts as discarded."""
    state = to_play(start_of("1944"), Side.ALLIED, allied="A-79 A-31", japan="J-19 J-3")
    table = Table(state)("oc A-79", "hq us-hq-southwest-pacific")
    table(table.offers("activate")[0], "done").until("5.32D")
    table("react J-19")
    assert table.state.decks[Side.ALLIED].reshuffle


# -- 7.29


def test_a_future_offensives_card_can_be_used_from_the_next_turn() -> None:
    """EX-7-7, 7.29B, OP-12."""
    table = Table(to_play(on_turn(5), Side.ALLIED, allied="A-31 A-13 A-36", japan="J-23 J-3"))
    table("future A-31")
    deck = table.state.decks[Side.ALLIED]
    assert (deck.future, deck.future_turn, deck.hand) == ("A-31", 5, ("A-13", "A-36"))
    table("discard J-23")
    assert not [line for line in table.lines if "A-31" in line]
    assert set(table.refusals("allied", "future A-13")) == {"7.29"}
    later = replace(table.state, turn=6)
    assert {"oc A-31", "event A-31"} <= set(Table(later).lines)
    hand = replace(deck, hand=())
    assert Table(replace(later, decks={**later.decks, Side.ALLIED: hand})).asked == "japan"


def test_only_one_future_offensives_card_per_turn() -> None:
    """7.29: none may be placed while one is there, and only one may be placed per turn."""
    state = to_play(on_turn(5), Side.ALLIED, allied="A-31 A-13", allied_future="A-62")
    assert Table(state).offers("future") == []
    used = replace(state.decks[Side.ALLIED], future=None, placed_turn=5)
    table = Table(replace(state, decks={**state.decks, Side.ALLIED: used}))
    assert table.offers("future") == []
    assert table.refusals("allied", "future A-13") == ["7.29"]


def test_a_future_offensives_card_can_react_only_with_a_card_in_hand() -> None:
    """7.29B, OP-12."""
    for hand, offered in (("J-3", ["react J-19"]), ("", None)):
        state = to_play(
            on_turn(5), Side.ALLIED, allied="A-31 A-13", japan=hand, japan_future="J-19"
        )
        table = Table(state)("event A-31", "hq us-hq-southwest-pacific", "activate us-air-5af")
        table("done").until("7.23")("done")
        if offered is None:
            assert table.rule != "5.32D"
        else:
            assert (table.rule, table.offers("react")) == ("5.32D", offered)


def test_tojo_must_be_played_as_event_from_1944() -> None:
    """EX-5-5, OP-11: only EC is legal, unless the one-year scenario bars the event (17.26)."""
    long = replace(start_of("1943-44"), turn=8)
    table = Table(to_play(long, Side.JAPAN, japan="J-43 J-3"))
    assert [line for line in table.lines if "J-43" in line] == ["event J-43"]
    assert table.refusals("japan", "oc J-43") == ["5.37"]
    early = Table(to_play(replace(long, turn=7), Side.JAPAN, japan="J-43 J-3"))
    assert {"event J-43", "oc J-43", "discard J-43"} <= set(early.lines)
    short = Table(to_play(start_of("1944"), Side.JAPAN, japan="J-43 J-3"))
    assert short.refusals("japan", "event J-43") == ["17.26", "17.47"]
    assert "oc J-43" in short.lines


def test_the_soviet_card_must_be_played_as_event_after_tojo_resigns() -> None:
    """EX-5-6, 5.37: only OC before that, only an event afterwards."""
    before = to_play(start_of("1943-44"), Side.ALLIED, allied="A-79 A-31")
    assert Table(before).refusals("allied", "event A-79") == ["5.31"]
    assert "oc A-79" in Table(before).lines
    after = replace(before, tracks=replace(before.tracks, tojo_resigned=True))
    assert [line for line in Table(after).lines if "A-79" in line] == ["event A-79"]
    assert Table(after).refusals("allied", "oc A-79") == ["5.37"]


def test_a_card_drawn_during_an_offensive_is_locked_until_its_end() -> None:
    """5.35, CP-47: J-4 draws in step 7; the drawn card cannot be played in this offensive."""
    units: dict[str, Place] = {
        "us-hq-southwest-pacific": "3727",
        "us-air-5af": "3823",
        "jp-hq-south-seas": "4017",
        "jp-army-18": "3922",
    }
    state = position(units, japan=("4017", "3922"))
    state = to_play(state, Side.ALLIED, allied="A-13 A-31", japan="J-4 J-3")
    deck = replace(state.decks[Side.JAPAN], draw=(CardId("J-69"),))
    table = Table(replace(state, decks={**state.decks, Side.JAPAN: deck}))
    table("oc A-31", "activate us-air-5af", "done", "done", "battle-with us-air-5af 3922")
    table.until("7.25")("react J-4")
    assert "J-69" in table.state.decks[Side.JAPAN].hand
    assert table.rule != "7.25" or table.offers("react") == []
    table.until("4.22", "japan")
    assert table.state.decks[Side.JAPAN].locked == ()
    assert "oc J-69" in table.lines
