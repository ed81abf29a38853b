"""A seat that answers no resume request must not win, because the restarted seat may give no command until it does."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from netplay.fair.message_server import SignedTextStore
from netplay.fair.resume_watch import ResumeWatch
from netplay.fair.seat import single_part
from netplay.fair.waiting_texts import LATE_SECONDS
from netplay.session.peer_session import PeerSession
from netplay.wire.messages import Post, Refused
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.clocks import parse_clock
from saves.errors import MatchError
from saves.fair.due_messages import awaited_roles
from saves.fair.signed_texts import Resume, Resumed, resume_message, resumed_message
from saves.verify import verify_file
from tests.netplay.fair.match import FairMatch
from tests.netplay.tables import until
from tests.netplay.test_clocks import Watch
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, hall
from tests.netplay.test_late_join_attack import send_nothing
from tests.netplay.test_stopping import SOON, begun
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
CLOCK = parse_clock("30s", "loses")


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_o6_restarted_seat_waiting_for_answers_does_not_lose_on_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """The host is honest. The victim may give no command before every seat that is present has answered."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, clock=CLOCK) as table:
        victim, attacker = await begun(table)
        held = table.host.tables[table.opened.match]
        watch = Watch()
        watch.seconds = held.timekeeper.now()
        held.timekeeper.now = watch
        with monkeypatch.context() as patch:
            patch.setattr(attacker.replicator.fair_duties, "send_due", send_nothing)
            await victim.close()
            victim = table.seat(victim.role)
            await table.live()
            decision = victim.decision()
            assert decision is not None
            given = asyncio.create_task(victim.submit(decision.default))
            await until(lambda: held.commands.late_roles == (attacker.role,))
            await until(lambda: victim.reporter.status.waiting_for == (attacker.role,))
            assert not any(reading.runs for reading in held.timekeeper.readings())
            watch.seconds += 31
            await attacker.say("hello")  # the host looks at the clocks before each request
            assert table.match.terms.ending is None
            assert not given.done()
        await attacker.say("hello")  # wakes the attacker's program, which now answers
        await given
        await until(lambda: held.commands.late_roles == ())  # the host rechecks once a second
        # In a response window, the clock starts only after a fixed delay.
        watch.seconds += held.timekeeper._window_seconds
        await until(lambda: any(reading.runs for reading in held.timekeeper.readings()))


@pytest.mark.full
async def test_o6_seat_that_ignores_resume_requests_cannot_stop_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match waits for the seat that keeps its answer back, not for the one whose program has restarted."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=SOON) as table:
        victim, attacker = await begun(table)
        monkeypatch.setattr(attacker.replicator.fair_duties, "send_due", send_nothing)
        await victim.close()
        victim = table.seat(victim.role)
        await table.live()
        held = table.host.tables[table.opened.match]
        await until(lambda: held.commands.late_roles == (attacker.role,))
        pending = cast("Any", held.commands)._message_server.pending
        await until(lambda: pending.quiet_seconds > SOON.reply_limit)
        assert held.commands.roles_allowed_to_stop == (victim.role,)
        await until(lambda: not attacker.reporter.status.may_stop)
        with pytest.raises(MatchError, match="the others still have time to answer"):
            await attacker.propose(OfferKind.STOP)
        assert attacker.seat is not None
        stop = attacker.seat.participant.sign_stop(is_time_over=True)
        verdict = await attacker.replicator.send(single_part(stop))
        assert isinstance(verdict, Refused)
        assert verdict.code == "unavailable"
        assert not table.match.fair_state.has_ended


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_o6_restarted_seat_that_must_decide_can_stop_a_match_with_a_silent_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """The host is honest. The match waits for the victim's command, which it may not sign before it has an answer."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, limits=SOON) as table:
        victim, attacker = await begun(table)
        commands = cast("Any", table.host.tables[table.opened.match].commands)
        watch = Watch()
        watch.seconds = commands._message_server.now()
        commands._message_server.pending._now = commands._resume_watch._now = watch
        monkeypatch.setattr(attacker.replicator.fair_duties, "send_due", send_nothing)
        await victim.close()
        victim = table.seat(victim.role)
        await table.live()
        assert awaited_roles(table.match.fair_state) == {victim.role}
        await until(lambda: bool(commands._resume_watch._since))
        watch.seconds += LATE_SECONDS + 1
        await until(lambda: commands._held == {victim.role})
        assert commands.roles_allowed_to_stop == (), "the silent seat has the full time to answer"
        watch.seconds += SOON.reply_limit + 1
        assert commands.roles_allowed_to_stop == (victim.role,)
        await until(lambda: OfferKind.STOP in PeerSession(victim).available_offers())
        assert await PeerSession(victim).negotiation.propose(OfferKind.STOP) == "Done."
        copies = [peer.copy for peer in table.peers.values()]
        await until(lambda: all(copy.outcome is not None for copy in copies))
        for copy in copies:
            assert copy.outcome is not None
            assert copy.outcome.winner is None
        await until(lambda: chance == FAIR or table.match.is_revealed)
        await table.level()
        verdict = verify_file(table.peers[attacker.role].copy.path)
        assert verdict.status == ("ok" if chance == JOINT else "awaited"), verdict.finding


class Requests:
    """A store with the requests of one seat, and a watch on the answers to them."""

    def __init__(self) -> None:
        self.match = FairMatch("eots", "south-pacific", deals=False)
        transcript = SimpleNamespace(setup=self.match.setup)
        self.clock = Watch()
        match = cast("Any", SimpleNamespace(transcript=transcript))
        self.store = SignedTextStore(match, self.clock)
        self.watch = ResumeWatch(self.store, self.clock)

    def ask(self, number: int) -> None:
        nonce, head = number.to_bytes(16, "big"), self.match.setup.header_hash
        text = resume_message(self.match.match_id, JAPAN, nonce, -1, head)
        signature = self.match.secrets[JAPAN].sign(text)
        self.store.store(
            JAPAN,
            Post(
                resume=Resume(
                    role=JAPAN, index=-1, head=head, signature=signature, nonce=nonce, order=b""
                )
            ),
        )

    def answer(self, number: int, index: int = -1) -> None:
        nonce, head = number.to_bytes(16, "big"), self.match.setup.header_hash
        text = resumed_message(self.match.match_id, ALLIED, nonce, index, head)
        signature = self.match.secrets[ALLIED].sign(text)
        answer = Resumed(
            role=ALLIED, index=index, head=head, signature=signature, nonce=nonce, order=b""
        )
        self.store.store(ALLIED, Post(resumed=(answer,)))

    def silent_after(self, seconds: float, *present: str) -> dict[Any, Any]:
        """Return the silent seats at that time after the last check."""
        roles = [role for role in (ALLIED, JAPAN) if role in present]
        self.watch.update(roles)
        self.clock.seconds += seconds
        self.watch.update(roles)
        return self.watch.silent_seats


def test_only_connected_seats_past_the_deadline_count_as_silent() -> None:
    requests = Requests()
    requests.ask(1)
    assert requests.silent_after(60, JAPAN) == {}
    assert requests.silent_after(LATE_SECONDS / 2, ALLIED, JAPAN) == {}
    assert requests.silent_after(LATE_SECONDS, ALLIED, JAPAN) == {JAPAN: (ALLIED,)}
    assert requests.watch.seats_to_wait_for((JAPAN, ALLIED)) == (ALLIED,)
    requests.answer(1)
    assert requests.silent_after(60, ALLIED, JAPAN) == {}


def test_resume_answer_without_a_host_signature_does_not_count() -> None:
    requests = Requests()
    requests.ask(1)
    requests.answer(1, index=5)
    assert requests.silent_after(2 * LATE_SECONDS, ALLIED, JAPAN) == {JAPAN: (ALLIED,)}


def test_repeated_resume_requests_do_not_make_other_seats_silent() -> None:
    requests = Requests()
    for number in range(20):
        requests.ask(number)
        assert requests.silent_after(LATE_SECONDS / 2, ALLIED, JAPAN) == {}


def test_seat_that_signs_a_message_stops_waiting_for_answers() -> None:
    requests = Requests()
    requests.ask(1)
    requests.store.end_resumption(JAPAN)
    assert requests.silent_after(60, ALLIED, JAPAN) == {}
