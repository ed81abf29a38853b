"""Audits a match after the game by recomputing every deck step from the revealed card seeds.

The seed determines every step of an honest program, so the signed bytes of a cheater's step differ. No honest seat is
ever blamed, because the steps are compared in order up to the first false step.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.protocol6.cardseed import CardSeed, key_commitment, seed_commitment
from saves.protocol6.errors import BrokenDeckError, DeckCheatError, PointError
from saves.protocol6.group import check_point, inverse, multiply, product
from saves.protocol6.hash_chain import SEED_BYTES
from saves.protocol6.key_holder import KeyHolder, own_key
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.parties import SignedStep
from saves.protocol6.steps import AnyStep, Arranged, KeysGiven, Masked, Mixed
from saves.protocol6.transcript import Transcript

CARRIER: Final = Role("the file")
"""Blamed if a step in a file has no valid signature from its author."""


class CardVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of auditing a match's decks."""

    cheat: str = ""
    """One sentence that names the cheating seat and the false step; empty if no cheat was found."""
    culprit: Role = Role("")
    step: int = -1
    """Number of the false step; -1 if the cheat precedes the first step or no cheat was found."""
    unopened: tuple[Role, ...] = ()
    """Seats whose steps cannot be checked, because their seeds have not been revealed."""
    cards: Mapping[int, str] = {}
    """The card in each slot, to compare with the cards played.

    Empty if a cheat was found or a seed is missing.
    """


class Auditor:
    """Checks deck steps one by one against the revealed card seeds."""

    def __init__(self, table: MaskedDecks, secrets: Mapping[Role, CardSeed]) -> None:
        """Start with a table that has no steps yet.

        Args:
            table: The table. The caller applies each step to the table after :meth:`compare` has checked it.
            secrets: The secrets of the seats that revealed their seeds; see :func:`checked_seeds`.
        """
        self._table = table
        self._secrets = secrets
        self.unopened = tuple(role for role in table.roles if role not in secrets)
        """Seats whose steps cannot be checked, because their seeds have not been revealed."""
        self._faces: dict[int, str] = {}

    def compare(self, author: Role, step: AnyStep) -> None:
        """Check that an honest program would take this step. Any step is accepted if the author's seed is missing.

        Raises:
            DeckCheatError: An honest program would have taken a different step.
        """
        secret = self._secrets.get(author)
        if secret is not None:
            _compare(self._table, secret, step)

    def face(self, number: int) -> str:
        """Return the card that is or was in a slot. This method requires all seats' seeds."""
        if number not in self._faces:
            slot = self._table.slots[number]
            keys = (own_key(self._secrets[role], slot) for role in slot.commitments)
            unmasked = multiply(inverse(product(*keys)), slot.point)
            self._faces[number] = self._table.face(slot.deck, unmasked)
        return self._faces[number]


def audit(
    table: MaskedDecks,
    steps: Sequence[SignedStep],
    keys: Mapping[Role, bytes],
    commitments: Mapping[Role, bytes],
    seeds: Mapping[Role, bytes],
) -> CardVerdict:
    """Check all of a match's deck steps against the revealed seeds.

    Args:
        table: The table before the first step.
        steps: All steps, in order.
        keys: Each seat's signature verification key, published before the first step.
        commitments: Each seat's commitment to its card seed, published before the first step.
        seeds: The card seeds revealed at the end.
    """
    unopened = tuple(role for role in table.roles if role not in seeds)
    try:
        secrets = checked_seeds(table.match_id, table.roles, commitments, seeds)
        auditor = Auditor(table, secrets)
        transcript = Transcript(table, keys)
        for signed in steps:
            step = transcript.read(signed, CARRIER)
            auditor.compare(signed.author, step)
            transcript.apply(signed, step)
        cards = {} if unopened else {number: auditor.face(number) for number in table.slots}
    except DeckCheatError as cheat:
        return CardVerdict(cheat=str(cheat), culprit=cheat.role, step=cheat.step, unopened=unopened)
    except BrokenDeckError as fault:
        assert unopened, "with all seeds, the cheat must be found before its card turns up"
        return CardVerdict(cheat=str(fault), step=fault.step, unopened=unopened)
    return CardVerdict(unopened=unopened, cards=cards)


def checked_seeds(
    match_id: str,
    roles: Sequence[Role],
    commitments: Mapping[Role, bytes],
    seeds: Mapping[Role, bytes],
) -> dict[Role, CardSeed]:
    """Return the secrets of all seats that revealed their seeds.

    Raises:
        DeckCheatError: A seed does not match its commitment.
    """
    secrets = {}
    for role in roles:
        seed = seeds.get(role)
        if seed is None:
            continue
        if len(seed) != SEED_BYTES or seed_commitment(seed) != commitments.get(role):
            raise DeckCheatError(role, -1, "opens a seed that does not match its commitment")
        secrets[role] = CardSeed(match_id, role, seed)
    return secrets


def _compare(table: MaskedDecks, secret: CardSeed, step: AnyStep) -> None:
    """Check that an honest program with this seed would have taken this step.

    Raises:
        DeckCheatError: An honest program would have taken a different step.
    """
    problem = ""
    if isinstance(step, Arranged):
        problem = _arrangement_problem(table, secret, step)
    elif isinstance(step, (KeysGiven, Mixed, Masked)):
        deck = "" if isinstance(step, KeysGiven) else step.deck
        for owed_step in table.owed_steps():
            if (owed_step.role, owed_step.kind, owed_step.deck) == (secret.role, type(step), deck):
                # The table does not include the step yet, so an honest program's step can be
                # computed from the table.
                honest = KeyHolder(secret, table).make_step(owed_step)
                problem = "" if honest == step else _difference(step, honest)
    if problem:
        raise DeckCheatError(secret.role, table.steps, problem)


def _difference(step: AnyStep, honest: AnyStep) -> str:
    """Describe how a seat's step differs from the step that the seat's seed requires."""
    match step, honest:
        case Mixed(points=given), Mixed(points=due) if Counter(given) == Counter(due):
            return "shuffled in an order that does not follow from its seed"
        case Mixed(), Mixed():
            return "shuffled cards other than those it received"
        case Masked(commitments=given), Masked(commitments=due) if given != due:
            return "committed to keys that do not follow from its seed"
        case Masked(points=given), Masked(points=due) if Counter(given) == Counter(due):
            return "moved cards after they were shuffled"
        case Masked(), Masked():
            return "changed cards after they were shuffled"
        case _:
            return "gave keys that do not follow from its seed"


def _arrangement_problem(table: MaskedDecks, secret: CardSeed, step: Arranged) -> str:
    """Return the problem with an arrangement, or an empty string if it is valid.

    Any order is allowed, but the cards must not change. Malformed steps are accepted here, because the table rejects
    them.
    """
    numbers = [number for number in step.slots if number in table.slots]
    slots = [table.slots[number] for number in numbers]
    sizes = {len(step.slots), len(slots), len(step.points), len(step.commitments)}
    if len(sizes) > 1 or any(slot.masked_by != (secret.role,) for slot in slots):
        return ""
    positions = range(len(slots))
    keys = [secret.hand_key(table.steps, position) for position in positions]
    if step.commitments != tuple(map(key_commitment, keys)):
        keys = [
            secret.card_key(table.next_slot + position) for position in positions
        ]  # This case occurs only in old records.
    if step.commitments != tuple(map(key_commitment, keys)):
        return "committed to keys that do not follow from its seed"
    holder = KeyHolder(secret, table)
    try:
        visible_cards = [
            table.face(slot.deck, multiply(inverse(key), check_point(point)))
            for slot, key, point in zip(slots, keys, step.points, strict=True)
        ]
    except PointError:
        return ""
    own_cards = [holder.card(number) for number in numbers]
    return (
        ""
        if Counter(visible_cards) == Counter(own_cards)
        else "arranged cards other than those it held"
    )
