"""Commands, takebacks, reveals, closes and torn ends in any order: the file equals a plain list (D1, P2)."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from typing_extensions import override

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from saves.errors import MatchError, StaleCommandError
from saves.follower import Follower
from saves.framing import scan
from saves.logfile import LogWriter, read_log
from saves.match import Match
from saves.records import NOBODY
from saves.verify import verify_file
from tests.saves.play import AUDIENCES, new_match
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, Lay, ToyState

NUMBERS = st.integers(0, 1 << 16)


class Records(RuleBasedStateMachine):
    """A match on disk, compared with the list of states after each of its records."""

    def __init__(self) -> None:
        super().__init__()
        self._home = tempfile.TemporaryDirectory()
        self.path = Path(self._home.name) / "game.fplog"
        self.match = new_match(LogWriter.create(self.path), "short")
        self.states = [self.match.state]
        self.revealed = -1
        """Number of the record that reveals the secret; -1 before that."""

    @override
    def teardown(self) -> None:
        self.match.close()
        assert verify_file(self.path, TOY).status == "ok"
        self._home.cleanup()

    @property
    def is_open(self) -> bool:
        return self.revealed < 0

    @precondition(lambda self: bool(self.is_open and TOY.active_roles(self.match.state)))
    @rule(number=NUMBERS)
    def give(self, number: int) -> None:
        choices = [
            (role, option)
            for role in TOY.active_roles(self.match.state)
            for option in TOY.decision(self.match.state, role).options
        ]
        role, command = choices[number % len(choices)]
        assert self.match.submit(role, command, self.match.seq).seq == len(self.states)
        self.states.append(self.match.state)

    @rule(role=st.sampled_from((RED, BLUE)), late=st.integers(1, 5))
    def give_in_vain(self, role: str, late: int) -> None:
        of = RED if role == RED else BLUE
        with pytest.raises(StaleCommandError):
            self.match.submit(of, Lay(card="c01"), self.match.seq - late)  # type: ignore[arg-type]  # plain text
        with pytest.raises((IllegalCommandError, MatchError)):
            self.match.submit(of, Lay(card="c99"), self.match.seq)  # type: ignore[arg-type]  # plain text

    @rule(number=NUMBERS)
    def take_back(self, number: int) -> None:
        last = self.match.seq
        if last and self.is_open:
            to = number % last
            self.match.take_back(to, RED)
            self.states.append(self.states[to])
        for wrong in (self.match.seq, -1):
            with pytest.raises(MatchError):
                self.match.take_back(wrong, RED)

    @precondition(lambda self: self.is_open)
    @rule(role=st.sampled_from((RED, BLUE, NOBODY)))
    def say(self, role: Role) -> None:
        assert self.match.remark("All is quiet.", role).seq == len(self.states)
        self.states.append(self.states[-1])

    @rule()
    def reveal(self) -> None:
        if self.is_open and TOY.outcome(self.match.state) is not None:
            self.revealed = self.match.reveal().seq
            self.states.append(self.match.state)
        with pytest.raises(MatchError):
            self.match.reveal()

    @rule()
    def close_and_resume(self) -> None:
        self.match.close()
        self.match = Match.resume(self.path, TOY)
        assert self.match.dropped_text == ""

    @rule(number=NUMBERS)
    def lose_the_end(self, number: int) -> None:
        """Cut the file anywhere after the opening, as a crash may do to data that was never acknowledged."""
        self.match.close()
        data = self.path.read_bytes()
        found = scan("test", data)
        ends = [*found.record_offsets[1:], len(data)]
        cut = ends[0] + number % (len(data) - ends[0] + 1)
        self.path.write_bytes(data[:cut])
        self.match = Match.resume(self.path, TOY)
        assert (self.match.dropped_text == "") == (cut in ends)
        del self.states[sum(end <= cut for end in ends) :]
        if self.revealed >= len(self.states):
            self.revealed = -1

    @invariant()
    def the_game_is_that_of_the_list(self) -> None:
        match = self.match
        assert (match.seq, match.state) == (len(self.states) - 1, self.states[-1])
        assert match.is_revealed == (not self.is_open)
        assert list(read_log(self.path).records) == list(match.records)
        middle = match.seq // 2
        assert match.state_at(middle) == self.states[middle]
        for role in AUDIENCES:
            assert TOY.project(self._folded(role), role) == TOY.project(match.state, role)

    def _folded(self, role: str | None) -> ToyState:
        of = next(each for each in AUDIENCES if each == role)
        copy: Follower[ToyState] = Follower.create(TOY, self.match.redacted_header(of))
        for record in self.match.redacted_records(of):
            assert copy.receive(record)
        return copy.state


TestRecords = pytest.mark.series("D1", "P2")(Records.TestCase)
TestRecords.settings = settings(
    max_examples=sized(12, 80, 5_000, of="sequences of commands, takebacks, closes and cuts"),
    stateful_step_count=sized(20, 40, 60, of="steps of each sequence"),
)
