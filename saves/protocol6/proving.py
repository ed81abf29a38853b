"""The cards of a match whose card seeds were opened: each step compared, each card that was dealt with its face.

A pick from a deck is no throw: it takes the next card that was drawn in the record. So the card of the record is the
one that lay on top, from a deck that held exactly what the rules have in it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from engine.kernel.dice import CardPile, DerivedDice, Dice, Die
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.commitments import salt_for
from saves.entries import event_of
from saves.errors import FalseRecordError, RulesDisagreeError, UnreadableError
from saves.headers import Header
from saves.protocol6.audit import Auditor
from saves.protocol6.completing import check_complete, checked_secrets
from saves.protocol6.dealt import Dealt
from saves.protocol6.links import open_seed
from saves.protocol6.parties import OpenedSeed
from saves.protocol6.pledges import NEEDLESS_LINKS, NO_LINKS
from saves.protocol6.sealing import completed
from saves.protocol6.steps import AnyStep, DrawCalled
from saves.records import Entry, Record
from saves.statements import TAGS


class Deal(NamedTuple):
    """A card that was drawn for its owner, to be picked by the decision of the record."""

    owner: Role
    card: str
    left: frozenset[str]
    """What lay in the deck, this card among it."""


class ProvenCards(Dealt):
    """Where the cards of a match lay, with every step compared with what the seeds say."""

    def __init__(self, game: AnyGame, header: Header, seeds: Sequence[OpenedSeed]) -> None:
        """Lay out all decks, face up.

        Args:
            game: The rules.
            header: Of a match whose parties promise card seeds.
            seeds: Those that were opened.

        Raises:
            FairPlayError: One is not the seed that was promised; names whose.
        """
        super().__init__(game, header)
        self.secrets = checked_secrets(header, seeds)
        """What opens the boxes of the parties whose seeds are there."""
        self._auditor = Auditor(self.table, self.secrets)
        self.deals: list[Deal] = []
        """What was drawn in the record that was checked last, in order; empty as long as a seed is missing."""

    @property
    def unopened(self) -> tuple[Role, ...]:
        """Return the parties whose seeds are missing, so that what they did stays unproven."""
        return self._auditor.unopened

    def check(self, record: Record) -> None:
        """Take the steps of the next record, and accept it.

        Raises:
            FairPlayError: A step is not what its author's seed says, or as :meth:`Dealt.check`; names who did it.
            BrokenChainError: An event is not one of this game.
        """
        self.deals = []
        super().check(record)

    def decided(
        self, record: Record, decide: Callable[[Dice], tuple[Event, ...]]
    ) -> tuple[Event, ...]:
        """Return the events of a decision with the links and the cards of a record, which :meth:`check` has accepted.

        Raises:
            RulesDisagreeError: It uses chance that the parties did not make, or deals other cards than they drew.
        """
        is_thrown = record.links is not msgspec.UNSET
        links = () if record.links is msgspec.UNSET else record.links
        seed = open_seed(self.table.match_id, record.seq, links)
        dice = DealtDice(record.seq, DerivedDice(seed, record.seq), self.deals)
        events = decide(dice)
        dice.check_used()
        if dice.is_used != is_thrown:
            raise RulesDisagreeError(record.seq, NEEDLESS_LINKS if is_thrown else NO_LINKS)
        return events

    def check_boxes(self, record: Record) -> None:
        """Accept a record whose boxes hold what it commits to, as far as their seeds are there.

        Raises:
            FairPlayError: One does not; names the party.
        """
        for secret in self.secrets.values():
            completed(record, secret)

    def check_entries(self, secret: bytes, record: Record) -> None:
        """Accept a record of the full copy: nothing is hidden, and the host's own salts follow from the secret.

        Raises:
            FalseRecordError: An entry is hidden, or a salt does not follow; names it.
        """
        check_complete(record)
        check_host_salts(self._game, secret, record)

    def _check(self, author: Role, step: AnyStep) -> None:
        super()._check(author, step)
        self._auditor.compare(author, step)
        if isinstance(step, DrawCalled) and not step.for_shuffle and not self.unopened:
            self._note(author, step)

    def _note(self, owner: Role, step: DrawCalled) -> None:
        order = self.order[self.table.slots[step.slots[0]].deck]
        faces = [self._auditor.face(number) for number in order]
        for at in range(len(step.slots)):
            self.deals.append(Deal(owner, faces[at], frozenset(faces[at:])))


class DealtDice:
    """Dice of a record whose chance all parties made, and whose cards they dealt."""

    def __init__(self, record: int, chance: DerivedDice, deals: Sequence[Deal]) -> None:
        """Begin a decision.

        Args:
            record: Number of the record.
            chance: What all parties made together, for rolls and for picks among cards that lie in no deck.
            deals: The cards that were drawn in it, in order.
        """
        self._record = record
        self._chance = chance
        self._deals = list(deals)
        self._is_dealt = False

    @property
    def is_used(self) -> bool:
        """Return whether anything was rolled, picked or dealt."""
        return self._chance.is_used or self._is_dealt

    def roll(self, die: Die) -> int:
        """Return a face."""
        return self._chance.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items; of a deck the next card.

        Raises:
            RulesDisagreeError: No card was drawn, or it came from another deck than the rules have.
        """
        if not isinstance(items, CardPile) or items.place != "deck":
            return self._chance.pick(items)
        deal = next((deal for deal in self._deals if deal.owner == items.owner), None)
        if deal is None:
            problem = f"the rules deal a card to {items.owner}, and {items.owner} drew none for it"
            raise RulesDisagreeError(self._record, problem)
        if deal.left != frozenset(items):
            raise RulesDisagreeError(self._record, _stale(deal, items))
        self._deals.remove(deal)
        self._is_dealt = True
        return deal.card

    def check_used(self) -> None:
        """Accept a decision that dealt every card that was drawn for it.

        Raises:
            RulesDisagreeError: One was drawn that no rule deals.
        """
        if self._deals:
            owner = self._deals[0].owner
            problem = f"{owner} drew a card that no rule deals in this record"
            raise RulesDisagreeError(self._record, problem)


def _stale(deal: Deal, pile: Sequence[str]) -> str:
    """Return how a deck differs from what the rules have in it."""
    found = {
        "with": sorted(deal.left.difference(pile)),
        "without": sorted(set(pile).difference(deal.left)),
    }
    words = [
        f"{how} {cards[0]}{f' and {len(cards) - 1} more' if cards[1:] else ''}"
        for how, cards in found.items()
        if cards
    ]
    return f"{deal.owner} draws from another deck than the rules have: {' and '.join(words)}"


def check_host_salts(game: AnyGame, secret: bytes, record: Record) -> None:
    """Accept a record of a match whose parties deal, where the host made its own entries with salts of the secret.

    Raises:
        FalseRecordError: A salt does not follow from the secret; names the event.
    """
    entries = [record.command] if record.kind in TAGS else []
    events = record.events if record.kind == "opening" else ()
    made = [(0, entry) for entry in entries if entry is not None]
    made += [(at, entry) for at, entry in enumerate(events, 1) if _is_hosts(game, entry)]
    for place, entry in made:
        if entry.salt is not None and entry.salt != salt_for(secret, record.seq, place):
            problem = "the salt does not follow from the secret"
            raise FalseRecordError(record.seq, problem, place - 1 if place else None)


def _is_hosts(game: AnyGame, entry: Entry) -> bool:
    """Return whether the host has made an event of the opening."""
    try:
        event = event_of(game, entry)
    except UnreadableError:
        return False  # it is named where it is folded
    return event is not None and game.keeper(event) is None
