"""What a move file of a seat asks, asked at the table in its order as if it came over a line."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.cleaning import REASON_LIMIT, clean
from netplay.errors import ProtocolError
from netplay.host_session import HostSession, Verdict
from netplay.mail.books import Corner
from netplay.mail.foresight import Foreseen, foreseen
from netplay.mail.letter import Letter, MoveFileError
from netplay.mail.words import Report
from netplay.messages import (
    Accepted,
    Bye,
    CatchUp,
    Offer,
    OfferAnswer,
    Refused,
    Say,
    Submit,
    decode_question,
)
from netplay.table import Table
from saves.decoding import decode
from saves.errors import UnreadableError
from saves.records import Record

Request = Say | Offer | OfferAnswer

_STALE: Final = "the game has gone on otherwise meanwhile; look at it again"


@dataclass(frozen=True, slots=True)
class Hearing:
    """What one move file of a seat asks at the table."""

    table: Table
    session: HostSession
    role: Role
    corner: Corner
    report: Report
    """What came of it so far."""

    async def judge(self, submits: tuple[Submit, ...]) -> None:
        """Judge commands in their order; one that has its record already is not given again."""
        match, role, report = self.table.match, self.role, self.report
        commands = [self._command(submit) for submit in submits]
        records: list[int] = []
        """Of the commands that have one."""
        plans: dict[int, tuple[int, Foreseen]] = {}
        for place, submit in enumerate(submits):
            base = submit.expected_seq
            record = self._own_record(max([base, *records]))
            if record is not None:
                if record.command is None or record.command.body != submit.command:
                    report.refuse(submits[place:], _STALE)
                    return
                records.append(record.seq)
                report.known += 1
                continue
            if base not in plans and 0 <= base <= match.seq:
                first = sum(seq <= base for seq in records)
                meant = list(takewhile(lambda one: one is not None, commands[first:]))
                state = match.state_at(base)
                plans[base] = first, foreseen(match.ruleset, role, state, meant)
            verdict: Verdict | Bye | None = None
            command = commands[place]
            if command is None or (
                base in plans and self._is_meant(plans[base][1], place - plans[base][0], command)
            ):
                order = msgspec.structs.replace(
                    submit, expected_seq=match.seq, request_id=f"{submit.request_id}@{match.seq}"
                )
                verdict = await self.table.request(self.session, order)
            if not isinstance(verdict, Accepted):
                text = verdict.text if isinstance(verdict, Refused) else _STALE
                report.refuse(submits[place:], text)
                return
            records.append(verdict.seq)
            report.done += 1

    def _command(self, submit: Submit) -> Any:  # noqa: ANN401  # a command of any game
        """Return the command in a message, None where it is none of this game."""
        decoder = msgspec.msgpack.Decoder(self.table.match.ruleset.command_type)
        try:
            return decode(decoder, submit.command, len(submit.command))
        except UnreadableError:
            return None

    def _own_record(self, after: int) -> Record | None:
        """Return the next record with a command of the seat behind another one; None where there is none."""
        records = self.table.match.records[max(after, -1) + 1 :]
        return next(
            (one for one in records if one.kind == "command" and one.role == self.role), None
        )

    def _is_meant(self, plan: Foreseen, number: int, command: Command) -> bool:
        """Return whether a command still answers what its giver was asked, or the rules shall say what is wrong."""
        match = self.table.match
        return plan.misfit == number or plan.fits(number, match.ruleset, match.state, command)

    async def hear(self, requests: tuple[Request, ...]) -> None:
        """Hear chat and words about offers, each once."""
        corner, session, report = self.corner, self.session, self.report
        for request in requests:
            if request.request_id in corner.requests:
                continue
            session.allowance = type(session.allowance)()  # a file holds what was said in days
            verdict = await self.table.request(session, request)
            corner.remember(request.request_id)
            if isinstance(verdict, Refused):
                report.refused.append(verdict)
            elif isinstance(request, Say):
                report.said.append(clean(request.text, REASON_LIMIT))


def questions_in(
    letter: Letter, sender: str
) -> tuple[CatchUp, tuple[Submit, ...], tuple[Request, ...]]:
    """Return what a seat's letter asks.

    Raises:
        MoveFileError: It is not what a seat writes.
    """
    try:
        first, *rest = map(decode_question, letter.messages)
    except (ProtocolError, ValueError) as error:
        raise MoveFileError(f"what {sender} wrote cannot be read") from error
    submits = tuple(one for one in rest if isinstance(one, Submit))
    requests = tuple(one for one in rest if isinstance(one, Say | Offer | OfferAnswer))
    if not isinstance(first, CatchUp) or len(submits) + len(requests) != len(rest):
        raise MoveFileError(f"what {sender} wrote is not what a seat writes")
    return first, submits, requests
