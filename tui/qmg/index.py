"""Lookups in a view, for the screen: pieces by space, adjacency, supply and points."""

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
    """Lookups in one view."""

    view: QmgView
    at: Mapping[str, tuple[Piece, ...]]
    """The pieces in each space, ordered by force."""
    field: BoardAnalysis
    """The board, with the effects of the Statuses on the table."""

    @property
    def is_strict(self) -> bool:
        """True if a Navy without a port breaks a supply line (18.4)."""
        return STRICT_NAVY_LINKS.uses_alternative(self.view.options)

    def pieces(self, space: str, kind: str = "") -> tuple[Piece, ...]:
        """Return the pieces in a space, optionally of only one kind."""
        return tuple(one for one in self.at.get(space, ()) if kind in ("", one.kind))

    def forces(self) -> tuple[str, ...]:
        """Return the forces in this game. France and China are used only in Total War."""
        if self.view.total_war:
            return FORCES
        return tuple(force for force in FORCES if force not in {FRANCE, CHINA})

    def at_home(self, space: str) -> tuple[str, ...]:
        """Return the forces that currently have their Home in this space (5.4, 13.10)."""
        return tuple(force for force in self.forces() if self.field.home_spaces(force) & BIT[space])

    def supplies(self, space: str) -> tuple[str, ...]:
        """Return the forces for which this space is currently a supply space (5.5, 13.10)."""
        return tuple(
            force for force in self.forces() if self.field.supply_spaces(force) & BIT[space]
        )

    def points(self, force: str, space: str) -> int:
        """Return the points that a force earns in the Victory step for an Army in a space (12.1, 17.11)."""
        if force not in self.supplies(space):
            return 0
        friends = {one.force for one in self.pieces(space, ARMY)} & set(
            MEMBERS[TEAM_BY_FORCE[force]]
        )
        is_own = self.field.exclusive_supply_spaces(force) & BIT[space]
        return 2 if is_own or friends <= {force} else 1

    def neighbours(self, space: str, team: str) -> tuple[str, ...]:
        """Return the spaces that are adjacent for a team, by border, open strait or Status (5.1, 5.3, A.3)."""
        plain = SPACE[space].adjacent
        near = names(self.field.adjacent(team)[INDEX[space]])
        return (*plain, *(one for one in near if one not in plain))


def build_index(view: QmgView) -> Index:
    """Build the lookups for a view."""
    hungry = set(view.unsupplied)
    found: dict[str, list[Piece]] = {}
    for force in FORCES:
        pieces = view.pieces.get(force)
        if pieces is None:
            continue
        for kind in KINDS:
            for space in getattr(pieces, kind):
                base = NAVY if SPACE[space].kind == "sea" else ARMY
                key = (force, base if kind == AIR else kind, space)
                found.setdefault(space, []).append(Piece(force, kind, space, key not in hungry))
    statuses = tuple(view.countries[country].statuses for country in COUNTRIES)
    return Index(
        view=view,
        at={space: tuple(pieces) for space, pieces in found.items()},
        field=BoardAnalysis(
            board_from_pieces(view.pieces),
            changes_from_statuses(statuses, view.active),
            (),
            strict=STRICT_NAVY_LINKS.uses_alternative(view.options),
        ),
    )


class Indexer:
    """Caches the index for the latest view."""

    def __init__(self) -> None:
        self._last: Index | None = None

    def get(self, view: QmgView) -> Index:
        """Return the index for a view."""
        if self._last is None or self._last.view is not view:
            self._last = build_index(view)
        return self._last
