"""The full copy of a match whose host reads no hand: every box opened with the card seeds of the reveal."""

from collections.abc import Sequence

import msgspec

from engine.kernel.ids import Role
from saves.errors import FairPlayError, FalseRecordError, RedactedCopyError
from saves.headers import FULL, Header
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.pledges import check_seeds, missing_seeds, opened_seeds
from saves.protocol6.sealing import completed
from saves.records import Record


def checked_secrets(header: Header, seeds: Sequence[OpenedSeed]) -> dict[Role, CardSeed]:
    """Return what opens the boxes, in the order of the header.

    Raises:
        FairPlayError: A seed is not the one that was promised, or nobody promised it; names whose.
    """
    parties = () if header.parties is msgspec.UNSET else header.parties
    check_seeds(parties, seeds)
    return {one.role: CardSeed(header.match_id, one.role, one.seed) for one in seeds}


def full_copy(header: Header, records: Sequence[Record]) -> tuple[Header, Sequence[Record]]:
    """Return the full copy of a match, from any copy of it and what its host alone knows.

    Args:
        header: With secret and position.
        records: To the reveal, with the card seeds of all parties.

    Raises:
        RedactedCopyError: The header has no secret, or the records end before the reveal.
        FairPlayError: A card seed is missing, or is not the one that was promised; names whose.
        FalseRecordError: A box does not hold what its record commits to; names the party.
    """
    if header.secret is None or header.position is None:
        raise RedactedCopyError("only the host has what the full copy needs besides the card seeds")
    if not records or records[-1].kind != "reveal":
        raise RedactedCopyError("there is no full copy before the card seeds are opened")
    seeds = opened_seeds(records)
    missing = missing_seeds(header, seeds)
    if missing:
        raise FairPlayError(missing[0], f"{' and '.join(missing)} did not open the card seed")
    secrets = tuple(checked_secrets(header, seeds).values())
    whole = tuple(opened(record, secrets) for record in records)
    for record in whole:
        check_complete(record)
    return msgspec.structs.replace(header, audience=FULL), whole


def opened(record: Record, secrets: Sequence[CardSeed]) -> Record:
    """Return a record with the entries that are in the boxes of some parties.

    Raises:
        FalseRecordError: A box does not hold what the record commits to; names the party.
    """
    for secret in secrets:
        try:
            record = completed(record, secret)
        except FairPlayError as error:
            raise FalseRecordError(record.seq, error.problem) from error
    return record


def check_complete(record: Record) -> None:
    """Accept a record without a hidden entry.

    Raises:
        FalseRecordError: One is hidden; names it.
    """
    signature = record.signature
    if signature is not msgspec.UNSET and signature.salt is None:
        raise FalseRecordError(record.seq, "the signature is hidden, and in no box")
    for number, entry in enumerate((record.command, *record.events), -1):
        if entry is not None and entry.salt is None:
            problem = "the command is hidden, and in no box"
            if number < 0:
                raise FalseRecordError(record.seq, problem)
            raise FalseRecordError(record.seq, "it is hidden, and in no box", number)
