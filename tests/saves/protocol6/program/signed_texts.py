"""What a party signs to give a command or to consent, as the next record of its copy."""

from typing import Any

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.codec import codec
from saves.match_replica import MatchReplica
from saves.protocol6.signing import command_message, consent_message
from saves.statements import Statement, required_consents


def command_text(match: MatchReplica[Any], role: Role, command: Command) -> bytes:
    """Return the message that a player signs to give a command as the next record."""
    tag, v, body = codec(match.ruleset).pack(command)
    match_id = match.header.match_id
    return command_message(match_id, match.seq + 1, match.chain, role, tag, v, body)


def takeback_text(match: MatchReplica[Any], asker: Role, to_seq: int) -> bytes:
    """Return the message that each party signs to consent to a takeback as the next record."""
    match_id = match.header.match_id
    return consent_message("takeback", match_id, match.seq + 1, match.chain, asker, to_seq)


def agreement_text(match: MatchReplica[Any], asker: Role, statement: Statement) -> bytes:
    """Return the message that each party signs to agree to a statement; empty if no consent is needed."""
    word, by = required_consents(statement)
    match_id = match.header.match_id
    seq, chain = match.seq + 1, match.chain
    return consent_message(word, match_id, seq, chain, asker, None) if by else b""
