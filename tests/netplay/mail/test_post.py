"""Matches by move files: the game is the same for all, even if files are lost, duplicated or delayed."""

import contextlib
import random
import shutil
import zlib
from pathlib import Path

import msgspec
import pytest

from engine.kernel.errors import DataError, IllegalCommandError
from engine.kernel.ids import Role
from netplay.invites.host_keys import load_authority
from netplay.invites.identity import fingerprint, load_certificate
from netplay.invites.invite import Invite, load_invites, write_invites
from netplay.invites.invite_rotation import reissue, seat_keys
from netplay.mail.mail_host import MailHost
from netplay.mail.move_files.move_payload import (
    FORMAT,
    Envelope,
    ExchangeCertificates,
    MoveFile,
    MoveFileError,
    format_move_file,
    new_payload,
)
from netplay.mail.move_files.sealing import open_sealed
from netplay.mail.move_files.text_armour import armour
from netplay.mail.seat import MailPeer
from netplay.wire.errors import NetworkError, ProtocolError
from netplay.wire.padding import unpad
from play.offers import OfferKind
from play.standing_orders import ORDERS_SUFFIX, OrderBook
from saves.decoding import canonical
from saves.verify import verify_file
from tests.netplay.mail.post import Post, file_in
from tests.netplay.tables import PLAYERS, SIX_PLAYERS
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, Hold, Roll
from tests.toy_six import ASH, ELM, FIR, GEM, JET, ORE, ROLES, SIX, LetPass, Rest, SetTrap, Strike

STALE = "the game has changed in the meantime; look at it again"


def toy_post(folder: Path, scenario: str = "short") -> Post:
    return Post(folder, "toy", scenario, PLAYERS, RED)


async def begin(post: Post, role: Role = BLUE) -> None:
    await post.to_seat(role, await post.from_judge(role))


async def red_moves(post: Post, source: random.Random, most: int = 99) -> None:
    """Let the judge's own seat answer at the host."""
    async with post.desk() as desk:
        match = desk.table.match
        while most and RED in TOY.active_roles(match.state):
            options = TOY.decision(match.state, RED).options
            match.submit(RED, source.choice(options), match.seq)
            most -= 1


async def head(post: Post) -> int:
    async with post.desk() as desk:
        return desk.table.match.seq


async def play_on(post: Post, seed: int = 5) -> None:
    """Continue with files that all arrive; in a full run, to the end."""
    source = random.Random(seed)
    for _ in range(sized(2, 300)):
        await red_moves(post, source)
        await post.to_seat(BLUE, await post.from_judge(BLUE))
        async with post.seat(BLUE) as peer:
            if peer.copy.is_revealed:
                return
        if await post.move(BLUE, source):
            await post.to_judge(await post.from_seat(BLUE))
    async with post.desk() as desk, post.seat(BLUE) as peer:
        is_right(desk, peer)


def is_right(desk: MailHost, peer: MailPeer) -> None:
    """Check that both sides have one history, up to the end of the seat's copy."""
    match = desk.table.match
    assert peer.copy.chain == match.records[peer.seq].chain


@pytest.mark.parametrize("seed", range(sized(1, 12, 100)))
async def test_a_whole_game_with_lost_duplicate_and_late_files(tmp_path: Path, seed: int) -> None:
    post, source = toy_post(tmp_path), random.Random(seed)
    await begin(post)
    to_seat: list[str] = []
    to_judge: list[str] = []
    for _ in range(2000):
        await red_moves(post, source, source.randrange(3))
        if await post.move(BLUE, source, source.randrange(4)) or source.random() < 0.2:
            to_judge.append(await post.from_seat(BLUE))
        if source.random() < 0.5:
            to_seat.append(await post.from_judge(BLUE))
        if to_judge and source.random() < 0.5:  # any of the last few; some never, some twice
            await post.to_judge(source.choice(to_judge[-4:]))
        if to_seat and source.random() < 0.5:
            await post.to_seat(BLUE, source.choice(to_seat[-4:]))
        async with post.seat(BLUE) as peer:
            if peer.copy.is_revealed:
                break
    async with post.desk() as desk, post.seat(BLUE) as peer:
        judge = desk.table.match
        assert judge.is_revealed
        assert peer.copy.chain == judge.chain
        assert peer.copy.digest() == judge.view_digest(BLUE)
        path = peer.copy.path
    for copy in (path, post.hosted / f"{post.match}.fplog"):
        assert verify_file(copy, post.rules).exit_code == 0


@pytest.mark.full
@pytest.mark.parametrize("seed", range(sized(1, 6, 40)))
async def test_a_whole_game_of_six_seats_with_crossing_answers(tmp_path: Path, seed: int) -> None:
    """Windows ask several seats at once. Each writes its file without knowing the other answers."""
    post, source = Post(tmp_path, "six", "short", SIX_PLAYERS, None), random.Random(seed)
    for role in ROLES:
        await begin(post, role)
    for _ in range(400):
        movers = [role for role in ROLES if await post.move(role, source)]
        bag = [await post.from_seat(role) for role in movers]
        source.shuffle(bag)
        reports = [await post.to_judge(text) for text in bag]
        told = {one.text for report in reports for one in report.refused}
        assert told <= {STALE}  # another seat stopped the strike first
        async with post.desk() as desk:
            is_over = desk.table.match.is_revealed
            texts = {role: desk.write((role,)) for role in ROLES}
        for role, text in texts.items():
            if source.random() < 0.8 or is_over:
                await post.to_seat(role, text)
        if is_over:
            break
    async with post.desk() as desk:
        judge = desk.table.match
        assert SIX.outcome(judge.state) is not None
        for role in ROLES:
            async with post.seat(role) as peer:
                assert peer.copy.digest() == judge.view_digest(role)


async def test_crossing_answers_to_one_window_are_both_carried_out(tmp_path: Path) -> None:
    post = Post(tmp_path, "six", "short", SIX_PLAYERS, None)
    async with post.desk() as desk:
        match = desk.table.match
        for role, kind in ((ASH, Rest), (GEM, SetTrap), (ELM, Rest), (JET, SetTrap), (FIR, Strike)):
            options = SIX.decision(match.state, role).options
            match.submit(role, next(one for one in options if isinstance(one, kind)), match.seq)
        assert SIX.active_roles(match.state) == (GEM, JET)
    answers = []
    for role in (GEM, JET):
        await begin(post, role)
        async with post.seat(role) as peer:
            await peer.submit(LetPass())
            answers.append(peer.write())
    assert [(await post.to_judge(text)).carried_out for text in answers] == [1, 1]
    async with post.desk() as desk:
        assert SIX.active_roles(desk.table.match.state) == (ORE,)


def words_in(data: bytes) -> set[str]:
    """Return every word of a file, including the events of the records in its messages."""
    found: set[str] = set()
    todo: list[object] = [data]
    while todo:
        match todo.pop():
            case str() as word:
                found.add(word)
            case bytes() as packed:
                with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, ProtocolError):
                    todo.append(msgspec.msgpack.decode(unpad(packed)))
            case list() as items:
                todo += items
            case dict() as fields:
                todo += [*fields, *fields.values()]
            case _:
                pass
    return found


async def test_a_file_is_readable_only_by_its_seat(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    text = await post.from_judge(BLUE)
    async with post.desk() as desk:
        hands = desk.table.match.state.hands
    found = file_in(text)
    invite = post.invites[BLUE]
    content = open_sealed(
        found.sealed,
        canonical(found.outside),
        invite.key,
        invite.certificate,
        invite.authority,
    )
    inside = zlib.decompress(content)
    told = words_in(inside)
    assert {*hands[BLUE]} <= told
    assert told.isdisjoint(hands[RED])
    assert not any(card.encode() in found.sealed for card in (*hands[BLUE], *hands[RED]))
    with pytest.raises(MoveFileError, match="another seat"):
        await post.to_seat(RED, text)


async def test_a_duplicate_file_changes_nothing_and_is_reported(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    first = await post.from_judge(BLUE)
    assert (await post.to_seat(BLUE, first)).lines() == ("File 1 from Ada: 1 new record.",)
    told = await post.to_seat(BLUE, first)
    assert told.lines() == (
        "File 1 from Ada or a later one has already been imported; nothing has changed.",
    )
    await post.move(BLUE, random.Random(1))
    answer = await post.from_seat(BLUE)
    assert (await post.to_judge(answer)).lines() == ("File 1 from Bob: 1 command carried out.",)
    seq = await head(post)
    assert (await post.to_judge(answer)).lines() == (
        "File 1 from Bob or a later one has already been imported; nothing has changed.",
    )
    assert await head(post) == seq


@pytest.mark.full
async def test_commands_are_applied_once_after_the_host_loses_its_mailbox(tmp_path: Path) -> None:
    """This happens after a crash between storing the record and storing that its file was taken."""
    post = toy_post(tmp_path)
    await begin(post)
    await post.move(BLUE, random.Random(1))
    answer = await post.from_seat(BLUE)
    await post.to_judge(answer)
    seq = await head(post)
    (post.hosted / f"{post.match}.mail").unlink()
    report = await post.to_judge(answer)
    assert report.lines() == ("File 1 from Bob: its commands had already been carried out.",)
    assert await head(post) == seq
    await play_on(post)


@pytest.mark.full
async def test_a_missing_file_is_reported_without_data_loss(tmp_path: Path) -> None:
    post, source = toy_post(tmp_path, "middle"), random.Random(2)
    await begin(post)
    for _ in range(2):
        await post.move(BLUE, source)
        await post.to_judge(await post.from_seat(BLUE))
        await red_moves(post, source)
        await begin(post)
    kept = post.copies / "blue"
    backup = tmp_path / "backup"
    shutil.copytree(kept, backup)
    for _ in range(4):
        await red_moves(post, source)
        await begin(post)
        await post.move(BLUE, source)
        await post.to_judge(await post.from_seat(BLUE))
    later = await post.from_judge(BLUE)
    shutil.rmtree(kept)  # the seat's machine is restored to an older copy
    shutil.copytree(backup, kept)
    with pytest.raises(MoveFileError, match=r"earlier move file is missing: .*nothing is lost"):
        await post.to_seat(BLUE, later)
    await post.to_judge(await post.from_seat(BLUE))
    await begin(post)
    async with post.desk() as desk, post.seat(BLUE) as peer:
        assert peer.copy.chain == desk.table.match.chain
    await play_on(post)


async def test_a_seat_with_a_lost_copy_receives_the_whole_match_again(tmp_path: Path) -> None:
    post, source = toy_post(tmp_path, "middle"), random.Random(2)
    await begin(post)
    await post.move(BLUE, source)
    await post.to_judge(await post.from_seat(BLUE))
    await red_moves(post, source)
    shutil.rmtree(post.copies / "blue")
    with pytest.raises(MoveFileError, match="has not received a move file"):
        await post.from_seat(BLUE)
    with pytest.raises(MoveFileError, match="is missing"):
        await post.to_seat(BLUE, await post.from_judge(BLUE))
    await post.to_seat(BLUE, await post.from_judge(BLUE, whole=True))
    await play_on(post)


async def test_a_host_restored_to_an_older_record_resynchronises(tmp_path: Path) -> None:
    """The seat has records that the judge does not. Both report this, and the next file corrects it."""
    post, source = toy_post(tmp_path, "middle"), random.Random(3)
    await begin(post)
    backup = tmp_path / "backup"
    shutil.copytree(post.hosted, backup, ignore=shutil.ignore_patterns(".disk-test-*"))
    await post.move(BLUE, source)
    await post.to_judge(await post.from_seat(BLUE))
    await red_moves(post, source)
    await begin(post)
    shutil.rmtree(post.hosted)
    shutil.copytree(backup, post.hosted)
    await red_moves(post, random.Random(4))
    await post.move(BLUE, source)
    report = await post.to_judge(await post.from_seat(BLUE))
    assert report.differs
    report = await post.to_seat(BLUE, await post.from_judge(BLUE))
    assert "The copies differ" in " ".join(report.lines())
    await play_on(post)


async def test_a_withdrawn_command_in_a_late_file_is_ignored(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    async with post.seat(BLUE) as peer:
        await peer.submit(Hold())
        late = peer.write()
        assert peer.take_back() == (Hold(), True)
        newer = peer.write()
    await post.to_judge(newer)
    seq = await head(post)
    report = await post.to_judge(late)
    assert report.is_old
    assert await head(post) == seq


async def test_a_changed_answer_is_refused_if_the_first_was_carried_out(
    tmp_path: Path,
) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    async with post.seat(BLUE) as peer:
        await peer.submit(Hold())
        first = peer.write()
        peer.take_back()
        decision = peer.decision()
        assert decision is not None
        await peer.submit(decision.options[0])
        second = peer.write()
    await post.to_judge(first)
    report = await post.to_judge(second)
    assert [one.text for one in report.refused] == [STALE]
    told = await post.to_seat(BLUE, await post.from_judge(BLUE))
    assert "Not carried out" in " ".join(told.lines())
    async with post.seat(BLUE) as peer:
        assert peer.waiting_commands == ()


async def test_an_illegal_command_is_not_stored(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    async with post.seat(BLUE) as peer:
        with pytest.raises(IllegalCommandError):
            await peer.submit(Roll())
        await peer.submit(Hold())
        assert peer.decision() is None
        with pytest.raises((IllegalCommandError, NetworkError)):
            await peer.submit(Hold())
    async with post.seat(BLUE) as peer:
        assert peer.waiting_commands == (Hold(),)
        assert peer.unsent_count == 1


async def test_forged_and_foreign_files_are_refused(tmp_path: Path) -> None:
    post, other = toy_post(tmp_path / "one"), toy_post(tmp_path / "two")
    await begin(post)
    await begin(other)
    await post.move(BLUE, random.Random(1))
    answer = await post.from_seat(BLUE)
    with pytest.raises(MoveFileError, match="not for the host of this match"):
        await other.to_judge(answer)
    with pytest.raises(MoveFileError, match="another seat or another match"):
        await other.to_seat(BLUE, await post.from_judge(BLUE))
    with pytest.raises(MoveFileError, match="not for the host of this match"):
        await post.to_judge(await post.from_judge(BLUE))
    with pytest.raises(MoveFileError, match="another seat or another match"):
        await post.to_seat(BLUE, answer)
    seq = await head(post)
    for forged in (_forged(post, RED, BLUE), _renumbered(answer)):
        with pytest.raises(MoveFileError, match="not made with the keys for this seat and Bob"):
            await post.to_judge(forged)
    assert await head(post) == seq
    with pytest.raises(MoveFileError, match=r"cannot read this move file"):
        file_in(armour(b"\x00 something else"))


def _forged(post: Post, forger: Role, victim: Role) -> str:
    """Return a file in the name of one seat, sealed with another seat's key."""
    own, judge = post.invites[forger], load_authority(post.hosted).authority
    outside = Envelope(format=FORMAT, match=post.match, role=victim, to_judge=True, number=9)
    ends = ExchangeCertificates(own_key=own.key, own=own.certificate, other=judge.certificate)
    return format_move_file(new_payload((), 0), outside, ends, ())


def _renumbered(text: str) -> str:
    found = file_in(text)
    outside = Envelope(
        format=FORMAT, match=found.outside.match, role=BLUE, to_judge=True, number=77
    )
    return armour(canonical(MoveFile(outside=outside, sealed=found.sealed)))


async def test_files_from_a_replaced_invite_are_refused(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    await post.move(BLUE, random.Random(1))
    answer = await post.from_seat(BLUE)
    async with post.desk() as desk:
        header = desk.table.match.header
    folder = post.hosted / "invites"

    def write(invites: tuple[Invite, ...]) -> Path:
        return write_invites(folder, invites)

    path = reissue(
        load_authority(post.hosted), (), header, (BLUE,), seat_keys(post.hosted, post.match), write
    )
    with pytest.raises(MoveFileError, match="given a new invite"):
        await post.to_judge(answer)
    (post.invites[BLUE],) = load_invites(path)
    await post.to_seat(BLUE, await post.from_judge(BLUE))
    await post.to_judge(await post.from_seat(BLUE))
    await play_on(post)


async def test_seat_invite_is_needed_only_for_the_first_file(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    (invite,) = (post.hosted / "invites").iterdir()
    moved = invite.rename(tmp_path / invite.name)
    with pytest.raises(DataError, match="the invite of Bob is no longer here"):
        await post.from_judge(BLUE)
    moved.rename(invite)
    await begin(post)
    invite.unlink()
    await play_on(post)
    async with post.desk() as desk:
        kept = desk.mailbox.seat_state(BLUE).certificate
    own = fingerprint(load_certificate(post.invites[BLUE].certificate))
    assert fingerprint(load_certificate(kept)) == own


async def test_chat_in_files_is_delivered_once(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    async with post.desk() as desk:
        desk.add_chat("Good luck!")
        text = desk.write((BLUE,))
    told = await post.to_seat(BLUE, text)
    assert told.chat_texts == ["red: Good luck!"]
    assert (await post.to_seat(BLUE, text)).chat_texts == []
    async with post.seat(BLUE) as peer:
        await peer.say("And you.")
        texts = [peer.write(), peer.write()]
    reports = [await post.to_judge(text) for text in texts]
    assert [report.chat_texts for report in reports] == [["And you."], []]
    async with post.desk() as desk:
        assert [line.text for line in desk.table.chat_and_offers.chat] == ["Good luck!", "And you."]
        assert not desk.has_unsent((BLUE,))
    told = await post.to_seat(BLUE, await post.from_judge(BLUE))
    assert told.chat_texts == []
    async with post.seat(BLUE) as peer:
        assert peer.unsent_count == 0
        assert peer.mailbox.requests == ()
        assert [line.text for line in peer.mailbox.chat] == ["Good luck!", "And you."]


@pytest.mark.full
async def test_a_takeback_is_offered_and_accepted_by_files(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    async with post.seat(BLUE) as peer:
        await peer.submit(Hold())
    await post.to_judge(await post.from_seat(BLUE))
    await begin(post)
    async with post.seat(BLUE) as peer:
        await peer.propose(OfferKind.TAKEBACK, 0)
        text = peer.write()
    await post.to_judge(text)
    await post.to_judge(text)
    async with post.desk() as desk:  # the wish survives a restart of the program
        ask = desk.table.chat_and_offers.offer
        assert ask is not None
        assert ask.waiting_for == (RED,)
        match = desk.table.match
        match.take_back(0, BLUE)
        desk.table.chat_and_offers.close_offer()
    await begin(post)
    async with post.seat(BLUE) as peer:
        assert peer.decision() is not None
    await play_on(post)


async def test_the_host_offers_a_takeback_by_files(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    await red_moves(post, random.Random(1), 1)
    async with post.desk() as desk:
        desk.table.chat_and_offers.open_offer(RED, OfferKind.TAKEBACK, 0, (BLUE,))
    await begin(post)
    async with post.seat(BLUE) as peer:
        assert peer.reporter.offer is not None
        await peer.answer_offer(agree=True)
        text = peer.write()
    await post.to_judge(text)
    async with post.desk() as desk:
        assert desk.table.match.records[-1].takeback_to == 0
    await begin(post)
    async with post.seat(BLUE) as peer:
        assert peer.reporter.offer is None
        assert peer.decision() is not None


async def test_a_late_answer_is_not_applied_to_a_later_offer(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    await red_moves(post, random.Random(1), 1)
    async with post.desk() as desk:
        desk.table.chat_and_offers.open_offer(RED, OfferKind.TAKEBACK, 0, (BLUE,))
    await begin(post)
    async with post.seat(BLUE) as peer:
        await peer.answer_offer(agree=True)
        late = peer.write()
    async with post.desk() as desk:
        desk.table.chat_and_offers.cancel_offer("red withdraws it")
    async with post.desk() as desk:
        desk.table.chat_and_offers.open_offer(RED, OfferKind.DRAW, 0, (BLUE,))
    await post.to_judge(late)
    async with post.desk() as desk:
        offer = desk.table.chat_and_offers.offer
        assert offer is not None
        assert offer.matter is OfferKind.DRAW
        assert offer.waiting_for == (BLUE,)
        assert desk.table.match.terms.ending is None


async def test_a_seat_resigns_by_a_file(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    async with post.seat(BLUE) as peer:
        await peer.propose(OfferKind.RESIGNATION)
        text = peer.write()
    await post.to_judge(text)
    async with post.desk() as desk:
        assert [record.kind for record in desk.table.match.records[-2:]] == ["ending", "reveal"]
    await begin(post)
    async with post.seat(BLUE) as peer:
        assert peer.copy.outcome is not None
        assert peer.copy.outcome.winner == RED


@pytest.mark.full
async def test_the_host_answers_windows_from_standing_orders_in_files(tmp_path: Path) -> None:
    """The judge passes a window that a seat wants to pass, without a file in between."""
    post, source = Post(tmp_path, "six", "short", SIX_PLAYERS, None), random.Random(3)
    for role in ROLES:
        await begin(post, role)
        async with post.seat(role) as peer:
            OrderBook(peer.copy.path.with_suffix(ORDERS_SUFFIX)).change("never spring", "")
        await post.to_judge(await post.from_seat(role))
    files = 0
    for _ in range(200):
        async with post.desk() as desk:
            match = desk.table.match
            if match.is_revealed:
                break
            (role,) = SIX.active_roles(match.state)  # no window is left open
        await post.to_seat(role, await post.from_judge(role))
        await post.move(role, source, 1)
        await post.to_judge(await post.from_seat(role))
        files += 1
    assert files == 12


@pytest.mark.full
async def test_corrupted_files_are_refused_without_crashing(tmp_path: Path) -> None:
    post, source = toy_post(tmp_path), random.Random(8)
    await begin(post)
    await post.move(BLUE, source)
    found = file_in(await post.from_seat(BLUE))
    data = canonical(found)
    for _ in range(sized(30, 500, 5000)):
        changed = bytearray(data)
        for _ in range(source.randrange(1, 4)):
            changed[source.randrange(len(changed))] = source.randrange(256)
        if changed == data:
            continue
        with pytest.raises(MoveFileError):
            await post.to_judge(armour(bytes(changed)))
