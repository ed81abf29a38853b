"""A command of a masked-card match (protocol 6), from its start to its record.

These matches can no longer be played, but their records can be loaded and verified. Nothing here depends on the cards.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.decoding import canonical
from saves.protocol6.errors import DeckCheatError
from saves.protocol6.parties import Links, SignedStep, Throw
from saves.protocol6.steps import DrawCalled
from saves.protocol6.transcript import Transcript
from saves.records import Entry
from saves.redaction import redact_event


class Picked(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A random pick among the cards of a player other than the one who gave the command."""

    owner: Role
    place: str
    """Name of the place in the rules, such as ``deck`` or ``hand``."""
    at: Annotated[int, msgspec.Meta(ge=0)]
    """Index of the picked card in ``Ruleset.hidden_pile``; 0 for a deck, which yields its next card."""
    before: Annotated[int, msgspec.Meta(ge=0)]
    """Number of events before the pick."""


class ProposedEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event of a proposal."""

    entry: Entry
    """The event's public form. If it has an owner, this is the form computed by the player, without a commitment."""
    keeper: Role = Role("")
    """The role that must complete the event; empty if it is complete."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The results of a command, as computed by the player who gave it."""

    events: tuple[ProposedEvent, ...]
    picks: tuple[Picked, ...]
    """Picks among other players' cards, in order."""
    box: bytes = b""
    """The player's private part; empty if there is none."""
    is_asking: bool = False
    """True if the player cannot continue until the owner of the last pick reveals that card."""
    signature: bytes = b""
    """The player's signature of :func:`proposal_message`, which stops others requesting cards; empty in the opening."""


class Completion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The events of a proposal that one owner has completed."""

    entries: Mapping[int, Entry]
    """Public forms of the events by index."""
    box: bytes


class PendingCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The progress of a command."""

    seq: int
    """Number that its record will have."""
    prev: bytes
    """Chain value before that record."""
    role: Role
    """The role that gave the command; empty for the opening, which the host computes."""
    command: Entry | None
    """Public form of the command."""
    signature: Entry | None
    throw: Throw | None
    """The throw that it needs; None if it needs no randomness."""
    links: Links | None = None
    """One link per party, once all have been received."""
    steps: tuple[SignedStep, ...] = ()
    """Masked-card steps for this command, and earlier steps that are not in a record yet."""
    proposal: Proposal | None = None
    shown: tuple[int, ...] = ()
    """Slots of the cards revealed at the request of a proposal, in order."""
    fills: Mapping[Role, Completion] = {}

    @property
    def is_settled(self) -> bool:
        """Return whether the command can be decided because any randomness that it needs is available."""
        return self.throw is None or self.links is not None

    @property
    def keepers(self) -> tuple[Role, ...]:
        """Return the roles that still have to complete events, in order."""
        proposal = self.proposal
        if proposal is None or proposal.is_asking:
            return ()
        found = dict.fromkeys(told.keeper for told in proposal.events if told.keeper)
        return tuple(role for role in found if role not in self.fills)


# -- actions of a seat's program


class StepAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="step"):
    """Make a masked-card step."""

    number: int
    """Number of the step in the match."""
    signed: SignedStep


class Propose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="propose"):
    """Propose the results of a command, or ask for a card."""

    proposal: Proposal


class RevealCard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="show"):
    """Report that the owner of a requested card has revealed it."""

    slot: int


class Complete(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="fill"):
    """Complete the events that an owner's cards determine."""

    fill: Completion


Act: TypeAlias = StepAction | Propose | RevealCard | Complete


class Actions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="acts"):
    """Several actions of one seat's program, in order. If one is out of date, it is dropped with all later ones."""

    acts: tuple[Act, ...]


def proposal_message(match_id: str, pending: PendingCommand, proposal: Proposal) -> bytes:
    """Return the message that a player signs for a proposal."""
    bare = msgspec.structs.replace(proposal, signature=b"")
    place = (match_id, pending.seq, pending.prev, pending.role)
    return canonical(("flagplot-proposal", *place, canonical(bare)))


def check_deal(pending: PendingCommand, signed: SignedStep) -> None:
    """Check that a step does not deal a card for a pending command before its randomness is available.

    Raises:
        DeckCheatError: The step deals a card too early.
    """
    step = Transcript.decoded(signed)
    if isinstance(step, DrawCalled) and not step.for_shuffle and pending.links is None:
        raise DeckCheatError(signed.author, -1, "deals a card for a command that needs none")


def seen_by(game: AnyGame, pending: PendingCommand, role: Role | None) -> PendingCommand:
    """Redact a pending command for a role. During set-up, each role sees its own cards."""
    proposal = pending.proposal
    if proposal is None or pending.seq:
        return pending
    events = tuple(
        told
        if told.keeper
        else msgspec.structs.replace(told, entry=redact_event(game, told.entry, role))
        for told in proposal.events
    )
    return msgspec.structs.replace(
        pending, proposal=msgspec.structs.replace(proposal, events=events)
    )


def entries_of(pending: PendingCommand) -> Sequence[Entry]:
    """Return the events of a pending command with all completions applied."""
    assert pending.proposal is not None, "it was worked out"
    completed: dict[int, Entry] = {}
    for fill in pending.fills.values():
        completed.update(fill.entries)
    return [
        completed.get(number, told.entry) for number, told in enumerate(pending.proposal.events)
    ]
