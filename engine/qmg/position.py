"""Positions as stored in scenario files, and the conversion to and from states."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Final

import msgspec
from msgspec.structs import asdict, replace

from engine.kernel.decision import Outcome
from engine.kernel.structs import shared_fields
from engine.qmg.atlas import mask, names
from engine.qmg.board import Board
from engine.qmg.deck import CARD
from engine.qmg.frames import CardId, Frame, PieceAt, PlayFrame, UseFrame
from engine.qmg.ids import ALLIES, AXIS, COUNTRIES, FORCE_INDEX, FORCES, HIDDEN, ROUNDS, STATUS
from engine.qmg.names import CountryId, ForceId, SpaceId, TeamId
from engine.qmg.state import Cards, Grant, Shield, State, Turn

FORMAT: Final = 1


class Pieces(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """The spaces that contain one force's pieces."""

    army: tuple[SpaceId, ...] = ()
    navy: tuple[SpaceId, ...] = ()
    air: tuple[SpaceId, ...] = ()


class Zones(Cards, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of one country's cards."""

    statuses: tuple[CardId, ...] = ()


def piles(zones: Zones) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and contents of each pile of a country's cards."""
    for name, pile in asdict(zones).items():
        if name != "face_up":
            yield name, pile


class TurnMarks(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Data that lasts until the end of the turn (9.9)."""

    begin: Mapping[ForceId, Pieces] = msgspec.field(default_factory=dict)
    """The board at the beginning of the turn."""
    used: tuple[str, ...] = ()
    blocked: tuple[CardId, ...] = ()
    shields: tuple[Shield, ...] = ()
    grants: tuple[Grant, ...] = ()
    flags: tuple[str, ...] = ()
    reallocated: bool = False
    discarded: tuple[CardId, ...] = ()
    departed: tuple[PieceAt, ...] = ()


class Position(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="game",
    tag="qmg",
):
    """A position. If no country is active, the game begins with set-up and the deal (3)."""

    format: int = FORMAT
    scenario: str
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    limits: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Number of cards of each type in constructed decks (13.9). Empty if the usual decks are used (18.2)."""
    round: Annotated[int, msgspec.Meta(ge=1, le=ROUNDS)] = 1
    active: CountryId = ""
    step: str = ""
    vp: Mapping[TeamId, int] = msgspec.field(default_factory=dict)
    pieces: Mapping[ForceId, Pieces] = msgspec.field(default_factory=dict)
    cards: Mapping[CountryId, Zones] = msgspec.field(default_factory=dict)
    turn: TurnMarks = TurnMarks()
    frames: tuple[Frame, ...] = ()
    """The stack of frames. If it is empty, the active country's turn begins."""
    outcome: Outcome | None = None


def pieces_from_board(board: Board) -> dict[str, Pieces]:
    """Return each force's pieces by space name. Forces without pieces are omitted."""
    pieces = {}
    for force in FORCES:
        index = FORCE_INDEX[force]
        army, navy, air = board.army[index], board.navy[index], board.air[index]
        if army | navy | air:
            pieces[force] = _pieces(army, navy, air)
    return pieces


@lru_cache(maxsize=4096)
def _pieces(army: int, navy: int, air: int) -> Pieces:
    """Return a force's pieces by space name. The result is cached, because a command moves the pieces of few forces."""
    return Pieces(army=names(army), navy=names(navy), air=names(air))


def board_from_pieces(pieces: Mapping[str, Pieces]) -> Board:
    """Return the board for named pieces."""
    no_pieces = Pieces()
    army, navy, air = zip(
        *[_piece_sets(pieces.get(force, no_pieces)) for force in FORCES], strict=True
    )
    return Board(army=army, navy=navy, air=air)


@lru_cache(maxsize=4096)
def _piece_sets(pieces: Pieces) -> tuple[int, int, int]:
    """Return a force's Armies, Navies and Air Forces as sets. The result is cached, as in :func:`_pieces`."""
    return mask(pieces.army), mask(pieces.navy), mask(pieces.air)


def position_from_state(state: State) -> Position:
    """Return a position that represents exactly this state."""
    turn = state.turn
    values = shared_fields(state, Position) | {
        "options": dict(state.options),
        "limits": dict(state.limits),
        "vp": {AXIS: state.vp[0], ALLIES: state.vp[1]},
        "pieces": pieces_from_board(state.board),
        "cards": {
            country: Zones(**asdict(cards), statuses=statuses)
            for country, cards, statuses in zip(COUNTRIES, state.cards, state.statuses, strict=True)
        },
        "turn": TurnMarks(**asdict(turn) | {"begin": pieces_from_board(turn.begin)}),
    }
    return Position(**values)


def state_from_position(position: Position) -> State:
    """Return the state described by a position."""
    zones = [position.cards.get(country, Zones()) for country in COUNTRIES]
    turn = position.turn
    values = shared_fields(position, State) | {
        "total_war": position.scenario == "total-war",
        "limits": tuple(sorted(position.limits.items())),
        "vp": (position.vp.get(AXIS, 0), position.vp.get(ALLIES, 0)),
        "board": board_from_pieces(position.pieces),
        "cards": tuple(
            # The pool has no meaningful order. It is sorted so that every copy lists the cards in
            # the same order.
            Cards(**shared_fields(zone, Cards) | {"deck": tuple(sorted(zone.deck))})
            for zone in zones
        ),
        "statuses": tuple(zone.statuses for zone in zones),
        "played": tuple(tuple(cards_in_play(position.frames, country)) for country in COUNTRIES),
        "turn": Turn(**asdict(turn) | {"begin": board_from_pieces(turn.begin)}),
    }
    return State(**values)


def cards_in_play(frames: Iterable[Frame], country: str) -> Iterator[str]:
    """Yield a country's cards that are in no pile because they are being played or used."""
    for frame in frames:
        match frame:
            case PlayFrame(country=owner, card=card, stage=stage) if owner == country:
                # In these stages, a Status is already on the table and must not be counted twice.
                if not (CARD[card].type == STATUS and stage in {"after", "end"}):
                    yield card
            case UseFrame(country=owner, card=card, stage="declared") if owner == country:
                if CARD[card].type != STATUS:
                    yield card
            case _:
                continue


def hide_cards(position: Position, viewer: str | None) -> Position:
    """Return the position as seen by a country, or by a spectator if the viewer is None."""
    cards = {
        country: zones if country == viewer else _hide_zones(zones)
        for country, zones in position.cards.items()
    }
    turn = position.turn
    # Only the active country discards in its Discard step, so other countries do not know these
    # cards (8.4).
    if turn.discarded and position.active != viewer:
        turn = replace(turn, discarded=_hide_all(turn.discarded))
    return replace(position, cards=cards, turn=turn)


def _hide_all(cards: tuple[str, ...]) -> tuple[str, ...]:
    return (HIDDEN,) * len(cards)


def _hide_zones(zones: Zones) -> Zones:
    hidden_zones = {
        name: _hide_all(pile) for name, pile in piles(zones) if name not in {"discard", "statuses"}
    }
    discard = tuple(card if card in zones.face_up else HIDDEN for card in zones.discard)
    return replace(zones, discard=discard, **hidden_zones)
