"""Matches whose host deals with joint randomness: start, interruptions and proofs."""

import asyncio
import stat
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.fair.seat import split_post
from netplay.match.pending_match import PendingMatch
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState, FullRecordReceived
from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire import messages as wire
from netplay.wire.errors import NetworkError, UnavailableError
from netplay.wire.modes import FAIR, JOINT, Chance
from netplay.workers.host_bots import save_bot_invite
from play.bots import create_seat_bot
from play.offers import OfferKind
from saves.decoding import canonical
from saves.errors import StorageError
from saves.fair.dealer import Dealer
from saves.fair.evidence_file import verify_evidence
from saves.fair.messages import Kind, Offer, SignedMessage, decode_message, encode_message
from saves.headers import FULL, encode_header
from saves.logfile import LogWriter
from saves.match_replica import PendingRecord
from saves.records import Record
from saves.verify import verify_file, verify_files
from tests.netplay import test_qmg_whole as qmg_whole
from tests.netplay.fair.other_dice import OtherDice
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import (
    EOTS_PLAYERS,
    Hall,
    give,
    hall,
    host_file,
    kill_and_go_on,
    play_out,
    stuck,
    waited_for,
)
from tests.patience import PATIENCE
from tests.play.tables import Talking
from tests.sizes import sampled, sized

QMG_SIX = qmg_whole.SIX


def joint(
    folder: Path,
    game: str = "eots",
    scenario: str = "1943",
    players: Mapping[Role, str] = EOTS_PLAYERS,
    *,
    waits: bool = True,
) -> Any:  # noqa: ANN401  # the context of a hall
    return hall(folder, game, scenario, players, waits=waits, chance=JOINT)


async def opened(folder: Path, players: Mapping[Role, str] = EOTS_PLAYERS) -> Hall:
    """Return an open match without any seated player."""
    made = Hall(folder, "eots", "1943", players, chance=JOINT)
    await made.open()
    return made


async def ends(table: Hall) -> None:
    """Resign if the game is still in progress, and wait until every seat has the whole record."""
    if table.judged.outcome is None:
        await table.peers[next(iter(table.players))].propose(OfferKind.RESIGNATION)
    await until(lambda: all(each.replicator.is_done for each in table.peers.values()))


def check_proved(table: Hall) -> None:
    """Verify every copy, alone and against the full one, as players can."""
    full = host_file(table)
    for role in table.players:
        copy = table.peers[role].copy
        assert copy.full_path.read_bytes() == full.read_bytes()
        for verdict in (
            verify_file(copy.path),
            verify_file(copy.full_path),
            verify_file(copy.path, against=full),
            verify_file(full, against=copy.path),
        ):
            assert verdict.status == "ok", verdict.finding
            proofs = {proof.topic: proof.extent for proof in verdict.proofs}
            assert proofs["dice and draws"] == proofs["authorship"] == "proved"
            assert proofs["hands"] == "not proved"


# -- waiting


@pytest.mark.full
async def test_a_match_begins_when_every_seat_has_joined(tmp_path: Path) -> None:
    table = await opened(tmp_path)
    try:
        allied, watcher = table.seat(ALLIED), table.seat(None)
        await until(
            lambda: (
                {allied.reporter.status.link, watcher.reporter.status.link}
                == {ConnectionState.WAITING}
            )
        )
        assert allied.reporter.status.reason == "the match begins when Bob (Japan) has joined"
        assert "the host can read all hands" in allied.reporter.status.mode
        await until(lambda: table.house.pending_matches[table.opened.match].missing == (JAPAN,))
        (standing,) = (await table.host.overviews()).values()
        assert (standing.heading, standing.missing) == (allied.reporter.status.reason, (JAPAN,))
        table.seat(JAPAN)
        await table.live()
        (standing,) = (await table.host.overviews()).values()
        assert (standing.mode, standing.missing, standing.records) == ("joint", (), 1)
        assert table.match.header.audience == FULL
    finally:
        await table.close()


@pytest.mark.full
@pytest.mark.series("F8")
async def test_f8_a_waiting_match_survives_a_host_restart(tmp_path: Path) -> None:
    table = await opened(tmp_path)
    try:
        table.seat(ALLIED)
        match = table.opened.match
        await until(lambda: table.house.pending_matches[match].missing == (JAPAN,))
        waiting, key = (table.host.folder / f"{match}.{name}" for name in ("waiting", "host7"))
        for path in (waiting, key):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await table.restart()
        await until(lambda: match in table.house.pending_matches)
        assert table.house.pending_matches[match].missing == (JAPAN,)
        table.seat(JAPAN)
        await table.live()
        assert not waiting.exists()
        assert host_file(table).exists()
    finally:
        await table.close()


@pytest.mark.series("F8")
@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes of a host that was stopped"))
async def test_f8_a_host_stopped_after_the_last_enrolment_begins_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=chance)
    await table.open()
    try:
        for role in EOTS_PLAYERS:
            table.seat(role)
        with monkeypatch.context() as patch:
            stopped = asyncio.Event()

            async def stop(match: PendingMatch) -> None:
                stopped.set()
                await until(lambda: bool(match.closing_reason))

            patch.setattr(PendingMatch, "_store_or_begin", stop)
            await stopped.wait()
            assert not table.house.pending_matches[table.opened.match].missing
        await table.restart()
        await table.live()
        await give(table, 1)
        await table.level()
    finally:
        await table.close()


@pytest.mark.full
@pytest.mark.series("F8")
async def test_f8_a_match_waits_for_an_enrolled_seat_that_left(tmp_path: Path) -> None:
    table = await opened(tmp_path)
    try:
        allied = table.seat(ALLIED)
        await until(lambda: table.house.pending_matches[table.opened.match].missing == (JAPAN,))
        await allied.close()
        japan = table.seat(JAPAN)
        await until(lambda: "Ada (Allies)'s share" in japan.reporter.status.reason)
        table.seat(ALLIED)
        await table.live()
    finally:
        await table.close()


@pytest.mark.full
async def test_the_private_file_of_a_seat_is_private_and_required(tmp_path: Path) -> None:
    async with joint(tmp_path) as table:
        for role in EOTS_PLAYERS:
            path = tmp_path / role / f"{table.opened.match}.{role}.seat7"
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await table.peers[ALLIED].close()
        path = tmp_path / ALLIED / f"{table.opened.match}.{ALLIED}.seat7"
        path.rename(path.with_suffix(".away"))
        with pytest.raises(NetworkError, match="this seat's private file is missing"):
            Peer(table.opened.invites[ALLIED], tmp_path / ALLIED)
        path.with_suffix(".away").rename(path)
        table.seat(ALLIED)
        await table.live()


async def test_a_seat_cannot_enrol_twice(tmp_path: Path) -> None:
    table = await opened(tmp_path)
    try:
        allied = table.seat(ALLIED)
        await until(lambda: table.house.pending_matches[table.opened.match].missing == (JAPAN,))
        await allied.close()
        elsewhere = Peer(table.opened.invites[ALLIED], tmp_path / "elsewhere")
        elsewhere.start()
        await until(lambda: elsewhere.reporter.status.link is ConnectionState.STOPPED)
        assert "this seat's private file is missing" in elsewhere.reporter.status.reason
        await elsewhere.close()
    finally:
        await table.close()


# -- whole games


@pytest.mark.series("F9")
@pytest.mark.parametrize(
    ("game", "scenario", "players"),
    [
        ("eots", "south-pacific", EOTS_PLAYERS),
        pytest.param("qmg", "base", QMG_SIX, marks=pytest.mark.full),
        pytest.param("qmg", "total-war", qmg_whole.TWO, marks=pytest.mark.full),
    ],
)
async def test_f9_every_copy_verifies_after_the_end(
    tmp_path: Path, game: str, scenario: str, players: Mapping[Role, str]
) -> None:
    async with joint(tmp_path, game, scenario, players) as table:
        await give(
            table, sized(6, 10_000, of="commands before the end of a match whose host deals")
        )
        watched = [table.peers[None].copy.record(seq) for seq in range(table.peers[None].seq + 1)]
        assert any(entry.salt is None for record in watched for entry in record.events)
        await ends(table)
        check_proved(table)


@pytest.mark.full
async def test_an_ended_match_refuses_offers_and_commands_immediately(tmp_path: Path) -> None:
    async with joint(tmp_path) as table:
        await give(table, 1)
        await table.level()
        giver = next(peer for peer in table.peers.values() if peer.is_asked)
        decision = giver.decision()
        assert decision is not None
        await ends(table)
        async with asyncio.timeout(PATIENCE / 4):
            for matter in (OfferKind.RESIGNATION, OfferKind.DRAW, OfferKind.STOP):
                with pytest.raises(NetworkError, match="the match has already ended"):
                    await giver.propose(matter)
            with pytest.raises(UnavailableError, match="the match ended before"):
                await giver.submit(decision.default)


@pytest.mark.full
@pytest.mark.series("F9")
async def test_f9_a_whole_game_of_1943_verifies(tmp_path: Path) -> None:
    async with joint(tmp_path) as table:
        await play_out(table, {role: create_seat_bot("random", "eots") for role in table.players})
        await ends(table)
        check_proved(table)


def dealt_position() -> Any:  # noqa: ANN401  # of this game
    """Return a position of Empire of the Sun in which both players have cards."""
    rules = ruleset("eots")
    dice = DerivedDice(bytes(range(32)), 0)
    return rules.to_position(
        rules.fold(rules.initial_state(), rules.open_game(rules.position("1943", {}), dice))
    )


LATE = msgspec.structs.replace(
    ruleset("qmg").position("total-war", {}), round=qmg_whole.FIRST_ROUND
)


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "players", "position"),
    [
        pytest.param("eots", EOTS_PLAYERS, dealt_position(), id="eots"),
        pytest.param("qmg", qmg_whole.TWO, LATE, id="qmg"),
    ],
)
async def test_a_match_from_a_custom_position_verifies(
    tmp_path: Path, game: str, players: Mapping[Role, str], position: msgspec.Struct
) -> None:
    async with hall(tmp_path, game, "", players, position, chance=JOINT) as table:
        assert table.match.header.scenario == ""
        rules = table.judged.ruleset
        told = encode_header(table.match.redacted_header(None))
        for role in players:
            cards = rules.hidden_pile(table.judged.state, role, "hand")
            assert not [card for card in cards if canonical(card) in told]
        await give(table, 4)
        await table.restart()
        await until(lambda: all(each.is_live for each in table.peers.values()))
        await give(table, sized(4, 10_000, of="commands of a joint match from an own position"))
        await table.level()
        other = dict(table.peers)
        await ends(table)
        full = host_file(table)
        for role in players:
            copy = other[role].copy
            assert copy.full_path.read_bytes() == full.read_bytes()
            alone = verify_file(copy.path)
            assert alone.status == "ok"
            assert any("only against the full copy" in note for note in alone.notes)
            for verdict in (verify_file(copy.full_path), verify_file(copy.path, against=full)):
                assert verdict.status == "ok", verdict.finding
                proofs = {proof.topic: proof.extent for proof in verdict.proofs}
                assert proofs["dice and draws"] == "proved"


@pytest.mark.full
async def test_false_dice_in_a_match_from_a_custom_position_are_detected(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "", EOTS_PLAYERS, dealt_position(), chance=JOINT) as table:
        dealer = table.match._dealer
        assert dealer is not None
        dice = OtherDice(dealer)
        told: list[FullRecordReceived] = []
        for role in EOTS_PLAYERS:
            table.peers[role].reporter.listen(
                lambda event: told.append(event) if isinstance(event, FullRecordReceived) else None
            )
        while not dice.count:
            await give(table, 1)
        await table.level()
        await ends(table)
        assert len(told) == 2
        assert all("does not follow from the host's secret" in one.difference for one in told)


@pytest.mark.full
async def test_a_seat_knows_only_its_own_cards(tmp_path: Path) -> None:
    async with joint(tmp_path) as table:
        await give(table, 8)
        await table.level()
        rules, judge = table.judged.ruleset, table.judged.state
        for role in EOTS_PLAYERS:
            own = table.peers[role].state
            assert rules.hidden_pile(own, role, "hand") == rules.hidden_pile(judge, role, "hand")
            other = next(one for one in EOTS_PLAYERS if one != role)
            known = set(rules.hidden_pile(own, other, "hand")) & set(
                rules.hidden_pile(judge, other, "hand")
            )
            assert not known


@pytest.mark.full
async def test_a_takeback_with_consent_continues_and_verifies(tmp_path: Path) -> None:
    async with joint(tmp_path) as table:
        await give(table, 5)
        await table.level()
        allied, japan = table.peers[ALLIED], table.peers[JAPAN]
        await allied.propose(OfferKind.TAKEBACK, 1)
        await until(lambda: japan.must_answer)
        await japan.answer_offer(agree=True)
        await until(lambda: allied.copy.record(allied.seq).kind == "takeback")
        await give(table, 3)
        await ends(table)
        check_proved(table)


# -- interruptions, F8


@pytest.mark.full
@pytest.mark.series("F8")
async def test_f8_an_absent_seat_is_named_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joint(tmp_path) as table:
        giver, given, away = await stuck(table, monkeypatch)
        await until(lambda: giver.reporter.status.waiting_for == (away,))
        (standing,) = (await table.host.overviews()).values()
        name = {ALLIED: "Ada (Allies)", JAPAN: "Bob (Japan)"}[away]
        assert standing.heading.endswith(f"waits for {name}'s share of the randomness")
        with pytest.raises(NetworkError, match="the game waits for"):
            await giver.propose(OfferKind.TAKEBACK, 0)
        await giver.say("where are you?")
        seq = giver.seq + 1
        await table.restart()
        await until(lambda: waited_for(table) == (away,))
        back = table.seat(away)
        assert (await given).seq == seq
        await until(lambda: back.seq >= seq and not giver.reporter.status.waiting_for)
        await give(table, 2)


@pytest.mark.full
@pytest.mark.series("F8")
async def test_f8_a_throw_completes_after_its_seat_disconnects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joint(tmp_path) as table:
        giver, given, away = await stuck(table, monkeypatch)
        seq = giver.seq + 1
        given.cancel()
        await giver.close()
        back = table.seat(away)
        await until(lambda: back.seq >= seq)
        assert giver.role is not None
        again = table.seat(giver.role)
        await until(lambda: again.seq >= seq)
        assert again.copy.record(seq).role == giver.role


@pytest.mark.full
@pytest.mark.series("F8")
@pytest.mark.parametrize("restarts", [False, True], ids=["at-once", "after-a-restart"])
async def test_f8_a_match_can_end_while_a_throw_is_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, restarts: bool
) -> None:
    async with joint(tmp_path) as table:
        giver, given, away = await stuck(table, monkeypatch)
        seq = giver.seq + 1
        if restarts:
            await table.restart()
            await until(lambda: waited_for(table) == (away,))
            await until(lambda: giver.is_live)
        await giver.propose(OfferKind.RESIGNATION)
        with pytest.raises(UnavailableError, match="ended"):
            await given
        back = table.seat(away)
        await until(lambda: giver.replicator.is_done and back.replicator.is_done)
        kinds = [giver.copy.record(number).kind for number in (seq, seq + 1)]
        assert kinds == ["ending", "reveal"]
        assert waited_for(table) == ()
        check_proved(table)


@pytest.mark.full
@pytest.mark.series("F8")
async def test_a_host_stopped_during_the_opening_resumes_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins, may_begin = threading.Event(), threading.Event()
    create = LogWriter.create

    def create_later(path: Path) -> LogWriter:
        if path.parent.name == "host":
            begins.set()
            assert may_begin.wait(PATIENCE)
        return create(path)

    monkeypatch.setattr("netplay.match.pending_match.LogWriter.create", create_later)
    async with joint(tmp_path, waits=False) as table:
        await until(begins.is_set)
        match = table.house.pending_matches[table.opened.match]
        stopped = asyncio.create_task(table.host.stop())
        await until(lambda: bool(match.closing_reason))
        may_begin.set()
        await stopped
        await table.restart()
        await table.live()
        await give(table, 2)
        await table.level()


@pytest.mark.full
@pytest.mark.series("F8")
@pytest.mark.parametrize(
    ("at", "after", "host"),
    sampled(
        [
            (at, after, host)
            for at in range(1, 13)
            for after in (False, True)
            for host in (False, True)
        ],
        1,
        16,
        of="kills of a joint match",
    ),
)
async def test_f8_a_match_resumes_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool, host: bool
) -> None:
    async with joint(tmp_path, waits=False) as table:
        await kill_and_go_on(table, monkeypatch, at, after=after, host=host)
        await ends(table)
        check_proved(table)


@pytest.mark.full
@pytest.mark.series("F8")
@pytest.mark.parametrize(
    ("at", "after", "host"),
    sampled(
        [
            (at, after, host)
            for at in (5, 15, 25, 40)
            for after, host in ((False, True), (True, False), (False, False))
        ],
        1,
        6,
        of="kills of one of six seats or the host in a joint match",
    ),
)
async def test_f8_a_match_of_six_resumes_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool, host: bool
) -> None:
    async with joint(tmp_path, "qmg", "base", QMG_SIX, waits=False) as table:
        await kill_and_go_on(table, monkeypatch, at, after=after, host=host)
        await ends(table)
        check_proved(table)


@pytest.mark.full
async def test_a_host_bot_takes_part(tmp_path: Path) -> None:
    table = await opened(tmp_path, {ALLIED: "Ada", JAPAN: "bot:random"})
    try:
        save_bot_invite(table.host.folder, table.opened.invites[JAPAN])
        table.host.start_bots(table.opened.match)
        allied = table.seat(ALLIED)
        await table.live()
        bot = asyncio.create_task(play_seat(allied, LastingBot("eots")))
        await until(lambda: allied.seq >= 8 or bot.done())
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)
        path = table.host.folder / "bots" / f"{table.opened.match}.{JAPAN}.seat7"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        await table.close()


@pytest.mark.full
async def test_a_bot_remark_follows_its_command(tmp_path: Path) -> None:
    async with joint(tmp_path) as table:
        bots = [
            asyncio.create_task(play_seat(table.peers[role], Talking())) for role in EOTS_PLAYERS
        ]
        judge = table.judged
        await until(lambda: any(record.kind == "remark" for record in judge.records))
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        remarks = [record for record in judge.records if record.kind == "remark"]
        assert all(judge.records[one.seq - 1].kind == "command" for one in remarks)
        assert all(judge.records[one.seq - 1].role == one.role for one in remarks)


@pytest.mark.full
async def test_a_player_with_several_roles_signs_for_each_role(tmp_path: Path) -> None:
    async with joint(tmp_path, "qmg", "base", qmg_whole.TWO) as table:
        await give(table, 3)
        await table.level()
        names: dict[str, list[Peer]] = {}
        for role, name in table.players.items():
            names.setdefault(name, []).append(table.peers[role])
        first, second = (PeerSession(*peers) for peers in names.values())
        await first.negotiation.take_back()
        await until(lambda: bool(second.negotiation.offer_question()))
        await second.negotiation.answer_offer(agree=True)
        peer = first.peers[0]
        await until(lambda: peer.copy.record(peer.seq).kind == "takeback")


@pytest.mark.full
async def test_a_record_refused_by_the_disk_is_retried_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joint(tmp_path) as table:
        keeper = table.host.tables[table.opened.match].recorder._writer
        keep, refused = keeper.commit, list[Record]()

        async def keep_later(draft: PendingRecord[Any]) -> Record:
            if not refused:
                refused.append(draft.record)
                raise StorageError("the disk is full")
            record: Record = await keep(draft)
            return record

        monkeypatch.setattr(keeper, "commit", keep_later)
        await give(table, 1)
        await table.level()
        assert table.judged.chain == refused[0].chain, "the same record is written"


@pytest.mark.full
async def test_a_command_that_the_host_cannot_resolve_is_reported_in_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joint(tmp_path) as table:
        giver, given, away = await stuck(table, monkeypatch)

        def refuse(*_: object) -> None:
            raise IllegalCommandError("attack", ())

        monkeypatch.setattr(Dealer, "proposal", refuse)
        table.seat(away)
        parley = table.host.tables[table.opened.match].chat_and_offers
        await until(lambda: any("cannot be resolved" in line.text for line in parley.chat))
        given.cancel()
        await giver.propose(OfferKind.RESIGNATION)
        await ends(table)


async def test_an_illegal_hidden_command_is_refused_without_accusation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joint(tmp_path) as table:
        await table.level()
        role = next(role for role in EOTS_PLAYERS if table.peers[role].is_asked)
        peer = table.peers[role]
        decision = peer.decision()
        assert decision is not None
        monkeypatch.setattr(Dealer, "objection", lambda *_: "the rules do not let it")
        task = asyncio.create_task(peer.submit(decision.options[0]))
        asked = asyncio.Event()
        ask = handshake.ask

        async def noted(line: RequestChannel, *more: Any) -> Any:  # noqa: ANN401  # as it is called
            answer = await ask(line, *more)
            if getattr(answer, "code", "") == "stale":
                asked.set()
            return answer

        monkeypatch.setattr(handshake, "ask", noted)
        await asked.wait()
        task.cancel()
        assert table.judged.seq == 0
        assert not list(tmp_path.rglob("*.evidence7"))  # noqa: ASYNC240  # a small folder
        assert peer.reporter.status.link is ConnectionState.CONNECTED


@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1))
async def test_unsigned_offers_are_refused(tmp_path: Path, chance: Chance) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance) as table:
        await give(table, 3)
        await table.level()
        seq = table.judged.seq
        lines = {role: table.peers[role].replicator._channel for role in EOTS_PLAYERS}
        offers = [
            wire.MakeOffer(request_id=f"o-{matter}", matter=matter, to_seq=1)
            for matter in OfferKind
        ]
        answers = [wire.OfferAnswer(request_id=f"a-{at}", offer=at, agree=True) for at in range(9)]
        command = wire.Submit(request_id="s-1", expected_seq=seq, command=b"\x80")
        for role, ask in [(ALLIED, one) for one in (*offers, command)] + [
            (JAPAN, one) for one in (*answers, command)
        ]:
            line = lines[role]
            assert line is not None
            answer = await handshake.ask(line, ask, 8.0)
            assert isinstance(answer, wire.Refused)
        assert table.judged.seq == seq
        await give(table, 1)
        await table.level()


@pytest.mark.full
async def test_a_host_saves_evidence_of_conflicting_messages_from_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joint(tmp_path) as table:
        giver, given, _ = await stuck(table, monkeypatch)
        assert giver.seat is not None
        seat = giver.seat.participant.participant
        segment = table.match.transcript.segment
        message = decode_message(table.opened.match, segment[0].data)
        other = msgspec.structs.replace(message, kind=Kind.OFFER, body=Offer("draw"))
        data = encode_message(table.opened.match, other)
        signed = SignedMessage(data, seat._secrets.sign(data))
        line = giver.replicator._channel
        assert line is not None
        (part,) = split_post(wire.Post(messages=(signed,)))
        answer = await handshake.ask(line, part, 8.0)
        assert isinstance(answer, wire.Refused)
        given.cancel()
        path = table.host.folder / f"{table.opened.match}.host.evidence7"
        found = verify_evidence(path)
        assert found.charge == "E1"
        assert found.author == giver.role


@pytest.mark.full
async def test_joint_matches_run_in_workers(tmp_path: Path) -> None:
    made = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, workers=2)
    await made.open()
    try:
        for role in EOTS_PLAYERS:
            made.seat(role)
        await made.live()
        bots = [
            asyncio.create_task(play_seat(made.peers[role], LastingBot("eots")))
            for role in EOTS_PLAYERS
        ]
        await until(lambda: made.peers[ALLIED].seq >= 2)
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        await made.peers[ALLIED].propose(OfferKind.RESIGNATION)
        await until(lambda: all(each.replicator.is_done for each in made.peers.values()))
    finally:
        await made.close()
    paths = sorted(tmp_path.rglob("*.fplog"))  # noqa: ASYNC240  # everything is stopped
    assert len(paths) == 5
    assert {verdict.status for verdict in verify_files(paths, None, 1)} == {"ok"}
