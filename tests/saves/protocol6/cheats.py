"""Cheating hosts and peers, one program for each, and the verdict that each must get."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from typing_extensions import override

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.commitments import compute_commitment
from saves.entries import build_record, decode_command, visible_events
from saves.headers import Header
from saves.match import Match
from saves.protocol6.parties import Consent, Links, Party
from saves.protocol6.signing import command_message, consent_message, promise_message
from saves.records import Entry, Record
from saves.redaction import redact_record
from tests.saves.play import linked
from tests.saves.protocol6.joint import Table, asked
from tests.saves.protocol6.program.keys import PartyKeys
from tests.saves.protocol6.program.signed_texts import command_text, takeback_text
from tests.toy_game import Roll


class Forgery(NamedTuple):
    """The forgery that a cheating host distributes instead of the true game."""

    header: Header
    records: Sequence[Record]
    record: int
    """Number of the forged record; -1 for the header."""
    words: str
    """A regular expression for the verdict."""
    shows: tuple[Role | None, ...] = ()
    """Roles whose copies reveal the forgery, in addition to the full copy; None is a spectator."""


Host: TypeAlias = Callable[[Table, random.Random], Forgery | None]
"""Creates a forgery from an honest game; returns None if this game has no place for it."""
FORGER: Final = PartyKeys(bytes(32))
"""Keys of a party that is not in the match."""
HOSTS: Final[dict[str, Host]] = {}


def host(cheat: Host) -> Host:
    """Register a cheating host's program by name."""
    HOSTS[cheat.__name__] = cheat
    return cheat


def commands(table: Table) -> list[Record]:
    return [record for record in table.match.records if record.kind == "command"]


def given_in(table: Table, record: Record) -> Command:
    assert record.command is not None
    command = decode_command(table.match.ruleset, record.command)
    assert command is not None
    return command


def thrown(table: Table) -> list[Record]:
    return [record for record in table.match.records if record.links is not UNSET]


def everybody(table: Table) -> tuple[Role | None, ...]:
    return (*table.keys, None)


def seeing(table: Table, record: Record) -> tuple[Role | None, ...]:
    """Return the roles that see a command, and therefore its signature, in full."""
    rules = table.match.ruleset
    copies = ((role, redact_record(rules, record, role)) for role in everybody(table))
    return tuple(role for role, copy in copies if copy.command and copy.command.salt)


def forged(table: Table, record: Record, words: str, shows: Sequence[Role | None]) -> Forgery:
    """Return the game with one record replaced and all later hashes recomputed."""
    records = list(table.match.records)
    records[record.seq] = record
    header = table.match.header
    return Forgery(header, linked(header, records), record.seq, words, tuple(shows))


def rebuilt(table: Table, record: Record, **changes: Any) -> Record:  # noqa: ANN401 - fields of a record
    """Return a record with other content, with the salts and commitments that a host can compute."""
    rules, secret = table.match.ruleset, table.match.header.secret
    assert secret is not None
    given = None if record.command is None else decode_command(rules, record.command)
    signature = b"" if record.signature is UNSET else record.signature.body or b""
    content = {
        "command": given,
        "events": visible_events(rules, record),
        "signature": signature,
        **changes,
    }
    draft = msgspec.structs.replace(record, role=content.pop("role", record.role))
    if "links" in content:
        draft = msgspec.structs.replace(draft, links=content.pop("links"))
    return build_record(
        rules, secret, draft, content["command"], content["events"], content["signature"]
    )


class LoadedDice(DerivedDice):
    """Dice that land one face higher than the parties' throw."""

    @override
    def randbelow(self, limit: int) -> int:
        return (super().randbelow(limit) + 1) % limit


class LoadedMatch(Match[Any]):
    """A host that loads the dice of one record."""

    target = 0

    @override
    def _dice(self, links: Links | None) -> DerivedDice:
        honest = super()._dice(links)
        if self.seq + 1 != self.target:
            return honest
        return LoadedDice(honest._secret, honest._record)


def _loaded(table: Table, rng: random.Random, target: int, words: str) -> Forgery | None:
    match = table.match

    class Loaded(LoadedMatch):
        pass

    Loaded.target = target
    header = match.header
    assert header.secret is not None
    roles = tuple(table.keys)
    again = Table(match.ruleset, header.scenario, header.options, roles, header.secret, Loaded)
    for record in match.records[1 : target + 1]:
        again.give(record.role, given_in(table, record))
    if again.match.records[target].events == match.records[target].events:
        return None  # there was only one item to pick
    again.play(5, seed=rng.randrange(1_000))
    return Forgery(header, again.match.records, target, words)


@host
def loaded_die(table: Table, rng: random.Random) -> Forgery | None:
    """Another face than the parties threw, after which all continue in good faith."""
    return _loaded(table, rng, rng.choice(thrown(table)[1:]).seq, "the rules give")


@host
def stacked_deal(table: Table, rng: random.Random) -> Forgery | None:
    """Other cards than the parties dealt."""
    return _loaded(table, rng, 0, "the rules give")


@host
def forged_command(table: Table, rng: random.Random) -> Forgery | None:
    """A command that the host signs with its own key."""
    record = rng.choice(commands(table))
    prev = table.match.records[record.seq - 1].chain
    signature = FORGER.sign(prev)
    words = f"the command attributed to {record.role} is not signed by {record.role}"
    return forged(table, rebuilt(table, record, signature=signature), words, seeing(table, record))


@host
def command_of_another(table: Table, rng: random.Random) -> Forgery | None:
    """The opponent's choice is replaced by one that suits the host better, with the same signature."""
    rules, match = table.match.ruleset, table.match
    for record in rng.sample(commands(table), len(commands(table))):
        state = match.state_at(record.seq - 1)
        given = given_in(table, record)
        others = [each for each in rules.decision(state, record.role).options if each != given]
        if others:
            changed = rebuilt(table, record, command=rng.choice(others))
            words = f"attributed to {record.role} is not signed by {record.role}"
            return forged(table, changed, words, seeing(table, changed))
    return None


@host
def unsigned_command(table: Table, rng: random.Random) -> Forgery | None:
    """A command without any signature."""
    record = msgspec.structs.replace(rng.choice(commands(table)), signature=UNSET)
    return forged(table, record, "is not signed by", everybody(table))


@host
def signature_of_another_role(table: Table, rng: random.Random) -> Forgery | None:
    """A command signed by another party than the one that it is attributed to."""
    record = rng.choice(commands(table))
    other = rng.choice([role for role in table.keys if role != record.role])
    entry, match_id = record.command, table.match.header.match_id
    assert entry is not None
    assert entry.body is not None
    what = (record.role, entry.tag, entry.v, entry.body)
    message = command_message(match_id, record.seq, record.prev, *what)
    changed = rebuilt(table, record, signature=table.keys[other].sign(message))
    return forged(table, changed, "is not signed by", seeing(table, record))


@host
def replayed_signature(table: Table, rng: random.Random) -> Forgery | None:
    """The signature that a party gave to an earlier command with the same content."""
    last: dict[tuple[Role, bytes | None], Record] = {}
    for record in rng.sample(commands(table), len(commands(table))):
        assert record.command is not None
        same = last.setdefault((record.role, record.command.body), record)
        if same is not record:
            assert same.signature is not UNSET
            changed = rebuilt(table, record, signature=same.signature.body)
            return forged(table, changed, "is not signed by", seeing(table, changed))
    return None


@host
def reordered_command(table: Table, rng: random.Random) -> Forgery | None:
    """Two consecutive commands in swapped order, each with its true signature."""
    records = list(table.match.records)
    pairs = [
        record
        for record, after in pairwise(records)
        if record.kind == after.kind == "command" and record.links is after.links is UNSET
    ]
    if not pairs:
        return None
    at = rng.choice(pairs).seq
    records[at], records[at + 1] = (
        rebuilt(table, msgspec.structs.replace(records[at + 1], seq=at)),
        rebuilt(table, msgspec.structs.replace(records[at], seq=at + 1)),
    )
    header = table.match.header
    return Forgery(
        header, linked(header, records), at, "is not signed by", seeing(table, records[at])
    )


@host
def dropped_command(table: Table, rng: random.Random) -> Forgery | None:
    """A history from which the host removes a command, so that the following ones have another predecessor."""
    records = list(table.match.records)
    at = rng.choice(commands(table)[:-1]).seq
    if records[at].links is not UNSET or records[at + 1].kind != "command":
        return None
    del records[at]
    records = [
        rebuilt(table, msgspec.structs.replace(record, seq=number)) if number >= at else record
        for number, record in enumerate(records)
    ]
    header = table.match.header
    return Forgery(
        header, linked(header, records), at, "is not signed by", seeing(table, records[at])
    )


def _relinked(
    table: Table, rng: random.Random, links: Callable[[Record, int], Links], words: str
) -> Forgery:
    record = rng.choice(thrown(table))
    index = thrown(table).index(record)
    changed = rebuilt(table, record, links=links(record, index))
    return forged(table, changed, words, everybody(table))


def _of(table: Table, rng: random.Random) -> tuple[int, Role, PartyKeys]:
    place = rng.randrange(len(table.keys))
    role = list(table.keys)[place]
    return place, role, table.keys[role]


def _changed(record: Record, place: int, link: bytes) -> Links:
    assert record.links is not UNSET
    return (*record.links[:place], link, *record.links[place + 1 :])


@host
def made_up_link(table: Table, rng: random.Random) -> Forgery | None:
    """The host's own number instead of a link."""
    place, role, _ = _of(table, rng)
    words = f"{role}'s link is not the one that was promised"
    return _relinked(
        table, rng, lambda record, _: _changed(record, place, rng.randbytes(32)), words
    )


@host
def old_link(table: Table, rng: random.Random) -> Forgery | None:
    """A link that was opened before; for the first record, the head itself."""
    place, role, keys = _of(table, rng)
    head = table.match.commitments.parties[place].head

    def old(record: Record, index: int) -> Links:
        return _changed(record, place, keys.link(rng.randrange(index)) if index else head)

    return _relinked(table, rng, old, f"{role}'s link is an old one")


@host
def later_link(table: Table, rng: random.Random) -> Forgery | None:
    """A second throw: the link after the next one, because the host did not like the next one."""
    place, role, keys = _of(table, rng)

    def later(record: Record, index: int) -> Links:
        return _changed(record, place, keys.link(index + 1))

    return _relinked(table, rng, later, f"{role}'s link is a later one")


@host
def link_of_another(table: Table, rng: random.Random) -> Forgery | None:
    """The right link of one party in place of another's."""
    place, role, _ = _of(table, rng)
    other = (place + 1) % len(table.keys)

    def swapped(record: Record, _: int) -> Links:
        assert record.links is not UNSET
        return _changed(record, place, record.links[other])

    whose = list(table.keys)[other]
    return _relinked(table, rng, swapped, f"{role}'s link is the next one of {whose}")


@host
def withheld_link(table: Table, rng: random.Random) -> Forgery | None:
    """A throw that continues without the last party."""
    role = list(table.keys)[-1]

    def short(record: Record, _: int) -> Links:
        assert record.links is not UNSET
        return record.links[:-1]

    return _relinked(table, rng, short, f"{role}'s link is missing")


@host
def chance_without_links(table: Table, rng: random.Random) -> Forgery | None:
    """A throw that the host makes alone, as in a match in which it is trusted."""
    record = rng.choice(thrown(table))
    return forged(table, rebuilt(table, record, links=UNSET), "the parties revealed no links", ())


@host
def links_without_chance(table: Table, rng: random.Random) -> Forgery | None:
    """An unnecessary throw, to use up links that the host does not like."""
    plain = [record for record in commands(table) if record.links is UNSET]
    if not plain:
        return None
    record = rng.choice(plain)
    index = sum(each.seq < record.seq for each in thrown(table))
    links = tuple(keys.link(index) for keys in table.keys.values())
    changed = rebuilt(table, record, links=links)
    return forged(table, changed, "the parties revealed links, but it needs no random results", ())


@host
def forged_consent(table: Table, rng: random.Random) -> Forgery | None:
    """A takeback to which the host consents in a party's name."""
    return _takeback(table, rng, FORGER.consent)


@host
def consent_to_something_else(table: Table, rng: random.Random) -> Forgery | None:
    """A takeback that goes back further than its parties agreed to."""
    return _takeback(table, rng, None)


def _takeback(
    table: Table, rng: random.Random, sign: Callable[[Role, bytes], Consent] | None
) -> Forgery | None:
    match = table.match
    at = rng.randrange(3, match.seq)
    asker, victim = rng.sample(list(table.keys), 2)
    place = ("takeback", match.header.match_id, at, match.records[at].prev)
    message = consent_message(*place, asker, 1)
    consents = [keys.consent(role, message) for role, keys in table.keys.items()]
    if sign is not None:
        consents[list(table.keys).index(victim)] = sign(victim, message)
        words = f"the consent attributed to {victim} is not signed by {victim}"
    else:
        first = next(iter(table.keys))
        words = f"the consent attributed to {first} is not signed by {first}"
    lie = _taken_back(match.records[at], asker, 1 if sign else 0, tuple(consents))
    records = linked(match.header, [*match.records[:at], lie])
    return Forgery(match.header, records, at, words, everybody(table))


def _taken_back(
    record: Record, asker: Role, to_seq: int, consents: tuple[Consent, ...] | UnsetType
) -> Record:
    """Return a takeback in place of a record."""
    return msgspec.structs.replace(
        record,
        kind="takeback",
        role=asker,
        command=None,
        events=(),
        links=UNSET,
        signature=UNSET,
        secret=None,
        takeback_to=to_seq,
        consents=consents,
    )


@host
def takeback_without_consent(table: Table, rng: random.Random) -> Forgery | None:
    """A takeback that the host grants alone."""
    match = table.match
    at = rng.randrange(3, match.seq)
    asker = rng.choice(list(table.keys))
    lie = _taken_back(match.records[at], asker, rng.randrange(at), UNSET)
    records = linked(match.header, [*match.records[:at], lie])
    words = f"a takeback without the consent of {next(iter(table.keys))}"
    return Forgery(match.header, records, at, words, everybody(table))


@host
def changed_head(table: Table, rng: random.Random) -> Forgery | None:
    """Another commitment in the header than the party made."""
    return _promised(table, rng, {"head": rng.randbytes(32)}, "are not signed with its key", -1)


@host
def party_of_the_host(table: Table, rng: random.Random) -> Forgery | None:
    """A party that the host invents in another's name after the game was played."""
    place, role, _ = _of(table, rng)
    mine = FORGER.party(table.match.header.match_id, role)
    changes = {"head": mine.head, "verify_key": mine.verify_key, "proof": mine.proof}
    return _promised(table, rng, changes, f"{role}'s link is not the one", 0, place)


@host
def promise_of_another(table: Table, rng: random.Random) -> Forgery | None:
    """Two parties with one chain, so that the first one to open reveals both links."""
    parties = table.match.commitments.parties
    keys = list(table.keys.values())[1]
    role = parties[1].role
    message = promise_message(table.match.header.match_id, role, parties[0].head)
    changes = {"head": parties[0].head, "proof": keys.sign(message)}
    return _promised(table, rng, changes, f"{role} repeats a key or commitment", -1, 1)


@host
def party_left_out(table: Table, rng: random.Random) -> Forgery | None:
    """A header without one party, which is then not asked for links and consents."""
    parties = table.match.commitments.parties
    header = msgspec.structs.replace(table.match.header, parties=tuple(parties[:-1]))
    opening = table.match.records[0]
    links = opening.links if opening.links is UNSET else opening.links[:-1]
    records = linked(header, [rebuilt(table, opening, links=links)])
    words = f"{parties[-1].role} made no commitments"
    return Forgery(header, records, -1, words, everybody(table))


def _promised(
    table: Table,
    rng: random.Random,
    changes: Mapping[str, Any],
    words: str,
    record: int,
    place: int | None = None,
) -> Forgery:
    parties: list[Party] = list(table.match.commitments.parties)
    at = rng.randrange(len(parties)) if place is None else place
    parties[at] = msgspec.structs.replace(parties[at], **changes)
    header = msgspec.structs.replace(table.match.header, parties=tuple(parties))
    records = linked(header, table.match.records)
    return Forgery(header, records, record, words, everybody(table))


@host
def another_secret_at_the_end(table: Table, rng: random.Random) -> Forgery | None:
    """Another secret is revealed than the one that was committed to."""
    records = list(table.match.records)
    if records[-1].kind != "reveal":
        return None
    secret = rng.randbytes(32)
    records[-1] = msgspec.structs.replace(records[-1], secret=secret)
    header = table.match.header
    shows = everybody(table)
    return Forgery(
        header,
        linked(header, records),
        len(records) - 1,
        "secret (does not match|is not the match secret)",
        shows,
    )


@host
def hidden_from_its_giver(table: Table, rng: random.Random) -> Forgery | None:
    """A command in the name of a party, hidden from that party."""
    record = rng.choice(commands(table))
    assert record.command is not None
    assert record.signature is not UNSET
    nothing = {"tag": "", "v": 0, "body": None, "salt": None}
    changed = msgspec.structs.replace(
        record,
        command=msgspec.structs.replace(record.command, **nothing),
        signature=msgspec.structs.replace(record.signature, **nothing),
    )
    words = f"a command in the name of {record.role} is hidden|the salt does not match"
    return forged(table, changed, words, (record.role,))


@host
def signature_with_another_salt(table: Table, rng: random.Random) -> Forgery | None:
    """A signature with a salt that does not follow from the secret, to be replaced later."""
    record = rng.choice(commands(table))
    entry = record.signature
    assert entry is not UNSET
    salt = rng.randbytes(16)
    other = compute_commitment(salt, entry.tag, entry.v, entry.body or b"")
    signature = Entry(tag=entry.tag, v=entry.v, body=entry.body, commitment=other, salt=salt)
    changed = msgspec.structs.replace(record, signature=signature)
    return forged(table, changed, "the signature's salt does not match", ())


def second_throws(table: Table, giver: Role) -> Iterator[Record]:
    """Yield records that the host and the acting player would prefer to the roll for which links were opened."""
    match, keys = table.match, table.keys[giver]
    throw, signature = asked(table, giver)
    links = table.links(throw)
    for command in match.ruleset.decision(match.state, giver).options:
        if command != Roll():
            other = keys.sign(command_text(match, giver, command))
            yield match.draft_command(giver, command, match.seq, other, links).record
    yield match.draft_remark("wait", Role("")).record
    good = match.draft_command(giver, Roll(), match.seq, signature, links).record
    cheap = msgspec.structs.replace(good, command=None, events=(), signature=UNSET, links=UNSET)
    message = takeback_text(match, giver, 0)
    consents = tuple(each.consent(role, message) for role, each in table.keys.items())
    back = msgspec.structs.replace(cheap, kind="takeback", takeback_to=0, consents=consents)
    yield linked(match.header, [*match.records, back])[-1]
