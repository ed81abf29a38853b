"""Reports what a copy of a game proves and what it leaves unproven, one line per topic.

The report covers only the correct records. It supports every kind of match: at one keyboard, on a trusted host, with
joint randomness from the parties, or with cards dealt by the parties.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from engine.kernel.ids import BOT_PREFIX, Role
from saves.entries import record_statement
from saves.headers import FULL, Header
from saves.modes import match_mode
from saves.protocol6.party_commitments import missing_seeds, opened_seeds
from saves.records import Record
from saves.statements import required_consents

Topic: TypeAlias = Literal[
    "legality",
    "dice and draws",
    "deal",
    "hands",
    "authorship",
    "blame",
    "consent",
    "clock",
    "one history",
    "continuation",
]
Extent: TypeAlias = Literal["proved", "partly", "not proved", "nothing"]
"""``nothing`` means that there is nothing to prove, such as consent in a game without takebacks."""

_CHAIN_DIGITS: Final = 16
_NOT_AGAINST_HOST: Final = "not proved against a dishonest host (protocol 6)"
"""Note on every record in fair mode.

A known attack on protocols up to 6 reads hands, and the record of an attacked match still passes verification.
"""


class TopicProof(msgspec.Struct, frozen=True, kw_only=True):
    """How far a copy proves one topic."""

    topic: Topic
    extent: Extent
    text: str
    """One or two sentences."""


def topic_proofs(
    header: Header, records: Sequence[Record], *, decided: bool, compared: bool
) -> tuple[TopicProof, ...]:
    """Return what a copy proves, one entry per topic.

    Args:
        header: The copy's header.
        records: The copy's records before the first false one.
        decided: True if all decisions that this copy allows to be replayed were replayed with the current rules.
        compared: True if the copy was compared with the full copy.
    """
    if not records:
        return _without_records(header)
    proof_report = _ProofReport(header, records, decided=decided, compared=compared)
    topics: tuple[tuple[Topic, tuple[Extent, str]], ...] = (
        ("legality", proof_report.legality()),
        ("dice and draws", proof_report.chance()),
        ("deal", proof_report.deal()),
        ("hands", proof_report.hands()),
        ("authorship", proof_report.authorship()),
        *((("blame", _blame_proof()),) if proof_report.are_cards_dealt else ()),
        ("consent", proof_report.consent()),
        *((("clock", proof_report.clock()),) if header.clock is not msgspec.UNSET else ()),
        ("one history", proof_report.history()),
    )
    return tuple(
        TopicProof(topic=topic, extent=extent, text=text) for topic, (extent, text) in topics
    )


def _without_records(header: Header) -> tuple[TopicProof, ...]:
    """Return the report on a copy without correct records. It warns that the verdict may blame the wrong seat."""
    if match_mode(header) != "fair":
        return ()
    extent, text = _blame_proof()
    return (
        TopicProof(topic="hands", extent="not proved", text=_NOT_AGAINST_HOST),
        TopicProof(topic="blame", extent=extent, text=text),
    )


def _blame_proof() -> tuple[Extent, str]:
    text = "Events and boxes are not signed, so a dishonest host or seat can make an honest seat look guilty"
    return "not proved", f"{text}: the blamed seat may be the wrong one (protocol 6)."


class _ProofReport:
    """Writes the report on one copy. Each topic has a method."""

    def __init__(
        self, header: Header, records: Sequence[Record], *, decided: bool, compared: bool
    ) -> None:
        self.header = header
        self.records = records
        self.is_full = header.audience == FULL or compared
        """True if all data was checked; False if only the data that one seat may see was checked."""
        self.is_decided = decided
        self.is_compared = compared
        self.parties = () if header.parties is msgspec.UNSET else header.parties
        mode = match_mode(header)
        self.is_open = mode == "open"
        """True if all seats shared one keyboard."""
        self.commands = [record for record in records if record.kind == "command"]
        self.throws = sum(record.links is not msgspec.UNSET for record in records)
        self.are_cards_dealt = mode == "fair"
        """True if the parties deal the cards, under protocol 6 or earlier."""
        self.parties_without_seed = missing_seeds(header, opened_seeds(records))
        """Parties that have not revealed their card seeds."""
        self.is_over = records[-1].kind == "reveal"

    def legality(self) -> tuple[Extent, str]:
        if not self.is_decided:
            version = self.header.rules_version
            text = f"The game was played under rules {version}, which differ from the current ones"
            return "not proved", f"{text}, so its decisions were not replayed."
        if self.is_full:
            return (
                "proved",
                "Every command was legal, and the rules produce exactly these events.",
            )
        note = "the full copy shows after the game whether each command was legal (--against)"
        return (
            "partly",
            f"The visible part of this copy replays; {note}.",
        )

    def chance(self) -> tuple[Extent, str]:
        checked = self.is_full and self.is_decided
        if self.parties:
            makers = f"made by {_join_list([party.role for party in self.parties])} together"
            if not checked:
                text = f"{_count_noun(self.throws, 'throw')} {makers}: each used the links that they had committed to."
                return "partly", f"{text} The results are checked in the full copy, after the game."
            text = f"{_count_noun(self.throws, 'throw')} {makers}, each checked; nobody could choose or predict"
            if self.are_cards_dealt:
                dice = f"{text} a die{self._bot_caveat()}."
                return "partly", f"{dice} Draws from a deck are {_NOT_AGAINST_HOST}."
            return "proved", f"{text} one{self._bot_caveat()}."
        source = "the program at one keyboard" if self.is_open else "the host alone"
        return self._single_source(f"Chosen by {source}", checked=checked)

    def deal(self) -> tuple[Extent, str]:
        checked = self.is_full and self.is_decided
        if self.are_cards_dealt:
            return self._dealt_cards_proof(checked=checked)
        if self.parties:
            if self.records[0].links is msgspec.UNSET:
                return "nothing", "Nothing was dealt or rolled at the start."
            if not checked:
                text = "Dealt by all parties together; the cards are checked in the full copy, after the game."
                return "partly", text
            return (
                "proved",
                f"Dealt by all parties together: nobody could stack the deck{self._bot_caveat()}.",
            )
        source = "the program at one keyboard" if self.is_open else "the host alone"
        return self._single_source(f"Dealt by {source}", checked=checked)

    def _dealt_cards_proof(self, *, checked: bool) -> tuple[Extent, str]:
        """Report on cards that the parties shuffle and deal. A deck's order is never proved."""
        order_note = f"The order of the deck is {_NOT_AGAINST_HOST}."
        origin = "Shuffled and dealt by all parties under encryption, with each step signed"
        if not self.is_over:
            text = f"{origin} and checked as far as possible until the card seeds are revealed."
            return "partly", f"{text} Cards turned up are the cards that were dealt. {order_note}"
        if self.parties_without_seed:
            names = _join_list(self.parties_without_seed)
            text = f"{origin}; {names} did not reveal the card seed, so that part remains unproven."
            return "partly", f"{text} {order_note}"
        if not checked:
            text = f"{origin} and compared with the card seeds."
            deal_note = "Whether the right cards were dealt can be checked only in the full copy, after the game."
            return "partly", f"{text} {deal_note} {order_note}"
        text = f"{origin} and compared with the card seeds; each card drawn was the top card."
        return "partly", f"{text} {order_note}"

    def _single_source(self, origin: str, *, checked: bool) -> tuple[Extent, str]:
        """Report on randomness derived from a secret that only one side created."""
        if not checked:
            text = (
                f"{origin}; not checked here. The full copy proves it after the game (--against)."
            )
            return "not proved", text
        text = f"{origin} and checked against its secret; nothing shows that the secret was chosen honestly."
        return "partly", text

    def _bot_caveat(self) -> str:
        """Return the condition under which a proof holds, which depends on whether the host held any party's keys."""
        bots = self._bots()
        if not bots:
            return ", as long as one party's program was honest"
        return f", as long as one person's program was honest (the host held the keys of {_join_list(bots)})"

    def _bots(self) -> Sequence[Role]:
        names = {seat.role: seat.player for seat in self.header.seats}
        return [
            party.role for party in self.parties if names.get(party.role, "").startswith(BOT_PREFIX)
        ]

    def hands(self) -> tuple[Extent, str]:
        if self.is_open:
            return "nothing", "All seats were at one keyboard."
        if not self.are_cards_dealt:
            return "not proved", "The host could read every hand and every face-down card."
        return "not proved", _NOT_AGAINST_HOST

    def authorship(self) -> tuple[Extent, str]:
        if not self.commands:
            return "nothing", "No command has been given yet."
        if not self.parties:
            if self.is_open:
                return "nothing", "All seats were at one keyboard; nothing is signed."
            return (
                "not proved",
                "Nothing is signed: the host could give a command in any player's name.",
            )
        shown = sum(_is_shown(record) for record in self.commands)
        count = len(self.commands)
        if self.is_full:
            extent, text = (
                "proved",
                f"{_count_noun(count, 'command')}, each signed with the key of its seat",
            )
        else:
            text = f"Of {_count_noun(count, 'command')}, this copy shows {shown}, each signed with the key of its seat"
            extent = "partly" if shown < count else "proved"
        bots = self._bots()
        held_text = f"; the host held the keys of {_join_list(bots)}" if bots else ""
        proved: Extent = "proved" if extent == "proved" else "partly"
        return proved, f"{text}{held_text}. No file can show who owns a key."

    def consent(self) -> tuple[Extent, str]:
        kinds = Counter(
            record.kind
            for record in self.records
            if record.takeback_to is not None or required_consents(record_statement(record))[1]
        )
        if not kinds:
            return "nothing", "Nothing was taken back."
        takebacks = _join_list([_count_noun(count, kind) for kind, count in sorted(kinds.items())])
        if self.parties:
            return "proved", f"{takebacks}, each with the signatures of all who had to agree."
        if self.is_open:
            return "nothing", f"{takebacks} at one keyboard."
        return "not proved", f"{takebacks}: nothing shows that the others agreed."

    def clock(self) -> tuple[Extent, str]:
        text = "The times add up and are counted only for players who had to decide"
        return "partly", f"{text}; nothing shows that the host's clock was right."

    def history(self) -> tuple[Extent, str]:
        chain = self.records[-1].chain.hex()[:_CHAIN_DIGITS]
        if self.is_compared:
            return "proved", f"The same as the full copy, up to record {self.records[-1].seq}."
        compare = f"compare the chain value {chain} with the others"
        if self.is_open:
            return (
                "partly",
                f"One unbroken chain; nothing shows that the end was not cut off ({chain}).",
            )
        if not self.parties:
            return (
                "not proved",
                f"The host could show others a different history or cut off the end: {compare}.",
            )
        last_by_role = {record.role: record.seq for record in self.commands}
        # A command's signature covers the chain up to the record before it.
        signed_phrases = [
            f"{party.role} up to record {last_by_role[party.role] - 1}"
            for party in self.parties
            if party.role in last_by_role
        ]
        if not signed_phrases:
            return "not proved", f"Nothing is signed yet: {compare}."
        return (
            "partly",
            f"Signed by {_join_list(signed_phrases)}. For later records and for the end, {compare}.",
        )


def _is_shown(record: Record) -> bool:
    return record.command is not None and record.command.salt is not None


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _join_list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
