"""Builds the full copy of a match whose host cannot read hands.

Every box is opened with the revealed card seeds.
"""

from collections.abc import Sequence

import msgspec

from engine.kernel.ids import Role
from saves.errors import FairPlayError, FalseRecordError, RedactedCopyError
from saves.headers import FULL, Header
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.party_commitments import check_seeds, missing_seeds, opened_seeds
from saves.protocol6.sealing import complete_record
from saves.records import Record


def checked_secrets(header: Header, seeds: Sequence[OpenedSeed]) -> dict[Role, CardSeed]:
    """Check the revealed seeds, and return the secrets that open each role's boxes, in header order.

    Raises:
        FairPlayError: A seed does not match its commitment, or the party made no commitment; the error names the party.
    """
    parties = () if header.parties is msgspec.UNSET else header.parties
    check_seeds(parties, seeds)
    return {
        opened_seed.role: CardSeed(header.match_id, opened_seed.role, opened_seed.seed)
        for opened_seed in seeds
    }


def full_copy(header: Header, records: Sequence[Record]) -> tuple[Header, Sequence[Record]]:
    """Build the full copy of a match from any copy and the host's private header.

    Args:
        header: The header that contains the secret and the position.
        records: All records up to and including the reveal, which contains the parties' card seeds.

    Raises:
        RedactedCopyError: The header has no secret, or the records end before the reveal.
        FairPlayError: A card seed is missing or does not match its commitment; the error names the party.
        FalseRecordError: A box's content does not match the record's commitments; the error names the party.
    """
    if header.secret is None or header.position is None:
        raise RedactedCopyError("the full copy also needs data that only the host has")
    if not records or records[-1].kind != "reveal":
        raise RedactedCopyError("a full copy cannot be built before the card seeds are revealed")
    seeds = opened_seeds(records)
    missing = missing_seeds(header, seeds)
    if missing:
        raise FairPlayError(missing[0], f"{' and '.join(missing)} did not reveal the card seed")
    secrets = tuple(checked_secrets(header, seeds).values())
    full_records = tuple(complete_from_boxes(record, secrets) for record in records)
    for record in full_records:
        check_complete(record)
    return msgspec.structs.replace(header, audience=FULL), full_records


def complete_from_boxes(record: Record, secrets: Sequence[CardSeed]) -> Record:
    """Complete a record's entries from the boxes of some parties.

    Raises:
        FalseRecordError: A box's content does not match the record's commitments; the error names the party.
    """
    for secret in secrets:
        try:
            record = complete_record(record, secret)
        except FairPlayError as error:
            raise FalseRecordError(record.seq, error.problem) from error
    return record


def check_complete(record: Record) -> None:
    """Check that no entry in a record is hidden.

    Raises:
        FalseRecordError: An entry is hidden; the error names it.
    """
    signature = record.signature
    if signature is not msgspec.UNSET and signature.salt is None:
        raise FalseRecordError(record.seq, "the signature is hidden but is not in any box")
    for number, entry in enumerate((record.command, *record.events), -1):
        if entry is not None and entry.salt is None:
            problem = "the command is hidden but is not in any box"
            if number < 0:
                raise FalseRecordError(record.seq, problem)
            raise FalseRecordError(record.seq, "it is hidden but is not in any box", number)
