"""A table of all pieces, and a calendar with the turn order, scoring and remaining pieces (3.3, 4.3, 12)."""

from collections.abc import Iterator
from typing import Final

from engine.kernel.sentences import count_noun
from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE
from engine.qmg.deck import POOLS
from engine.qmg.ids import (
    AIR,
    ARMY,
    COUNTRIES,
    FORCE_INDEX,
    KINDS,
    MINOR_FORCE,
    ROUNDS,
    TEAM_BY_FORCE,
    TEAMS,
)
from tui.drawing.colour_roles import TextRole
from tui.panels.roster import Roster, RosterCell, RosterColumn, RosterEntry
from tui.panels.status_segments import Row, Toned
from tui.qmg.index import Index, Piece
from tui.qmg.panels.status_bar import COUNTRY_CHIPS
from tui.qmg.texts import CODES, FORCE_TITLES, TEAM_TITLES

_COLUMNS: Final = (
    RosterColumn("Piece"),
    RosterColumn("Country", 3),
    RosterColumn("Team", 5),
    RosterColumn("Space"),
    RosterColumn("On", 4),
    RosterColumn("Supply"),
    RosterColumn("Points", 2),
    RosterColumn("State"),
)
_ICONS: Final = {"army": "■", "navy": "▲", "air": "◆"}


def roster(index: Index) -> Roster:
    """Return all pieces on the board, the player's team first, then by country in turn order."""
    own_team = TEAM_BY_FORCE.get(index.view.role, TEAMS[0])
    pieces = [piece for pieces in index.pieces_by_space.values() for piece in pieces]
    pieces.sort(key=lambda piece: (TEAM_BY_FORCE[piece.force] != own_team, *_default_order(piece)))
    return Roster(
        columns=_COLUMNS, entries=tuple(_entry(index, piece) for piece in pieces), noun="pieces"
    )


def _default_order(piece: Piece) -> tuple[int, int, str]:
    return FORCE_INDEX[piece.force], KINDS.index(piece.kind), SPACE[piece.space].name


def _entry(index: Index, piece: Piece) -> RosterEntry:
    code, icon = CODES[piece.force], _ICONS[piece.kind]
    words = say.piece_name(piece.force, piece.kind)
    tone = COUNTRY_CHIPS.get(piece.force, TextRole.CHIP_NEUTRAL)
    points = index.points(piece.force, piece.space) if piece.kind == ARMY else 0
    supply = ("supplied", TextRole.DIM, 1) if piece.is_supplied else ("no supply", TextRole.BAD, 0)
    return RosterEntry(
        id=f"{piece.force}-{piece.kind}-{piece.space}",
        place=piece.space,
        cells=(
            RosterCell(f" {icon} {code} {words} ", tone, FORCE_INDEX[piece.force]),
            RosterCell(FORCE_TITLES[piece.force], order=FORCE_INDEX[piece.force]),
            RosterCell(TEAM_TITLES[TEAM_BY_FORCE[piece.force]], TextRole.DIM),
            RosterCell(say.space_name(piece.space), TextRole.NAME),
            RosterCell("sea" if SPACE[piece.space].kind == "sea" else "land", TextRole.DIM),
            RosterCell(*supply),
            RosterCell(f"{points} VP" if points else "", TextRole.GOOD, -points),
            _state_cell(index, piece),
        ),
    )


def _state_cell(index: Index, piece: Piece) -> RosterCell:
    notes = []
    if (piece.force, piece.kind, piece.space) in index.view.protected:
        notes.append("protected from removal")
    if piece.force in index.forces_at_home(piece.space):
        notes.append("at home")
    tone = TextRole.GOOD if len(notes) > 1 or "at home" not in notes else TextRole.DIM
    return RosterCell(", ".join(notes), tone)


# -- calendar


def calendar(index: Index) -> tuple[Row, ...]:
    """Return rows for the turn order with each country's points, the remaining rounds, and the pieces in the pools."""
    return tuple(_calendar_rows(index))


def _calendar_rows(index: Index) -> Iterator[Row]:
    view = index.view
    yield (
        f"Round {view.round} of {ROUNDS}: turn order and Victory step points (12.1)",
        TextRole.HEAD,
    )
    active_index = COUNTRIES.index(view.active) if view.active in COUNTRIES else -1
    for position, country in enumerate(COUNTRIES):
        sign = "✓" if position < active_index else ">" if position == active_index else "○"
        yield (
            (f" {sign} ", TextRole.STEP if position == active_index else TextRole.DIM),
            (f" {CODES[country]} ", COUNTRY_CHIPS[country]),
            (f" {FORCE_TITLES[country]:<8}{view.points.get(country, 0):>3} VP", TextRole.PLAIN),
            (_minor_force_points(index, country), TextRole.DIM),
        )
    remaining_rounds = ROUNDS - view.round
    rounds_text = count_noun(remaining_rounds, "round")
    yield f"The lead is checked at the end of the round (12.4). {rounds_text} left.", TextRole.DIM
    yield ""
    yield "Pieces left to build or recruit (4.3)", TextRole.HEAD
    for force in index.forces():
        yield tuple(_pool_cells(index, force))


def _minor_force_points(index: Index, country: str) -> str:
    """Return the points of the deckless force that scores in this country's turn (12.3); empty if there is none."""
    minor = MINOR_FORCE.get(country, "")
    if minor not in index.forces():
        return ""
    return f", {FORCE_TITLES[minor]} {index.view.points.get(minor, 0)} VP"


def _pool_cells(index: Index, force: str) -> Iterator[Toned]:
    yield f" {CODES[force]} ", COUNTRY_CHIPS.get(force, TextRole.CHIP_NEUTRAL)
    yield f" {FORCE_TITLES[force]:<8}", TextRole.PLAIN
    pieces = index.view.pieces.get(force)
    for kind in KINDS:
        total = POOLS[force].get(kind, 0)
        if not total or (kind == AIR and not index.view.total_war):
            continue
        used_cells = len(getattr(pieces, kind)) if pieces is not None else 0
        cells_left = total - used_cells
        yield (
            f" {_ICONS[kind]} {cells_left}/{total} ",
            TextRole.PLAIN if cells_left else TextRole.WARN,
        )
