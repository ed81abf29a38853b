"""Exports and imports a game as text: a header, one line per command in the game's notation, and result comments.

The text of a full copy contains all data needed to replay the game. An import replays every command and must produce
the same final chain value. The text of a redacted copy can be read but not imported.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import msgspec

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.memo import CachedState
from engine.kernel.numerals import is_count
from saves.clocks import Clock
from saves.codec import AnyGame
from saves.decoding import canonical, convert, decode
from saves.entries import decode_command, record_statement, visible_events
from saves.headers import FULL, Header, Seat
from saves.jsonlines import ImportRefusedError
from saves.match import Match, PartyContributions, match_id_of
from saves.protocol6.parties import Consent, Links, Party
from saves.records import MAX_RECORD_BYTES, Record
from saves.remarks import Remark, make_remark
from saves.statements import TAGS, Adjournment, Ending, Resumption, Statement, TimeSpent
from saves.terms import statement_text
from saves.timeline import attribute_errors

TITLE: Final = "flagplot game 1"
_HIDDEN_MARK: Final = "?"
_NARRATOR: Final = "-"
_ROLES_JOIN: Final = ","
_MAX_TIME_DIGITS: Final = 16
"""Maximum number of digits in a time in milliseconds."""
_MORE_LINES: Final = "+"
"""First word of a line that contains a party's contribution to the record above it."""


class TextHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text's header. Each field has its own line, with its value in JSON."""

    game: str
    edition: str
    rules: int
    data: str
    scenario: str
    options: dict[str, str]
    seats: tuple[Seat, ...]
    audience: str
    position: str | None = None
    """The starting position as hex-encoded MessagePack; None if it is the scenario's standard position."""
    secret: str | None = None
    """Match secret in hex; None if the copy does not contain the secret."""
    match: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")] | None = None
    """The match id; None if it can be derived from the secret alone or if the copy has no secret."""
    clock: Clock | None = None
    parties: tuple[Party, ...] | None = None
    """The parties, with keys in base64; None if the match has no parties."""
    fair: int | None = None
    """Protocol number of a match with a transcript; None for other matches. The text omits the transcript."""


def text_lines(game: AnyGame, header: Header, records: Sequence[Record]) -> Iterator[str]:
    """Yield a game's lines without line endings.

    Raises:
        BrokenChainError: The rules cannot describe a record.
    """
    yield TITLE
    for name, value in msgspec.to_builtins(_make_head(game, header)).items():
        if value is not None:
            yield f"{name} {json.dumps(value)}"
    for record in records:
        with attribute_errors(record.seq):
            step = _step_line(game, record)
            words = statement_text(game, record)
            sentences = (
                *((words,) if words else ()),
                *game.log_sentences(visible_events(game, record)),
            )
        yield f"{record.seq} {step}".rstrip()
        yield from _contribution_lines(record)
        yield from (f"# {line}" for text in sentences for line in text.splitlines())
    yield f"chain {records[-1].chain.hex()}"


def read_text(
    lines: Sequence[str], ruleset: AnyGame | None = None
) -> tuple[Header, Sequence[Record]]:
    """Replay a game from the text that :func:`text_lines` wrote.

    Args:
        lines: All lines; empty lines and those that begin with ``#`` are ignored.
        ruleset: The rules; None selects the rules named in the header.

    Raises:
        ImportRefusedError: The text is not a complete game, or the current rules replay it differently.
        FlagplotError: The rules do not allow a command, or the game is unknown.
    """
    content_lines = [line.strip() for line in lines]
    content_lines = [line for line in content_lines if line and not line.startswith("#")]
    if not content_lines or content_lines[0] != TITLE:
        raise ImportRefusedError(f"the text does not begin with '{TITLE}'")
    count = next(
        (index for index, line in enumerate(content_lines) if line[0].isdigit()), len(content_lines)
    )
    head = _read_head(content_lines[1:count])
    game = registry.ruleset(head.game) if ruleset is None else ruleset
    if (head.edition, head.rules, head.data) != (game.edition, game.version, game.data_digest):
        raise ImportRefusedError(
            "the game was played under different rules; export it as JSON lines instead"
        )
    if content_lines[count : count + 1] != ["0 opening"]:
        raise ImportRefusedError("the game does not begin with the line '0 opening'")
    if len(content_lines) < count + 2:  # the opening and the chain value
        raise ImportRefusedError("the text ends after its opening, without the chain value")
    steps = list(_group_steps(content_lines[count:-1]))
    match = _create_match(game, head, _read_contributions(steps[0][1]).links)
    for line, extra_lines in steps[1:]:
        _execute(match, line, _read_contributions(extra_lines))
    for record, (line, extra_lines) in zip(match.records, steps, strict=True):
        # The replay ignores contributions that a record does not need. Only this comparison finds
        # them.
        if list(_contribution_lines(record)) != list(extra_lines):
            raise ImportRefusedError(f"the lines below '{line}' do not match that record")
    if content_lines[-1] != f"chain {match.chain.hex()}":
        raise ImportRefusedError("the last line is not the chain value of the replayed game")
    return match.header, match.records


def _make_head(game: AnyGame, header: Header) -> TextHead:
    position = header.position
    if position is not None and header.scenario:
        scenario_position = canonical(game.position(header.scenario, header.options))
        position = None if scenario_position == position else position
    return TextHead(
        game=header.game,
        edition=header.edition,
        rules=header.rules_version,
        data=header.data_digest,
        scenario=header.scenario,
        options=dict(sorted(header.options.items())),
        seats=header.seats,
        audience=header.audience,
        position=None if position is None else position.hex(),
        secret=None if header.secret is None else header.secret.hex(),
        match=_match_id(header),
        clock=None if header.clock is msgspec.UNSET else header.clock,
        parties=None if header.parties is msgspec.UNSET else header.parties,
        fair=None if header.fair is msgspec.UNSET else header.fair.fair,
    )


def _match_id(header: Header) -> str | None:
    """Return the match id, or None if the secret is unknown or sufficient to derive the id."""
    is_derived = header.secret is None or header.match_id == match_id_of(header.secret)
    return None if is_derived else header.match_id


def _step_line(game: AnyGame, record: Record) -> str:
    if record.command is not None:
        command = decode_command(game, record.command)
        if record.kind != "command":
            return f"{record.kind} {record.role or _NARRATOR} {_statement_text(record)}"
        line = _HIDDEN_MARK if command is None else game.notation.line(command)
        return f"{record.role} {line}"
    if record.takeback_to is not None:
        return f"takeback {record.takeback_to} {record.role}"
    return record.kind


def _statement_text(record: Record) -> str:
    """Format a record's statement as the rest of its line; empty if it needs no text."""
    match record_statement(record):
        case Remark(text=text):
            return json.dumps(text)
        case Ending(how=how, by=by):
            return f"{how} {_ROLES_JOIN.join(by)}"
        case Adjournment(by=by):
            return _ROLES_JOIN.join(by)
        case TimeSpent(spent=spent):
            return " ".join(f"{role}={spent[role]}" for role in sorted(spent))
        case _:
            return ""


def _read_statement(line: str, kind: str, words: str) -> Statement | None:
    """Parse the statement in the rest of a line. Return None if the record's kind has no statement.

    Raises:
        FlagplotError: The statement is malformed.
    """
    match kind, words.split():
        case "remark", _:
            return make_remark(_remark_text(line, words))
        case "ending", [how, by]:
            ending: Ending = convert({"how": how, "by": by.split(_ROLES_JOIN)}, Ending)
            return ending
        case "adjournment", [by]:
            return Adjournment(by=tuple(Role(role) for role in by.split(_ROLES_JOIN)))
        case "resumption", []:
            return Resumption()
        case "clock", [_, *_] as dials:
            pairs = [pair.partition("=") for pair in dials]
            spent = {role: int(time) for role, _, time in pairs if _is_time_text(time)}
            statement: TimeSpent = convert({"spent": spent}, TimeSpent)
            # A malformed time or a repeated role makes the map shorter than the line.
            return statement if len(spent) == len(dials) else None
        case _:
            return None


def _is_time_text(word: str) -> bool:
    # isdecimal() alone would also accept digits of other scripts, which exports never contain.
    return word.isascii() and word.isdecimal() and len(word) <= _MAX_TIME_DIGITS


def _contribution_lines(record: Record) -> Iterator[str]:
    """Yield the lines for the parties' contributions that are visible in this copy of a record."""
    if record.signature is not msgspec.UNSET and record.signature.body is not None:
        yield f"{_MORE_LINES} signature {record.signature.body.hex()}"
    if record.links is not msgspec.UNSET:
        yield " ".join([_MORE_LINES, "links", *(link.hex() for link in record.links)])
    if record.consents is not msgspec.UNSET:
        for consent in record.consents:
            yield f"{_MORE_LINES} consent {consent.role} {consent.signature.hex()}"


class _Contributions(msgspec.Struct):
    """The parties' contributions to a record, parsed from the lines below the record's line."""

    signature: bytes = b""
    links: Links | None = None
    consents: tuple[Consent, ...] = ()


def _read_contributions(lines: Sequence[str]) -> _Contributions:
    contributions = _Contributions()
    for line in lines:
        try:
            match line.split()[1:]:
                case ["signature", signature]:
                    contributions.signature = bytes.fromhex(signature)
                case ["links", *links]:
                    contributions.links = tuple(bytes.fromhex(link) for link in links)
                case ["consent", role, signature]:
                    consent = Consent(role=Role(role), signature=bytes.fromhex(signature))
                    contributions.consents = (*contributions.consents, consent)
                case _:
                    raise ImportRefusedError(f"cannot read '{line}'")
        except ValueError as error:
            raise ImportRefusedError(f"'{line}' is not in hex") from error
    return contributions


def _read_head(lines: Sequence[str]) -> TextHead:
    fields: dict[str, object] = {}
    try:
        for line in lines:
            name, _, value = line.partition(" ")
            fields[name] = json.loads(value)
        head: TextHead = convert(fields, TextHead)
    except (FlagplotError, ValueError, RecursionError) as error:
        raise ImportRefusedError(f"the text's header is invalid: {error}") from error
    if head.fair or any(party.cards is not msgspec.UNSET for party in head.parties or ()):
        raise ImportRefusedError(
            "the seats of this match dealt the cards themselves, and the text does not record how;"
            " export it as JSON lines instead"
        )
    if head.audience != FULL or head.secret is None:
        raise ImportRefusedError(
            "a redacted copy omits hidden information; import the text of a full copy instead"
        )
    return head


def _create_match(game: AnyGame, head: TextHead, links: Links | None) -> Match[CachedState]:
    try:
        secret = bytes.fromhex(head.secret or "")
        if head.position is None:
            position = game.position(head.scenario, head.options)
        else:
            decoder = msgspec.msgpack.Decoder(game.position_type)
            position = decode(decoder, bytes.fromhex(head.position), MAX_RECORD_BYTES)
            game.check_position(position)
        joint = None if head.parties is None else PartyContributions(head.parties, links)
        return Match.create(
            game,
            position,
            head.scenario,
            head.options,
            head.seats,
            secret,
            contributions=joint,
            clock=head.clock,
            match_id=head.match or "",
        )
    except ValueError as error:
        raise ImportRefusedError(f"the text's header is invalid: {error}") from error


def _group_steps(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each record's line together with the contribution lines below that line."""
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or not lines[end].startswith(_MORE_LINES):
            yield lines[start], lines[start + 1 : end]
            start = end


def _execute(match: Match[CachedState], line: str, contributions: _Contributions) -> None:
    """Execute one line of the text."""
    # The rest of the line is not split, because it may contain a remark in quotation marks.
    words = line.split(maxsplit=2)
    if words[0] != str(match.seq + 1):
        raise ImportRefusedError(f"'{line}' appears where record {match.seq + 1} is expected")
    match words[1:]:
        case ["reveal"]:
            match.reveal()
        case ["takeback", rest]:
            to_seq, _, role = rest.partition(" ")
            if not is_count(to_seq):
                raise ImportRefusedError(f"'{line}' does not name a record to go back to")
            match.take_back(int(to_seq), Role(role.strip()), contributions.consents or None)
        case [kind, rest] if kind in TAGS:
            role, _, text = rest.partition(" ")
            statement = _read_statement(line, kind, text)
            if statement is None:
                raise ImportRefusedError(f"cannot read '{line}'")
            author = Role(role if role != _NARRATOR else "")
            match.add_statement(author, statement, contributions.consents or None)
        case [role, command]:
            order = match.ruleset.notation.parse(command)
            match.submit(Role(role), order, match.seq, contributions.signature, contributions.links)
        case _:
            raise ImportRefusedError(f"cannot read '{line}'")


def _remark_text(line: str, word: str) -> str:
    try:
        return str(json.loads(word))
    except (ValueError, RecursionError) as error:
        raise ImportRefusedError(f"'{line}' contains no text in quotation marks") from error
