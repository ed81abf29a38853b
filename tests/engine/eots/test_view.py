"""A side's view: an allow-list of the state (5.0, 1.24)."""

import msgspec
import pytest

from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.eots.state import HIDDEN, State
from engine.eots.view import EotsView, project_state
from engine.kernel.ids import Role
from tests.engine.eots.positions import position
from tests.engine.eots.random_games import SCENARIOS, game
from tests.engine.eots.table import Table, to_play, with_cards
from tests.sizes import sampled


def secrets(state: State, viewer: Side | None) -> set[str]:
    """Return the cards whose place a viewer does not know: others' hands, undrawn cards and future offensives cards."""
    found: set[str] = set()
    for side, deck in state.decks.items():
        if side is not viewer:
            found |= {*deck.hand, *deck.draw} | ({deck.future} if deck.future else set())
    return {card for card in found if card}


def mentioned(value: object) -> set[str]:
    """Return every string in plain data."""
    match value:
        case str():
            return {value}
        case dict():
            return {t for pair in value.items() for part in pair for t in mentioned(part)}
        case list() | tuple():
            return {text for part in value for text in mentioned(part)}
        case _:
            return set()


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 4))
def test_views_do_not_contain_hidden_cards(scenario: str) -> None:
    for state, _, _ in game(scenario):
        for viewer in (*Side, None):
            view = msgspec.to_builtins(project_state(state, viewer))
            del view["events_played"]  # everyone saw them, even those that have returned to a deck
            leaked = mentioned(view) & secrets(state, viewer)
            # The frame of 17.25D and E names the card that the scenario offers, which everyone knows.
            offered = {getattr(frame, "card", None) for frame in state.frames}
            assert leaked <= offered


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_view_round_trips_through_its_codec(scenario: str) -> None:
    for state, _, role in game(scenario):
        view = EOTS.project(state, role)
        packed = msgspec.msgpack.encode(view)
        assert msgspec.msgpack.decode(packed, type=EotsView) == view


def hands() -> State:
    return with_cards(
        position({"us-hq-central-pacific": "5808", "us-corps-x": ("5808", 1)}),
        {Side.ALLIED: "A-31 A-13", Side.JAPAN: "J-9"},
        {Side.ALLIED: "A-29", Side.JAPAN: "J-26"},
    )


def test_own_cards_are_visible() -> None:
    view = project_state(hands(), Side.ALLIED)
    assert view.side is Side.ALLIED
    assert view.hand == ("A-31", "A-13")
    assert view.future == "A-29"
    assert "A-31" not in view.unseen
    assert len(view.unseen) == 84 - 3


def test_only_counts_of_the_enemy_cards_are_visible() -> None:
    japan = project_state(hands(), Side.ALLIED).sides[Side.JAPAN]
    assert (japan.hand, japan.draw, japan.has_future) == (1, 82, True)


def test_a_spectator_sees_no_hand() -> None:
    view = project_state(hands(), None)
    assert (view.side, view.hand, view.unseen, view.future) == (None, (), (), None)
    assert view.sides[Side.ALLIED].hand == 2


def test_counters_are_visible_to_every_viewer() -> None:
    state = hands()
    views = [project_state(state, viewer) for viewer in (*Side, None)]
    assert views[0].units == views[1].units == views[2].units
    seen = {unit.id: unit for unit in views[2].units}
    assert len(seen) == len(state.units)
    corps = seen[next(unit for unit in seen if unit == "us-corps-x")]
    assert (corps.at, corps.steps, corps.supplied, corps.activated) == ("5808", 1, True, False)


def test_an_offensive_is_visible_in_every_view() -> None:
    state = position(
        {"us-hq-southwest-pacific": "3727", "us-air-5af": "3626", "jp-army-18": "3822"},
        us_rivalry=False,
    )
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13"))
    table("event A-31", "activate us-air-5af")
    for viewer in (*Side, None):
        offensive = project_state(table.state, viewer).offensive
        assert offensive is not None
        assert (offensive.side, offensive.card, offensive.event) == (Side.ALLIED, "A-31", True)
        assert (offensive.hq, offensive.activated) == ("us-hq-southwest-pacific", ("us-air-5af",))
        assert (offensive.step, offensive.ov, offensive.naval_move) == (1, 3, 15)


def test_options_of_a_side_contain_only_its_own_cards() -> None:
    for scenario in SCENARIOS:
        for state, _, role in game(scenario):
            words = {word for o in EOTS.decision(state, role).options for word in _words(o)}
            assert not words & (secrets(state, Side(role)) - _offered(state))
            assert HIDDEN not in words


def _words(option: msgspec.Struct) -> list[str]:
    return [str(getattr(option, name)) for name in option.__struct_fields__]


def _offered(state: State) -> set[str]:
    return {str(getattr(frame, "card", "")) for frame in state.frames}


def test_roles_match_the_sides() -> None:
    assert EOTS.roles(EOTS.initial_state()) == tuple(Role(side) for side in Side)
