"""Dice whose every draw follows from the match secret, so that it can be checked later.

A draw is keyed BLAKE2b over (record number, draw index, attempt), reduced by rejection sampling: no face is
favoured, and no number of observed draws tells the next one.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, Protocol

from engine.kernel.errors import FlagplotError, ScriptedDiceError

SECRET_BYTES: Final = 32
"""Length of a match secret."""
_SPAN: Final = 1 << 64
FACES: Final = 10
"""Faces 0 to 9; the 0 counts as zero (EotS 1.22)."""


class Dice(Protocol):
    """The only source of chance that rules may use."""

    def d10(self) -> int:
        """Return a face from 0 to 9."""
        ...

    def below(self, limit: int) -> int:
        """Return a uniform number from 0 to ``limit - 1``; ``limit`` is at least 1."""
        ...

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items, each with the same chance; their order matters."""
        ...


class DerivedDice:
    """Dice of one record of one match."""

    def __init__(self, secret: bytes, record: int) -> None:
        """Start at draw 0 of a record.

        Args:
            secret: The match secret, 32 bytes.
            record: Sequence number of the record being decided.
        """
        self._secret = secret
        self._record = record
        self._draw = 0

    def below(self, limit: int) -> int:
        """Return a uniform number from 0 to ``limit - 1``."""
        ceiling = _SPAN - _SPAN % limit
        attempt = 0
        while True:
            message = (
                self._record.to_bytes(8, "big")
                + self._draw.to_bytes(4, "big")
                + attempt.to_bytes(4, "big")
            )
            digest = blake2b(message, key=self._secret, digest_size=8, person=b"flagplot-dice")
            value = int.from_bytes(digest.digest(), "big")
            if value < ceiling:
                self._draw += 1
                return value % limit
            attempt += 1

    def d10(self) -> int:
        """Return a face from 0 to 9."""
        return self.below(FACES)

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items."""
        return items[self.below(len(items))]


class ScriptedDice:
    """Dice that a script dictates: faces for rolls, names for picks.

    Without a scripted name a pick takes the first item, so that a script needs to state only what it is about.
    """

    def __init__(self, *faces: int, picks: Sequence[str] = ()) -> None:
        """Queue the faces and the names, first used first."""
        self._faces = list(faces)
        self._picks = list(picks)

    @property
    def faces_left(self) -> int:
        """Return how many scripted faces were not rolled."""
        return len(self._faces)

    def extend(self, faces: Sequence[int], picks: Sequence[str] = ()) -> None:
        """Queue more faces and names."""
        self._faces.extend(faces)
        self._picks.extend(picks)

    def d10(self) -> int:
        """Return the next scripted face.

        Raises:
            ScriptedDiceError: No face is left.
        """
        if not self._faces:
            raise ScriptedDiceError(
                "the scripted dice are used up; add more faces, or 'any' where they do not matter"
            )
        return self._faces.pop(0)

    def below(self, limit: int) -> int:
        """Return the next scripted face, which must lie below the limit."""
        face = self.d10()
        if face >= limit:
            raise ScriptedDiceError(f"the scripted face {face} is not below {limit}")
        return face

    def pick(self, items: Sequence[str]) -> str:
        """Return the first scripted name that is among the items, else the first item."""
        for name in self._picks:
            if name in items:
                self._picks.remove(name)
                return name
        return items[0]


class ChanceRevealedError(FlagplotError):
    """A draft came to a die roll or a card draw and must end before it."""


class DraftDice:
    """Dice for trying commands privately: any use ends the draft."""

    def d10(self) -> int:
        """Raise, because a draft must not see chance."""
        raise ChanceRevealedError("a die would be rolled here")

    def below(self, limit: int) -> int:
        """Raise, because a draft must not see chance."""
        raise ChanceRevealedError(f"one of {limit} would be drawn here")

    def pick(self, items: Sequence[str]) -> str:
        """Raise, because a draft must not see chance."""
        raise ChanceRevealedError(f"one of {len(items)} would be drawn here")
