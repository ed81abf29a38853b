"""The battle forecast from a view: possible units, its basis in public facts, and the names in it (7.2, 9.0)."""

from fractions import Fraction
from functools import cache

import pytest
from msgspec.structs import replace

from engine.eots.ch07_offensive.activation import activate_refusals
from engine.eots.ch16_victory.goals import goals, tallies
from engine.eots.ch16_victory.score import score
from engine.eots.commands import Join
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.forecast.battles import Basis, BattleForecast, Case, battle_forecasts
from engine.eots.forecast.landings import landing_forecast
from engine.eots.forecast.reaction import intelligence
from engine.eots.forecast.table import state_from_view
from engine.eots.ids import D10, HexId, Nationality, Side, UnitId
from engine.eots.ruleset import EOTS
from engine.eots.state import BattleHex, Condition, State, current_offensive
from engine.eots.view import project_state
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.engine.eots.positions import in_offensive
from tests.engine.eots.random_games import SCENARIOS, game
from tests.sizes import sampled, sized

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
ENIWETOK, GASMATA = HexId("4415"), HexId("4022")
FIFTH_AIR_FORCE = UnitId("us-lrb-5af")


@cache
def opening() -> State:
    """Return 1943 after the deal."""
    start = EOTS.open_game(EOTS.position("1943", {}), DerivedDice(bytes(32), 0))
    return EOTS.fold(EOTS.initial_state(), start)


def dealt_anew(state: State, viewer: Side) -> State:
    """Return the state with the other side's hidden cards dealt again."""
    deck = state.decks[viewer.enemy]
    hidden = (*deck.draw, *deck.hand)
    held = len(deck.hand)
    other = replace(deck, hand=hidden[:held], draw=tuple(sorted(hidden[held:])))
    return replace(state, decks={**state.decks, viewer.enemy: other})


def struck(at: HexId, *, is_joined: bool = True) -> State:
    """Return 1943 with an Allied offensive that has declared a battle, and Japan about to roll for intelligence."""
    strikers = ("us-lrb-5af", "us-air-5af")
    state = in_offensive(opening(), ALLIED, activated=strikers, step=7)
    joined = {UnitId(unit): at for unit in strikers} if is_joined else {}
    offensive = replace(current_offensive(state), battles={at: BattleHex()}, joined=joined)
    return replace(state, offensive=offensive)


def forecast(state: State, viewer: Side, at: HexId) -> BattleForecast:
    return battle_forecasts(project_state(state, viewer), at)[0]


@pytest.mark.parametrize("role", ["allied", "japan", None])
def test_a_table_built_from_a_view_gives_the_same_view(role: str | None) -> None:
    viewer = None if role is None else Role(role)
    for state, _, _ in game("1943"):
        view = EOTS.project(state, viewer)
        again = EOTS.project(state_from_view(view), viewer)
        for field in view.__struct_fields__:
            assert getattr(again, field) == getattr(view, field), field


@pytest.mark.parametrize("scenario", sampled(SCENARIOS[::-1], 1))
def test_victory_count_depends_only_on_the_view(scenario: str) -> None:
    """16, 17: points and goals depend only on public facts, so the goals page needs only a view."""
    for state, _, role in game(scenario)[:: sized(12, 3)]:
        table = state_from_view(project_state(state, Side(role)))
        assert score(table) == score(state)
        assert tallies(table) == tallies(state)
        assert goals(table) == goals(state)


@pytest.mark.parametrize(("viewer", "at"), [(ALLIED, ENIWETOK), (JAPAN, HexId("3922"))])
def test_5_0_hidden_cards_do_not_affect_the_forecast(viewer: Side, at: HexId) -> None:
    other = dealt_anew(opening(), viewer)
    assert other.decks != opening().decks
    found = forecast(opening(), viewer, at)
    assert found.basis is Basis.ASSUMED
    assert forecast(other, viewer, at) == found


@pytest.mark.parametrize("viewer", list(Side))
def test_5_0_hidden_cards_do_not_affect_the_forecast_of_an_offensive(viewer: Side) -> None:
    state = struck(HexId("4021"))
    found = forecast(state, viewer, HexId("4021"))
    assert found.intelligence is not None
    assert found.reactors
    assert forecast(dealt_anew(state, viewer), viewer, HexId("4021")) == found


def test_7_2_the_forecast_uses_the_best_card_in_hand() -> None:
    found = forecast(opening(), ALLIED, ENIWETOK)
    best = max(cards()[card].ov for card in opening().decks[ALLIED].hand)
    assert cards()[found.card].ov == best
    assert found.hq is not None
    assert 0 < len(found.joining) <= found.limit


def test_7_26_forecast_reactors_can_be_activated() -> None:
    state = struck(HexId("4021"))
    found = forecast(state, ALLIED, HexId("4021"))
    for sent in found.reactors:
        reaction = replace(current_offensive(state).reaction, hq=sent.hq)
        met = replace(current_offensive(state), condition=Condition.INTERCEPT, reaction=reaction)
        named = replace(state, offensive=met)
        for one in sent.units:
            assert counters()[one.unit].side is JAPAN
            assert state.units[one.unit].at == one.at
            assert not list(activate_refusals(named, JAPAN, one.unit))


def test_7_25_intelligence_roll_chance() -> None:
    state = struck(HexId("4021"))
    for touched, modifier in ((False, 0), (True, -2)):
        offensive = replace(current_offensive(state), iv=4, touched_zoi=touched)
        known = intelligence(replace(state, offensive=offensive))
        assert known is not None
        assert (known.target, known.modifier) == (4, modifier)
        good = [face for face in D10.faces if face != 9 and face + modifier <= 4]
        assert known.chance == Fraction(len(good), 10)
        assert known.cards == len(opening().decks[JAPAN].hand)


def test_7_25_cases_depend_on_the_condition() -> None:
    state = struck(HexId("4021"))
    early = forecast(state, ALLIED, HexId("4021"))
    assert [one.case for one in early.odds] == [Case.SURPRISE, Case.INTERCEPT, Case.REACTION]
    assert early.odds[0].chance is not None
    assert early.odds[1].chance == 1 - early.odds[0].chance
    alone, met = early.odds[1].air_naval(ALLIED), early.odds[2].air_naval(ALLIED)
    assert met is not None
    assert alone is None or met <= alone
    locked = replace(state, offensive=replace(current_offensive(state), locked=True))
    late = forecast(locked, ALLIED, HexId("4021"))
    assert [one.case for one in late.odds] == [Case.NOW]
    assert not late.reactors


def test_7_24_a_current_offensive_includes_units_still_uncommitted() -> None:
    state = in_offensive(opening(), ALLIED, activated=[FIFTH_AIR_FORCE], step=3)
    near = next(
        option.at
        for option in (
            Join(unit=FIFTH_AIR_FORCE, at=HexId(piece.at))
            for unit, piece in sorted(state.units.items())
            if counters()[unit].side is JAPAN and piece.is_on_map
        )
        if forecasts_with(state, option)
    )
    found = forecast(state, ALLIED, near)
    assert found.basis is Basis.POSSIBLE
    assert [one.unit for one in found.joining] == [FIFTH_AIR_FORCE]
    assert FIFTH_AIR_FORCE in found.preview.participants
    assert battle_forecasts(project_state(state, ALLIED), HexId("5808")) == ()


def forecasts_with(state: State, option: Join) -> bool:
    found = battle_forecasts(project_state(state, ALLIED), option.at)
    return any(option.unit in one.preview.participants for one in found)


TJILATJAP = HexId("2019")
"""A vacant Japanese port in the range of an HQ and in a zone of influence."""


def test_7_27_forecast_of_an_unopposed_landing() -> None:
    found = landing_forecast(project_state(opening(), ALLIED), TJILATJAP)
    assert found is not None
    assert found.modifier == -2  # always (7.27)
    card = max(opening().decks[ALLIED].hand, key=lambda name: (cards()[name].ov, name))
    assert found.target is not None
    assert found.target == cards()[card].oc_intel
    good = [face for face in D10.faces if face != 9 and face - 2 <= found.target]
    assert found.chance == Fraction(len(good), 10)
    assert found.reactors
    other = dealt_anew(opening(), ALLIED)
    assert landing_forecast(project_state(other, ALLIED), TJILATJAP) == found


def test_7_27_no_special_reaction_without_a_named_location() -> None:
    found = landing_forecast(project_state(opening(), ALLIED), HexId("2812"))
    assert found is not None
    assert found.target is None
    assert found.chance == 0
    assert found.reactors == ()


@pytest.mark.parametrize("at", ["4415", "4009"])
def test_8_45_no_landing_forecast_at_enemies_or_at_sea(at: str) -> None:
    assert landing_forecast(project_state(opening(), ALLIED), HexId(at)) is None


def test_chances_of_every_forecast_sum_to_one() -> None:
    for state, _, role in game("1943"):
        view = EOTS.project(state, role)
        for found in battle_forecasts(view, None):
            assert found.basis in {Basis.DECLARED, Basis.FOUGHT}
            for one in found.odds:
                assert sum(one.endings.values()) == 1


def test_14_under_rivalry_only_one_service_joins() -> None:
    state = struck(HexId("4021"))
    assert state.tracks.japan_rivalry
    for sent in forecast(state, ALLIED, HexId("4021")).reactors:
        services = {counters()[one.unit].isr_service for one in sent.sent} - {None}
        assert len(services) <= 1
        assert len(sent.sent) <= sent.limit
    assert state.tracks.us_rivalry
    planned = forecast(opening(), ALLIED, ENIWETOK)
    nations = {
        counters()[one.unit].isr_service
        for one in planned.joining
        if counters()[one.unit].nationality is Nationality.US
    }
    assert len(nations - {None}) == 1
