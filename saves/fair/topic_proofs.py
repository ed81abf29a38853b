"""Reports how far a protocol 7 copy proves each promise in ``docs/fair-play.md``.

No row claims more than that document promises. Each row names the parties that may be dishonest. If a promise is not
proved yet, its row states what is missing.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from saves.entries import record_statement
from saves.fair.record_verifier import missing_seeds
from saves.fair.setup import fair_terms
from saves.fair.state import UnprovenMix
from saves.headers import Header
from saves.records import Record
from saves.statements import Adjournment, Ending
from saves.topic_proofs import Extent, Topic, TopicProof

Row: TypeAlias = tuple[Extent, str]
_CHAIN_DIGITS: Final = 16


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """The results of verifying a copy."""

    decided: bool = True
    """True if the messages were checked with the current rules; False if only signatures and order were checked."""
    is_ended: bool = False
    """True if the match has ended, whether under its rules or early."""
    unproven: tuple[UnprovenMix, ...] = ()
    """Mixes that have no proof as of the last correct record."""
    has_secret: bool = False
    """True if every command was resolved again with a dealing host's secret."""
    compared: int = 0
    """Number of records compared with another copy."""


def explain_fair(
    header: Header, records: Sequence[Record], findings: Findings
) -> tuple[TopicProof, ...]:
    """Return how far a copy proves each promise, in the order of the table in ``docs/fair-play.md``.

    Args:
        header: A protocol 7 match's header.
        records: The copy's correct records, from the start.
        findings: The results of verifying the records.
    """
    if not records:
        return ()
    is_dealt = fair_terms(header).dealer_key is not msgspec.UNSET
    report = (_DealerCopyReport if is_dealt else _CopyReport)(header, records, findings)
    rows: tuple[tuple[Topic, Row], ...] = (
        ("hands", report.hands()),
        ("dice and draws", report.chance() if findings.decided else report.undecided()),
        ("deal", report.deal() if findings.decided else report.undecided()),
        ("authorship", report.authorship()),
        ("consent", report.consent()),
        ("legality", report.legality() if findings.decided else report.undecided()),
        ("blame", report.blame()),
        ("one history", report.history()),
        *((("clock", _CLOCK),) if header.clock is not msgspec.UNSET else ()),
        ("continuation", _CONTINUATION),
    )
    return tuple(
        TopicProof(topic=topic, extent=extent, text=text) for topic, (extent, text) in rows
    )


_CHOOSES_ALL: Final = "so it could choose and predict everything."
_CLOCK: Final[Row] = (
    "not proved",
    "The times come from the host's clock, and nothing proves them.",
)
_CONTINUATION: Final[Row] = (
    "nothing",
    "Not guaranteed: the host or any seat can stop the match, and silence is not evidence.",
)


class _CopyReport:
    """Writes the report on a copy of a match whose seats deal."""

    seats_sign_end = True
    """True if every seat publishes its card seed after the match has ended, in a message that it signs."""

    def __init__(self, header: Header, records: Sequence[Record], findings: Findings) -> None:
        self.header = header
        self.records = records
        self.findings = findings
        parties = fair_terms(header).parties
        self.own = [party.role for party in parties if party.place == "own machine"]
        self.hosted_roles = [party.role for party in parties if party.place != "own machine"]
        self.programs = _programs(header, self.own)
        self.shared = [program for program in self.programs if len(program) > 1]
        """Programs that have the secrets of several seats."""
        self.is_closed = records[-1].kind == "reveal"
        self.missing = missing_seeds(header, records)

    @property
    def sole_holder_text(self) -> str:
        """Return the start of a sentence that names the only program with secrets; empty if there are several."""
        if not self.own:
            return f"The host has the secrets of {_join_list(self.hosted_roles)}"
        if len(self.programs) == 1 and not self.hosted_roles:
            return f"One program has the secrets of {_join_list(self.own)}"
        return ""

    def undecided(self) -> Row:
        """Return the row for a promise that was not checked because the match was played under other rules."""
        text = f"The match was played with different rules (version {self.header.rules_version})"
        return (
            "not proved",
            f"{text}; the current rules were not applied, so only signatures and order are checked.",
        )

    # -- P1

    def hands(self) -> Row:
        if not self.own:
            return "not proved", self._hosted_hands_text()
        others = "seats of other players" if self.shared else "other seats"
        text = f"{_join_list(self.own)}: secret until the seat opens a card or command as the rules require"
        text = f"{text}, even if the host and all {others} cheat together."
        text = (
            f"{text} Hands in one program: {self._shared_programs_text()}." if self.shared else text
        )
        text = f"{text} {self._hosted_hands_text()}" if self.hosted_roles else text
        place = "Each seat's program reported where its secrets are; nothing proves it."
        review = "This protocol has had no independent review."
        extent: Extent = "partly" if self.hosted_roles or self.shared else "proved"
        return extent, f"{text} {place} {review}"

    def _shared_programs_text(self) -> str:
        return ", ".join(map(_join_roles, self.shared))

    def _hosted_hands_text(self) -> str:
        return f"{_join_list(self.hosted_roles)}: the host can read {_hands(self.hosted_roles)}."

    # -- P2

    def chance(self) -> Row:
        if self.sole_holder_text:
            return "not proved", f"{self.sole_holder_text}, {_CHOOSES_ALL}"
        honest = f"If the program of {_either_of(self.programs)} is honest"
        text = (
            f"{honest}, all results are uniform, and nobody knew them before the command was fixed"
        )
        note = "How a hidden command uses them is covered under legality."
        return "proved", (
            f"{text}, even if all others cheat together.{self._counted_as_host()} {note}"
        )

    def _counted_as_host(self) -> str:
        if not self.hosted_roles:
            return ""
        count = "counts" if len(self.hosted_roles) == 1 else "count"
        text = f"{_join_list(self.hosted_roles)}: {count} as the host"
        return f" {text}, since the host has the secrets of {_join_list(self.hosted_roles)}."

    # -- P3

    def deal(self) -> Row:
        if self.is_closed and not self.missing:
            return (
                "proved",
                "Every deck contains exactly its cards, without duplicates: all card seeds have been revealed.",
            )
        text = "Every mix that a throw has challenged is proved, with an error probability of 2^-20"
        if self.sole_holder_text:
            text = f"{self.sole_holder_text} and could predict each challenge to a mix"
        if not self.is_closed:
            rest_text = "Cards of decks and hands are compared with the card seeds"
            when_text = "" if self.findings.is_ended else ", after the end"
            return (
                "partly",
                f"{text}.{_without_proof(self.findings.unproven)} {rest_text}{when_text}.",
            )
        mixes = [mix for mix in self.findings.unproven if mix.owner in self.missing]
        names = f"{_join_list(self.missing)} {_has(self.missing)} not revealed its card seed"
        return "partly", f"{text}. {names}.{_without_proof(mixes)}"

    # -- P4

    def authorship(self) -> Row:
        text = "Each command is signed by its seat for its position; even the host and all other seats together"
        text = f"{text} cannot forge one."
        if self.hosted_roles:
            keys = "key" if len(self.hosted_roles) == 1 else "keys"
            text = f"{text} But the host has the {keys} of {_join_list(self.hosted_roles)}."
        if self.shared:
            text = f"{text} Keys in one program: {self._shared_programs_text()}."
        endings = [
            statement
            for statement in map(record_statement, self.records)
            if isinstance(statement, Ending)
        ]
        if any(statement.how == "time" for statement in endings):
            text = f"{text} The match ended because time ran out, on the host's word alone."
        if any(statement.how == "stopped" for statement in endings):
            text = f"{text} The match was stopped because no message arrived for too long, on the host's word alone."
        for record in self.records:
            if record.kind == "ending" and record.command is not None:
                text = f"{text}{self._resignation_text(record)}"
        if any(record.kind in {"remark", "resumption"} for record in self.records):
            text = f"{text} Remarks and resumptions are not signed: nothing proves who made them."
        return "partly" if self.hosted_roles else "proved", f"{text} No file shows who owns a key."

    @staticmethod
    def _resignation_text(record: Record) -> str:
        statement = record_statement(record)
        if not isinstance(statement, Ending) or statement.how != "resigned":
            return ""
        if len(statement.by) == 1:
            return ""
        return f" {record.role} alone signed the resignation of its side."

    def consent(self) -> Row:
        kinds = Counter(kind for record in self.records if (kind := _agreement(record)) is not None)
        if not kinds:
            return "nothing", "Nothing was agreed on."
        agreements = _join_list([f"{count} {kind}" for kind, count in sorted(kinds.items())])
        return "proved", f"{agreements}, each with the signatures of all who had to agree."

    # -- P5, P6

    def legality(self) -> Row:
        if self.is_closed and not self.missing:
            return "proved", _LEGAL
        public_text = "Open commands and public results follow the rules"
        if not self.is_closed:
            when_text = "" if self.findings.is_ended else ", after the end"
            return (
                "partly",
                f"{public_text}. Hidden choices are checked with the card seeds{when_text}.",
            )
        text = f"{public_text}. Hidden choices of {_join_list(self.missing)} stay unproven"
        has_other_seats = len(self.missing) < len(self.own) + len(self.hosted_roles)
        rest_text = (
            " Those of the other seats were checked with their card seeds."
            if has_other_seats
            else ""
        )
        return "partly", f"{text}.{rest_text}"

    # -- P7

    @staticmethod
    def blame() -> Row:
        text = "Valid evidence never blames an honest seat, even if the host and all other seats cheat together."
        return (
            "proved",
            f"{text} A false record alone blames no one: check the evidence (--evidence).",
        )

    # -- P8

    def history(self) -> Row:
        if self.findings.compared:
            last = self.records[self.findings.compared - 1].seq
            return "proved", f"The same as the other copy, up to record {last}."
        if self.is_closed and not self.missing and self.seats_sign_end:
            return "proved", "Every seat has signed this history to its end."
        chain = self.records[-1].chain.hex()[:_CHAIN_DIGITS]
        compare = f"compare the chain value {chain} with the others"
        # Without the rules, nothing shows which messages belong to a throw.
        if not self.findings.decided:
            return "not proved", f"The current rules were not applied: {compare}."
        last_throw = next(
            (record.seq for record in reversed(self.records) if self._has_throw(record)), None
        )
        if last_throw is None:
            return "not proved", f"No throw has confirmed a common history yet: {compare}."
        text = f"Every seat has signed one history up to the throw of record {last_throw}"
        return "partly", f"{text}. For later records, {compare}."

    def _has_throw(self, record: Record) -> bool:
        """Return whether a record contains reveals from all parties. The match may end during a throw."""
        messages = () if record.transcript is msgspec.UNSET else record.transcript.messages
        revealed = {message.author for message in messages if message.kind == "reveal"}
        return revealed.issuperset([*self.own, *self.hosted_roles])


class _DealerCopyReport(_CopyReport):
    """Writes the report on a copy of a match whose host deals.

    Anything that depends on the host's secret is not proved until the secret is known.
    """

    seats_sign_end = False

    @override
    def hands(self) -> Row:
        text = "The host could read every hand and every hidden command. Other seats and spectators could not"
        return "not proved", f"{text}, unless the host showed them."

    @override
    def chance(self) -> Row:
        if not self.own:
            return "not proved", f"{self.sole_holder_text}, {_CHOOSES_ALL}"
        if not self.findings.has_secret:
            return (
                "partly",
                f"Each throw contains a reveal from every party. {self._unchecked_until_end_text('Results')}",
            )
        honest = f"If the program of {_either_of([('the host',), *self.programs])} is honest"
        return "proved", (
            f"Each die and draw was checked with the host's secret. {honest}, nobody can have chosen or predicted any"
            f" of them, even if all others cheat together.{self._counted_as_host()}"
        )

    @override
    def deal(self) -> Row:
        if not self.own:
            return "not proved", f"{self.sole_holder_text}, {_CHOOSES_ALL}"
        if not self.findings.has_secret:
            return (
                "partly",
                f"Its randomness contains a reveal from every party. {self._unchecked_until_end_text('Cards')}",
            )
        return "proved", (
            "Dealt by the host with randomness from all parties. If the program of"
            f" {_either_of(self.programs)} is honest, the host could not choose any card."
        )

    @override
    def legality(self) -> Row:
        if self.findings.has_secret:
            return "proved", _LEGAL
        public = "What does not depend on dice or hidden cards follows the rules"
        return "partly", f"{public}. {self._unchecked_until_end_text('The rest')}"

    def _unchecked_until_end_text(self, subject: str) -> str:
        when = "" if self.findings.is_ended else ", after the end"
        verb = "is" if subject == "The rest" else "are"
        return f"{subject} {verb} checked with the host's secret{when}."


_LEGAL: Final = (
    "Every command was legal, including hidden ones, and the rules produce exactly these events."
)


def _programs(header: Header, roles: Sequence[Role]) -> Sequence[Sequence[Role]]:
    """Group roles by player, because one program plays all of a player's roles."""
    players = {seat.role: seat.player for seat in header.seats}
    roles_by_player: dict[str, list[Role]] = {}
    for role in roles:
        # A role whose player has no name counts as a separate program.
        roles_by_player.setdefault(players.get(role) or f"/{role}", []).append(role)
    return tuple(roles_by_player.values())


def _without_proof(mixes: Sequence[UnprovenMix]) -> str:
    """Return a sentence about mixes without a proof, to append to a row; empty if every mix has a proof."""
    if not mixes:
        return ""
    piles = _join_list(list(dict.fromkeys(f"{mix.pile} of {mix.owner}" for mix in mixes)))
    count = f"{len(mixes)} later mix has" if len(mixes) == 1 else f"{len(mixes)} later mixes have"
    return f" {count} no proof ({piles})."


def _agreement(record: Record) -> str | None:
    """Return the kind of agreement that a record contains, or None if the record contains no agreement."""
    if record.takeback_to is not None:
        return "takeback"
    statement = record_statement(record)
    if isinstance(statement, Adjournment):
        return "adjournment"
    return "draw" if isinstance(statement, Ending) and statement.how == "draw" else None


def _hands(roles: Sequence[Role]) -> str:
    return "this hand" if len(roles) == 1 else "these hands"


def _has(roles: Sequence[Role]) -> str:
    return "has" if len(roles) == 1 else "have"


def _join_roles(program: Sequence[str]) -> str:
    return "+".join(program)


def _either_of(programs: Sequence[Sequence[str]]) -> str:
    phrases = list(map(_join_roles, programs))
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _join_list(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
