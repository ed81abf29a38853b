"""The game as seen by a country or a spectator (9.3)."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from engine.kernel.ruleset import View
from engine.qmg.atlas import STRAITS
from engine.qmg.board_analysis import board_analysis, strait_holder
from engine.qmg.ch12_victory import space_points
from engine.qmg.deck_steps import STEP_LISTS, WithParts, inner_name
from engine.qmg.frames import (
    BattleFrame,
    EwFrame,
    Frame,
    PlayFrame,
    RemovalFrame,
    StepsFrame,
    Trigger,
    UseFrame,
    WindowFrame,
)
from engine.qmg.ids import COUNTRIES, FORCES
from engine.qmg.legal import protected_pieces
from engine.qmg.position import Pieces, pieces_from_board
from engine.qmg.state import Cards, Grant, State


class CountryView(msgspec.Struct, frozen=True, kw_only=True):
    """Public information about a country's cards."""

    hand: int
    deck: int
    discard: int
    discard_top: str
    """The discard pile's top card; empty if the card is face down or the pile is empty."""
    responses: int
    """Number of Responses and Bolsters face down on the table."""
    statuses: tuple[str, ...]
    """Statuses face up on the table."""
    seen: tuple[str, ...]
    """Cards that everyone knows to be in the discard pile."""


class OwnCards(msgspec.Struct, frozen=True, kw_only=True):
    """A country's view of its own cards."""

    hand: tuple[str, ...]
    responses: tuple[str, ...]
    discard: tuple[str, ...]
    """The discard pile, bottom card first."""
    deck_top: tuple[str, ...]
    """Cards on top of the deck that the country has looked at."""
    undrawn: tuple[str, ...]
    """The rest of the deck, in no particular order: all cards that the country cannot see elsewhere."""


class QmgView(View, frozen=True, kw_only=True):
    """The game as seen by a country or a spectator."""

    role: str
    """The viewing country, or empty for a spectator."""
    scenario: str
    total_war: bool
    options: Mapping[str, str]
    round: int
    active: str
    step: str
    axis_vp: int
    allies_vp: int
    pieces: Mapping[str, Pieces]
    unsupplied: tuple[tuple[str, str, str], ...]
    """The force, kind and space of every Army and Navy that is out of supply (6)."""
    points: Mapping[str, int]
    """VP that each force would score for its supply spaces now (12.1)."""
    straits: Mapping[str, str]
    """The team that can use each strait (5.3)."""
    protected: tuple[tuple[str, str, str], ...]
    """The force, kind and space of each piece that is protected from removal (10.5)."""
    used: tuple[str, ...]
    """Once-per-turn abilities used this turn, in the form ``<instance>:<number>``."""
    blocked: tuple[str, ...]
    """Statuses that may not be used this turn."""
    grants: tuple[Grant, ...]
    """Supply granted by cards this turn."""
    flags: tuple[str, ...]
    """Rules suspended this turn."""
    countries: Mapping[str, CountryView]
    own: OwnCards | None
    chain: tuple[tuple[str, str], ...]
    """The cards, battles and removals in progress, outermost first.

    Each item is a kind and a name, such as ``("card", "de_plunder#1")``. The name identifies a card, a space or, for
    Economic Warfare, a country.
    """
    trigger: Trigger | None
    """The event that opened the current window, or None if no window is open."""
    parts: tuple[str, ...] = ()
    """Names of the step lists to choose from in the current decision, in numerical order."""
    is_over: bool


def project_state(state: State, role: str | None) -> QmgView:
    """Return the view of a country or, if the role is None, of a spectator."""
    analysis = board_analysis(state)
    return replace(
        project_table(state, role),
        unsupplied=tuple(
            (force, kind, space)
            for force in FORCES
            for kind, space in analysis.unsupplied_pieces(force)
        ),
        points={force: space_points(analysis, force) for force in FORCES},
        straits={strait.id: strait_holder(analysis, strait.land) for strait in STRAITS},
    )


def project_table(state: State, role: str | None) -> QmgView:
    """Return a view for bots in playouts, without the data derived from the pieces: supply, points and straits."""
    return QmgView(
        role=role or "",
        scenario=state.scenario,
        total_war=state.total_war,
        options=dict(state.options),
        round=state.round,
        active=state.active,
        step=state.step,
        axis_vp=state.vp[0],
        allies_vp=state.vp[1],
        pieces=pieces_from_board(state.board),
        unsupplied=(),
        points={},
        straits={},
        protected=protected_pieces(state),
        used=state.turn.used,
        blocked=state.turn.blocked,
        grants=state.turn.grants,
        flags=state.turn.flags,
        countries={
            country: _country_view(cards, statuses)
            for country, cards, statuses in zip(COUNTRIES, state.cards, state.statuses, strict=True)
        },
        own=_own_cards(state.cards_of(role)) if role else None,
        chain=tuple(
            card for frame in state.frames if (card := _card_in_progress(frame)) is not None
        ),
        trigger=_window_trigger(state),
        parts=_parts(state),
        is_over=state.outcome is not None,
    )


def _country_view(cards: Cards, statuses: tuple[str, ...]) -> CountryView:
    top = cards.discard[-1] if cards.discard and cards.discard[-1] in cards.face_up else ""
    return CountryView(
        hand=len(cards.hand),
        deck=cards.deck_size,
        discard=len(cards.discard),
        discard_top=top,
        responses=len(cards.responses),
        statuses=statuses,
        seen=cards.face_up,
    )


def _own_cards(cards: Cards) -> OwnCards:
    return OwnCards(
        hand=cards.hand,
        responses=cards.responses,
        discard=cards.discard,
        deck_top=cards.deck_top,
        undrawn=cards.deck,
    )


def _card_in_progress(frame: Frame) -> tuple[str, str] | None:
    match frame:
        case PlayFrame(card=card):
            return ("card", card)
        case UseFrame(card=card):
            return ("use", card)
        case BattleFrame(space=space):
            return ("battle", space)
        case RemovalFrame(space=space):
            return ("removal", space)
        case EwFrame(target=target):
            return ("economic-warfare", target)
        case _:
            return None


def _window_trigger(state: State) -> Trigger | None:
    top = state.frames[-1] if state.frames else None
    return top.trigger if isinstance(top, WindowFrame) else None


def _parts(state: State) -> tuple[str, ...]:
    top = state.frames[-1] if state.frames else None
    if not isinstance(top, StepsFrame):
        return ()
    steps = STEP_LISTS[top.steps]
    step = steps[top.at] if top.at < len(steps) else None
    if not isinstance(step, WithParts):
        return ()
    return tuple(inner_name(top.steps, top.at, suffix) for suffix in step.inner())
