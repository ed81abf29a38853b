"""Where the game stands: a stack of frames, the innermost last (10.4, 10.5).

Frames hold open facts only, so that every copy of a record has the same stack; the one exception, cards that
one country looks at, is blanked in other copies.
"""

from typing import TypeAlias

import msgspec


class FrameBase(msgspec.Struct, frozen=True, kw_only=True, tag_field="frame", omit_defaults=True):
    """Base of all frames."""


class Trigger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The record of an event that opens a window (10.2)."""

    kind: str
    cause: str
    """Team of whoever carried it out."""
    by: str = ""
    """Force or country that acted; the active country for steps."""
    space: str = ""
    piece: str = ""
    owner: str = ""
    """Force of the piece concerned."""
    card: str = ""
    targets: tuple[str, ...] = ()
    """Countries hit by an Economic Warfare card."""
    was_supplied: bool = False
    """State just before a removal."""
    last: bool = False
    why: str = ""
    """Of a removal: ``battle``, ``eliminate``, ``supply``, ``own``, ``air``."""
    step: str = ""
    """``play`` for a card played as the action of the Play step."""
    against: str = ""
    origin: str = ""
    """Space of the Air Force that gained Air Superiority."""


class Binds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What names of a card's text stand for (A.1.5)."""

    spaces: tuple[str, ...] = ()
    """Space used by each step of the same list, empty where none was."""
    chosen: str = ""
    each: str = ""
    numbers: tuple[tuple[str, int], ...] = ()


class Source(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whose text runs, and why."""

    owner: str
    """Country whose card it is."""
    card: str
    """Instance."""
    trigger: Trigger | None = None
    by_build_card: bool = False
    """The text of a Build card, which may designate (7.6)."""


class SetupFrame(FrameBase, frozen=True, kw_only=True, tag="setup"):
    """Countries put cards of their first hand back (3.1)."""

    left: tuple[int, ...]
    """Cards still to discard, per country in turn order."""


class ConstructionFrame(FrameBase, frozen=True, kw_only=True, tag="construction"):
    """Countries choose the cards of their decks before the set-up (13.9)."""

    left: tuple[int, ...]
    """Cards still to choose, per country in turn order."""


class TurnFrame(FrameBase, frozen=True, kw_only=True, tag="turn"):
    """The turn of a country (10.7)."""

    country: str
    stage: str


class PlayStepFrame(FrameBase, frozen=True, kw_only=True, tag="play-step"):
    """The action of the Play step is to be chosen (8.2)."""

    country: str
    barred: tuple[str, ...] = ()
    """Statuses whose use was cancelled; another action is taken (18.31)."""
    using: str = ""
    """The alternative that is being resolved."""


class WindowFrame(FrameBase, frozen=True, kw_only=True, tag="window"):
    """A reaction window (10.4)."""

    trigger: Trigger
    done: tuple[str, ...] = ()
    """Cards used on this event."""
    passes: int = 0
    turn: int = 0
    """Polls begun; even numbers are the team that did not cause the event."""
    polled: int = 0
    """Countries of the team asked in this poll."""
    cancelled: bool = False
    air_defended: bool = False
    changes: tuple[tuple[str, int], ...] = ()
    """Registered boosts (EW_PLAYED), or the pending number under the target's name (EW_TARGETED)."""


class UseFrame(FrameBase, frozen=True, kw_only=True, tag="use"):
    """A use is being resolved (10.4)."""

    country: str
    card: str
    ability: int
    trigger: Trigger | None = None
    stage: str = ""


class StepsFrame(FrameBase, frozen=True, kw_only=True, tag="steps"):
    """A list of steps is being carried out (A.2)."""

    steps: str
    """Name of the list."""
    source: Source
    at: int = 0
    binds: Binds = Binds()
    repeats: int = 0
    """Repetitions of the present step that are done."""
    stage: str = ""
    """Where the present step stands; each operation has its own words."""
    is_cost: bool = False
    """Paid in full, never declined."""
    rest: tuple[str, ...] = ()
    """What the present step still has to go through: countries, parts, pieces."""


class PlayFrame(FrameBase, frozen=True, kw_only=True, tag="card"):
    """A card is being played (10.7)."""

    country: str
    card: str
    step: str = ""
    """``play`` for the action of the Play step."""
    stage: str = ""
    cancelled: bool = False
    boosts: tuple[tuple[str, int], ...] = ()
    target: str = ""
    """Country chosen as target of an Economic Warfare card."""
    to: str = ""
    """Where the card goes instead of the discard pile."""


class EwFrame(FrameBase, frozen=True, kw_only=True, tag="economic-warfare"):
    """A country is about to discard for Economic Warfare (11.1)."""

    target: str
    amount: int
    cause: str
    by: str
    card: str
    stage: str = ""


class BattleFrame(FrameBase, frozen=True, kw_only=True, tag="battle"):
    """A battle (10.5)."""

    by: str
    space: str
    piece: str
    """``army`` on land, ``navy`` at sea."""
    target: str = ""
    stage: str = ""


class RemovalFrame(FrameBase, frozen=True, kw_only=True, tag="removal"):
    """A piece is about to be removed (10.5)."""

    owner: str
    piece: str
    space: str
    by: str
    """Force that acts."""
    cause: str
    why: str
    stage: str = ""
    was_supplied: bool = False


class SuperiorityFrame(FrameBase, frozen=True, kw_only=True, tag="superiority"):
    """An Air Force gains Air Superiority (13.3 c)."""

    force: str
    origin: str
    space: str
    target: str = ""
    stage: str = ""


class RepositionFrame(FrameBase, frozen=True, kw_only=True, tag="reposition"):
    """An Air Force was left alone (13.4)."""

    force: str
    space: str


class HandDiscardFrame(FrameBase, frozen=True, kw_only=True, tag="hand-discard"):
    """A country discards so many hand cards (9.4)."""

    country: str
    left: int
    types: tuple[str, ...] = ()
    """Types that will do; empty for any."""
    optional: bool = False
    """May stop at any time."""
    count: int = 0
    """Discarded so far."""
    overflow: int = 0
    """Cards that must come from the deck afterwards."""
    shown: bool = False
    """The type is shown to all (9.3)."""
    why: str = ""


class ReallocateFrame(FrameBase, frozen=True, kw_only=True, tag="reallocate"):
    """Reallocate Resources (8.3)."""

    country: str
    stage: str = ""


class AirStepFrame(FrameBase, frozen=True, kw_only=True, tag="air-step"):
    """The Air step (13.3)."""

    country: str
    stage: str = ""
    pending: tuple[str, ...] = ()
    """Force, origin and space of a Marshal that is being paid."""
    minor_done: bool = False
    action_done: bool = False


class SupplyStepFrame(FrameBase, frozen=True, kw_only=True, tag="supply-step"):
    """Pieces out of supply are being removed (6.6)."""

    country: str
    left: tuple[str, ...]
    """Pieces as ``force:piece:space``."""


class BonusFrame(FrameBase, frozen=True, kw_only=True, tag="bonuses"):
    """Statuses that score in the Victory step (12.1)."""

    country: str
    done: tuple[str, ...] = ()


class DiscardStepFrame(FrameBase, frozen=True, kw_only=True, tag="discard-step"):
    """The Discard step (8.4)."""

    country: str
    count: int = 0


class SearchFrame(FrameBase, frozen=True, kw_only=True, tag="search"):
    """A country takes cards out of a zone (A.2)."""

    country: str
    zone: str
    type: str
    left: int
    to: str
    shown: bool


class LookFrame(FrameBase, frozen=True, kw_only=True, tag="look"):
    """A country orders the top cards of its deck (A.2)."""

    country: str
    ordered: int
    """Cards placed so far; they are the topmost of the looked-at ones."""
    total: int


Frame: TypeAlias = (
    SetupFrame
    | ConstructionFrame
    | TurnFrame
    | PlayStepFrame
    | WindowFrame
    | UseFrame
    | StepsFrame
    | PlayFrame
    | EwFrame
    | BattleFrame
    | RemovalFrame
    | SuperiorityFrame
    | RepositionFrame
    | HandDiscardFrame
    | ReallocateFrame
    | AirStepFrame
    | SupplyStepFrame
    | BonusFrame
    | DiscardStepFrame
    | SearchFrame
    | LookFrame
)
