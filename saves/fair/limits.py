"""Limits of what one seat can put into a transcript (protocol 7, section 2.11).

They bind what a seat decides on: commands, proposals and offers. What is due from the other seats follows from that, so
it is never refused for its number or size.
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
"""A proposal leaves the other half of a record to the messages that follow it."""
_LAST_REQUEST: Final = MAX_THROWS - MAX_STAGES - 1
"""Throws begun at which a command with chance still has all the throws that its stages can need."""
change = msgspec.structs.replace


def limit_problem(state: FairState, message: Message, size: int) -> str:
    """Return which limit a message exceeds, empty when it exceeds none.

    Args:
        state: Before the message.
        message: The message.
        size: Bytes of the message without signature.
    """
    author, pending = message.author, state.pending
    match message.kind:
        case Kind.PROPOSAL if pending is not None:
            if pending.counts.get(author, 0) >= MAX_MESSAGES:
                return f"{author} has sent {MAX_MESSAGES} messages for this record"
            if pending.size + size > _PROPOSED_BYTES:
                return f"the proposals of a record have at most {_PROPOSED_BYTES} bytes"
        case Kind.REQUEST | Kind.OFFER:
            if state.size + size > MAX_TRANSCRIPT_BYTES - MAX_RECORD_BYTES:
                return f"a transcript has at most {MAX_TRANSCRIPT_BYTES} bytes"
            if message.kind is Kind.OFFER and state.offers.get(author, 0) >= MAX_MESSAGES:
                return f"{author} has made {MAX_MESSAGES} offers since the last record"
            body = message.body
            if isinstance(body, Request) and body.uses_chance and state.throws > _LAST_REQUEST:
                return "all throws of this match are used"
    return ""


def counted(state: FairState, message: Message, size: int) -> FairState:
    """Return the state in which a message is counted."""
    author, pending = message.author, state.pending
    state = change(state, size=state.size + size)
    if pending is None:
        is_offer = message.kind is Kind.OFFER
        return change(state, offers=_one_more(state.offers, author)) if is_offer else state
    counts = _one_more(pending.counts, author)
    return change(state, pending=change(pending, counts=counts, size=pending.size + size))


def _one_more(counts: Mapping[Role, int], author: Role) -> Mapping[Role, int]:
    return {**counts, author: counts.get(author, 0) + 1}
