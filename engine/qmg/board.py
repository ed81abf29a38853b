"""The pieces on the board: one set of spaces per force and kind, stored as bits of an integer (see ``atlas.py``).

All pieces are public (9.3).
"""

from typing import Final

import msgspec

from engine.qmg.ids import ARMY, FORCE_INDEX, FORCES, NAVY

_NO_SPACES: Final = (0,) * len(FORCES)


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """All pieces on the board. Each kind has one set of spaces per force, in the order of ``FORCES``."""

    army: tuple[int, ...] = _NO_SPACES
    navy: tuple[int, ...] = _NO_SPACES
    air: tuple[int, ...] = _NO_SPACES

    def spaces_with(self, force: str, kind: str) -> int:
        """Return the spaces that contain a force's pieces of one kind."""
        return self.spaces_by_force(kind)[FORCE_INDEX[force]]

    def spaces_by_force(self, kind: str) -> tuple[int, ...]:
        """Return the sets of spaces for one kind of piece, one set per force."""
        if kind == ARMY:
            return self.army
        return self.navy if kind == NAVY else self.air

    def with_changes(
        self, force: str, kind: str, *, added_count: int = 0, removed_count: int = 0
    ) -> "Board":
        """Return a copy of the board with spaces added to and removed from one force's set for a kind of piece."""
        index = FORCE_INDEX[force]
        sets = self.spaces_by_force(kind)
        new_sets = (*sets[:index], sets[index] & ~removed_count | added_count, *sets[index + 1 :])
        if kind == ARMY:
            return Board(army=new_sets, navy=self.navy, air=self.air)
        if kind == NAVY:
            return Board(army=self.army, navy=new_sets, air=self.air)
        return Board(army=self.army, navy=self.navy, air=new_sets)
