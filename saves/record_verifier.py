"""Verifies a game's full copy: replays every decision and compares the results byte for byte."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Generic

import msgspec

from engine.kernel.dice import ChanceRevealedError, DerivedDice, Dice, DraftDice
from engine.kernel.errors import FlagplotError, IllegalCommandError
from engine.kernel.ruleset import Command, Event, Ruleset
from saves.codec import Game, S, codec
from saves.commitments import (
    SIGNATURE_INDEX,
    check_openings,
    derive_salt,
    derive_salts,
    has_valid_openings,
    is_secret_of,
    position_commitment,
)
from saves.decoding import canonical, decode
from saves.entries import decode_event
from saves.errors import (
    FairPlayError,
    FalseRecordError,
    RulesDisagreeError,
    UnreadableError,
)
from saves.headers import Header, own_data_digest, rules_differ
from saves.protocol6.hash_chain import joint_seed
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.party_commitments import NEEDLESS_LINKS, NO_LINKS, PartyCommitments
from saves.records import MAX_RECORD_BYTES, Entry, Record
from saves.terms import Terms, check_terms
from saves.timeline import FOLD_ERRORS, Timeline, convert_errors, fold_record

if TYPE_CHECKING:
    from saves.protocol6.proofs import ProvenCards


class CommandVerifier(Generic[S]):
    """Verifies individual records. The verifier keeps no game state, so parts of a game can be verified in parallel."""

    def __init__(
        self,
        game: Game[S],
        secret: bytes,
        commitments: PartyCommitments,
        cards: "ProvenCards | None" = None,
    ) -> None:
        """Create a verifier for one match.

        Args:
            game: The rules.
            secret: The match secret.
            commitments: The parties' commitments.
            cards: The cards that the parties dealt; None if the host deals.
        """
        self._game = game
        self._codec = codec(game)
        self._secret = secret
        self._commitments = commitments
        self._cards = cards
        self._takes_hints = type(game).hint_next_command is not Ruleset.hint_next_command
        self._last_decoded: tuple[Record, Command] | None = None
        """The record whose command was decoded last, and that command."""

    def verify(self, state: S, record: Record, next_record: Record | None = None) -> S:
        """Verify a command record and return the resulting state.

        Args:
            state: The state before the record.
            record: The record to verify.
            next_record: The following record, not yet verified; None if ``record`` is the last one.

        Raises:
            RulesDisagreeError: The rules produce a different result; the error names the event.
            FalseRecordError: A salt is not derived from the secret, or the player did not sign the command.
            BrokenChainError: An entry does not match its commitment, or an event cannot be folded.
        """
        # has_valid_openings is fast; check_entries is slower but names the wrong entry.
        if self._cards is not None or not has_valid_openings(self._secret, record):
            self.check_entries(record)
        self.check_signatures(record)
        try:
            command = self._decode_command(record)
            self._give_hint(state, next_record)
            events = self._replay_decision(state, record, command)
        except FalseRecordError:
            # If the record cannot even be folded, report that error instead.
            fold_record(self._game, state, record)
            raise
        if self._is_identical(record, events):
            return self._game.fold(state, events)
        folded = fold_record(self._game, state, record)
        self.compare(record, events)
        return folded

    def _give_hint(self, state: S, next_record: Record | None) -> None:
        """If the next command can be decoded, pass it to the rules as a performance hint."""
        if next_record is None or next_record.kind != "command" or not self._takes_hints:
            return
        try:
            command = self._decode_command(next_record)
        except FalseRecordError:  # The error is reported when that record is verified.
            return
        self._game.hint_next_command(state, next_record.role, command)

    def replay_with_dice(
        self, record: Record, decide: Callable[[Dice], tuple[Event, ...]]
    ) -> tuple[Event, ...]:
        """Replay a decision with a record's dice and return its events.

        Raises:
            RulesDisagreeError: The decision needs a throw that the parties did not make, or does not use their throw.
        """
        if not self._commitments.is_joint:
            return decide(DerivedDice(self._secret, record.seq))
        if self._cards is not None:
            if record.links is msgspec.UNSET and not self._cards.deals:
                return self._replay_without_chance(record, decide)
            return self._cards.replay_decision(record, decide)
        if record.links is msgspec.UNSET:
            return self._replay_without_chance(record, decide)
        dice = DerivedDice(joint_seed(self._secret, record.seq, record.links), record.seq)
        events = decide(dice)
        if not dice.is_used:
            raise RulesDisagreeError(record.seq, NEEDLESS_LINKS)
        return events

    def _replay_without_chance(
        self, record: Record, decide: Callable[[Dice], tuple[Event, ...]]
    ) -> tuple[Event, ...]:
        try:
            return decide(DraftDice())
        except ChanceRevealedError as error:
            raise RulesDisagreeError(record.seq, NO_LINKS) from error

    def check_entries(self, record: Record) -> None:
        """Check that a record's entries match their commitments and that their salts are derived from the secret.

        If the parties deal, each entry's author creates its salt, so only salts for the host's entries are derived from
        the secret.

        Raises:
            BrokenChainError: An entry does not match its commitment.
            FalseRecordError: A salt is not derived from the secret, or an entry is hidden.
        """
        check_openings(record)
        if self._cards is not None:
            self._cards.check_entries(self._secret, record)
            return
        salts = derive_salts(self._secret, record)
        for index, entry in enumerate((record.command, *record.events)):
            if entry is not None and entry.salt != salts[index]:
                number = index - 1 if index else None
                raise FalseRecordError(record.seq, "the salt does not match the secret", number)
        signature = record.signature
        place = SIGNATURE_INDEX
        if signature is not msgspec.UNSET and signature.salt != derive_salt(
            self._secret, record.seq, place
        ):
            problem = "the signature's salt does not match the secret"
            raise FalseRecordError(record.seq, problem)

    def check_signatures(self, record: Record) -> None:
        """Check a command's signature or the consents to an agreement.

        Raises:
            FalseRecordError: A signature is missing or wrong.
        """
        try:
            self._commitments.check_signatures(record)
        except FairPlayError as error:
            raise FalseRecordError(record.seq, error.problem) from error

    def compare(self, record: Record, expected: Sequence[Event]) -> None:
        """Check that a record has exactly the expected events.

        Raises:
            RulesDisagreeError: An event differs, is missing or is not expected; the error names the first such event.
        """
        pack = self._codec.pack
        for number, entry in enumerate(record.events):
            if number >= len(expected):
                problem = (
                    f"'{entry.tag}' is not among the {len(expected)} events that the rules give"
                )
                raise RulesDisagreeError(record.seq, problem, number)
            tag, v, body = pack(expected[number])
            if (entry.tag, entry.v, entry.body) == (tag, v, body):
                continue
            # Records keep events in the schema they were written with, but the rules produce events
            # in the current schema.
            if entry.v != v and _is_equal_upgraded(self._game, entry, expected[number]):
                continue
            expected_text, actual = _excerpt(tag, body), _excerpt(entry.tag, entry.body or b"")
            problem = f"the rules give {expected_text}, but the file has {actual}"
            raise RulesDisagreeError(
                record.seq, problem + self._author_note(record, expected[number]), number
            )
        if len(record.events) < len(expected):
            missing = pack(expected[len(record.events)])
            problem = f"the event {_excerpt(missing.tag, missing.body)} is missing"
            raise RulesDisagreeError(record.seq, problem, len(record.events))

    def _author_note(self, record: Record, event: Event) -> str:
        """Return a note for error messages that names the author of an event's entry; empty if that is the host."""
        if self._cards is None:
            return ""
        author = self._game.secret_owner(event) or record.role
        return f" ({author} made it)" if author else ""

    def _is_identical(self, record: Record, events: Sequence[Event]) -> bool:
        """Return whether the given events encode to exactly the bytes in the record."""
        if len(events) != len(record.events):
            return False
        schemas = self._codec.schemas
        for entry, event in zip(record.events, events, strict=True):
            if canonical(event) != entry.body:
                return False
            tag, v = schemas[type(event)]
            if tag != entry.tag or v != entry.v:
                return False
        return True

    def _decode_command(self, record: Record) -> Command:
        """Decode a record's command, caching the last result."""
        # Each command is needed twice in a row: as a hint for the preceding record, and to verify
        # its own record.
        if self._last_decoded is not None and self._last_decoded[0] is record:
            return self._last_decoded[1]
        entry = record.command
        assert entry is not None, "the record's shape must have been checked"
        body = entry.body
        if body is None:
            raise FalseRecordError(record.seq, "the command is hidden")
        try:
            command = self._codec.command(entry.tag, entry.v, body)
        except UnreadableError as error:
            raise FalseRecordError(record.seq, f"the command is unreadable: {error}") from error
        # An upgraded command encodes differently, so only bodies in the current schema can be
        # compared.
        if canonical(command) != body and self._codec.pack(command).v == entry.v:
            raise FalseRecordError(record.seq, "the command is not in canonical form")
        self._last_decoded = record, command
        return command

    def _replay_decision(self, state: S, record: Record, command: Command) -> tuple[Event, ...]:
        try:
            events = self.replay_with_dice(
                record, lambda dice: self._game.decide(state, record.role, command, dice)
            )
        except IllegalCommandError as error:
            raise RulesDisagreeError(record.seq, f"the rules refuse it: {error}") from error
        except FOLD_ERRORS as error:
            tag = "" if record.command is None else record.command.tag
            problem = f"the rules cannot judge '{tag}' here: {error!r}"
            raise RulesDisagreeError(record.seq, problem) from error
        return events


class RecordVerifier(Generic[S]):
    """Verifies a game's full copy. Verification stops at the first false record."""

    def __init__(
        self,
        game: Game[S],
        header: Header,
        *,
        decides: bool = True,
        seeds: Sequence[OpenedSeed] = (),
    ) -> None:
        """Check the commitments in the header.

        Args:
            game: The current rules.
            header: The copy's header.
            decides: False checks only commitments, not decisions, for a game played under other rules.
            seeds: The card seeds from the reveal; empty unless the parties deal the cards.

        Raises:
            FalseRecordError: The secret, the starting position or a card seed does not match its commitment, or a seed
                is missing.
        """
        self._game = game
        self.secret = _check_secret(header)
        self._position = _check_position(game, header, self.secret)
        self._decides = decides
        self.commitments = PartyCommitments(header)
        """The parties' commitments, and their contributions so far."""
        try:
            self.commitments.check_promises()
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        self.cards = _new_proven_cards(game, header, seeds) if self.commitments.is_dealt else None
        """The cards that the parties dealt; None if the host deals."""
        self._commands: CommandVerifier[S] = CommandVerifier(
            game, self.secret, self.commitments, self.cards
        )
        self._is_revealed = False
        self._terms = Terms(game, header)
        self.timeline: Timeline[S] = Timeline(game)

    def add(self, record: Record, next_record: Record | None = None) -> None:
        """Verify and add the next record. The caller has already checked its shape and chain value.

        Args:
            record: The record.
            next_record: The following record, not yet verified; None if ``record`` is the last one.

        Raises:
            RulesDisagreeError: The rules produce a different result; the error names the event.
            FalseRecordError: The record contradicts a commitment.
        """
        with convert_errors(record.seq):
            self._add(record, next_record)

    def _add(self, record: Record, next_record: Record | None) -> None:
        """Verify and add the next record without converting errors to :class:`FalseRecordError`."""
        self._check_may_follow(record)
        timeline = self.timeline
        self.commitments.check_reveals(record)
        if self.cards is not None:
            self.cards.check(record)
        if record.kind == "command" and self._decides:
            after = self._commands.verify(timeline.state, record, next_record)
        else:
            self._commands.check_entries(record)
            self._commands.check_signatures(record)
            after = timeline.state_after(record)
        if record.kind == "opening":
            self._check_opening(record, after)
        if record.secret is not None:
            self._check_reveal(record, record.secret)
            self._is_revealed = True
        timeline.add(record, after)
        self._terms.apply(record)
        self.commitments.add(record)
        if self.cards is not None:
            self.cards.settle(record)

    def fold(self, record: Record) -> None:
        """Fold the next command record. Other code verifies its decision.

        Raises:
            FalseRecordError: The record cannot be folded.
        """
        with convert_errors(record.seq):
            self._check_may_follow(record)
            self.commitments.check_reveals(record)
            self.timeline.add(record, self.timeline.state_after(record))
        self._terms.apply(record)
        self.commitments.add(record)

    def _check_opening(self, record: Record, state: S) -> None:
        """Check that the opening follows the rules and that any parties are exactly the game's roles."""
        try:
            self.commitments.check_roles(self._game.roles(state))
        except FairPlayError as error:
            raise FalseRecordError(-1, error.problem) from error
        if self._decides:
            deal = self._commands.replay_with_dice(
                record, lambda dice: self._game.open_game(self._position, dice)
            )
            self._commands.compare(record, deal)

    def _check_may_follow(self, record: Record) -> None:
        if self._is_revealed:
            raise FalseRecordError(
                record.seq, "it follows the reveal, which must be the last record"
            )
        check_terms(self._terms, self.timeline.state, record)

    def _check_reveal(self, record: Record, secret: bytes) -> None:
        if secret != self.secret:
            raise FalseRecordError(record.seq, "the revealed secret is not the match secret")
        if self._terms.outcome(self.timeline.state) is None:
            raise FalseRecordError(record.seq, "the secret is revealed before the end of the game")


def _new_proven_cards(game: Game[S], header: Header, seeds: Sequence[OpenedSeed]) -> "ProvenCards":
    """Build a match's masked decks, with every card still face up. All card seeds are required."""
    from saves.protocol6.proofs import ProvenCards  # noqa: PLC0415  # most matches need no ciphers

    try:
        cards = ProvenCards(game, header, seeds)
    except FairPlayError as error:
        raise FalseRecordError(-1, error.problem) from error
    if cards.unopened:
        names = " and ".join(cards.unopened)
        problem = f"{names} did not reveal the card seed, so nothing proves the cards"
        raise FalseRecordError(-1, problem)
    return cards


def _check_secret(header: Header) -> bytes:
    if header.secret is None or not is_secret_of(header, header.secret):
        raise FalseRecordError(-1, "the match secret does not match its commitment")
    return header.secret


def _check_position(game: Game[S], header: Header, secret: bytes) -> object:
    """Decode the starting position and check it against the header."""
    data = header.position
    if data is None or position_commitment(secret, data) != header.position_commitment:
        raise FalseRecordError(-1, "the starting position does not match its commitment")
    try:
        decoder = msgspec.msgpack.Decoder(game.position_type)
        position = decode(decoder, data, MAX_RECORD_BYTES)
        if _is_standard_opening(game, header, data):
            return position
        game.check_position(position)
        user_data = game.user_data(position)
        if own_data_digest(user_data) != header.own_data:
            raise FalseRecordError(-1, "the custom data do not match their commitment")
        # Other rules may set up the same scenario differently, so a position made under them cannot
        # be compared.
        if header.scenario and not rules_differ(game, header):
            scenario_position = game.position(header.scenario, header.options)
            if user_data:
                scenario_position = game.with_data(scenario_position, user_data)
            if canonical(scenario_position) != data:
                problem = f"this is not how scenario '{header.scenario}' begins"
                raise FalseRecordError(-1, problem)
    except (UnreadableError, FlagplotError) as error:
        raise FalseRecordError(-1, str(error)) from error
    return position


def _is_standard_opening(game: Game[S], header: Header, data: bytes) -> bool:
    """Return whether the position is the scenario's standard opening. Such a position needs no further checks."""
    if not header.scenario or header.own_data is not msgspec.UNSET or rules_differ(game, header):
        return False
    try:
        return canonical(game.position(header.scenario, header.options)) == data
    except FlagplotError:
        return False  # The error is reported when the position is checked.


def _is_equal_upgraded(game: Game[S], entry: Entry, expected: Event) -> bool:
    """Return whether an event in an older schema equals the expected event once it is upgraded."""
    try:
        return decode_event(game, entry) == expected
    except UnreadableError:
        return False


_EXCERPT_LENGTH: Final = 160


def _excerpt(tag: str, body: bytes) -> str:
    """Format an event's tag and fields for an error message."""
    try:
        fields = msgspec.msgpack.decode(body)
        text = msgspec.json.encode(fields).decode()
    except (msgspec.MsgspecError, ValueError, TypeError):
        text = body.hex()
    return f"{tag} {text}" if len(text) <= _EXCERPT_LENGTH else f"{tag} {text[:_EXCERPT_LENGTH]}..."
