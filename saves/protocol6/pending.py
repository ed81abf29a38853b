"""A command of a match whose cards are dealt in cipher (protocol 6), from its start to its record.

Such matches are not played any more; their records are loaded and verified. Nothing here knows a card.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.decoding import canonical
from saves.protocol6.faults import DeckCheatError
from saves.protocol6.parties import Links, SignedStep, Throw
from saves.protocol6.steps import DrawCalled
from saves.protocol6.transcript import Transcript
from saves.records import Entry
from saves.redaction import seen_event


class Picked(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A pick among the cards of somebody else than the one who decides."""

    owner: Role
    place: str
    """As the rules name it, such as ``deck`` or ``hand``."""
    at: Annotated[int, msgspec.Meta(ge=0)]
    """Which card of ``Ruleset.pile`` chance picked; 0 for a deck, of which the next one comes."""
    before: Annotated[int, msgspec.Meta(ge=0)]
    """How many events there were when it was picked."""


class Told(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event of a proposal."""

    entry: Entry
    """As everybody may see it; with a keeper as the giver has worked it out, and without its commitment."""
    keeper: Role = Role("")
    """Who has to complete it; empty when it is complete."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a command causes, as its giver works it out on the own copy."""

    events: tuple[Told, ...]
    picks: tuple[Picked, ...]
    """Picks among the cards of others, in order."""
    box: bytes = b""
    """What the giver alone knows of it; empty for nothing."""
    is_asking: bool = False
    """True when the giver cannot go on before the owner of the last pick turns that card up."""
    signature: bytes = b""
    """The giver's, of :func:`proposal_message`, so that nobody asks for cards in his name; none for the opening."""


class Fill(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The events of a proposal that one keeper completes."""

    entries: Mapping[int, Entry]
    """By number, counted from 0; as everybody may see them."""
    box: bytes


class Pending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far a command is."""

    seq: int
    """Number that its record will have."""
    prev: bytes
    """Chain value that it will follow."""
    role: Role
    """The giver; empty for the opening, which the host works out."""
    command: Entry | None
    """As everybody may see it."""
    signature: Entry | None
    throw: Throw | None
    """The chance that it needs; None without."""
    links: Links | None = None
    """One link of each party, once all are there."""
    steps: tuple[SignedStep, ...] = ()
    """What was done with cards for it, and before it where no record came of that."""
    proposal: Proposal | None = None
    shown: tuple[int, ...] = ()
    """Slots of the cards that were turned up because a proposal asked for them, in order."""
    fills: Mapping[Role, Fill] = {}

    @property
    def is_settled(self) -> bool:
        """Return whether chance is there or none is needed, so that it can be decided."""
        return self.throw is None or self.links is not None

    @property
    def keepers(self) -> tuple[Role, ...]:
        """Return who has to complete events, in order, and has not."""
        proposal = self.proposal
        if proposal is None or proposal.is_asking:
            return ()
        found = dict.fromkeys(told.keeper for told in proposal.events if told.keeper)
        return tuple(role for role in found if role not in self.fills)


# -- what a seat's program does


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="step"):
    """It says something about cards."""

    number: int
    """Which step of the match it is."""
    signed: SignedStep


class Propose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="propose"):
    """The giver says what the command causes, or asks for a card."""

    proposal: Proposal


class Show(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="show"):
    """The owner of a card that was asked for has turned it up."""

    slot: int


class Complete(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="fill"):
    """A keeper completes the events that hold its cards."""

    fill: Fill


Act: TypeAlias = Step | Propose | Show | Complete


class Acts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="acts"):
    """What a seat's program does at one time, one after the other; with the first that comes too late the others do."""

    acts: tuple[Act, ...]


def proposal_message(match_id: str, pending: Pending, proposal: Proposal) -> bytes:
    """Return what the giver signs of a proposal."""
    bare = msgspec.structs.replace(proposal, signature=b"")
    place = (match_id, pending.seq, pending.prev, pending.role)
    return canonical(("flagplot-proposal", *place, canonical(bare)))


def check_deal(pending: Pending, signed: SignedStep) -> None:
    """Accept a step that may be taken for what is pending: no card is dealt before the chance of all is there.

    Raises:
        DeckCheatError: One would be.
    """
    step = Transcript.decoded(signed)
    if isinstance(step, DrawCalled) and not step.for_shuffle and pending.links is None:
        raise DeckCheatError(signed.author, -1, "deals a card for a command that needs none")


def seen_by(game: AnyGame, pending: Pending, role: Role | None) -> Pending:
    """Return what is pending as a role may have it: of a set-up the role sees its own cards."""
    proposal = pending.proposal
    if proposal is None or pending.seq:
        return pending
    events = tuple(
        told
        if told.keeper
        else msgspec.structs.replace(told, entry=seen_event(game, told.entry, role))
        for told in proposal.events
    )
    return msgspec.structs.replace(
        pending, proposal=msgspec.structs.replace(proposal, events=events)
    )


def entries_of(pending: Pending) -> Sequence[Entry]:
    """Return the events of what is pending, completed by everybody."""
    assert pending.proposal is not None, "it was worked out"
    completed: dict[int, Entry] = {}
    for fill in pending.fills.values():
        completed.update(fill.entries)
    return [
        completed.get(number, told.entry) for number, told in enumerate(pending.proposal.events)
    ]
