"""An index of a player's view: pieces by space, adjacency, supply and points."""

from collections.abc import Mapping

import msgspec

from engine.qmg.atlas import BIT, INDEX, SPACE, names
from engine.qmg.board_analysis import BoardAnalysis, changes_from_statuses
from engine.qmg.ids import (
    AIR,
    ARMY,
    CHINA,
    COUNTRIES,
    FORCES,
    FRANCE,
    KINDS,
    MEMBERS,
    NAVY,
    TEAM_BY_FORCE,
)
from engine.qmg.position import board_from_pieces
from engine.qmg.rulings import STRICT_NAVY_LINKS
from engine.qmg.view import QmgView


class Piece(msgspec.Struct, frozen=True):
    """A piece on the board."""

    force: str
    kind: str
    space: str
    is_supplied: bool


class Index(msgspec.Struct, frozen=True, eq=False):
    """Finds pieces, supply, points and adjacent spaces in one view."""

    view: QmgView
    pieces_by_space: Mapping[str, tuple[Piece, ...]]
    """The pieces in each space, ordered by force."""
    analysis: BoardAnalysis
    """The rules' analysis of the board, including the effects of Statuses on the table."""

    @property
    def is_strict(self) -> bool:
        """True if a Navy without a port breaks a supply line (18.4)."""
        return STRICT_NAVY_LINKS.uses_alternative(self.view.options)

    def pieces(self, space: str, kind: str = "") -> tuple[Piece, ...]:
        """Return the pieces in a space. If `kind` is not empty, return only pieces of that kind."""
        return tuple(
            piece for piece in self.pieces_by_space.get(space, ()) if kind in ("", piece.kind)
        )

    def forces(self) -> tuple[str, ...]:
        """Return the forces in this game. France and China are used only in Total War."""
        if self.view.total_war:
            return FORCES
        return tuple(force for force in FORCES if force not in {FRANCE, CHINA})

    def forces_at_home(self, space: str) -> tuple[str, ...]:
        """Return the forces that currently have their Home in this space (5.4, 13.10)."""
        return tuple(
            force for force in self.forces() if self.analysis.home_spaces(force) & BIT[space]
        )

    def forces_supplied_by(self, space: str) -> tuple[str, ...]:
        """Return the forces that currently use this space as a supply space (5.5, 13.10)."""
        return tuple(
            force for force in self.forces() if self.analysis.supply_spaces(force) & BIT[space]
        )

    def points(self, force: str, space: str) -> int:
        """Return the points that a force earns in the Victory step for an Army in a space (12.1, 17.11)."""
        if force not in self.forces_supplied_by(space):
            return 0
        friendly_forces = {piece.force for piece in self.pieces(space, ARMY)} & set(
            MEMBERS[TEAM_BY_FORCE[force]]
        )
        is_own = self.analysis.exclusive_supply_spaces(force) & BIT[space]
        return 2 if is_own or friendly_forces <= {force} else 1

    def neighbours(self, space: str, team: str) -> tuple[str, ...]:
        """Return the spaces adjacent to a space for a team: by border, open strait or Status (5.1, 5.3, A.3)."""
        bordering = SPACE[space].adjacent
        adjacent_spaces = names(self.analysis.adjacent_spaces(team)[INDEX[space]])
        return (
            *bordering,
            *(neighbour for neighbour in adjacent_spaces if neighbour not in bordering),
        )


def build_index(view: QmgView) -> Index:
    """Build the index of a view."""
    unsupplied_units = set(view.unsupplied)
    pieces_by_space: dict[str, list[Piece]] = {}
    for force in FORCES:
        pieces = view.pieces.get(force)
        if pieces is None:
            continue
        for kind in KINDS:
            for space in getattr(pieces, kind):
                supply_kind = NAVY if SPACE[space].kind == "sea" else ARMY
                key = (force, supply_kind if kind == AIR else kind, space)
                pieces_by_space.setdefault(space, []).append(
                    Piece(force, kind, space, key not in unsupplied_units)
                )
    statuses = tuple(view.countries[country].statuses for country in COUNTRIES)
    return Index(
        view=view,
        pieces_by_space={space: tuple(pieces) for space, pieces in pieces_by_space.items()},
        analysis=BoardAnalysis(
            board_from_pieces(view.pieces),
            changes_from_statuses(statuses, view.active),
            (),
            is_strict=STRICT_NAVY_LINKS.uses_alternative(view.options),
        ),
    )


class Indexer:
    """Caches the index of the latest view."""

    def __init__(self) -> None:
        self._last_index: Index | None = None

    def get(self, view: QmgView) -> Index:
        """Return the index of a view."""
        if self._last_index is None or self._last_index.view is not view:
            self._last_index = build_index(view)
        return self._last_index
