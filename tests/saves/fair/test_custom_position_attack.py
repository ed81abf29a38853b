"""Files that anyone can make against the honest host of a match from a custom position: another position."""

from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from engine.eots.ids import Side
from engine.eots.position import Position
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from saves.decoding import canonical
from saves.fair.dealer import Dealer
from saves.fair.evidence import Case, Evidence, FalseSeed, RefusedMessage, encode_evidence
from saves.fair.evidence_file import known_copy, verify_evidence
from saves.fair.fold import initial_fair_state
from saves.fair.setup import fair_terms, full_header, match_setup, new_fair_header, own_setup
from saves.fair.transcript_log import TranscriptLog
from saves.headers import Header, encode_header
from saves.verify import verify_file
from tests.netplay.fair.match import CopyOfMatch, FairMatch

change = msgspec.structs.replace
PLAYERS = {Role("japan"): "Ann", Role("allied"): "Ben"}


def position_with_hands(dice_seed: int) -> Position:
    """A position in which both players hold cards. Another seed gives them other cards."""
    game = ruleset("eots")
    opening = game.open_game(
        game.position("1943", {}), DerivedDice(bytes([dice_seed]) + bytes(31), 0)
    )
    position: Position = game.to_position(game.fold(game.initial_state(), opening))
    return position


class CustomMatch(FairMatch):
    """A match of honest programs from a custom position."""

    def __init__(self, position: Position) -> None:
        super().__init__("eots", "1943", seed=32, deals=False, players=PLAYERS)
        game, secret = self.game, self.secret
        terms = fair_terms(self.header)
        public = new_fair_header(game, self.match_id, "", {}, terms, secret, position)
        full = full_header(game, public, secret, position)
        terms = change(terms, setup=own_setup(game, full))
        seats = self.header.seats
        self.header, self.full = (change(one, fair=terms, seats=seats) for one in (public, full))
        self.setup = match_setup(game, self.header)
        known = match_setup(game, self.full)
        log, dealer = TranscriptLog(known), Dealer(known, secret)
        log.listeners.append(dealer.follow)
        self.host = Sequencer(log, self.host_key, dealer)
        first = initial_fair_state(self.setup)
        self.seats = {role: Participant(first, one) for role, one in self.secrets.items()}
        self.record_files = {None: CopyOfMatch(self.setup, self.header, None, self)}
        self.full_copy = None

    def dealt_copy(self) -> CopyOfMatch:
        """Return the host's full copy of the closed match."""
        known = match_setup(self.game, self.full)
        copy, dealer = CopyOfMatch(known, self.full, None, self), Dealer(known, self.secret)
        copy.log.listeners.append(dealer.follow)
        copy.header = self.full
        for signed in self.host.messages:
            assert copy.log.add(signed) is None
            if copy.log.is_complete:
                copy.keep(copy.built(dealer))
        return copy

    @override
    def finish(self) -> None:
        self.submit(next(iter(self.seats.values())).sign_resignation())
        assert self.host.reveal_secret() is None
        self.settle()
        assert self.host.close() is None
        self.deliver()


@pytest.fixture(scope="module")
def match() -> CustomMatch:
    match = CustomMatch(position_with_hands(1))
    match.start()
    match.finish()
    return match


def with_other_hands(match: CustomMatch) -> Header:
    """The public header, with a position that looks the same to everyone but has other hidden cards."""
    return change(match.header, position=canonical(position_with_hands(2)))


@pytest.mark.parametrize("kind", ["refused message", "false seed"])
def test_at_29_other_position_does_not_blame_the_host(
    match: CustomMatch, tmp_path: Path, kind: str
) -> None:
    messages = tuple(match.host.messages)
    case: Case = FalseSeed(messages, "")
    if kind == "refused message":
        case = RefusedMessage(messages, b"", None)
    false, own = tmp_path / "false.evidence7", tmp_path / "own.fplog"
    false.write_bytes(encode_evidence(Evidence(encode_header(with_other_hands(match)), case)))
    match.record_files[None].write(own)
    assert verify_file(own).status == "ok", verify_file(own).finding
    verdict = verify_evidence(false, known_copy(own))
    assert verdict.status == "does not hold", str(verdict)


@pytest.mark.parametrize("audience", ["", "*"])
def test_other_position_in_the_compared_copy_does_not_blame_the_host(
    match: CustomMatch, tmp_path: Path, audience: str
) -> None:
    own, other = tmp_path / "own.fplog", tmp_path / "other.fplog"
    copy = match.record_files[None]
    copy.write(own)
    false = CopyOfMatch(match.setup, match.header, None, match)
    secret = match.secret if audience else None
    false.header = change(with_other_hands(match), audience=audience, secret=secret)
    false.records = copy.records
    false.write(other)
    verdict = verify_file(own, against=other)
    assert verdict.finding is None or "other copy" in verdict.finding.problem, verdict.finding
    assert not verdict.evidence


def test_p3_position_with_a_duplicate_card_is_not_accepted(tmp_path: Path) -> None:
    """The host alone knows the hidden cards of a custom position. The rules allow each card only once."""
    position = position_with_hands(1)
    japan = position.decks[Side.JAPAN]
    twice = change(japan, hand=(*japan.hand[:-1], japan.hand[0]))
    position = change(position, decks={**position.decks, Side.JAPAN: twice})
    with pytest.raises(DataError):
        ruleset("eots").check_position(position)
    match = CustomMatch(position)
    match.start()
    match.finish()
    own, full = tmp_path / "own.fplog", tmp_path / "full.fplog"
    match.record_files[None].write(own)
    match.dealt_copy().write(full)
    for verdict in (verify_file(full), verify_file(own, against=full)):
        assert verdict.status == "false", verdict.notes
        assert not any(note.startswith("proved") for note in verdict.notes)


def test_full_copy_from_a_valid_position_is_proved(match: CustomMatch, tmp_path: Path) -> None:
    own, full = tmp_path / "own.fplog", tmp_path / "full.fplog"
    match.record_files[None].write(own)
    match.dealt_copy().write(full)
    for verdict in (verify_file(full), verify_file(own, against=full)):
        assert verdict.status == "ok", verdict.finding
        assert any(note.startswith("proved") for note in verdict.notes)
