"""All commands that a country can give. Each command's tag is its verb in the notation.

Forces, pieces and spaces are ids. Cards are instances, such as ``de_build_army#1``.
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
    """Play a card in the Play step (8.2 a), or when another card allows this."""


class Drop(OfCard, frozen=True, kw_only=True, tag="drop"):
    """Discard a card without effect, as the action of the Play step (8.2 b)."""


class Use(OfCard, frozen=True, kw_only=True, tag="use"):
    """Use a Status, Response or Bolster (10.4), or use a Status instead of playing a card (8.2 c)."""


class Pass(Command, frozen=True, kw_only=True, tag="pass"):
    """Use no card in this window for now (10.4)."""


class Done(Command, frozen=True, kw_only=True, tag="done"):
    """Decline, or stop choosing (A.1.3)."""


class Yes(Command, frozen=True, kw_only=True, tag="yes"):
    """Accept what the card offers."""


class DiscardTop(Command, frozen=True, kw_only=True, tag="discard-top"):
    """With an empty hand, discard the deck's top card as the action of the Play step (8.2 d)."""


class LosePoint(Command, frozen=True, kw_only=True, tag="lose-point"):
    """With an empty hand and deck, lose 1 VP as the action of the Play step (8.2 e)."""


class Reallocate(Command, frozen=True, kw_only=True, tag="reallocate"):
    """Reallocate Resources (8.3)."""


class Discard(OfCard, frozen=True, kw_only=True, tag="discard"):
    """Discard a card during set-up, to pay a cost, or in the Discard step (3.1, 8.4, 9.4)."""


class Take(OfCard, frozen=True, kw_only=True, tag="take"):
    """Take a card from a search, or choose the next card when arranging the top of the deck."""


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
    """Owner of the target piece, or None if the space contains no target."""


class Eliminate(PieceCommand, frozen=True, kw_only=True, tag="eliminate"):
    """Eliminate a piece (7.5)."""


class Remove(PieceCommand, frozen=True, kw_only=True, tag="remove"):
    """Remove one of your own pieces: to pay a cost, by choice, or because it is out of supply (6.6)."""


class Withdraw(PieceCommand, frozen=True, kw_only=True, tag="withdraw"):
    """Withdraw one of your own pieces from the board at any time (4.2)."""


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
    """Owner of the Air Force that is removed, or None if the space contains no enemy Air Force."""


class Reposition(SpaceCommand, frozen=True, kw_only=True, tag="reposition"):
    """Move an Air Force that was left alone (13.4)."""

    force: str
    space: str


class AirDefense(Command, frozen=True, kw_only=True, tag="air-defense"):
    """Remove your own Air Force instead of the piece that is about to be removed (13.5)."""


class AirAttack(SpaceCommand, frozen=True, kw_only=True, tag="air-attack"):
    """Remove one of your Air Forces next to the battle. The target is then removed despite its defense (13.6)."""

    space: str


class Choose(Command, frozen=True, kw_only=True, tag="choose"):
    """Choose a part of a card's text: one of the options, or the part to carry out next."""

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
