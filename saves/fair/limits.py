"""Limits the messages that one seat may add to a transcript of protocol 7.

The limits apply only to messages that a seat sends on its own initiative: commands, proposals and offers. Messages that
other seats must send in response are never refused because of their number or size.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.fair.messages import (
    MAX_MESSAGES,
    MAX_RECORD_BYTES,
    MAX_STAGES,
    MAX_THROWS,
    MAX_TRANSCRIPT_BYTES,
    Kind,
    Message,
    Request,
)
from saves.fair.state import FairState

_PROPOSED_BYTES: Final = MAX_RECORD_BYTES // 2
"""Size limit for the proposals in a record. The other half of the record's limit is reserved for later messages."""
_LAST_REQUEST: Final = MAX_THROWS - MAX_STAGES - 1
"""After more than this many throws, a match accepts no more commands that need a throw.

This leaves enough throws for every stage of the last such command.
"""
change = msgspec.structs.replace


def limit_problem(state: FairState, message: Message, size: int) -> str:
    """Return a sentence about the limit that a message exceeds; empty if it exceeds none.

    Args:
        state: State before the message.
        message: The message.
        size: The message's length in bytes, without its signature.
    """
    author, pending = message.author, state.pending
    match message.kind:
        case Kind.PROPOSAL if pending is not None:
            if pending.counts.get(author, 0) >= MAX_MESSAGES:
                return f"{author} has already sent {MAX_MESSAGES} messages for this record"
            if pending.size + size > _PROPOSED_BYTES:
                return f"the proposals for a record are limited to {_PROPOSED_BYTES} bytes"
        case Kind.REQUEST | Kind.OFFER:
            # Reserve space for one full record, so that an accepted command can always be
            # completed.
            if state.size + size > MAX_TRANSCRIPT_BYTES - MAX_RECORD_BYTES:
                return f"a transcript is limited to {MAX_TRANSCRIPT_BYTES} bytes"
            if message.kind is Kind.OFFER and state.offers.get(author, 0) >= MAX_MESSAGES:
                return f"{author} has already made {MAX_MESSAGES} offers since the last record"
            body = message.body
            if isinstance(body, Request) and body.uses_chance and state.throws > _LAST_REQUEST:
                return "this match has used up its throws"
        case _:
            pass
    return ""


def with_counts(state: FairState, message: Message, size: int) -> FairState:
    """Count an added message towards the limits, and return the new state."""
    author, pending = message.author, state.pending
    state = change(state, size=state.size + size)
    if pending is None:
        is_offer = message.kind is Kind.OFFER
        return change(state, offers=_incremented(state.offers, author)) if is_offer else state
    counts = _incremented(pending.counts, author)
    return change(state, pending=change(pending, counts=counts, size=pending.size + size))


def _incremented(counts: Mapping[Role, int], author: Role) -> Mapping[Role, int]:
    return {**counts, author: counts.get(author, 0) + 1}
