"""Verifies one copy of a protocol 7 match. The copy may belong to a seat, to the host or to a spectator."""

from collections.abc import Sequence
from typing import Generic

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.codec import Game, S
from saves.commitments import check_openings, is_secret_of
from saves.decoding import canonical
from saves.errors import BrokenChainError, FairPlayError, FalseRecordError, RulesDisagreeError
from saves.fair.audit import SeedAudit
from saves.fair.dealer_audit import DealerAudit
from saves.fair.record_builder import check_copy_entries
from saves.fair.sealing import DealerSecrets
from saves.fair.secrets import cardseed_commitment
from saves.fair.setup import fair_terms, match_setup
from saves.fair.state import MatchSetup, UnprovenMix
from saves.fair.transcript_log import SignatureLog, TranscriptLog
from saves.headers import BLIND, FULL, Header, audience_role, rules_differ
from saves.protocol6.parties import OpenedSeed
from saves.records import Record
from saves.terms import Terms, check_terms
from saves.timeline import FOLD_ERRORS, Timeline


class FairRecordVerifier(Generic[S]):
    """Folds the transcript of a copy, and audits it with the card seeds or the host's secret, if known."""

    def __init__(
        self,
        game: Game[S],
        header: Header,
        *,
        decides: bool,
        seeds: Sequence[OpenedSeed] = (),
        secret: bytes | None = None,
        position: bytes | None = None,
    ) -> None:
        """Check the header.

        Args:
            game: The current rules.
            header: A protocol 7 match's header.
            decides: True folds the messages with the current rules. False checks only signatures, order and hashes.
            seeds: The card seeds at the end of the copy. A wrong seed is reported when the record that reveals it is
                checked.
            secret: A dealing host's secret, from the end of this copy or from the full copy. A wrong secret is reported
                when its record is checked.
            position: The custom starting position from the full copy; None if the position is not custom or not known.

        Raises:
            FalseRecordError: The header is not valid for a copy, a party's commitment is unsafe, or a seed is missing
                from a full copy.
        """
        self._is_full = header.audience == FULL
        if header.audience == BLIND:
            raise FalseRecordError(-1, "in a protocol 7 match, the host has a spectator's copy")
        if not self._is_full and (header.secret is not None or header.position is not None):
            raise FalseRecordError(
                -1, "a redacted copy contains the starting position or the secret"
            )
        self._header = header
        self._may_differ = rules_differ(game, header)
        self.role = audience_role(header)
        self.timeline: Timeline[S] = Timeline(game)
        self._terms = Terms(game, header)
        try:
            setup = match_setup(
                game, msgspec.structs.replace(header, position=header.position or position)
            )
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        if setup.knows_position and not header.scenario and not self._may_differ:
            _check_custom_position(setup)
        if self._is_full:
            _check_full(header, setup, seeds)
        if self.role not in (None, *(party.role for party in setup.parties)):
            raise FalseRecordError(-1, f"the game has no role '{self.role}'")
        self._log = TranscriptLog(setup) if decides else SignatureLog(setup)
        self.unproven: tuple[UnprovenMix, ...] = ()
        """Mixes without a proof as of the last correct record."""
        self.is_ended = False
        """True if the match had ended after the last correct record."""
        self._dealer: DealerAudit | None = None
        secret = header.secret or secret
        if isinstance(self._log, TranscriptLog) and not setup.deals:
            is_known = secret is not None and setup.knows_position
            if is_known and secret and DealerSecrets(secret).matches_header(setup):
                self._dealer = DealerAudit(self._log, secret)
        elif isinstance(self._log, TranscriptLog):
            commitment = {party.role: party.cards for party in fair_terms(header).parties}
            expected = {
                opened_seed.role: opened_seed.seed
                for opened_seed in seeds
                if cardseed_commitment(opened_seed.seed) == commitment.get(opened_seed.role)
            }
            # SeedAudit registers itself as a listener of the transcript, so receive() raises its
            # errors.
            SeedAudit(self._log, expected)

    @property
    def has_secret(self) -> bool:
        """Return whether the dealing host's secret and position match the header and were used in the checks."""
        return self._dealer is not None

    def add(self, record: Record) -> None:
        """Check the next record. Its link to the previous record has already been checked.

        Raises:
            FalseRecordError: The record does not match its messages or the card seeds. If the messages prove that an
                author is at fault, the error names that author.
            RulesDisagreeError: As for FalseRecordError, but the match was played under other rules.
        """
        if self.timeline.seq >= 0 and self.timeline.records[-1].kind == "reveal":
            raise FalseRecordError(record.seq, "it follows the end of the transcript")
        check_terms(self._terms, self.timeline.state, record)
        try:
            self._check_fields(record)
            check_openings(record)
            if self._is_full:
                check_complete(record)
            after = self.timeline.state_after(record)
        except BrokenChainError as error:
            raise FalseRecordError(record.seq, error.problem, error.event) from error
        try:
            self._log.receive(record)
            if isinstance(self._log, TranscriptLog) and self._log.setup.deals:
                check_copy_entries(self._log, record, self.role)
            if self._dealer is not None:
                self._dealer.check_record(record, self.role, is_full=self._is_full)
        except BrokenChainError as error:
            raise self._false_record(record, error.problem, error.event) from error
        except FairPlayError as error:
            problem_text = "" if self._dealer is not None else "; authorship cannot be proved"
            author = f" ({error.role})" if error.role else problem_text
            raise self._false_record(record, f"{error.problem}{author}") from error
        except RulesDisagreeError as error:
            raise RulesDisagreeError(record.seq, error.problem, error.event) from error
        self.timeline.add(record, after)
        self._terms.apply(record)
        if isinstance(self._log, TranscriptLog):
            state = self._log.state
            self.unproven = state.unproven
            self.is_ended = state.has_ended

    def _false_record(
        self, record: Record, problem: str, event: int | None = None
    ) -> FalseRecordError:
        """Return the error for a record. A record that was made under other rules may be correct under those rules."""
        may_be_older_rules = self._may_differ and isinstance(self._log, TranscriptLog)
        error_type = RulesDisagreeError if may_be_older_rules else FalseRecordError
        return error_type(record.seq, problem, event)

    def _check_fields(self, record: Record) -> None:
        unset = msgspec.UNSET
        older_fields = (
            record.links,
            record.signature,
            record.consents,
            record.steps,
            record.sealed,
        )
        if any(field is not unset for field in older_fields):
            raise BrokenChainError(record.seq, "it has fields of an older protocol")
        if record.secret is not None and not is_secret_of(self._header, record.secret):
            raise BrokenChainError(record.seq, "the secret does not match its commitment")


def check_complete(record: Record) -> None:
    """Check that no entry in a full copy's record is hidden.

    Raises:
        BrokenChainError: An entry is hidden; the error names it.
    """
    if record.command is not None and record.command.salt is None:
        raise BrokenChainError(record.seq, "the command is hidden")
    hidden_index = next(
        (index for index, entry in enumerate(record.events) if entry.salt is None), None
    )
    if hidden_index is not None:
        raise BrokenChainError(record.seq, "it is hidden", hidden_index)


def _check_full(header: Header, setup: MatchSetup, seeds: Sequence[OpenedSeed]) -> None:
    """Check that a full copy contains all card seeds. If the host dealt, check its secret and position instead.

    Raises:
        FalseRecordError: A seed, the secret or the position is missing or does not match the header.
    """
    if setup.deals:
        if header.secret is not None or header.position is not None:
            raise FalseRecordError(-1, "a match whose seats deal must not have a match secret")
        if {party.role for party in setup.parties} - {opened_seed.role for opened_seed in seeds}:
            raise FalseRecordError(-1, "a full copy must contain the card seeds of all parties")
        return
    if header.secret is None or not DealerSecrets(header.secret).matches_header(setup):
        raise FalseRecordError(-1, "the secret does not match its commitment")
    # Only a scenario's position can differ here, because a custom position comes from this header.
    if header.position != canonical(setup.position):
        raise FalseRecordError(-1, f"this is not how scenario '{header.scenario}' begins")


def _check_custom_position(setup: MatchSetup) -> None:
    """Check that the rules allow a custom starting position. The seats cannot check its hidden cards.

    Raises:
        FalseRecordError: The position is not valid.
    """
    try:
        setup.game.check_position(setup.position)
    except (FlagplotError, *FOLD_ERRORS) as error:
        raise FalseRecordError(-1, f"the starting position is not valid: {error}") from error


def missing_seeds(header: Header, records: Sequence[Record]) -> tuple[Role, ...]:
    """Return the parties in a closed match whose card seeds are missing; empty until the transcript is closed."""
    last_record = records[-1] if records else None
    if header.fair is msgspec.UNSET or last_record is None or last_record.kind != "reveal":
        return ()
    if header.fair.dealer_key is not msgspec.UNSET:
        return ()  # The host deals, so the seats have no card seeds.
    opened_roles = {
        opened_seed.role
        for opened_seed in (() if last_record.seeds is msgspec.UNSET else last_record.seeds)
    }
    return tuple(party.role for party in header.fair.parties if party.role not in opened_roles)
