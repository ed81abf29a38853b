"""Proves a match's cards from the revealed seeds: checks every step, and determines the face of each dealt card.

In the replay, a pick from a deck takes the next card drawn in the record instead of using random numbers. The replay
thereby proves that the card was on top of the deck and that the deck contains exactly the expected cards.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from typing_extensions import override

from engine.kernel.dice import CardPile, DerivedDice, Dice, Die
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.commitments import derive_salt
from saves.entries import decode_event
from saves.errors import FalseRecordError, RulesDisagreeError, UnreadableError
from saves.headers import Header
from saves.protocol6.audit import Auditor
from saves.protocol6.deck_protocol import DeckProtocol
from saves.protocol6.hash_chain import public_seed
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.party_commitments import NEEDLESS_LINKS, NO_LINKS
from saves.protocol6.sealing import complete_record
from saves.protocol6.steps import AnyStep, DrawCalled
from saves.protocol6.unredaction import check_complete, checked_secrets
from saves.records import Entry, Record
from saves.statements import TAGS


class Deal(NamedTuple):
    """A drawn card. A pick takes it when the record's decision is replayed."""

    owner: Role
    card: str
    left: frozenset[str]
    """The cards that were in the deck before the draw, including the drawn card."""


class ProvenCards(DeckProtocol):
    """A match's masked cards, with every step checked against the revealed seeds."""

    def __init__(self, game: AnyGame, header: Header, seeds: Sequence[OpenedSeed]) -> None:
        """Start with every card face up.

        Args:
            game: The rules.
            header: The header of a match whose parties committed to card seeds.
            seeds: The revealed seeds.

        Raises:
            FairPlayError: A seed does not match its commitment; the error names the party.
        """
        super().__init__(game, header)
        self.secrets = checked_secrets(header, seeds)
        """Secrets that open boxes, one for each party whose seed was revealed."""
        self._auditor = Auditor(self.table, self.secrets)
        self.deals: list[Deal] = []
        """The cards drawn in the last checked record, in order; empty if a seed is missing."""

    @property
    def unopened(self) -> tuple[Role, ...]:
        """Return the parties whose steps cannot be checked, because their seeds are missing."""
        return self._auditor.unopened

    @override
    def check(self, record: Record) -> None:
        """Apply the next record's steps, and check the record.

        Raises:
            FairPlayError: A step deviates from its author's seed, or :meth:`DeckProtocol.check` fails; the error names
                the party to blame.
            BrokenChainError: An event does not belong to this game.
        """
        self.deals = []
        super().check(record)

    def replay_decision(
        self, record: Record, decide: Callable[[Dice], tuple[Event, ...]]
    ) -> tuple[Event, ...]:
        """Replay a decision with the links and cards from a record that :meth:`check` has accepted.

        Raises:
            RulesDisagreeError: The decision needs a throw that the parties did not make, or deals cards that they did
                not draw.
        """
        is_thrown = record.links is not msgspec.UNSET
        links = () if record.links is msgspec.UNSET else record.links
        seed = public_seed(self.table.match_id, record.seq, links)
        dice = DealtDice(record.seq, DerivedDice(seed, record.seq), self.deals)
        events = decide(dice)
        dice.check_used()
        if dice.is_used != is_thrown:
            raise RulesDisagreeError(record.seq, NEEDLESS_LINKS if is_thrown else NO_LINKS)
        return events

    def check_boxes(self, record: Record) -> None:
        """Check that the boxes match the record's commitments. Boxes whose seeds were not revealed are skipped.

        Raises:
            FairPlayError: A box does not match; the error names the party.
        """
        for secret in self.secrets.values():
            complete_record(record, secret)

    def check_entries(self, secret: bytes, record: Record) -> None:
        """Check a record in the full copy: nothing may be hidden, and the host's salts must be derived from the secret.

        Raises:
            FalseRecordError: An entry is hidden, or a salt is wrong; the error names the event.
        """
        check_complete(record)
        check_host_salts(self._game, secret, record)

    @override
    def _check(self, author: Role, step: AnyStep) -> None:
        super()._check(author, step)
        self._auditor.compare(author, step)
        if isinstance(step, DrawCalled) and not step.for_shuffle and not self.unopened:
            self._record_deal(author, step)

    def _record_deal(self, owner: Role, step: DrawCalled) -> None:
        order = self.order[self.table.slots[step.slots[0]].deck]
        faces = [self._auditor.face(number) for number in order]
        for position in range(len(step.slots)):
            self.deals.append(Deal(owner, faces[position], frozenset(faces[position:])))


class DealtDice:
    """Dice and draws for a record in a match whose parties generate the randomness and deal the cards."""

    def __init__(self, record: int, chance: DerivedDice, deals: Sequence[Deal]) -> None:
        """Start a decision.

        Args:
            record: The record's number.
            chance: The parties' joint randomness, used for rolls and for picks that are not from a deck.
            deals: The cards drawn in the record, in order.
        """
        self._record = record
        self._chance = chance
        self._deals = list(deals)
        self._is_dealt = False

    @property
    def is_used(self) -> bool:
        """Return whether a die was rolled, an item picked or a card dealt."""
        return self._chance.is_used or self._is_dealt

    def roll(self, die: Die) -> int:
        """Roll a die and return the face."""
        return self._chance.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Pick one of the items. If the items are a deck, take the deck's next card.

        Raises:
            RulesDisagreeError: No card was drawn, or the drawn card's deck differs from the deck in the game state.
        """
        if not isinstance(items, CardPile) or items.place != "deck":
            return self._chance.pick(items)
        deal = next((deal for deal in self._deals if deal.owner == items.owner), None)
        if deal is None:
            problem = f"the rules deal a card to {items.owner}, but {items.owner} did not draw it"
            raise RulesDisagreeError(self._record, problem)
        # The draw determines the picked card. Comparing the whole deck shows that no card was
        # missing.
        if deal.left != frozenset(items):
            raise RulesDisagreeError(self._record, _describe_difference(deal, items))
        self._deals.remove(deal)
        self._is_dealt = True
        return deal.card

    def check_used(self) -> None:
        """Check that the decision dealt every card drawn for it.

        Raises:
            RulesDisagreeError: A card was drawn that was not dealt under the rules.
        """
        if self._deals:
            owner = self._deals[0].owner
            problem = f"{owner} drew a card that no rule deals in this record"
            raise RulesDisagreeError(self._record, problem)


def _describe_difference(deal: Deal, pile: Sequence[str]) -> str:
    """Describe how a deck differs from the deck that the rules expect."""
    differences = {
        "with": sorted(deal.left.difference(pile)),
        "without": sorted(set(pile).difference(deal.left)),
    }
    phrases = [
        f"{preposition} {cards[0]}{f' and {len(cards) - 1} more' if cards[1:] else ''}"
        for preposition, cards in differences.items()
        if cards
    ]
    return f"{deal.owner} draws from a deck that differs from the one in the rules: {' and '.join(phrases)}"


def check_host_salts(game: AnyGame, secret: bytes, record: Record) -> None:
    """Check that the salts of the host's own entries are derived from the secret. Used if the parties deal.

    Raises:
        FalseRecordError: A salt is not derived from the secret; the error names the event.
    """
    entries = [record.command] if record.kind in TAGS else []
    events = record.events if record.kind == "opening" else ()
    numbered_entries = [(0, entry) for entry in entries if entry is not None]
    numbered_entries += [
        (index, entry) for index, entry in enumerate(events, 1) if _is_host_event(game, entry)
    ]
    for place, entry in numbered_entries:
        if entry.salt is not None and entry.salt != derive_salt(secret, record.seq, place):
            problem = "the salt does not match the secret"
            raise FalseRecordError(record.seq, problem, place - 1 if place else None)


def _is_host_event(game: AnyGame, entry: Entry) -> bool:
    """Return whether the host produced this event in the opening."""
    try:
        event = decode_event(game, entry)
    except UnreadableError:
        return False  # The error is reported when the event is folded.
    return event is not None and game.secret_owner(event) is None
