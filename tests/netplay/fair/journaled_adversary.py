"""An attacker who also forks the history, withholds messages, and kills and restores honest seats' programs.

The attacker also relays the texts that seats sign after a start and after the end, and sends messages from another
match.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import ClassVar, Final
from unittest import mock

import msgspec
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.codec import AnyGame
from saves.errors import BrokenChainError
from saves.fair.accusations import find_equivocations, valid_accusations
from saves.fair.due_messages import due_messages
from saves.fair.evidence import Case, RefusedMessage
from saves.fair.evidence_file import KnownCopy, save_evidence, verify_evidence
from saves.fair.fold import fold
from saves.fair.messages import Kind, SignedMessage
from saves.fair.secrets import SeatSecrets
from saves.fair.signed_texts import BEFORE_FIRST, Ack, OrderedBatch, Resume, Resumed, signed_bytes
from saves.fair.state import MessageRefusal
from saves.terms import Terms
from saves.verify import verify_file
from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.journaled_world import History, JournaledWorld
from tests.netplay.fair.match import CopyOfMatch

change: Final = msgspec.structs.replace
OTHER_MATCH: Final = "0123456789abcdef"
PARTS: Final = (("journal",), ("counter",), ("copy",), ("journal", "copy"), ("counter", "copy"))
"""The files that a backup may replace. Replacing both the journal and the counter is a complete rollback."""
_MOST_STEPS_AFTER_END: Final = 12


class JournaledAdversary(Adversary):
    """An attacker who acts at random against programs with files."""

    MOVES: ClassVar[tuple[str, ...]] = (
        *Adversary.MOVES,
        "hold",
        "deliver_some",
        "fork",
        "show_another_history",
        "order_an_invalid_message",
        "send_a_false_batch",
        "restart",
        "save",
        "restore_a_part",
        "restore_all",
        "send_texts",
        "acknowledge",
        "another_match",
    )
    world: JournaledWorld

    def __init__(self, world: JournaledWorld) -> None:
        super().__init__(world)
        self._texts: list[Resumed | Ack] = []
        """Answers and acknowledgements that can be sent again."""
        self._forgeries: list[SignedMessage] = []
        """Refused messages in an honest seat's name."""
        self._after_end = 0

    @property
    @override
    def is_over(self) -> bool:
        return not self.world.running or self._after_end > _MOST_STEPS_AFTER_END

    # -- oracles

    @override
    def check(self) -> None:
        """Check O7, and that no two seats complete a throw in two histories (P8)."""
        world = self.world
        self._after_end += super().is_over
        for role in world.running:
            state = world.programs[role].state
            expected = world.follows[role].state_at(state.index).head
            assert state.head == expected, "O7: a copy differs from what it was shown"
        unrestored = [role for role in world.honest if role not in world.restored]
        for one, other in combinations(unrestored, 2):
            shared = self._shared(one, other)
            for role in (one, other):
                at = self._last_throw(role)
                assert at <= shared, f"P8: {role} has completed a throw after a fork"

    def _last(self, role: Role) -> int:
        return self.world.programs[role].state.index

    def _shared(self, one: Role, other: Role) -> int:
        """Return the index of the last message before two copies differ.

        If they do not differ, return the last index of the longer one.
        """
        first, second = self.world.follows[one], self.world.follows[other]
        shared = first.common(second)
        is_fork = shared < min(self._last(one), self._last(other))
        return shared if is_fork else max(self._last(one), self._last(other))

    def _last_throw(self, role: Role) -> int:
        """Return the anchor of the reveals in a copy's last complete throw."""
        state = self.world.programs[role].state
        if not state.challenge:
            return BEFORE_FIRST
        return self.world.message(self.world.follows[role].messages[state.challenge_at]).anchor

    @override
    def _compare(self, signed: SignedMessage, refusal: MessageRefusal) -> None:
        if any(role.encode() in signed.data for role in self.world.honest):
            self._forgeries = [signed]
        for role in self.world.here:
            state = self.world.programs[role].state
            if state.index == self.world.state.index:
                assert fold(state, signed) == refusal, "copies differ about a refusal"

    @override
    def finish(self) -> None:
        """Deliver everything, and check O5, O6 and O7 for all seats and their files."""
        world = self.world
        try:
            world.held.clear()
            for role in world.running:
                if role not in world.halted:
                    world.help(role)
            for history in {id(one): one for one in world.follows.values()}.values():
                world.switch(history)
                self._settle()
            self._check_evidence()
            self._check_copies()
        finally:
            world.close()

    def _settle(self) -> None:
        """Let all seats in the current history continue, and check O6."""
        world = self.world
        for _ in range(200):
            if not [signed for signed in world.due() if self._index(signed)]:
                break
        released = {
            (message.kind, message.author)
            for role in world.here
            for message in map(world.message, world.made(role))
        }
        for one in due_messages(world.state):
            if one.author not in world.here or one.kind in {Kind.CONSENT, Kind.SEED}:
                continue
            if not world.is_blocked(one.author):
                assert (one.kind, one.author) in released, f"O6: {one} is due and not released"
                raise AssertionError(f"O6: {one} is released and not accepted")

    def _check_evidence(self) -> None:
        """Check O5: evidence can be recomputed from its file, and it names the host or an attacker's seat."""
        world = self.world
        found = list(world.evidence)
        for role in world.running:
            found += [(role, one) for one in world.programs[role].audit()()]
        for role, one in found:
            (path,) = save_evidence(world.folder / f"found by {role}", [one])
            verdict = verify_evidence(path, KnownCopy(world.setup.header_hash))
            assert verdict.status == "holds", f"O5: {verdict}"
            assert verdict.author not in world.honest, f"O5: {verdict}"
            self.counts[verdict.charge] += 1
        known = [signed for history in world.histories for signed in history.messages]
        known += [one for seat in world.releases.values() for one in seat.by_slot.values()]
        cases: list[Case] = [*find_equivocations(world.setup.match_id, (), known)]
        messages, order = tuple(world.history.messages), world.history.order(world.history.last)
        cases += [RefusedMessage(messages, order, one) for one in self._forgeries]
        for each in valid_accusations(world.setup, world.header, cases):
            assert each.verdict.author not in world.honest, f"O5: {each.verdict}"

    def _check_copies(self) -> None:
        """Check O7: every honest seat's copy verifies, and two copies show a fork only if the host has created one."""
        world = self.world
        paths: dict[Role, Path] = {}
        ends: dict[Role, int] = {}
        for role in world.honest:
            copy = CopyOfMatch(world.setup, world.match.header, role, world.match)
            with mock.patch("saves.fair.transcript_log.fold", world._fold):
                ends[role] = take_as_a_program(
                    copy, world.game, world.follows[role].messages[: self._last(role) + 1]
                )
            paths[role] = world.folder / f"{role}.fplog"
            copy.write(paths[role])
            verdict = verify_file(paths[role])
            self.counts[verdict.status] += 1
            if verdict.status == "false":
                assert verdict.evidence, f"O7: {verdict.finding}"
                named = [each for each in world.honest if f", {each}:" in str(verdict.evidence)]
                assert not named, f"O5: {verdict.evidence}"
            else:
                assert verdict.status in {"ok", "awaited", "unproven"}, f"O7: {verdict.finding}"
        for one, other in combinations(world.honest, 2):
            verdict = verify_file(paths[one], against=paths[other])
            shared = world.follows[one].common(world.follows[other])
            is_fork = shared < min(ends[one], ends[other])
            problem = "" if verdict.finding is None else verdict.finding.problem
            assert ("forked" in problem) == is_fork, f"O7: {problem or 'no fork is found'}"
            self.counts["forked"] += is_fork

    # -- honest seats

    @override
    def _go_on(self) -> None:
        """Let the match continue. Seats that lag or wait may receive the messages that they need."""
        world = self.world
        if not world.here:
            world.switch(world.follows[self.random.choice(world.running)])
        for role in world.here:
            if role in world.held:
                if self.random.random() < 0.2:
                    world.held.discard(role)
                    world.deliver(role)
            elif world.is_blocked(role) and self.random.random() < 0.5:
                world.help(role)
        if world.running:
            super()._go_on()

    @override
    def _victim_commands(self) -> None:
        """Let a player decide, possibly changing an earlier decision that the host has not indexed."""
        if self.random.random() < 0.5:
            self.unsent.clear()
        super()._victim_commands()

    @override
    def _request(self, role: Role, command: Command) -> SignedMessage | None:
        try:
            return self.world.request(role, command)
        except FlagplotError:
            assert role in self.world.honest, "a modified program signs everything"
            return None  # the seat has already given another command here, or has not resumed

    # -- delays and histories

    def _hold(self) -> None:
        """Withhold all messages for one seat."""
        if self.world.here:
            self.world.held.add(self.random.choice(self.world.here))

    def _deliver_some(self) -> None:
        """Send a lagging seat some of the messages that it lacks."""
        lagging = [one for one in self.world.running if self._lag(one)]
        if lagging:
            role = self.random.choice(lagging)
            self.world.deliver(role, self._last(role) + self.random.randint(1, self._lag(role)))

    def _lag(self, role: Role) -> int:
        return self.world.follows[role].last - self._last(role)

    def _fork(self) -> None:
        """Begin another history. Seats that have not yet seen the first difference can follow it."""
        world, chance = self.world, self.random
        last = world.history.last
        at = chance.randint(max(world.opened_at, last - 8), last)
        behind = [role for role in world.here if self._last(role) <= at]
        new = world.history.until(at)
        for role in behind:
            if chance.random() < 0.6:
                world.follows[role] = new
        world.switch(new)

    def _other(self, role: Role) -> tuple[History, int] | None:
        """Return a history that differs from the one that a seat has seen, with the last message that both share."""
        follows = self.world.follows[role]
        found = [(one, one.common(follows)) for one in self.world.histories if one is not follows]
        usable = [each for each in found if each[1] < min(each[0].last, self._last(role))]
        return self.random.choice(usable) if usable else None

    def _show_another_history(self) -> None:
        """Send a seat messages from another history. The seat stops, with evidence against the host."""
        world, chance = self.world, self.random
        role = chance.choice(world.running)
        other = self._other(role)
        if other is None:
            return
        history, shared = other
        after = chance.choice((BEFORE_FIRST, shared, chance.randint(BEFORE_FIRST, shared)))
        world.show(role, history.batch(after, chance.randint(shared + 1, history.last)))
        assert role in world.halted, "the seat follows two histories"

    def _order_an_invalid_message(self) -> None:
        """Sign an order that contains an invalid message. The seat stops, with valid evidence."""
        world, chance = self.world, self.random
        if chance.random() < 0.6:
            return  # otherwise, most runs would end with this move
        role = chance.choice(world.running)
        state = world.programs[role].state
        signed = self._any_message()
        if not isinstance(fold(state, signed), MessageRefusal):
            return
        bare = OrderedBatch(state.index, state.head, (signed,), b"")
        order = world.history.sign(bare.last, bare.hashes()[-1])
        world.show(role, change(bare, order=order))
        assert role in world.halted, "the seat follows an invalid message"
        assert world.programs[role].state.head == state.head, "an invalid message is folded"

    def _known_message(self) -> SignedMessage:
        """Return a message that the attacker has received, or a faithful message from one of the attacker's seats."""
        kept = [one for seat in self.world.releases.values() for one in seat.by_slot.values()]
        choices = [self.random.choice(self.pool), self.random.choice(kept)]
        own = self._own()
        return self.random.choice(choices if own is None else [*choices, own])

    def _any_message(self) -> SignedMessage:
        """Return a message that may be old, altered, or signed for another place."""
        world, chance = self.world, self.random
        signed = self._known_message()
        author = world.message(signed).author
        changes: tuple[dict[str, object], ...] = (
            {},
            {"anchor": world.state.index, "anchor_hash": world.state.head},
            {"kind": chance.choice((Kind.OFFER, Kind.END, Kind.SEED, Kind.PROOF))},
        )
        altered = world.forge(signed, **chance.choice(changes))
        return altered if author in world.honest else world.seal(author, altered.data)

    def _send_a_false_batch(self) -> None:
        """Send messages with a gap or without the host's signature. They must have no effect."""
        world, chance = self.world, self.random
        role = chance.choice(world.running)
        history, state = world.follows[role], world.programs[role].state
        at = chance.randint(BEFORE_FIRST, history.last - 1)
        right = history.batch(at, chance.randint(at + 1, history.last))
        false = (
            change(right, order=chance.randbytes(64)),
            change(right, after=right.after + 1),
            change(right, messages=()),
            change(right, messages=right.messages[::-1] + right.messages[:1]),
            change(right, after=state.index + 2, head=state.head),
        )
        assert world.show(role, chance.choice(false)) is not None, "a false batch is followed"
        assert role not in world.halted
        assert world.programs[role].state is state

    # -- restarts

    def _restart(self) -> None:
        """Kill a seat's program and restart it, with answers chosen by the attacker."""
        role = self.random.choice(self.world.running)
        self.world.kill(role)
        self.world.begin(role)
        self._resume(role)

    def _resume(self, role: Role) -> None:
        world, chance = self.world, self.random
        program, history = world.programs[role], world.follows[role]
        if chance.random() < 0.3:
            world.help(role)
            return
        others = [one for one in world.seats if one != role and one not in world.halted]
        at = chance.randint(program.state.index, history.last)
        with world._may_halt(role):
            program.update_presence(at, [one for one in others if chance.random() < 0.6])
        for other in others:
            if chance.random() < 0.8 and role not in world.halted:
                self._answer(role, other)
        world.made(role)

    def _answer(self, role: Role, other: Role) -> None:
        """Let one seat answer another one that has started."""
        world, chance = self.world, self.random
        program = world.programs[role]
        answer: Resumed | None = None
        if other in world.attackers:
            history = world.follows[role]
            index = history.last
            if chance.random() < 0.4:
                history = chance.choice(world.histories)
                index = chance.randint(BEFORE_FIRST, history.last)
            answer = self._false_answer(
                world.answer(other, program.resumption.nonce, history, index)
            )
        else:
            with world._may_halt(other):
                answer = world.programs[other].answer_resume(program.resume_request())
        if answer is not None:
            self._texts.append(answer)
            with world._may_halt(role):
                program.receive_answer(answer)

    def _false_answer(self, true: Resumed) -> Resumed:
        world, chance = self.world, self.random
        if chance.random() < 0.6:
            return true
        index, head = true.index + chance.randrange(9), chance.randbytes(32)
        match chance.randrange(5):
            case 0:  # a place that is in no history, with the host's signature
                order = world.history.sign(index, head)
                return world.signed_answer(change(true, index=index, head=head, order=order))
            case 1:
                return world.signed_answer(change(true, head=head))
            case 2:
                return change(true, role=chance.choice(list(world.seats)))
            case 3:
                return change(true, nonce=chance.randbytes(16))
            case _:
                return self._of_another_match(true)

    def _of_another_match(self, text: Resumed) -> Resumed:
        sign = self.world.match.secrets[Role(text.role)].sign
        return change(text, signature=sign(signed_bytes(OTHER_MATCH, text)))

    def _save(self) -> None:
        role = self.random.choice(self.world.running)
        if role not in self.world.restored:
            self.world.save(role)

    def _restore_a_part(self) -> None:
        """Restore a seat's journal, counter or copy from a backup, and lie to the seat (AT-13)."""
        world, chance = self.world, self.random
        role = chance.choice(world.running)
        backups = [one for one in world.backups[role] if self._is_before(role, one.last, one.head)]
        if role in world.restored or not backups:
            return
        world.restored.add(role)
        world.restore(role, chance.choice(backups), chance.choice(PARTS))
        self.counts["restored in part"] += 1
        if chance.random() < 0.7 and role not in world.halted:
            world.follows[role] = world.follows[role].until(self._last(role))
            world.switch(world.follows[role])  # as if no messages had been sent since the backup
        self._resume(role)

    def _is_before(self, role: Role, index: int, head: bytes) -> bool:
        history = self.world.follows[role]
        return index <= history.last and history.state_at(index).head == head

    def _restore_all(self) -> None:
        """Restore all of a seat's files. With an honest host, the seat continues (AT-14)."""
        world, chance = self.world, self.random
        role = chance.choice(world.running)
        backups = [one for one in world.backups[role] if self._is_before(role, one.last, one.head)]
        if role in world.restored or not backups or not self._is_honest(role):
            return
        world.restored.add(role)
        world.restore(role, chance.choice(backups), ("journal", "counter", "copy"))
        world.help(role)
        assert role not in world.halted, world.programs[role].halted
        assert not world.is_blocked(role), "a restored seat goes on"
        self.counts["restored"] += 1

    def _is_honest(self, role: Role) -> bool:
        """Return whether the host has shown all seats the same history, and has indexed a player's decisions."""
        world = self.world
        follows = {id(world.follows[one]) for one in world.honest}
        return not world.halted and len(follows) == 1 and not world.undecided(role)

    # -- texts beside the transcript

    def _send_texts(self) -> None:
        """Send a seat a resume request, and answers that do not fit its current start."""
        world, chance = self.world, self.random
        role, author = chance.choice(world.running), chance.choice(sorted(world.attackers))
        program, nonce = world.programs[role], chance.randbytes(16)
        history = chance.choice(world.histories)
        index = chance.randint(BEFORE_FIRST, history.last)
        answer = self._false_answer(world.answer(author, nonce, history, index))
        bare = Resume(**{name: getattr(answer, name) for name in Resume.__struct_fields__})
        sign = world.match.secrets[author].sign
        match_id = chance.choice((world.setup.match_id, world.setup.match_id, OTHER_MATCH))
        question = change(bare, role=author, signature=bytes(64))
        question = change(question, signature=sign(signed_bytes(match_id, question)))
        with world._may_halt(role):
            made = program.answer_resume(question)
            assert (made is None) == (match_id == OTHER_MATCH)
        for text in (answer, *self._texts[-3:]):
            if role not in world.halted:
                with world._may_halt(role):
                    if isinstance(text, Resumed):
                        program.receive_answer(text)
                    else:
                        program.receive_ack(change(text, index=text.index + 1))
        world.made(role)

    def _acknowledge(self) -> None:
        """Relay true and false acknowledgements of the end."""
        world, chance = self.world, self.random
        for role in world.running:
            with world._folded():
                ack = world.ack(role)
            if ack is not None:
                self._texts.append(ack)
        role = chance.choice(world.running)
        state, follows = world.programs[role].state, world.follows[role]
        acks = [one for one in self._texts if isinstance(one, Ack)]
        for author in sorted(world.attackers):
            world.seats[author].may_open_seed |= chance.random() < 0.5
            index = state.end_at if chance.random() < 0.8 else state.index
            head = follows.state_at(index).head
            bare = Ack(role=author, index=index, head=head, signature=bytes(64))
            match_id = chance.choice((world.setup.match_id, world.setup.match_id, OTHER_MATCH))
            sign = world.match.secrets[author].sign
            acks.append(change(bare, signature=sign(signed_bytes(match_id, bare))))
        for ack in chance.sample(acks, chance.randint(0, len(acks))):
            with world._folded():
                world.programs[role].receive_ack(ack)
        world.made(role)

    # -- another match

    def _another_match(self) -> None:
        """Send a message from a match with another id and the same players."""
        world, chance = self.world, self.random
        signed = self._known_message()
        author = world.message(signed).author
        other = world.forge(signed, match_id=OTHER_MATCH)
        if author in world.honest and chance.random() < 0.5:
            master = world.match.secrets[author]._master
            signature = SeatSecrets(OTHER_MATCH, author, master).sign(other.data)
            other = SignedMessage(other.data, signature)
        elif author not in world.honest:
            other = world.seal(author, other.data)
        before = world.state
        assert not self._index(other), "a message of another match is accepted"
        assert world.state is before


def take_as_a_program(copy: CopyOfMatch, game: AnyGame, messages: Sequence[SignedMessage]) -> int:
    """Add messages until a record contradicts the agreements, such as a loss on time before the time is up.

    A seat's program refuses such a record; see :meth:`saves.follower.Follower.receive`.

    Returns:
        The index of the last message in the last complete record, or -1.
    """
    terms, end = Terms(game, copy.header), -1
    for index, signed in enumerate(messages):
        before = len(copy.records)
        copy.take(signed)
        for record in copy.records[before:]:
            try:
                terms.check(record)
            except BrokenChainError:
                del copy.records[before:]
                return end
            terms.apply(record)
            end = index
    return end
