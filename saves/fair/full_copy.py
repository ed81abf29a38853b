"""Builds a closed protocol 7 match's full copy by completing all hidden entries with the revealed card seeds.

Any copy can be used as input. The full copy hides nothing, so its header has the audience ``*``. The header contains no
position, because the scenario determines the position. It contains no secret, because such a match has no secret.
"""

from collections.abc import Sequence

import msgspec

from saves.codec import AnyGame, codec
from saves.commitments import check_openings
from saves.errors import (
    FairPlayError,
    FalseRecordError,
    OlderRulesError,
    RedactedCopyError,
    UnreadableError,
)
from saves.fair.errors import BlindingReuseError, BoxError
from saves.fair.opening import setup_event
from saves.fair.private_cards import PrivateCards
from saves.fair.record_verifier import check_complete, missing_seeds
from saves.fair.secrets import CardSecrets, cardseed_commitment
from saves.fair.setup import fair_terms, match_setup
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog
from saves.headers import FULL, Header, rules_differ, rules_words
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.party_commitments import opened_seeds
from saves.records import Entry, Record
from saves.timeline import FOLD_ERRORS, convert_errors


def full_copy(
    game: AnyGame, header: Header, records: Sequence[Record]
) -> tuple[Header, tuple[Record, ...]]:
    """Build a match's full copy from any copy. The match is not verified.

    Args:
        game: The match's rules.
        header: The header of a protocol 7 match.
        records: All records from any copy, up to and including the record with the card seeds.

    Raises:
        RedactedCopyError: The records end before the card seeds are revealed, or the host dealt and this is not the
            host's copy.
        FairPlayError: A party's commitment is unsafe, or a card seed is missing; the error names the party.
        FalseRecordError: A record does not match its messages, or a box does not match the record's commitments.
        OlderRulesError: As for FalseRecordError, but the match was played under other rules than this program's.
    """
    if not records or records[-1].kind != "reveal":
        raise RedactedCopyError("a full copy cannot be built before the card seeds are revealed")
    if fair_terms(header).dealer_key is not msgspec.UNSET and header.audience != FULL:
        raise RedactedCopyError("the host dealt the cards of this match, so only its copy is full")
    missing = missing_seeds(header, records)
    if missing:
        raise FairPlayError(missing[0], f"{' and '.join(missing)} did not reveal the card seed")
    completer = _RecordCompleter(game, header, opened_seeds(records))
    try:
        full_records = tuple(map(completer.complete, records))
    except FalseRecordError as error:
        if not rules_differ(game, header):
            raise
        # The messages may be correct under the match's rules, so the record must not be called false.
        raise OlderRulesError(rules_words(header), rules_words(game)) from error
    full_header = msgspec.structs.replace(header, audience=FULL, position=None, secret=None)
    return full_header, full_records


class _RecordCompleter:
    """Follows the transcript, tracks every party's private cards, and completes the records."""

    def __init__(self, game: AnyGame, header: Header, seeds: Sequence[OpenedSeed]) -> None:
        """Start with the state before the first record.

        Raises:
            FairPlayError: A card seed does not match its commitment; the error names the party.
        """
        seed_commitments = {party.role: party.cards for party in fair_terms(header).parties}
        for opened_seed in seeds:
            if cardseed_commitment(opened_seed.seed) != seed_commitments.get(opened_seed.role):
                raise FairPlayError(
                    opened_seed.role,
                    f"the card seed of {opened_seed.role} does not match its commitment",
                )
        self._log = TranscriptLog(match_setup(game, header))
        self._cards = [
            PrivateCards(
                self._log.state, CardSecrets(header.match_id, opened_seed.role, opened_seed.seed)
            )
            for opened_seed in seeds
        ]
        self._log.listeners += [cards.follow for cards in self._cards]

    def complete(self, record: Record) -> Record:
        """Return the next record with every entry complete.

        Raises:
            FalseRecordError: The record does not match its messages, or a box does not match the record's commitments.
        """
        try:
            with convert_errors(record.seq):
                self._log.receive(record)
                full_record = self._open_entries(record)
                check_openings(full_record)
                check_complete(full_record)
        except (BoxError, BlindingReuseError) as error:
            raise FalseRecordError(record.seq, str(error)) from error
        return full_record

    def _open_entries(self, record: Record) -> Record:
        pending = self._log.state.completed
        if record.transcript is msgspec.UNSET or pending is None or pending.offer:
            return record
        command, events = record.command, list(record.events)
        for cards in self._cards:
            for place, entry in self._own_entries(cards).items():
                if place > len(events):
                    problem = f"a box of {cards.role} contains an event that is not in the record"
                    raise FairPlayError(cards.role, problem)
                public_entry = events[place - 1] if place else command
                if public_entry is None or public_entry.commitment != entry.commitment:
                    problem = f"a box of {cards.role} does not match its commitment in the record"
                    raise FairPlayError(cards.role, problem)
                if place:
                    events[place - 1] = entry
                else:
                    command = entry
        # The set-up event is not in a box, because it can be derived from the position in the
        # header.
        if not pending.number:
            tag, v, body = codec(self._log.setup.game).pack(setup_event(self._log.setup))
            events[0] = msgspec.structs.replace(
                events[0], tag=tag, v=v, body=body, salt=PUBLIC_SALT
            )
        return msgspec.structs.replace(record, command=command, events=tuple(events))

    def _own_entries(self, cards: PrivateCards) -> dict[int, Entry]:
        pending = self._log.state.completed
        assert pending is not None, "a record must be complete"
        try:
            return dict(cards.hidden_entries(self._log.state, pending))
        except (BoxError, UnreadableError, *FOLD_ERRORS) as error:
            raise FairPlayError(cards.role, f"a box of {cards.role} is false: {error}") from error
