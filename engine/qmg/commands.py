"""All commands that a country can give. Each command's tag is its verb in the notation.

Forces, pieces and spaces are given as ids, cards as instances such as ``de_build_army#1``.
"""

from typing import Final, TypeAlias, get_args

from engine.kernel.ruleset import Command


class OfCard(Command, frozen=True, kw_only=True):
    """Base class of commands that name a card."""

    card: str


class SpaceCommand(Command, frozen=True, kw_only=True):
    """Base class of commands that name a space."""


class PieceCommand(SpaceCommand, frozen=True, kw_only=True):
    """Base class of commands that name a piece in a space."""

    force: str
    piece: str
    space: str


class Play(OfCard, frozen=True, kw_only=True, tag="play"):
    """Play a card, either in the Play step (8.2 a) or when another card allows it."""


class Drop(OfCard, frozen=True, kw_only=True, tag="drop"):
    """Discard a card without effect as the Play step (8.2 b)."""


class Use(OfCard, frozen=True, kw_only=True, tag="use"):
    """Use a Status, Response or Bolster (10.4), or an alternative to playing a card (8.2 c)."""


class Pass(Command, frozen=True, kw_only=True, tag="pass"):
    """Use nothing in this window (10.4)."""


class Done(Command, frozen=True, kw_only=True, tag="done"):
    """Decline, or stop choosing (A.1.3)."""


class Yes(Command, frozen=True, kw_only=True, tag="yes"):
    """Do what the card offers."""


class DiscardTop(Command, frozen=True, kw_only=True, tag="discard-top"):
    """Discard the top card of the deck as the Play step, with an empty hand (8.2 d)."""


class LosePoint(Command, frozen=True, kw_only=True, tag="lose-point"):
    """Lose 1 VP as the Play step, with an empty hand and deck (8.2 e)."""


class Reallocate(Command, frozen=True, kw_only=True, tag="reallocate"):
    """Reallocate Resources (8.3)."""


class Discard(OfCard, frozen=True, kw_only=True, tag="discard"):
    """Discard this card: set-up, a cost, or the Discard step (3.1, 8.4, 9.4)."""


class Take(OfCard, frozen=True, kw_only=True, tag="take"):
    """Take this card: found in a search, or next on the deck."""


class Build(PieceCommand, frozen=True, kw_only=True, tag="build"):
    """Build a piece (7.1, 7.2)."""


class Designate(PieceCommand, frozen=True, kw_only=True, tag="designate"):
    """Designate a supplied piece as just built (7.6)."""


class Recruit(PieceCommand, frozen=True, kw_only=True, tag="recruit"):
    """Recruit a piece (7.3)."""


class Battle(SpaceCommand, frozen=True, kw_only=True, tag="battle"):
    """Battle a space (7.4)."""

    force: str
    space: str
    target: str | None
    """Owner of the target piece; None for an empty space."""


class Eliminate(PieceCommand, frozen=True, kw_only=True, tag="eliminate"):
    """Eliminate a piece (7.5)."""


class Remove(PieceCommand, frozen=True, kw_only=True, tag="remove"):
    """Take one of your own pieces off the board: a cost, a choice, or the next piece out of supply (6.6)."""


class Withdraw(PieceCommand, frozen=True, kw_only=True, tag="withdraw"):
    """Take one of your own pieces off the board at any time (4.2)."""


class Deploy(SpaceCommand, frozen=True, kw_only=True, tag="deploy"):
    """Place an Air Force (13.3 a)."""

    force: str
    space: str


class Marshal(SpaceCommand, frozen=True, kw_only=True, tag="marshal"):
    """Move an Air Force (13.3 b)."""

    force: str
    origin: str
    space: str


class Superiority(SpaceCommand, frozen=True, kw_only=True, tag="superiority"):
    """Gain Air Superiority (13.3 c)."""

    force: str
    origin: str
    space: str
    target: str | None
    """Owner of the Air Force that is removed; None for a space without one."""


class Reposition(SpaceCommand, frozen=True, kw_only=True, tag="reposition"):
    """Move an Air Force that was left alone (13.4)."""

    force: str
    space: str


class AirDefense(Command, frozen=True, kw_only=True, tag="air-defense"):
    """Remove your own Air Force instead of the piece that is about to be removed (13.5)."""


class AirAttack(SpaceCommand, frozen=True, kw_only=True, tag="air-attack"):
    """Remove your own Air Force next to the battle to remove the target after all (13.6)."""

    space: str


class Choose(Command, frozen=True, kw_only=True, tag="choose"):
    """Choose a part of a card: an option, or the next part to carry out."""

    part: int
    """Number of the part, counting from 1."""


class Name(Command, frozen=True, kw_only=True, tag="name"):
    """Name a country or force for a card."""

    force: str


QmgCommand: TypeAlias = (
    Play
    | Drop
    | Use
    | Discard
    | Take
    | Pass
    | Done
    | Yes
    | DiscardTop
    | LosePoint
    | Reallocate
    | Build
    | Designate
    | Recruit
    | Battle
    | Eliminate
    | Remove
    | Withdraw
    | Deploy
    | Marshal
    | Superiority
    | Reposition
    | AirAttack
    | AirDefense
    | Choose
    | Name
)
COMMANDS: Final[tuple[type[QmgCommand], ...]] = get_args(QmgCommand)
