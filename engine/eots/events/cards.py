"""Card events (5). If only the owner knows a face, the face is hidden in all other copies of the event."""

from engine.eots.events.base import EotsEvent, RuledEvent
from engine.eots.ids import CardId, Side


class CardsDealt(EotsEvent, frozen=True, kw_only=True, tag="cards-dealt"):
    """A side was dealt its hand. Only the owner knows the faces (4.14)."""

    side: Side
    cards: tuple[CardId, ...]
    passes: int


class CardDrawn(RuledEvent, frozen=True, kw_only=True, tag="card-drawn"):
    """A side drew a card because of an event. Only the owner knows the face (5.35)."""

    side: Side
    card: CardId
    locked: bool
    """True if the card may not be used in the current offensive."""


class CardPlayed(EotsEvent, frozen=True, kw_only=True, tag="card-played"):
    """A side played a card from its hand, or its future offensives card (4.22, 5.32)."""

    side: Side
    card: CardId
    use: str
    """How the card was used.

    One of ``oc``, ``event``, ``reaction``, ``china-offensive``, ``withdraw-hq``, ``return-hq``, ``build-route``,
    ``end-rivalry`` and ``lost``. The value ``lost`` means that the card's event takes effect because an enemy event
    took the card (5.37).
    """
    future: bool
    """True if the card was the future offensives card."""


class CardDiscarded(RuledEvent, frozen=True, kw_only=True, tag="card-discarded"):
    """A card was discarded face up from a hand (4.22)."""

    side: Side
    card: CardId
    removed: bool = False
    """True if the card left the game instead (CP-03, alternative reading)."""


class CardReclaimed(RuledEvent, frozen=True, kw_only=True, tag="card-reclaimed"):
    """A card was taken from the open discard pile into the hand (CP-33)."""

    side: Side
    card: CardId
    """The card's face in the discard pile, which is public."""
    held: CardId
    """The same face in the hand. It is hidden from the other side, which could otherwise track the card."""


class CardSettled(RuledEvent, frozen=True, kw_only=True, tag="card-settled"):
    """A played card was put on the discard pile or left the game (5.0, 5.36)."""

    side: Side
    card: CardId
    removed: bool


class FuturePlaced(EotsEvent, frozen=True, kw_only=True, tag="future-placed"):
    """A side placed a future offensives card face down. Only the owner knows the face (7.29)."""

    side: Side
    card: CardId


class DeckReshuffled(RuledEvent, frozen=True, kw_only=True, tag="deck-reshuffled"):
    """The discard pile was shuffled into the undrawn cards. From now on, their faces are secret (5.37, CP-46)."""

    side: Side
    cards: tuple[CardId, ...]


class DrawPileAdded(RuledEvent, frozen=True, kw_only=True, tag="draw-pile-added"):
    """The discard pile became a second, secret draw pile for use when the undrawn cards run out (5.37)."""

    side: Side
    cards: tuple[CardId, ...]


class ReshuffleOrdered(EotsEvent, frozen=True, kw_only=True, tag="reshuffle-ordered"):
    """A special event card requires a reshuffle at the end of the turn (5.37)."""

    side: Side


class CardsUnlocked(EotsEvent, frozen=True, kw_only=True, tag="cards-unlocked"):
    """The side may now use the cards that it drew during the offensive (5.35)."""


class PassUsed(EotsEvent, frozen=True, kw_only=True, tag="pass-used"):
    """A side passed instead of playing a card (12.4)."""

    side: Side


class CardTakenBack(EotsEvent, frozen=True, kw_only=True, tag="card-taken-back"):
    """A card played as an event was taken back, because its requirement cannot be met (CP-04)."""

    side: Side
    card: CardId
    future: bool


class PlayFinished(EotsEvent, frozen=True, kw_only=True, tag="play-finished"):
    """A card play or pass is complete. The other side plays next (4.22)."""

    side: Side
