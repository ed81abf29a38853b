"""Audits a protocol 7 match with the card seeds revealed once the match is over.

Every message from a seat is recomputed from the seat's seed (evidence E5). If all seeds are known, every command is
also resolved again, with the faces of all labels and the results of all throws.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from engine.kernel.dice import Dice
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import codec
from saves.errors import FairPlayError, RulesDisagreeError
from saves.fair.labels import CardLabel, piles_problem
from saves.fair.messages import Message
from saves.fair.opening import setup_event
from saves.fair.resolution import ResolutionProgress, SharedDice, Viewpoint
from saves.fair.secrets import CardSecrets, cardseed_commitment
from saves.fair.seed_check import SeedCheck
from saves.fair.state import FairState, Pending
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog, public_events
from saves.records import Entry
from saves.timeline import FOLD_ERRORS

_READ_ERRORS = (*FOLD_ERRORS, FlagplotError)


class SeedAudit:
    """Compares a transcript's messages and records with the card seeds."""

    def __init__(self, log: TranscriptLog, seeds: Mapping[Role, bytes]) -> None:
        """Start auditing a transcript.

        Args:
            log: The transcript, which must not have any messages yet.
            seeds: Card seeds by role. Missing seeds are allowed.

        Raises:
            FairPlayError: A seed does not match its commitment.
        """
        self._setup = log.setup
        for party in log.setup.parties:
            if party.role in seeds and cardseed_commitment(seeds[party.role]) != party.cards:
                raise FairPlayError(
                    party.role, f"the card seed of {party.role} does not match its commitment"
                )
        self._checks = {
            role: SeedCheck(log.state, CardSecrets(log.setup.match_id, role, seed))
            for role, seed in seeds.items()
        }
        self.cards = {role: check.cards for role, check in self._checks.items()}
        self.has_all_seeds = len(self.cards) == len(log.setup.parties)
        """True if the seeds of all parties are known. Without all seeds, the audit does not resolve commands again."""
        self._state: Any = log.setup.game.initial_state()
        self._history: list[Any] = []
        log.listeners.append(self.follow)

    def follow(self, before: FairState, message: Message, after: FairState) -> None:
        """Check an accepted message and, if the message completes a record, the record.

        Raises:
            FairPlayError: The message does not match its author's seed; the error names the author.
            RulesDisagreeError: The rules produce a different result for a command.
        """
        for role, check in self._checks.items():
            try:
                problem = check.problem(before, message, after)
            except _READ_ERRORS as error:
                problem = f"a message cannot be applied to the cards of {role}: {error}"
                raise RulesDisagreeError(-1, problem) from error
            if problem:
                raise FairPlayError(role, problem)
        if after.completed is not None and self.has_all_seeds:
            self._check_record(before, after, after.completed)

    # -- records

    def _check_record(self, before: FairState, after: FairState, pending: Pending) -> None:
        entries = self._entries(after, pending)
        game = self._setup.game
        hidden = next(
            (index for index, complete_entry in enumerate(entries) if complete_entry.salt is None),
            None,
        )
        if hidden is not None:
            owner = pending.events[hidden].owner or pending.actor
            raise FairPlayError(Role(owner), f"no box contains event {hidden} of {owner}")
        # After a takeback, the next record starts from the restored state.
        base_state = (
            self._state if pending.takeback_to is None else self._history[pending.takeback_to]
        )
        events = [
            codec(game).event(complete_entry.tag, complete_entry.v, complete_entry.body or b"")
            for complete_entry in entries
        ]
        if not pending.offer:
            self._check_decision(before, pending, base_state, events)
        state = base_state
        for event in events:
            state = game.evolve(state, event)
        self._check_faces(after, state)
        self._state = state
        self._history.append(state)

    def _entries(self, after: FairState, pending: Pending) -> Sequence[Entry]:
        """Return a record's events in complete form."""
        if pending.offer:
            return ()
        entries = public_events(self._setup, pending)
        for cards in self.cards.values():
            for place, entry in cards.hidden_entries(after, pending).items():
                if place:
                    entries[place - 1] = entry
        if not pending.number:
            full_event = codec(self._setup.game).pack(setup_event(self._setup))
            first_entry = entries[0]
            entries[0] = msgspec.structs.replace(
                first_entry,
                tag=full_event.tag,
                v=full_event.v,
                body=full_event.body,
                salt=PUBLIC_SALT,
            )
        return entries

    def _check_decision(
        self,
        before: FairState,
        pending: Pending,
        base: Any,  # noqa: ANN401  # any game's state
        events: Sequence[Event],
    ) -> None:
        """Resolve a command again with all faces and throw results, and compare the events with the record."""
        game, setup = self._setup.game, self._setup
        if not pending.number:

            def decide(dice: Dice) -> tuple[Event, ...]:
                events: tuple[Event, ...] = game.open_game(setup.position, dice)
                return events

        else:
            command = self.cards[pending.actor].pending_command(before, pending)

            def decide(dice: Dice) -> tuple[Event, ...]:
                ledger = game.ledger(base, dice)
                game.resolve(ledger, pending.actor, command)
                events: tuple[Event, ...] = ledger.events
                return events

        view = Viewpoint(game, None, base, self.face_of)
        progress = ResolutionProgress(
            before.table, pending.throws, pending.uses, len(pending.events), before.throws
        )
        dice = SharedDice(view, progress)
        try:
            expected_events = decide(dice)
        except _READ_ERRORS as error:
            raise RulesDisagreeError(-1, f"the rules give a different result: {error}") from error
        if len(dice.uses) != len(pending.uses) or dice.has_unused:
            raise RulesDisagreeError(-1, "the rules need different random results")
        different_index = next(
            (
                index
                for index, pair in enumerate(zip(expected_events, events, strict=False))
                if pair[0] != pair[1]
            ),
            None if len(expected_events) == len(events) else min(len(expected_events), len(events)),
        )
        if different_index is not None:
            raise RulesDisagreeError(-1, "the rules give a different result", different_index)

    def face_of(self, deck: str, label: CardLabel) -> str:
        """Return a label's face, or :data:`HIDDEN` if the label has not been opened and its owner's seed is unknown."""
        if label.face:
            return label.face
        cards = self.cards.get(Role(deck))
        return HIDDEN if cards is None else cards.face_of(deck, label)

    def _check_faces(self, after: FairState, state: Any) -> None:  # noqa: ANN401  # any game's state
        """Compare the faces of all labels with the piles in the game state.

        Raises:
            FairPlayError: The labels in an owner's pile show different cards than the pile in the game state.
        """
        for role, deck in after.table.decks.items():
            contents = self._setup.game.card_piles(state, role)
            problem = piles_problem(deck, contents, partial(self.face_of, role))
            if problem:
                raise FairPlayError(role, f"{role} has {problem}")
