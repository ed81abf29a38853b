"""Tracks agreements about a match outside its rules: adjournments, resumptions and endings.

Agreements are not part of the game state. This module combines both to determine who must move and who has won.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from saves.clocks import PlayerClocks
from saves.codec import AnyGame
from saves.entries import record_statement
from saves.errors import BrokenChainError, FalseRecordError, MatchError
from saves.headers import Header
from saves.records import NOBODY, Record
from saves.statements import Adjournment, Ending, Resumption, Statement, TimeSpent
from saves.teams import find_side, match_info

_ENDED: Final = "the match has ended; only its secret can follow"
_PAUSED: Final = "the match is adjourned; it continues when one of its players resumes it"
TIMED: Final = frozenset({"command", "takeback", "adjournment"})
"""Record kinds that can end a role's turn. A clock record may directly follow them."""
_AFTER_ENDING: Final = frozenset({"reveal"})
_WHILE_ADJOURNED: Final = frozenset({"resumption", "ending", "remark", "reveal"})


class Terms:
    """The agreements in force after a copy's last record, updated record by record."""

    def __init__(self, game: AnyGame, header: Header) -> None:
        """Start with the state before record 0."""
        self._game = game
        self._info = match_info(game, header)
        self.ending: Ending | None = None
        """How the match ended outside its rules; None if no agreement or timeout has ended it."""
        self.ending_role: Role = NOBODY
        """The role that resigned, ran out of time, offered the draw or stopped the match; empty without an ending."""
        self.adjourned: tuple[Role, ...] = ()
        """The roles that agreed to adjourn; empty if the match is not adjourned."""
        clock = header.clock
        self.is_signed = header.fair is not msgspec.UNSET
        """True in a protocol 7 match, whose seats sign their actions. There, a command ends an adjournment."""
        self._can_stop = header.fair is not msgspec.UNSET and header.fair.reply_limit > 0
        self.player_clocks = (
            None if clock is msgspec.UNSET else PlayerClocks(clock, tuple(self._info.roles))
        )
        """The clocks, with the remaining time; None if the match has no clocks."""
        self._timed: Role | None = None
        """Author of the last record; None if that record could not end the author's turn."""
        self.roles_timed_before: set[str] = set()
        """Roles that had to decide before the last record, or that sent messages for it.

        Set only by :func:`check_terms`, because this class does not know the game state.
        """

    # -- status of the match

    @property
    def is_in_play(self) -> bool:
        """Return whether play can continue: the match is not adjourned and has not ended outside its rules."""
        return self.ending is None and not self.adjourned

    def outcome(self, state: Any) -> Outcome | None:  # noqa: ANN401  (any game's state)
        """Return how the match ended, by agreement or by its rules; None while it is in progress."""
        if self.ending is None:
            return self._game.outcome(state)
        return self._agreed_outcome(self.ending)

    def asked(self, state: Any) -> tuple[Role, ...]:  # noqa: ANN401  (any game's state)
        """Return the roles that must decide now; empty if the match is adjourned or has ended."""
        return () if self.adjourned or self.ending is not None else self._game.active_roles(state)

    def _agreed_outcome(self, ending: Ending) -> Outcome:
        text = ending_text(self._game, ending, self.ending_role)
        if ending.how in {"draw", "stopped"}:
            return Outcome(winner=None, level="", score=None, reason=text)
        losing_side = find_side(self._info, ending.by[0])
        other_sides = [side for side in self._info.sides if side != losing_side]
        winner = other_sides[0] if other_sides else None
        return Outcome(winner=winner, level="", score=None, reason=text, is_lost=not other_sides)

    # -- which records may follow

    def side_roles(self, role: Role) -> tuple[Role, ...]:
        """Return the roles that win and lose together with a role, including the role itself.

        Raises:
            MatchError: The match has no such role.
        """
        side = find_side(self._info, role)
        if side is None:
            raise MatchError(f"there is no role '{role}' in this match")
        return tuple(self._info.sides[side])

    def has_lost_on_time(self, role: Role) -> bool:
        """Return whether a role's side loses because the role has run out of time."""
        player_clocks = self.player_clocks
        if player_clocks is None or player_clocks.clock.flag != "loses":
            return False
        return player_clocks.left.get(role, 1) <= 0

    @property
    def all_roles(self) -> tuple[Role, ...]:
        """Return all roles of the match."""
        return tuple(self._info.roles)

    def objection(self, kind: str, role: Role, statement: Statement | None) -> str:
        """Return why a record conflicts with the agreements; empty if there is no conflict. The rules are not checked.

        Args:
            kind: The record's kind.
            role: The record's author.
            statement: The record's statement; None if the record has no statement.
        """
        if self.ending is not None and kind not in _AFTER_ENDING:
            return _ENDED
        # An adjourned match may still record the time that was spent before the adjournment.
        is_late_time = kind == "clock" and self._timed is not None
        may_follow = kind in _WHILE_ADJOURNED or (self.is_signed and kind in TIMED)
        if self.adjourned and not may_follow and not is_late_time:
            return _PAUSED
        match statement:
            case Ending():
                return self._ending_objection(role, statement)
            case Adjournment(by=by):
                return "" if role in by and by == self.all_roles else "not everyone agrees to it"
            case TimeSpent(spent=spent):
                if self.player_clocks is None:
                    return "the match has no clock"
                if role not in {NOBODY, self._timed}:
                    return "no record before it could have used this time"
                return (
                    ""
                    if set(spent) <= set(self.player_clocks.left)
                    else "it counts time for a role that the match does not have"
                )
            case Resumption():
                if not self.adjourned:
                    return "the match is not adjourned"
                return (
                    ""
                    if role in self.adjourned
                    else "only a player who agreed to adjourn can resume"
                )
            case _:
                return ""

    def _ending_objection(self, role: Role, ending: Ending) -> str:
        sides = self._info.sides
        if ending.how == "draw":
            if len(sides) < 2:  # noqa: PLR2004  # both sides of a draw
                return "there is no opponent to agree to a draw"
            return "" if role in ending.by == self.all_roles else "not everyone agrees to a draw"
        if ending.how == "stopped":
            return self._stopping_objection(role, ending)
        if ending.how == "time" and not self.has_lost_on_time(role):
            return (
                f"'{role}' has not run out of time, or running out of time does not lose this match"
            )
        side = find_side(self._info, role)
        if side is None or ending.by != tuple(sides[side]):
            return "only a whole side can resign or lose by time"
        return "" if len(sides) <= 2 else "no side can resign when there are more than two"  # noqa: PLR2004

    def _stopping_objection(self, role: Role, ending: Ending) -> str:
        if not self._can_stop:
            return "this match has no response time limit, so no player can stop it"
        if self.adjourned:
            return "the match is adjourned"
        return "" if ending.by == (role,) else "only one role at a time can stop the match"

    def check(self, record: Record) -> None:
        """Check that a record does not conflict with the agreements.

        Raises:
            BrokenChainError: The record conflicts with the agreements.
        """
        problem = self.objection(record.kind, record.role, record_statement(record))
        if problem:
            raise BrokenChainError(record.seq, problem)

    def apply(self, record: Record) -> None:
        """Apply the next record, even if it conflicts with the agreements."""
        if self.is_signed and record.kind in {"command", "takeback"}:
            self.adjourned = ()
        match record_statement(record):
            case Ending() as ending:
                self.ending, self.ending_role = ending, record.role
            case Adjournment(by=by):
                self.adjourned = by
            case Resumption():
                self.adjourned = ()
            case TimeSpent(spent=spent) if self.player_clocks is not None:
                self.player_clocks.deduct(spent, until_last=record.role != NOBODY)
            case _:
                pass
        self._timed = (
            record.role if self.player_clocks is not None and record.kind in TIMED else None
        )
        if self.player_clocks is not None and record.kind in {*TIMED, "resumption"}:
            self.player_clocks.end_turn(record.role if record.kind == "command" else None)


def check_terms(terms: Terms, state: Any, record: Record) -> None:  # noqa: ANN401  (any game's state)
    """Check a record against the agreements. Once a game is over, it cannot be adjourned or ended again.

    Args:
        terms: The agreements before the record.
        state: The state before the record.
        record: The record to check. Its shape has already been checked.

    Raises:
        FalseRecordError: The record conflicts with the agreements.
    """
    # Store the roles before the early return below, because a clock record that names them may
    # follow.
    if terms.player_clocks is not None and record.kind in TIMED:
        messages = () if record.transcript is msgspec.UNSET else record.transcript.messages
        terms.roles_timed_before = {*terms.asked(state), *(message.author for message in messages)}
    if terms.is_in_play and record.kind == "command":
        return  # the common case
    statement = record_statement(record)
    problem = terms.objection(record.kind, record.role, statement)
    if (
        not problem
        and isinstance(statement, Ending | Adjournment)
        and terms.outcome(state) is not None
    ):
        problem = "the game is already over"
    if not problem and isinstance(statement, TimeSpent):
        allowed_roles = terms.roles_timed_before
        if record.role == NOBODY:
            # Any seat may owe a message for the pending command, which is not in a record yet.
            allowed_roles = {*(terms.all_roles if terms.is_signed else terms.asked(state))}
        if not set(statement.spent) <= allowed_roles:
            problem = "it counts time for a role that had nothing to decide"
    if problem:
        raise FalseRecordError(record.seq, problem)


def ending_text(game: AnyGame, ending: Ending, role: Role) -> str:
    """Describe in one sentence how a match ended outside its rules.

    Args:
        game: The match's game.
        ending: The ending.
        role: The role of the ending's record. Other roles on its side have not necessarily agreed.
    """
    name = role_names(game, (role,))
    if ending.how == "draw":
        return "Everyone agreed to a draw."
    if ending.how == "time":
        return f"{name} ran out of time."
    if ending.how == "stopped":
        return f"{name} stopped the match because a response was overdue."
    return f"{name} resigned." if len(ending.by) == 1 else f"{name} resigned for its whole side."


def statement_text(game: AnyGame, record: Record) -> str:
    """Return a sentence about a record's agreement; empty for remarks and for records without a statement."""
    match record_statement(record):
        case Ending() as ending:
            return ending_text(game, ending, record.role)
        case Adjournment():
            return "The match is adjourned."
        case Resumption():
            return f"{role_names(game, (record.role,))} resumed the match."
        case _:
            return ""


def role_names(game: AnyGame, roles: Sequence[Role]) -> str:
    """Join role names for a sentence: "A, B and C"."""
    *first, last = (game.role_titles.get(role, role.title()) for role in roles)
    return f"{', '.join(first)} and {last}" if first else last


AGREEMENTS: Final = frozenset({"ending", "adjournment", "resumption"})
"""The kinds of records that change who has to decide or how a match ends."""


def current_terms(game: AnyGame, header: Header, records: Iterable[Record]) -> Terms:
    """Return the agreements in force after the last of these records."""
    terms = Terms(game, header)
    for record in records:
        terms.apply(record)
    return terms
