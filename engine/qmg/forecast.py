"""Forecasts of a command's effect on supply, points and possible responses, from a country's point of view.

Supply and points are computed from the board (6, 12.1). Responses are based on public information: Statuses on the
table and the number of face-down Responses (10.4). The country's own responses are based on its actual cards.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.kernel.structs import shared_fields
from engine.qmg.atlas import BIT, LAND
from engine.qmg.board import Board
from engine.qmg.board_analysis import board_analysis
from engine.qmg.ch10_answers import (
    Answer,
    can_air_defend,
    can_possibly_use,
    response_abilities,
    usable_cards,
)
from engine.qmg.ch12_victory import has_victory_step, space_points
from engine.qmg.commands import Battle, Build, Eliminate, QmgCommand, Recruit
from engine.qmg.deck import CARD
from engine.qmg.frames import Trigger
from engine.qmg.ids import ARMY, COUNTRIES, FORCES, HIDDEN, NAVY, STATUS
from engine.qmg.legal import air_attackers, is_protected
from engine.qmg.position import board_from_pieces
from engine.qmg.run import action_trigger
from engine.qmg.state import Cards, Shield, State, Turn
from engine.qmg.view import QmgView

Table: TypeAlias = State
"""A state built from the information that a view shows. Hidden cards are ``?``."""
PieceId: TypeAlias = tuple[str, str, str]
"""The force, kind and space of a piece."""
_EVENTS_AFTER_BOARD: Final = frozenset({"removed", "battle"})
"""Events of these kinds occur after the board has changed."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The cards that one country could use in response."""

    country: str
    statuses: tuple[str, ...] = ()
    """Statuses on the table, by instance."""
    face_down: int = 0
    """Number of Responses on the table that the viewer does not know."""
    titles: tuple[str, ...] = ()
    """Names of Responses and Bolsters that the country could have."""
    own: tuple[str, ...] = ()
    """The viewer's own cards, by instance."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The effects of a command on the board."""

    removed: PieceId | None = None
    """Piece that the command would remove, or None."""
    added: PieceId | None = None
    """Piece that the command would add, or None."""
    is_protected: bool = False
    """True if the piece is protected from removal (10.5)."""
    air_defense: bool = False
    """True if an Air Force may be removed instead of the piece (13.5)."""
    air_attack: bool = False
    """True if the attacker can answer Air Defense with an Air Attack (13.6)."""
    newly_unsupplied: tuple[PieceId, ...]
    """Pieces that would go out of supply (6)."""
    newly_supplied: tuple[PieceId, ...]
    """Pieces that would return to supply."""
    points: tuple[tuple[str, int, int], ...]
    """Forces whose next Victory step would score differently, with the points before and after (12.1, 12.2)."""
    answers: tuple[Answers, ...]
    """Possible responses, in turn order of the countries."""


def state_from_view(view: QmgView) -> Table:
    """Build a state from the information that a view shows. Hidden cards are ``?``."""
    values = shared_fields(view, State) | {
        "vp": (view.axis_vp, view.allies_vp),
        "board": board_from_pieces(view.pieces),
        "cards": tuple(_cards(view, country) for country in COUNTRIES),
        "statuses": tuple(view.countries[country].statuses for country in COUNTRIES),
        "turn": Turn(
            used=view.used,
            blocked=view.blocked,
            shields=tuple(
                Shield(force=force, piece=kind, space=space)
                for force, kind, space in view.protected
            ),
            grants=view.grants,
            flags=view.flags,
        ),
        "frames": (),
    }
    return State(**values)


def _cards(view: QmgView, country: str) -> Cards:
    zones, own_cards = view.countries[country], view.own
    if country == view.role and own_cards is not None:
        return Cards(
            hand=own_cards.hand,
            deck=own_cards.undrawn,
            deck_top=own_cards.deck_top,
            discard=own_cards.discard,
            face_up=zones.seen,
            responses=own_cards.responses,
        )
    return Cards(
        hand=(HIDDEN,) * zones.hand,
        deck=(HIDDEN,) * zones.deck,
        face_up=zones.seen,
        responses=(HIDDEN,) * zones.responses,
    )


def forecast_command(view: QmgView, order: QmgCommand) -> Change | None:
    """Return a command's effects on the board.

    Battles without a target, and commands that do not affect the board, return None.
    """
    match order:
        case Battle(force=attacker, space=space, target=target) if target is not None:
            kind = ARMY if BIT[space] & LAND else NAVY
            return _forecast_removal(view, attacker, (target, kind, space), "battle")
        case Eliminate(force=owner, piece=kind, space=space):
            return _forecast_removal(
                view, view.active or view.role, (owner, kind, space), "eliminate"
            )
        case Build(force=force, piece=kind, space=space):
            return _forecast_arrival(view, (force, kind, space), "built")
        case Recruit(force=force, piece=kind, space=space):
            return _forecast_arrival(view, (force, kind, space), "recruited")
        case _:
            return None


def forecast_loss(view: QmgView, piece: PieceId, remover: str) -> Change:
    """Return the effects of losing a piece in a battle fought by the given force."""
    return _forecast_removal(view, remover, piece, "battle")


def _forecast_removal(view: QmgView, remover: str, piece: PieceId, cause: str) -> Change:
    table, (owner, kind, space) = state_from_view(view), piece
    table_after = _with_board(
        table, table.board.with_changes(owner, kind, removed_count=BIT[space])
    )
    threat = replace(
        action_trigger("about_to_be_removed", remover, space=space, piece=kind, owner=owner),
        why=cause,
    )
    state_after_removal = replace(
        threat,
        kind="removed",
        was_supplied=bool(board_analysis(table).supplied_pieces(owner, kind) & BIT[space]),
        last=not table_after.board.spaces_with(owner, kind),
    )
    events = [threat, state_after_removal]
    if cause == "battle":
        events.insert(0, replace(threat, kind="battled", why=""))
        events.append(action_trigger("battle", remover, space=space, piece=kind))
    defends = can_air_defend(table, threat)
    return replace(
        _change_between(table, table_after, view.role, events),
        removed=piece,
        is_protected=is_protected(table, owner, kind, space),
        air_defense=defends,
        air_attack=defends and bool(air_attackers(board_analysis(table), remover, space)),
    )


def _forecast_arrival(view: QmgView, piece: PieceId, event: str) -> Change:
    table, (force, kind, space) = state_from_view(view), piece
    table_after = _with_board(table, table.board.with_changes(force, kind, added_count=BIT[space]))
    events = [action_trigger(event, force, space=space, piece=kind, owner=force)]
    return replace(_change_between(table, table_after, view.role, events), added=piece)


def _with_board(table: Table, board: Board) -> Table:
    return replace(table, board=board)


def _change_between(
    table: Table, table_after: Table, viewer: str, events: Sequence[Trigger]
) -> Change:
    before, unsupplied_after = _unsupplied_pieces(table), _unsupplied_pieces(table_after)
    return Change(
        newly_unsupplied=tuple(piece for piece in unsupplied_after if piece not in before),
        newly_supplied=tuple(
            (force, kind, space)
            for force, kind, space in before
            if table_after.board.spaces_with(force, kind) & BIT[space]
            and (force, kind, space) not in unsupplied_after
        ),
        points=tuple(
            (force, points, points_later)
            for force in FORCES
            if (points := _supply_points(table, force))
            != (points_later := _supply_points(table_after, force))
        ),
        answers=tuple(_possible_answers(table, table_after, viewer, events)),
    )


def _unsupplied_pieces(table: Table) -> tuple[PieceId, ...]:
    analysis = board_analysis(table)
    return tuple(
        (force, kind, space)
        for force in FORCES
        for kind, space in analysis.unsupplied_pieces(force)
    )


def _supply_points(table: Table, force: str) -> int:
    """Return a force's points for its supply spaces, which are 0 if an enemy Army is in its Home (12.1, 12.2)."""
    return space_points(board_analysis(table), force) if has_victory_step(table, force) else 0


# -- answers


def _possible_answers(
    table: Table, table_after: Table, viewer: str, events: Sequence[Trigger]
) -> Iterator[Answers]:
    """Yield each country that could respond to one of the events, with the cards that it could use (10.4)."""
    for country in COUNTRIES:
        statuses: dict[str, None] = {}
        titles: dict[str, None] = {}
        own_answers: dict[str, None] = {}
        for event in events:
            answer_table = table_after if event.kind in _EVENTS_AFTER_BOARD else table
            if country == viewer:
                own_answers |= dict.fromkeys(
                    usable_card.card for usable_card in usable_cards(answer_table, country, event)
                )
                continue
            for answer in _answers_from(answer_table, country, event):
                if answer.type == STATUS:
                    statuses[answer.instances[0]] = None
                else:
                    titles[CARD[answer.instances[0]].name] = None
        if statuses or titles or own_answers:
            yield Answers(
                country=country,
                statuses=tuple(statuses),
                face_down=0 if country == viewer else len(table.cards_of(country).responses),
                titles=tuple(titles),
                own=tuple(own_answers),
            )


def _answers_from(table: Table, country: str, event: Trigger) -> Iterator[Answer]:
    for answer in response_abilities(event.kind, is_total_war=table.total_war):
        if answer.country == country and can_possibly_use(table, answer, event):
            yield answer
